"""Beginning, naming and leaving a case: what is said about where it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.case_file import Case, Stated
from advisor.interview.interview import Interview, Reply
from advisor.interview.keeper import Keeper, stated
from advisor.interview.session import Session
from advisor.interview.store import Store
from advisor.interview.view import EntryView, LineView
from advisor.reports.advice_words import TITLES, one_line

__all__ = ["ACTIONS", "case_lines", "farewell", "resumed"]

_MOST_CASES = 12


def resumed(adviser: Adviser, store: Store, case: Case, *, command: str) -> Interview:
    """Return the interview that goes on with a case.

    Under newer knowledge it says so and what moved; answers that cannot be taken any more are left
    out, and then it goes on as a new case, so that the old file keeps them.
    """
    session, left_out = _usable(adviser, case)
    whole = not left_out
    interview = Interview(
        adviser, session, keeper=Keeper(store, case if whole else None), command=command
    )
    lines = tuple(_since(case, interview, left_out))
    if lines:
        count = len(session.turns)
        interview.entries = ((count, EntryView("", f"Case {case.name} goes on.", lines)),)
    interview.become(session)
    return interview


def _usable(adviser: Adviser, case: Case) -> tuple[Session, tuple[str, ...]]:
    """Return the session without the answers that lead to an error, and what they were."""
    session, left_out = case.session, list(case.left_out)
    while True:
        try:
            adviser.consult(session.answers)
        except InputError as error:
            problem = error.problems[0]
            bad = (session.number_of(problem.key) if problem.key else None) or len(session.turns)
            if bad == 0:
                raise
            said = session.turns[bad - 1]
            left_out.append(f"Answer {bad} (“{said.text}”): {problem.message}")
            turns = (*session.turns[: bad - 1], *session.turns[bad:])
            session = replace(session, turns=turns)
        else:
            return session, tuple(left_out)


def _since(case: Case, interview: Interview, left_out: tuple[str, ...]) -> Iterator[LineView]:
    told = interview.consultation
    for text in left_out:
        yield LineView(f"Left out, since it cannot be taken any more. {text}", (), "!")
    if left_out:
        yield LineView(f"The file of {case.name} stays as it is; this goes on as a new case.")
    if case.knowledge == told.knowledge.version:
        return
    yield LineView(f"Kept under knowledge {case.knowledge}; this is {told.knowledge.version}.")
    now = stated(told)
    moved = [*_moved(case.decided, now)]
    for name, before, after in moved:
        sections = tuple(c.section for c in told.decisions[name].citations)[:1]  # type: ignore[index]
        yield LineView(f"{TITLES[name]}: {after} (was {before})", sections, "=")
    if not moved:
        yield LineView("No decision moved with it.")


def _moved(then: Mapping[str, Stated], now: Mapping[str, Stated]) -> Iterator[tuple[str, str, str]]:
    for name, one in now.items():
        before = then.get(name)
        if before is not None and before != one:
            yield name, _words(before), _words(one)


def _words(one: Stated) -> str:
    return f"{one.said} [{one.status.replace('_', ' ')}]"


def farewell(interview: Interview) -> str:
    """Return the last line: whether the case is saved, its name, and how to go on."""
    if interview.saved not in {"", "saved"}:
        return f"{interview.saved[0].upper()}{interview.saved[1:]}. /export keeps it elsewhere."
    if not interview.case:
        return "Nothing was answered, so there is nothing to keep." if interview.saved else ""
    return f"Saved as {interview.case}. Go on with: {interview.command} --resume {interview.case}"


def case_lines(store: Store) -> Iterator[str]:
    """Yield the cases that were kept, the newest first."""
    found = store.listed()
    for one in found:
        date = f"{one.changed[:16].replace('T', ' ')}, " if one.good else ""
        yield one_line(f"{one.name}: {date}{one.said}")
    if not found:
        yield f"No case has been kept in {store.folder}."


def _cases(interview: Interview, arguments: str, said: str) -> Reply:
    store = interview.store
    if store is None:
        raise InputError(Problem("not_kept", "This interview is not kept; see /export."))
    lines = [LineView(text) for text in case_lines(store)]
    most = len(lines) if arguments.casefold() == "all" else _MOST_CASES
    title = f"Cases; {interview.command} --resume NAME goes on with one:"
    return Reply(EntryView(said, title, tuple(lines[:most]), more=max(0, len(lines) - most)))


def _save(interview: Interview, arguments: str, said: str) -> Reply:
    if not arguments:
        raise InputError(Problem("usage", "Say the name: /save chat-70b"))
    interview.rename(arguments)
    if interview.saved != "saved":
        return Reply(EntryView(said, f"It has no new name: {interview.saved}.", ()))
    return Reply(EntryView(said, f"The case is {interview.case} from now on.", ()))


def _restart(interview: Interview, arguments: str, said: str) -> Reply:
    del arguments
    old = interview.case
    interview.restart()
    kept = f" Case {old} is kept." if old else ""
    return Reply(EntryView(said, f"Started anew.{kept} /back returns to what was before.", ()))


def _quit(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.interview.left_open import leave_open

    del arguments, said
    reply = leave_open(interview)
    interview.keep()
    return replace(reply, quit=True)


ACTIONS: Mapping[str, Callable[[Interview, str, str], Reply]] = {
    "save": _save,
    "restart": _restart,
    "quit": _quit,
    "cases": _cases,
}
