"""Blocks on the pages of a site, whichever generator builds it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from advisor.docs.blocks import Block, find_blocks
from advisor.docs.citations import links_from
from advisor.docs.desk import Written, shared_desk
from advisor.docs.spec import BlockSpec
from advisor.errors import InputError

__all__ = ["SitePage", "advice", "page_at", "page_name", "with_advice"]


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page under the root of a site's sources."""

    name: str
    """What messages call it."""
    root: Path
    """The folder of all pages."""
    inside: str = ""
    """The page's folder below ``root``, with forward slashes; empty: the root itself."""
    first_line: int = 1
    """Number of the first line that the generator hands on: front matter is cut off."""

    @property
    def folder(self) -> Path:
        """The page's own folder, from where answers files are named."""
        return self.root / self.inside


def page_at(path: Path, root: Path, inside: str, lines: Sequence[str]) -> SitePage:
    """Return the page of a file.

    Args:
        path: The file.
        root: The folder of all pages.
        inside: Path of the page below ``root``, with forward slashes.
        lines: What the generator hands on of it.
    """
    name, folder = page_name(path, root), posixpath.dirname(inside)
    return SitePage(name, root, folder, _first_line(path, lines))


def page_name(path: Path, root: Path) -> str:
    """Return what messages call a page: from here, else from beside the folder of all pages."""
    for base in (Path.cwd(), root.parent):
        if path.is_relative_to(base):
            return path.relative_to(base).as_posix()
    return str(path)


def _first_line(path: Path, lines: Sequence[str]) -> int:
    """Return the number in the file of the first of ``lines``; both end with the same line."""
    try:
        whole = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return 1
    ours, text = _without_tail(lines), _without_tail(whole)
    cut = len(text) - len(ours)
    same = cut > 0 and [one.strip() for one in text[cut:]] == [one.strip() for one in ours]
    return cut + 1 if same else 1


def _without_tail(lines: Sequence[str]) -> Sequence[str]:
    last = len(lines)
    while last and not lines[last - 1].strip():
        last -= 1
    return lines[:last]


def advice(spec: BlockSpec, page: SitePage, links: str) -> Written:
    """Return the advice of one block.

    Args:
        spec: The block.
        page: Where it stands.
        links: Where citations lead when the block does not say: relative to the site's root.

    Raises:
        InputError: The block or its answers cannot be used.
    """
    if not spec.options.links and links:
        options = replace(spec.options, links=links_from(links, page.inside))
        spec = replace(spec, options=options)
    return shared_desk().write(spec, page.folder)


def with_advice(lines: Sequence[str], page: SitePage, links: str) -> list[str]:
    """Return the lines of a page with every fenced block replaced by its advice.

    Raises:
        InputError: Every block that cannot be used.
    """
    found = find_blocks(lines, page.name, page.first_line)
    problems = list(found.problems)
    result: list[str] = []
    at = 0
    for block in found.blocks:
        if block.kind != "fence":
            continue
        try:
            text = advice(block.spec, page, links).markdown
        except InputError as error:
            problems += error.problems
            continue
        result += (*lines[at : block.first], *_placed(block, text))
        at = block.end + 1
    if problems:
        raise InputError(problems)
    return [*result, *lines[at:]]


def _placed(block: Block, text: str) -> Iterator[str]:
    """Yield the lines of an advice where its fence stood, apart from what is around it."""
    first, *rest = text.split("\n")
    blank = block.prefix.rstrip()
    if block.lead == block.prefix:
        yield blank
    yield block.lead + first
    yield from (block.prefix + line if line else blank for line in rest)
    yield blank
