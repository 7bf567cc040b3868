"""What ``docs build`` and ``docs check`` tell: which choice moved, then the lines."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from advisor.docs.pages import BlockState, ChoiceMove, PageState
from advisor.reports.advice_words import TITLES

__all__ = ["as_json", "findings", "text_lines"]

_SAID = {
    "stale": "the advice has moved",
    "checksum": "the advice is current, its checksum does not fit",
    "edited": "edited by hand",
    "unbuilt": "not built yet",
}
_SUMS = {
    "current": "current",
    "stale": "stale",
    "checksum": "with a wrong checksum",
    "edited": "edited by hand",
    "unbuilt": "not built yet",
    "fence": "rendered by the site",
}
_TO_DO = {
    "stale": "",
    "checksum": " (docs build mends it)",
    "edited": " (take the change out, or lose it with docs build --force)",
    "unbuilt": " (docs build writes it)",
}


def findings(pages: Iterable[PageState]) -> int:
    """Return how many blocks are not as they should be after the command."""
    return sum(not _settled(page, block) for page in pages for block in page.blocks)


def _settled(page: PageState, block: BlockState) -> bool:
    return block.state not in _SAID or _is_written(page, block)


def _is_written(page: PageState, block: BlockState) -> bool:
    """Tell whether a build wrote this block."""
    return page.written and (page.forced or block.state != "edited")


def text_lines(pages: Sequence[PageState]) -> Iterator[str]:
    """Yield the report, a paragraph for each block that was or is not current."""
    counts: Counter[str] = Counter()
    for page in pages:
        for block in page.blocks:
            written = _is_written(page, block) and block.state in _SAID
            counts["written" if written else _SUMS[block.state]] += 1
            if block.state in _SAID:
                yield from _block(block, written)
                yield ""
    broken = sum(page.broken for page in pages)
    total = sum(counts.values())
    parts = [f"{total} block{'' if total == 1 else 's'} read"]
    parts += [f"{counts[said]} {said}" for said in ("written", *_SUMS.values()) if counts[said]]
    parts += [f"{broken} cannot be rendered"] if broken else []
    if total and counts["current"] == total and not broken:
        parts[1:] = ["all current"]
    if not total and not broken:
        parts[0] += f": {len(pages)} page{'' if len(pages) == 1 else 's'} without a block"
    yield ", ".join(parts)


def _block(block: BlockState, written: bool) -> Iterator[str]:
    done = ", written" if written else _TO_DO[block.state]
    yield f"{block.page}:{block.line}: {_SAID[block.state]}{done}"
    if block.state in {"unbuilt", "checksum"}:
        return  # nothing that somebody could have read is another
    yield from _moves(block.moves)
    yield from _diff(block)


def _moves(moves: Iterable[ChoiceMove]) -> Iterator[str]:
    moves = tuple(moves)
    for move in moves:
        yield f"  {TITLES[move.decision]}"
        yield f"    was: {move.old or 'not shown'}"
        yield f"    now: {move.new or 'not shown'}"
    if not moves:
        yield "  the choices are the same; reasons, figures or warnings differ"


def _diff(block: BlockState) -> Iterator[str]:
    lines = difflib.unified_diff(
        block.old, block.new, f"{block.page} (as it stands)", "advice now", n=1, lineterm=""
    )
    yield from (f"  {line}".rstrip() for line in lines)


def as_json(pages: Sequence[PageState]) -> str:
    """Return the same as one JSON document with a final newline."""
    document: dict[str, Any] = {
        "blocks": [_as_dict(page, block) for page in pages for block in page.blocks],
        "findings": findings(pages),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _as_dict(page: PageState, block: BlockState) -> dict[str, Any]:
    return {
        "file": block.page,
        "line": block.line,
        "state": block.state,
        "written": _is_written(page, block) and block.state in _SAID,
        "choices": [
            {"decision": move.decision, "old": move.old, "new": move.new} for move in block.moves
        ],
        "diff": list(_diff(block)) if block.state in _SAID else [],
    }
