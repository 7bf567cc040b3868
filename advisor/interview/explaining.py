"""The commands that explain: the explanations of ``advisor.explain`` as entries of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from advisor.errors import InputError, Problem
from advisor.explain.explanation import Explanation
from advisor.interview.interview import Interview, Reply
from advisor.interview.view import EntryView, LineView

__all__ = ["ACTIONS", "entry_of"]

_ALL = frozenset({"all", "--all"})


def entry_of(said: str, found: Explanation, *, everything: bool) -> EntryView:
    """Return an explanation as an entry of the log."""
    lines = tuple(
        LineView(line.text, line.sections, indent=line.indent)
        for line in found.shown(everything=everything)
    )
    return EntryView(said, found.title, lines, more=found.hidden(everything=everything))


def _words(arguments: str) -> tuple[list[str], bool]:
    words = arguments.split()
    everything = bool(words) and words[-1].casefold() in _ALL
    return (words[:-1] if everything else words), everything


def _needs(words: list[str], count: int, usage: str) -> None:
    if len(words) < count:
        raise InputError(Problem("usage", f"Say {usage}."))


def _why(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.why import why

    words, everything = _words(arguments)
    key = " ".join(words) or (interview.ask.key if interview.ask else "")
    if not key:
        raise InputError(Problem("nothing", "No question is open."))
    found = why(interview.adviser, interview.session.answers, key)
    return Reply(entry_of(said, found, everything=everything))


def _how(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.how import how

    words, everything = _words(arguments)
    _needs(words, 1, "what: /how gpu, /how sharing.profile, /how tenancy.tenants")
    found = how(interview.adviser, interview.session.answers, " ".join(words))
    return Reply(entry_of(said, found, everything=everything))


def _whynot(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.whynot import whynot

    words, everything = _words(arguments)
    _needs(words, 1, "which option: /whynot mig, /whynot h100-sxm")
    found = whynot(interview.adviser, interview.session.answers, " ".join(words))
    return Reply(entry_of(said, found, everything=everything))


def _limits(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.limits import limits

    words, everything = _words(arguments)
    found = limits(interview.adviser, interview.session.answers, words[0] if words else None)
    return Reply(entry_of(said, found, everything=everything))


def _compare(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.explain.compare import compare

    words, everything = _words(arguments)
    _needs(words, 2, "two options: /compare h100-sxm l40s")
    first, second = _two(words)
    found = compare(interview.adviser, interview.session.answers, first, second)
    return Reply(entry_of(said, found, everything=everything))


def _two(words: list[str]) -> tuple[str, str]:
    """Return two options; either may have several words, with ``vs`` or ``,`` between them."""
    text = " ".join(words)
    for between in (" vs ", " with ", ", ", ","):
        first, found, second = text.partition(between)
        if found:
            return first.strip(), second.strip()
    return " ".join(words[: len(words) // 2]), " ".join(words[len(words) // 2 :])


ACTIONS: Mapping[str, Callable[[Interview, str, str], Reply]] = {
    "why": _why,
    "how": _how,
    "whynot": _whynot,
    "limits": _limits,
    "compare": _compare,
}
