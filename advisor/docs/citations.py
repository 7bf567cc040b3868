"""Citations of a block: bare, or as links to where a team keeps the handbook."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.consult.consultation import Citation
from advisor.docs.prose import prose

__all__ = ["Citations", "links_from"]

_ADDRESS = re.compile(r"(?i)^[a-z][a-z0-9+.-]*:|^//")
_SLOT = re.compile(r"\{(page|section|anchor)\}")
_NO_LINK = re.compile(r"[\s()<>\\]")


@dataclass(frozen=True, slots=True)
class Citations:
    """Writes citations.

    ``links`` is one of: a template with ``{page}``, ``{section}`` and ``{anchor}``; a folder
    (ends in ``/``) that holds one page per chapter, ``07-multi-gpu.md`` as a path and
    ``07-multi-gpu/`` as an address; else one page that holds every section. Empty: no links.
    """

    links: str = ""

    def write(self, citations: Iterable[Citation]) -> str:
        """Return all of them, each section once."""
        found = dict.fromkeys(self._one(citation) for citation in citations)
        return " ".join(found)

    def _one(self, citation: Citation) -> str:
        section = citation.section
        label = f"§{prose(section)}" if section[:1].isdigit() else prose(citation.title or section)
        target = self.target(citation)
        return f"[{label}]({target})" if target else label

    def target(self, citation: Citation) -> str:
        """Return where a citation leads; empty without ``links``."""
        if not self.links:
            return ""
        if _SLOT.search(self.links):
            return self._filled(citation)
        if self.links.endswith("/"):
            ending = "/" if _ADDRESS.match(self.links) else ".md"
            return f"{self.links}{_page_of(citation.section)}{ending}#{citation.anchor}"
        return f"{self.links.partition('#')[0]}#{citation.anchor}"

    def _filled(self, citation: Citation) -> str:
        values = {"section": citation.section, "anchor": citation.anchor}

        def value(match: re.Match[str]) -> str:
            return values.get(match[1]) or _page_of(citation.section)

        return _SLOT.sub(value, self.links)


def links_from(links: str, folder: str) -> str:
    """Return ``links``, a path from the root of a site, as a path from one of its folders.

    Args:
        links: As for :class:`Citations`; addresses stay as they are.
        folder: The folder of a page, relative to the root; empty for the root itself.
    """
    if not links or _ADDRESS.match(links) or links.startswith(("#", "/")):
        return links
    ending = "/" if links.endswith("/") else ""
    return posixpath.relpath(links, folder or ".") + ending


def bad_links(links: str) -> bool:
    """Tell whether ``links`` holds what would end a Markdown link early."""
    return bool(_NO_LINK.search(links))


def _page_of(section: str) -> str:
    """Return the handbook page of a section, without its ending: ``07-multi-gpu``."""
    from advisor.store.handbook import load_handbook

    file = load_handbook().section(section).file
    return posixpath.splitext(posixpath.basename(file))[0]
