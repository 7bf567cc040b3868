"""Find advice blocks in the lines of a Markdown page.

Two forms: a region between two comments (HTML or MDX), which is written in place, and a fence
named ``gpu-advice``, which a site generator renders. What stands inside any other fence, indented
code or ``<pre>`` is an example and left alone. A block may be indented in a list or stand in a
quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor.docs.around import behind_html, in_code, nearly_fence, nearly_mark
from advisor.docs.spec import BlockSpec, Place, read_spec
from advisor.errors import InputError, Problem

__all__ = ["FENCE", "Block", "Found", "body_lines", "find_blocks"]

FENCE = "gpu-advice"
_BEGIN = "gpu-advisor:begin"
_NAMES = (FENCE, f"{{{FENCE}}}")
"""Plain, and as MyST writes a directive."""
_PREFIX = r"(?P<prefix>[ \t>]*)"
_OPENING = re.compile(
    rf"^{_PREFIX}(?P<bullets>(?:(?:[-+*]|\d{{1,9}}[.)])[ \t]+)*)(?P<ticks>`{{3,}}|~{{3,}})"
    r"(?P<info>.*)$"
)
_MARK = re.compile(rf"^{_PREFIX}(?P<open><!--|\{{/\*)\s*gpu-advisor:(?P<verb>[\w-]*)(?P<rest>.*)$")
_MISPLACED = re.compile(
    r"^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+(?:<!--|\{/\*)\s*gpu-advisor:(?:begin|end)\b"
)
_CLOSE = {"<!--": "-->", "{/*": "*/}"}
_CHECKSUM = re.compile(r"^\s*(?:sha256\s*=\s*[\"']?(?P<sum>[^\s\"']+)[\"']?)?\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """One block; line numbers are 0-based indexes into the page's lines."""

    kind: Literal["comment", "fence"]
    spec: BlockSpec
    first: int
    """Line where the opening begins."""
    start: int
    """First line between opening and end."""
    end: int
    """Line of the end."""
    prefix: str
    """Stands before every line that is written: indentation, marks of quotation."""
    lead: str
    """Stands before the first line instead of ``prefix``: a fence right behind a bullet."""
    opening: str = "<!--"
    """How the comment was opened."""
    checksum: str | None = None
    """What the end claims of the text; None: nothing."""


@dataclass(frozen=True, slots=True)
class Found:
    """Blocks in their order, and what is wrong with others."""

    blocks: tuple[Block, ...]
    problems: tuple[Problem, ...]


def find_blocks(lines: Sequence[str], page: str, first_line: int = 1) -> Found:
    """Return every block of a page.

    Args:
        lines: Its lines without their ends.
        page: What messages call it.
        first_line: Number of the first of ``lines``, where front matter was cut off.
    """
    scan = _Scan(lines, page, first_line)
    blocks: list[Block] = []
    problems: list[Problem] = []
    while scan.at < len(lines):
        try:
            block = scan.next_block()
        except InputError as error:
            problems += error.problems
            continue
        if block:
            blocks.append(block)
    return Found(tuple(blocks), tuple(problems))


