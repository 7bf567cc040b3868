"""Limits in words and as data: what holds, where it flips, and what was tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.explain.change import Change
from advisor.explain.explanation import Line, line
from advisor.explain.words import key_sections, sections, title_of, value_words

if TYPE_CHECKING:
    from advisor.explain.adviser import Adviser
    from advisor.explain.probe import Probe
    from advisor.explain.search import Edge, Side

__all__ = ["Limit", "limit_data", "limit_lines"]

_TRIED = 6
"""Tried values that are named in a sentence."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One numeric answer."""

    key: str
    value: float
    assumed: bool
    sides: tuple[Side, ...]
    probe: Probe

    @property
    def exact(self) -> bool:
        """Whether the ends that were found are neighbours and no search was cut short."""
        edges = [edge for side in self.sides for edge in (side.built, side.kind)]
        found = all(edge.exact or edge.flips is None for edge in edges)
        return found and all(side.complete for side in self.sides)


def limit_lines(adviser: Adviser, limit: Limit) -> Iterator[Line]:
    """Yield what is said of one answer: a line for each direction, then what was tried."""
    cited = key_sections(adviser, limit.key)
    start = f"{limit.key} = {value_words(limit.value)}{' (assumed)' if limit.assumed else ''}"
    told = [side for side in limit.sides if side.kind.tested or side.kind.flips is not None]
    if not told:
        yield line(f"{start}: it is the only value that is allowed", cited)
    for number, side in enumerate(told):
        moved = [*_moves(limit, side.built), *_moves(limit, side.kind)]
        more = [section for change in moved for section in sections(None, change.decision)]
        text = _side_words(limit, side)
        head = f"{start}, {_way(side)}: " if not number else f"{_way(side)}: "
        yield line(head + text, (*cited, *more[:4]), indent=min(1, number))
    for side in told:
        yield line(_tested_words(side), cited, indent=1, detail=True)


def _way(side: Side) -> str:
    return "up" if side.up else "down"


def _side_words(limit: Limit, side: Side) -> str:
    built, kind = side.built, side.kind
    if built.flips is None:
        end = value_words(built.holds)
        return f"no limit found {_way(side)} to {end}{_tried(built)}{_cut(side)}"
    parts = []
    if built.tested:
        parts.append(f"holds {_way(side)} to {value_words(built.holds)}{_tried(built)}")
    parts.append(_flip(limit, built))
    if kind.flips == built.flips:
        return "; ".join(parts)
    end = f"{_way(side)} to {value_words(kind.holds)}{_tried(kind, built)}"
    if kind.flips is None:
        parts.append(f"no other kind found {end}{_cut(side)}")
    else:
        parts += [f"the kind stays {end}", _flip(limit, kind)]
    return "; ".join(parts)


def _cut(side: Side) -> str:
    return "" if side.complete else "; the search stopped there"


def _tried(edge: Edge, beyond: Edge | None = None) -> str:
    """Return which values were tried, unless all were."""
    if edge.every:
        return ""
    seen = set() if beyond is None else set(beyond.tested)
    shown = [value_words(value) for value in edge.tested if value not in seen]
    if len(shown) > _TRIED:  # those that are nearest to where it flips tell most
        shown = [*shown[:2], "...", *shown[3 - _TRIED :]]
    return f" (tried only {', '.join(shown)})"


def _flip(limit: Limit, edge: Edge) -> str:
    """Return what it turns into; ``by`` where values before that one were not tried."""
    at = "at" if edge.exact else "by"
    refused = limit.probe.refused(edge.flips)
    what = refused or ", ".join(_becomes(limit, edge, change) for change in _moves(limit, edge))
    return f"{at} {value_words(edge.flips)}: {what}"


def _moves(limit: Limit, edge: Edge) -> tuple[Change, ...]:
    """Return what differs at the flip, without what only follows another choice of GPUs."""
    if edge.flips is None:
        return ()
    found = limit.probe.moves(edge.holds, edge.flips)
    kinds = tuple(change for change in found if change.moved)
    gpus = tuple(change for change in found if change.decision == "gpu")
    return kinds or gpus or found


def _becomes(limit: Limit, edge: Edge, change: Change) -> str:
    title = title_of(change.decision)
    if not change.moved or change.before == change.after:
        numbers = ", ".join(change.numbers)
        return numbers if change.decision == "gpu" else f"{title} {numbers}"
    before, after = limit.probe.words(change.decision, edge.holds, edge.flips)
    was = "was" if _as_given(limit, edge) else f"at {value_words(edge.holds)}"
    price = ", ".join(text for text in change.numbers if "USD" in text)
    return f"{title} {after} ({was} {before}{f'; {price}' if price else ''})"


def _as_given(limit: Limit, edge: Edge) -> bool:
    return not edge.tested or limit.probe.same_built(edge.holds)


def _tested_words(side: Side) -> str:
    parts = []
    for what, edge in (("the same is built", side.built), ("the kind stays", side.kind)):
        shown = ", ".join(value_words(value) for value in edge.tested) or "no other value"
        parts.append(f"{what} at {shown}")
    rest = "" if side.kind.every else "; a flip between tested values would not be seen"
    return f"{_way(side)}, tested: {'; '.join(parts)}{rest}"


# ---- as data ----


def limit_data(limit: Limit) -> dict[str, object]:
    """Return plain data of one answer."""
    return {
        "key": limit.key,
        "value": limit.value,
        "assumed": limit.assumed,
        **{_way(side): _side_data(limit, side) for side in limit.sides},
    }


def _side_data(limit: Limit, side: Side) -> dict[str, object]:
    return {
        **_edge_data(limit, side.kind),
        "end": side.end,
        "complete": side.complete,
        "room": _edge_data(limit, side.built),
    }


def _edge_data(limit: Limit, edge: Edge) -> dict[str, object]:
    return {
        "holds": edge.holds,
        "flips": edge.flips,
        "exact": edge.exact,
        "moves": [_move_data(change) for change in _moves(limit, edge)],
        "tested": list(edge.tested),
        "every": edge.every,
        "refused": limit.probe.refused(edge.flips),
    }


def _move_data(change: Change) -> dict[str, object]:
    return {
        "decision": change.decision,
        "before": change.before,
        "after": change.after,
        "numbers": list(change.numbers),
    }
