"""Whether the citations of a block lead somewhere: links to pages beside it, and their anchors.

Addresses on the network are not followed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from advisor.docs.spec import Place
from advisor.errors import Problem

__all__ = ["broken_links"]

_LINK = re.compile(r"\[§?[^\]]*\]\((?P<path>[^)#\s]*)#(?P<anchor>[^)\s]*)\)")
_ELSEWHERE = re.compile(r"(?i)^(?:[a-z][a-z0-9+.-]*:|/)")
_PAGES = frozenset({".md", ".markdown", ".mdx"})


def broken_links(markdown: str, folder: Path, place: Place) -> list[Problem]:
    """Return what is wrong with the links of a block.

    Args:
        markdown: The block.
        folder: Where its page lies.
        place: Where it stands.
    """
    return list(_broken(markdown, folder, place))


def _broken(markdown: str, folder: Path, place: Place) -> Iterator[Problem]:
    texts: dict[str, str | None] = {}
    for path, anchor in dict.fromkeys(_LINK.findall(markdown)):
        if not path or _ELSEWHERE.match(path) or Path(path).suffix.lower() not in _PAGES:
            continue
        if path not in texts:
            texts[path] = _text(folder / unquote(path))
            if texts[path] is None:
                shown = os.path.normpath(folder / path)
                message = (
                    f"Citations lead to {shown}, which does not exist; "
                    "`gpu-advisor docs handbook` writes the handbook for a site."
                )
                yield place.problem("broken_link", message)
        text = texts[path]
        if text is not None and not _has(text, anchor):
            message = f"The page {path} has no anchor {anchor!r}: is it of an older handbook?"
            yield place.problem("broken_link", message)


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _has(text: str, anchor: str) -> bool:
    marks = (f"{{#{anchor}}}", f"({anchor})=", f'id="{anchor}"')
    return any(mark in text for mark in marks)
