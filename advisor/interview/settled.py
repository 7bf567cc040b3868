"""What an answer settled: the lines under each turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.answers.questions import UNKNOWN, Question, load_questions
from advisor.consult.consultation import Consultation, Decision
from advisor.explain.beside import beside
from advisor.explain.change import Change, changes
from advisor.interview.session import Turn
from advisor.interview.view import LineView
from advisor.reports.advice_words import TITLES, said

__all__ = [
    "moved_words",
    "named",
    "plainly",
    "sections_of_keys",
    "settled_lines",
    "sign_of",
    "taken_words",
]

_MOST_WARNINGS = 2
_MOST_SECTIONS = 2
_NO_CHOICE_YET = frozenset({"open", "absent", "not_applicable"})
_NEITHER = "buy or rent: "
"""How a choice begins while nobody has said which of the two it will be."""


def settled_lines(said_: Turn, before: Consultation, after: Consultation) -> tuple[LineView, ...]:
    """Return what moved with one answer, what stays open, and what will bite now.

    Args:
        said_: The turn.
        before: The consultation without it.
        after: The consultation with it.
    """
    if not before.answers:  # nobody was told what no answer at all leads to
        before = before.model_copy(update={"decisions": {}})
    found = [change for change in changes(before, after) if _worth(change)]
    moved = [_moved(change, after) for change in found if not _follows(change, found)]
    lines = [*moved, *_assumed(said_, after), *_bites(before, after)]
    if not moved:
        lines += _beside(said_, before, after, alone=not lines)
    return tuple(lines)


def sections_of_keys(said_: Turn) -> tuple[str, ...]:
    """Return the sections that explain what was answered."""
    questions = load_questions()
    found = (questions[key].section for key in said_.keys if key in questions)
    return tuple(dict.fromkeys(found))[:_MOST_SECTIONS]


def named(key: str) -> str:
    """Return a key as words: its last part."""
    return (key.rpartition(".")[2] or key).replace("_", " ")


def plainly(headline: str) -> str:
    """Return a choice as it is said after its title."""
    return headline.removeprefix(_NEITHER)


def _beside(
    said_: Turn, before: Consultation, after: Consultation, *, alone: bool
) -> Iterator[LineView]:
    """Yield what moves beside choices that stay; that nothing does only where it is all."""
    told = beside(before, after, said_.keys)
    if told:
        text = f"The choices stay as they are. Beside them: {'; '.join(told)}."
        yield LineView(text, sections_of_keys(said_))
    elif alone:
        yield LineView("The advice stays as it is.", sections_of_keys(said_))


def _worth(change: Change) -> bool:
    if (change.status_before, change.status_after) == ("absent", "open"):
        return False
    return change.reworded or change.status_before != change.status_after


def _follows(change: Change, found: Iterable[Change]) -> bool:
    """Tell whether the words of a choice stay, and only machines follow another choice of GPUs."""
    same = change.before == change.after and change.status_before == change.status_after
    others = (one.decision for one in found if one is not change)
    return same and not change.moved and "gpu" in others


def moved_words(change: Change) -> str:
    """Return what a decision becomes: the numbers first where only they differ, else what it was.

    Args:
        change: The decision before and after.
    """
    after = plainly(change.after)
    if change.status_before in _NO_CHOICE_YET or not change.reworded:
        return after
    if not change.moved and change.numbers and change.before != change.after:
        return f"{', '.join(change.numbers)}; now {after}"
    if change.before == change.after:
        return f"{', '.join(change.numbers)}; still {after}"
    return f"{after} (was {plainly(change.before)})"


def _moved(change: Change, after: Consultation) -> LineView:
    decision = after.decisions.get(change.decision)
    text = f"{TITLES[change.decision]}: {moved_words(change)}"
    state = change.status_after
    if state not in {"firm", "provisional"}:
        text = _not_chosen(f"{TITLES[change.decision]}: {plainly(change.after)}", decision)
    if state == "firm":
        text += ", whatever else is answered"
    return LineView(text, _sections(decision), sign_of(state), firm=state == "firm")


def sign_of(status: str) -> str:
    """Return the sign of a decision: settled, open, or neither where it does not apply."""
    return {"open": "~", "firm": "=", "provisional": "="}.get(status, "")


def _not_chosen(text: str, decision: Decision | None) -> str:
    """Return why there is no choice, where there is none."""
    if decision is None:
        return text
    because = decision.because.strip()
    return f"{text}: {because[0].lower()}{because[1:].rstrip('.')}" if because else text


def _sections(decision: Decision | None) -> tuple[str, ...]:
    found = [] if decision is None else [citation.section for citation in decision.citations]
    return tuple(dict.fromkeys(found))[:_MOST_SECTIONS]


def _assumed(said_: Turn, after: Consultation) -> Iterator[LineView]:
    """Yield what is taken for an answer that is not known, and what hangs on it."""
    notes = {note.key: note for note in after.assumptions}
    for key, value in said_.values:
        if value != UNKNOWN:
            continue
        question, note = load_questions().get(key), notes.get(key)
        section = () if question is None else (question.section,)
        hanging = [
            TITLES[name]
            for name, decision in after.decisions.items()
            if any(needed.question == key for needed in decision.depends_on)
        ]
        on_it = f"; {_may_change(hanging, len(after.decisions))}" if hanging else ""
        if note is not None:
            taken = taken_words(question, note.value, note.why)
            yield LineView(f"Not known; taken for now: {taken}{on_it}.", (note.section,), "~")
        else:
            yield LineView(f"Not known{on_it or ', and nothing hangs on it'}.", section, "~")


def taken_words(question: Question | None, value: object, why: str) -> str:
    """Return a value that is assumed and why, without a full stop."""
    labels = {} if question is None else {choice.id: choice.label for choice in question.values}
    words = labels.get(value, "") if isinstance(value, str) else ""
    if isinstance(value, int) and not isinstance(value, bool):
        words = f"{value:,}"
    words = words or said(value)
    because = why.strip().rstrip(".")
    return f"{words}. {because[0].upper()}{because[1:]}" if because else words


def _may_change(titles: list[str], of: int) -> str:
    if len(titles) == of > 1:
        return "every decision may change with it"
    *first, last = titles
    return (
        f"{', '.join(first)} and {last} may change with it"
        if first
        else f"{last} may change with it"
    )


def _bites(before: Consultation, after: Consultation) -> Iterator[LineView]:
    known = {warned.id for warned in before.warnings}
    new = [w for w in after.warnings if w.severity == "critical" and w.id not in known]
    for warned in new[:_MOST_WARNINGS]:
        sections = tuple(dict.fromkeys(citation.section for citation in warned.citations))
        yield LineView(warned.text, sections[:_MOST_SECTIONS], "!")
    if len(new) > _MOST_WARNINGS:
        more = len(new) - _MOST_WARNINGS
        sections = tuple(dict.fromkeys(w.citations[0].section for w in new[_MOST_WARNINGS:]))
        yield LineView(
            f"{more} more critical warning{'s' if more > 1 else ''}: /so-far",
            sections[:_MOST_SECTIONS],
            "!",
        )
