"""What moves beside choices that stay: settings, warnings, assumptions, what is open."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.explain.numbers import settings
from advisor.reports.advice_words import TITLES, said

if TYPE_CHECKING:
    from advisor.consult.consultation import Consultation, Decision

__all__ = ["beside"]

_SETTINGS = 3
_NAMES = 2
_MOST = 3


def beside(
    before: Consultation, after: Consultation, answered: Collection[str] = ()
) -> tuple[str, ...]:
    """Return in few words what else differs between two consultations, what one acts on first.

    Args:
        before: A consultation.
        after: Another, whose choices read the same.
        answered: The keys whose answers differ: that these are open no longer is no news.
    """
    found = [*_beside(before, after, frozenset(answered))]
    more = len(found) - _MOST
    return (*found[:_MOST], *((f"and {more} more",) if more > 0 else ()))


def _beside(before: Consultation, after: Consultation, answered: frozenset[str]) -> Iterator[str]:
    for name, decision in after.decisions.items():
        found = settings(before.decisions.get(name), decision)
        if found:
            yield f"{TITLES[name]}: {_some(found, _SETTINGS)}"
    first, then = (dict.fromkeys(w.id for w in told.warnings) for told in (before, after))
    yield from _come_and_go(first, then, ("new warnings", "warnings gone"))
    old, new = ({note.key: said(note.value) for note in t.assumptions} for t in (before, after))
    changed = [
        f"{key} = {value}"
        for key, value in new.items()
        if old.get(key) != value and key not in answered
    ]
    if changed:
        yield f"assumed now: {_some(changed, _NAMES)}"
    gone = [key for key in old if key not in new and key not in answered]
    if gone:
        yield f"no longer assumed: {_some(gone, _NAMES)}"
    first, then = (_open(told, answered) for told in (before, after))
    yield from _come_and_go(first, then, ("open now", "open no longer"))
    yield from _grounds(before, after)


def _some(words: Iterable[str], most: int) -> str:
    found = list(words)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _come_and_go(
    old: Collection[str], new: Collection[str], heads: tuple[str, str]
) -> Iterator[str]:
    come = [name for name in new if name not in old]
    gone = [name for name in old if name not in new]
    for head, names in zip(heads, (come, gone), strict=True):
        if names:
            yield f"{head}: {_some(names, _NAMES)}"


def _open(told: Consultation, answered: frozenset[str]) -> dict[str, None]:
    needs = (need.question for made in told.decisions.values() for need in made.depends_on)
    return dict.fromkeys(key for key in needs if key not in answered)


def _grounds(before: Consultation, after: Consultation) -> Iterator[str]:
    """Yield which decisions stand against other things than before."""
    for label, read in _GROUNDS:
        names = [
            TITLES[name]
            for name, decision in after.decisions.items()
            if name in before.decisions and read(before.decisions[name]) != read(decision)
        ]
        if names:
            yield f"{label} ({', '.join(names)})"


def _others(decision: Decision) -> object:
    return [one.choice for one in decision.alternatives]


def _rejected(decision: Decision) -> object:
    return [(one.option, one.gpu, one.weight_format) for one in decision.rejected]


_GROUNDS = (("other alternatives", _others), ("other things rejected", _rejected))
