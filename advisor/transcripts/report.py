"""Drift as text: a unified diff for each difference, its class in the heading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff

from advisor.transcripts.drift import CLASSES, Drift

__all__ = ["drift_text"]

_CONTEXT = 2


def drift_text(found: Mapping[str, Sequence[Drift]]) -> str:
    """Return what drifted in each file, and a line that counts it."""
    blocks = ["\n".join(_of_file(file, drifts)) for file, drifts in found.items() if drifts]
    return "\n\n".join([*blocks, _count(found)]) + "\n"


def _of_file(file: str, drifts: Sequence[Drift]) -> Iterator[str]:
    for number, drift in enumerate(drifts):
        if number:
            yield ""
        place = file if drift.line is None else f"{file}:{drift.line}"
        yield f"{drift.kind}: {place}: {drift.where}"
        old, new = drift.old.splitlines(), drift.new.splitlines()
        lines = unified_diff(old, new, "recorded", "now", n=_CONTEXT, lineterm="")
        yield from (f"  {line}".rstrip() for line in lines)


def _count(found: Mapping[str, Sequence[Drift]]) -> str:
    counts = Counter(drift.kind for drifts in found.values() for drift in drifts)
    drifted = sum(bool(drifts) for drifts in found.values())
    told = ", ".join(f"{kind} {counts[kind]}" for kind in CLASSES if counts[kind])
    total = f"{len(found)} transcript{'s'[: len(found) != 1]}"
    return f"{total}, {drifted} drifted ({told})." if drifted else f"{total}, nothing drifted."
