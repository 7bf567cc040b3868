"""Pages whose blocks are written in place: what is current, what moved, what a hand changed.

A built block ends in a checksum of its text. Text that differs from its checksum, or has none, was
written or changed by hand and is never overwritten unless forced. A block without text was never
built.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from advisor.docs.block_markdown import choices_in
from advisor.docs.blocks import Block, body_lines, find_blocks
from advisor.docs.desk import Desk
from advisor.docs.files import Source, read_source, write_source
from advisor.docs.links import broken_links
from advisor.errors import InputError, Problem

__all__ = ["BlockState", "ChoiceMove", "PageState", "build_page", "check_page"]

State = Literal["current", "stale", "checksum", "edited", "unbuilt", "fence"]
_CLOSE = {"<!--": "-->", "{/*": "*/}"}


@dataclass(frozen=True, slots=True)
class ChoiceMove:
    """One decision whose choice is another than the page says."""

    decision: str
    old: str | None
    """None: the page did not show it."""
    new: str | None


@dataclass(frozen=True, slots=True)
class BlockState:
    """One block, and what there is to say of it."""

    page: str
    line: int
    state: State
    """``fence``: a site generator renders it; its answers and citations are sound.
    ``checksum``: the text is current and only its checksum is wrong or missing.
    """
    moves: tuple[ChoiceMove, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    """Its text in the page and as it would be written; empty for a fence."""


@dataclass(frozen=True, slots=True)
class PageState:
    """A page after it was checked or built."""

    blocks: tuple[BlockState, ...] = ()
    problems: tuple[Problem, ...] = ()
    """What is wrong with blocks that cannot be rendered; such a page is not written."""
    broken: int = 0
    """How many of them there are."""
    written: bool = False
    """Whether the page was written; blocks that a hand changed only when ``forced``."""
    forced: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    block: Block
    state: BlockState


def check_page(path: Path, desk: Desk) -> PageState:
    """Return the state of every block of a page; writes nothing.

    Raises:
        InputError: The page cannot be read.
    """
    source = read_source(path)
    if source is None:
        return PageState()
    seen, problems, broken = _look(source, desk)
    return PageState(tuple(one.state for one in seen), problems, broken)


def build_page(path: Path, desk: Desk, *, force: bool = False) -> PageState:
    """Write what moved into a page; its other bytes stay.

    Args:
        path: The page.
        desk: Who advises.
        force: Overwrite what a hand changed inside a block.

    Raises:
        InputError: The page cannot be read or written.
    """
    source = read_source(path)
    if source is None:
        return PageState()
    seen, problems, broken = _look(source, desk)
    states = tuple(one.state for one in seen)
    due = {"stale", "checksum", "unbuilt", *(("edited",) if force else ())}
    changed = [one for one in seen if one.state.state in due]
    if problems or not changed:
        return PageState(states, problems, broken)
    write_source(source, _rebuilt(source, changed))
    return PageState(states, written=True, forced=force)


def _look(source: Source, desk: Desk) -> tuple[list[_Seen], tuple[Problem, ...], int]:
    """Return the blocks of a page, what is wrong with others, and how many others there are."""
    found = find_blocks(source.lines, source.name)
    problems, broken = list(found.problems), len(found.problems)
    seen: list[_Seen] = []
    for block in found.blocks:
        try:
            seen.append(_Seen(block, _state(source, block, desk)))
        except InputError as error:
            problems += error.problems
            broken += 1
    return seen, tuple(problems), broken


def _state(source: Source, block: Block, desk: Desk) -> BlockState:
    text = desk.write(block.spec, source.path.parent).markdown
    problems = broken_links(text, source.path.parent, block.spec.place)
    if problems:
        raise InputError(problems)
    place = block.spec.place
    if block.kind == "fence":
        return BlockState(place.page, place.line, "fence", (), (), ())
    old, new = _trimmed(list(body_lines(source.lines, block))), tuple(text.split("\n"))
    state = _judged(block.checksum, old, new)
    return BlockState(place.page, place.line, state, tuple(_moves(old, new)), old, new)


def _judged(checksum: str | None, old: Sequence[str], new: Sequence[str]) -> State:
    if checksum is None and not old:
        return "unbuilt"
    if old == new:  # a wrong checksum of the right text is ours to mend
        return "current" if checksum == _sum(new) else "checksum"
    return "stale" if checksum == _sum(old) else "edited"


def _moves(old: Sequence[str], new: Sequence[str]) -> Iterator[ChoiceMove]:
    before, after = choices_in("\n".join(old)), choices_in("\n".join(new))
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield ChoiceMove(name, before.get(name), after.get(name))


def _trimmed(lines: list[str]) -> tuple[str, ...]:
    """Return lines without the blank ones around them, which no reader shows."""
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return tuple(lines)


def _sum(lines: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8")).hexdigest()


def _rebuilt(source: Source, changed: Sequence[_Seen]) -> Iterator[tuple[str, str]]:
    at = 0
    for one in changed:
        block, new = one.block, one.state.new
        yield from zip(source.lines[at : block.start], source.ends[at : block.start], strict=True)
        newline = source.ends[block.first]
        for line in ("", *new, ""):
            yield (block.prefix + line if line else block.prefix.rstrip(" \t")), newline
        close = _CLOSE[block.opening]
        end = f"{block.prefix}{block.opening} gpu-advisor:end sha256={_sum(new)} {close}"
        yield end, source.ends[block.end]
        at = block.end + 1
    yield from zip(source.lines[at:], source.ends[at:], strict=True)
