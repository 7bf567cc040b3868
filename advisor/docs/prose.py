"""Text as Markdown that every reader shows alike.

GitHub, Python-Markdown, markdown-it and MDX disagree on which characters a backslash escapes.
Here a backslash stands only before what all of them take; the rest are character references.
"""

from __future__ import annotations

import html
import re

from advisor.reports.advice_words import one_line

__all__ = ["code", "plain", "prose"]

_BACKSLASH = re.compile(r"[\\`*\[\]{}]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""An underscore inside a word is none of emphasis anywhere, and reads better bare."""
_REFERENCES = {"<": "&lt;", ">": "&gt;", "|": "&#124;", "~": "&#126;", "$": "&#36;", "^": "&#94;"}
_REFERENCE = re.compile("[" + re.escape("".join(_REFERENCES)) + "]")
_LINK_LIKE = (
    (re.compile(r"#(?=\d)"), "&#35;"),  # first: the other references hold such
    (re.compile(r":(?=//)"), "&#58;"),
    (re.compile(r"(?i)(?<=\bwww)\."), "&#46;"),
    (re.compile("@"), "&#64;"),
    (re.compile(r":(?=[\w+-]+:)"), "&#58;"),
    (re.compile("=="), "&#61;&#61;"),
    (re.compile(r"\+\+"), "&#43;&#43;"),
)
"""Addresses, mentions, emoji, issue numbers, and marks that extensions give a meaning."""
_START = re.compile(r"^(?:([#+-])|(=)|(\d{1,9})([.)])(?=\s|$))")
_AS_CODE = re.compile(
    r"(?<![^\s(])(--[A-Za-z][\w-]*(?:=[\w./:-]*\w)?"
    r"|[A-Za-z][\w-]+(?:\.[A-Za-z][\w-]+)+(?:/[\w.=-]*\w)?(?![\w@/=-]|[.:]\w))"
)
"""A flag of a command, whose dashes typographers would turn into one, or a dotted name: a key, a
file, a resource such as nvidia.com/gpu, which some readers take for an address."""
_KEY = re.compile(r"[\w.\[\]-]+")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def prose(text: str) -> str:
    """Return ``text`` on one line so that exactly its characters are shown."""
    parts = _AS_CODE.split(one_line(text))
    shown = "".join(f"`{part}`" if at % 2 else _escaped(part) for at, part in enumerate(parts))
    return _START.sub(_inert, shown)


def code(text: str) -> str:
    """Return a key as code; anything that is more than a key as prose."""
    return f"`{text}`" if _KEY.fullmatch(text) else prose(text)


def plain(markdown: str) -> str:
    """Return what :func:`prose` was given; the inverse, to read a block that was written."""
    return html.unescape(_ESCAPED.sub(r"\1", markdown.replace("`", "")))


def _escaped(text: str) -> str:
    text = _BACKSLASH.sub(r"\\\g<0>", text.replace("&", "&amp;"))
    for pattern, reference in _LINK_LIKE:
        text = pattern.sub(reference, text)
    return _REFERENCE.sub(lambda match: _REFERENCES[match[0]], text)


def _inert(match: re.Match[str]) -> str:
    if match[1]:
        return f"\\{match[1]}"
    return "&#61;" if match[2] else f"{match[3]}\\{match[4]}"
