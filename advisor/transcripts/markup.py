"""The Markdown of transcripts: sections as links, typed text as code, what a reader takes apart."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from advisor.errors import UnknownNameError

__all__ = ["Linker", "cited", "code", "md", "split_cites", "typed", "uncoded"]

_HANDBOOK = "knowledge"
_INSIDE_A_WORD = re.compile(r"(?<=\w)\\_(?=\w)")
_NO_ADDRESS = re.compile(r"\\:(?!//)")
_CITE = r"(?:\[§[^\]]+\]\([^)\s]*\)|§[\w.-]+)"
_CITES = re.compile(rf"^(.*?)((?: {_CITE})*)$", re.DOTALL)
_SPAN = re.compile(r"^(`+)( ?)(.*?)\2\1$", re.DOTALL)


def md(text: str) -> str:
    """Return ``text`` as Markdown that shows exactly its characters, escaped where it must be."""
    from advisor.reports.advice_markdown import escape_markdown

    # an underscore inside a word and a colon without an address mean nothing to a renderer
    return _NO_ADDRESS.sub(":", _INSIDE_A_WORD.sub("_", escape_markdown(text)))


def code(text: str) -> str:
    """Return ``text`` as code."""
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * (max(runs, default=0) + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def typed(text: str) -> str:
    """Return what somebody typed: as it is where Markdown leaves it alone, else as code."""
    return text if md(text) == text and not text.startswith("/") else code(text)


def uncoded(text: str) -> str:
    """Return what :func:`typed` was given."""
    found = _SPAN.match(text)
    return found[3] if found is not None else text


def cited(text: str, cites: Iterable[str]) -> str:
    """Return a line with its sections at the end."""
    return " ".join((text, *cites))


def split_cites(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a line without the sections at its end, and these."""
    found = _CITES.match(text)
    assert found is not None  # noqa: S101 - every group may be empty
    return found[1], tuple(re.findall(_CITE, found[2]))


class Linker:
    """Makes sections links from where a transcript stands to the handbook beside it.

    Outside a checkout there is nothing to link to; sections are named only.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Look for the handbook above ``file``."""
        self._folder = None if file is None else file.absolute().parent
        self._root = None if self._folder is None else _root_above(self._folder)

    def __call__(self, sections: Iterable[str]) -> tuple[str, ...]:
        """Return the sections as they are cited, each once."""
        return tuple(dict.fromkeys(self._one(section) for section in sections))

    def _one(self, section: str) -> str:
        if self._folder is None or self._root is None:
            return f"§{section}"
        target = _target(section)
        if target is None:
            return f"§{section}"
        name, _, anchor = target.partition("#")
        path = Path(os.path.relpath(self._root / _HANDBOOK / name, self._folder)).as_posix()
        return f"[§{section}]({path}#{anchor})"


def _root_above(folder: Path) -> Path | None:
    for above in (folder, *folder.parents):
        if (above / _HANDBOOK / "handbook").is_dir():
            return above
    return None


def _target(section: str) -> str | None:
    """Return the page of a section and the anchor that GitHub gives its heading.

    None for what is not in the shipped handbook: pages of other folders lie anywhere. Not
    remembered, since the knowledge in use may change from one interview to the next.
    """
    from advisor.store.handbook import load_handbook

    try:
        found = load_handbook().section(section)
    except UnknownNameError:
        return None
    if found.file.rpartition("/")[0] != "handbook":
        return None
    heading = f"{found.number} {found.title}" if found.number[0].isdigit() else found.title
    return f"{found.file}#{_slug(f'{heading} {{#{found.anchor}}}')}"


def _slug(heading: str) -> str:
    """Return the anchor that GitHub makes of a heading; ``{#name}`` is text to it."""
    kept = re.sub(r"[^\w\- ]", "", heading.casefold())
    return kept.replace(" ", "-")
