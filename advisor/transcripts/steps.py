"""What was asked and said as named steps, so that two interviews can be laid side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.transcripts.model import Asked, Item, Prose, Said

__all__ = ["Step", "steps_of", "with_prose"]


@dataclass(frozen=True, slots=True)
class Step:
    """A question or something said."""

    name: str
    """The same for the same step of another interview; no two steps of one share it."""
    item: Asked | Said


def steps_of(items: Iterable[Item]) -> list[Step]:
    """Return the steps of an interview in their order; prose is none."""
    found: list[Step] = []
    seen: Counter[str] = Counter()
    key = ""
    for item in items:
        if isinstance(item, Prose):
            continue
        if isinstance(item, Asked):
            key = item.key
            name = f"asked: {key or 'nothing is left'}"
        else:
            name = f"said at {key or 'the end'}: {item.text}"
        seen[name] += 1
        again = f" ({seen[name]})" if seen[name] > 1 else ""
        found.append(Step(f"{name}{again}", item))
    return found


def with_prose(steps: Sequence[Step], before: Iterable[Item]) -> tuple[Item, ...]:
    """Return steps with the author's prose where it stood: before the same step, else at the end.

    Args:
        steps: The interview as it is to be.
        before: The interview that holds the prose.
    """
    prose: list[Prose] = []
    standing: dict[str, list[Prose]] = {}
    steps_before = iter(steps_of(before))
    for item in before:
        if isinstance(item, Prose):
            prose.append(item)
            continue
        step = next(steps_before)
        if prose:
            standing[step.name] = prose
            prose = []
    found: list[Item] = []
    for step in steps:
        found += standing.pop(step.name, [])
        found.append(step.item)
    for left in standing.values():
        found += left
    return (*found, *prose)