class _Scan:
    """Walks over the lines once; after an error it stands behind what it could not read."""

    def __init__(self, lines: Sequence[str], page: str, first_line: int) -> None:
        self._lines, self._page, self._first = lines, page, first_line
        self.at = 0

    def next_block(self) -> Block | None:
        """Read what begins at the current line and move on.

        Raises:
            InputError: a block that cannot be read.
        """
        line = self._lines[self.at]
        opening, mark = _OPENING.match(line), _MARK.match(line)
        if (opening or mark) and in_code(self._lines, self.at):
            self.at += 1
            return None
        if opening and not (opening["ticks"][0] == "`" and "`" in opening["info"]):
            return self._fence(opening)
        if mark:
            return self._comment(mark)
        self._other(line)
        return None

    def _other(self, line: str) -> None:
        """Pass a line that begins no block; what was meant to begin one is an error."""
        first, misspelt = self.at, nearly_mark(line)
        if misspelt and not in_code(self._lines, first):
            self.at += 1
            message = f"'{misspelt}' is not known; a block has {_BEGIN} and gpu-advisor:end."
            raise self._error(first, message)
        self.at = behind_html(self._lines, first) or first + 1
        if _MISPLACED.match(line):
            raise self._error(first, "A comment of a block must begin its own line.")

    def _fence(self, opening: re.Match[str]) -> Block | None:
        first, closed = self.at, self._closing(opening)
        self.at = len(self._lines) if closed is None else closed + 1
        name, _, attributes = opening["info"].strip().partition(" ")
        if name not in _NAMES:
            if nearly_fence(name):
                raise self._error(first, f"The fence '{name}' is not known; write {FENCE}.")
            return None
        if closed is None:
            raise self._error(first, f"The fence {FENCE} is never closed.")
        indent = " " * len(opening["bullets"])
        prefix = opening["prefix"] + indent
        body = [_without(line, prefix) for line in self._lines[first + 1 : closed]]
        spec = read_spec(attributes, body, self._place(first), self._first + first + 1)
        lead = opening["prefix"] + opening["bullets"]
        return Block("fence", spec, first, first + 1, closed, prefix, lead)

    def _closing(self, opening: re.Match[str]) -> int | None:
        """Return the line that closes a fence: as long, and not indented like code inside it."""
        ticks = opening["ticks"]
        close = re.compile(rf"^{_PREFIX}{re.escape(ticks[0])}{{{len(ticks)},}}[ \t]*$")
        most = _width(opening["prefix"] + opening["bullets"]) + 3
        for index in range(self.at + 1, len(self._lines)):
            match = close.match(self._lines[index])
            if match and _width(match["prefix"]) <= most:
                return index
        return None

    def _comment(self, mark: re.Match[str]) -> Block:
        first, verb = self.at, mark["verb"]
        if verb != "begin":
            self.at += 1
            what = "has no begin" if verb == "end" else "is not known; there are begin and end"
            raise self._error(first, f"gpu-advisor:{verb} {what}.")
        attributes, last = self._opening(mark)
        self.at = last + 1
        end, tail = self._end(first)
        self.at = end + 1
        prefix = mark["prefix"]
        inside = [_without(line, prefix) for line in self._lines[first + 1 : last]]
        spec = read_spec(attributes, inside, self._place(first), self._first + first + 1)
        sum_ = _CHECKSUM.match(tail)
        # what cannot be read was not written by us: it can only disagree with the text
        checksum = sum_["sum"] if sum_ else tail.strip()
        return Block(
            "comment", spec, first, last + 1, end, prefix, prefix, mark["open"], checksum or None
        )

    def _opening(self, mark: re.Match[str]) -> tuple[str, int]:
        """Return the attributes of a begin and the line on which its comment is closed."""
        close = _CLOSE[mark["open"]]
        rest = mark["rest"].rstrip()
        if close in rest:
            attributes, _, after = rest.partition(close)
            if after.strip():
                self.at += 1
                raise self._error(self.at - 1, "Text follows the comment on its line.")
            return attributes, self.at
        for index in range(self.at + 1, len(self._lines)):
            text = _without(self._lines[index], mark["prefix"]).strip()
            if text == close:
                return rest, index
            if close in text:
                break
        self.at += 1
        message = f"The comment is never closed by {close} on a line of its own."
        raise self._error(self.at - 1, message)

    def _end(self, first: int) -> tuple[int, str]:
        """Return the line of the end and what it says behind its name."""
        for index in range(self.at, len(self._lines)):
            mark = _MARK.match(self._lines[index])
            if mark is None:
                continue
            if mark["verb"] != "end":
                break
            tail, close, after = mark["rest"].partition(_CLOSE[mark["open"]])
            if not close or after.strip():
                self.at = index + 1
                raise self._error(index, "gpu-advisor:end must have its line for itself.")
            return index, tail
        raise self._error(first, "gpu-advisor:begin has no end.")

    def _place(self, index: int) -> Place:
        return Place(self._page, self._first + index)

    def _error(self, index: int, message: str) -> InputError:
        return InputError(self._place(index).problem("broken_block", message))


def _width(prefix: str) -> int:
    return len(prefix.expandtabs(4))


def _without(line: str, prefix: str) -> str:
    """Return a line of a block without what stands before all of them."""
    if line.startswith(prefix):
        return line[len(prefix) :]
    return "" if line.strip() == prefix.strip() else line


def body_lines(lines: Sequence[str], block: Block) -> Iterator[str]:
    """Yield the lines between the comments of a block, without its prefix."""
    for line in lines[block.start : block.end]:
        yield _without(line, block.prefix).rstrip()
