"""The advice at the end of a transcript, read back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from advisor.errors import InputError, Problem
from advisor.transcripts.markup import split_cites
from advisor.transcripts.model import Block, Bullet
from advisor.transcripts.write import DETAILS

__all__ = ["read_advice"]

_ID = re.compile(r"^(?:\*\*(?P<lead>[^*]+)\*\*)?(?: ?`(?P<id>[^`]+)`)?")
_RULES = re.compile(r"^(?P<text>.*?)(?: · (?P<rules>`[^`]+`(?:, `[^`]+`)*))?$")
_FENCE = "```"


def read_advice(lines: Sequence[str], start: int, name: str) -> tuple[Block, ...]:
    """Return the parts of the advice.

    Args:
        lines: The whole file.
        start: Index of the first line of the advice.
        name: Of the file.

    Raises:
        InputError: a line that the program does not write there.
    """
    blocks = [Block("")]
    at = start
    while at < len(lines):
        line = lines[at]
        if line.startswith("#"):
            blocks.append(Block(line.lstrip("#").strip()))
        elif line.startswith(_FENCE):
            at = _fence(blocks, lines, at, name)
        elif line.startswith("- "):
            blocks[-1] = _with(blocks[-1], _bullet(line[2:]))
        elif line.startswith("  - ") and blocks[-1].bullets:
            last = blocks[-1].bullets[-1]
            more = replace(last, notes=(*last.notes, line[4:]))
            blocks[-1] = replace(blocks[-1], bullets=(*blocks[-1].bullets[:-1], more))
        elif line.strip() and line.strip() not in DETAILS and not line.startswith("<summary>"):
            message = "The advice is written by the program; free text stands before it."
            raise InputError(Problem("free_text_in_advice", message, file=name, line=at + 1))
        at += 1
    return tuple(block for block in blocks if block.bullets or block.text is not None)


def _fence(blocks: list[Block], lines: Sequence[str], start: int, name: str) -> int:
    """Give the last block the text in a fence; return the index of the line that ends it."""
    end = next((n for n in range(start + 1, len(lines)) if lines[n] == _FENCE), None)
    if end is None:
        raise InputError(
            Problem("open_fence", "The fence does not end.", file=name, line=start + 1)
        )
    blocks[-1] = replace(blocks[-1], text="\n".join(lines[start + 1 : end]))
    return end


def _with(block: Block, bullet: Bullet) -> Block:
    return replace(block, bullets=(*block.bullets, bullet))


def _bullet(line: str) -> Bullet:
    found = _RULES.match(line)
    assert found is not None  # noqa: S101 - every group may be empty
    text, cites = split_cites(found["text"])
    rules = tuple(re.findall("`([^`]+)`", found["rules"] or ""))
    about = _ID.match(text)
    assert about is not None  # noqa: S101 - every group may be empty
    return Bullet(about["id"] or about["lead"] or text, text, cites, rules)
