"""Fenced ``gpu-advice`` blocks for Python-Markdown: MkDocs, Material for MkDocs, Zensical.

.. code-block:: yaml

    markdown_extensions:
      - gpu_advice:
          links: handbook/

The blocks become Markdown before anything else reads the page, so that links in them are
resolved like those of the page. The extension keeps nothing: whether a page is rendered again
is for its generator to decide.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

from advisor.docs.blocks import FENCE
from advisor.docs.site import SitePage, page_at, with_advice
from advisor.errors import GpuAdvisorError

if TYPE_CHECKING:
    from markdown import Markdown

__all__ = ["AdviceExtension", "makeExtension"]

_PRIORITY = 27
"""After white space is settled (30), before fenced code is taken out (25); snippets are at 32."""


class AdviceExtension(Extension):
    """Renders fenced ``gpu-advice`` blocks."""

    def __init__(self, **kwargs: Any) -> None:  # noqa: ANN401 - the generator's own
        self.config = {
            "links": ["", "where citations lead, from the root of the pages; empty: no links"],
            "root": ["", "folder of the pages where the generator does not tell"],
        }
        super().__init__(**kwargs)

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is theirs
        """Take part in the conversion."""
        step = _Step(md, str(self.getConfig("links")), str(self.getConfig("root")))
        md.preprocessors.register(step, "gpu_advice", _PRIORITY)


class _Step(Preprocessor):
    def __init__(self, md: Markdown, links: str, root: str) -> None:
        super().__init__(md)
        self._links, self._root = links, root

    def run(self, lines: list[str]) -> list[str]:
        if not any(FENCE in line for line in lines):
            return lines
        page = _page(self.md, lines) or SitePage("page", Path(self._root or Path.cwd()))
        try:
            return with_advice(lines, page, self._links)
        except GpuAdvisorError as error:
            raise _failure(error) from error


def _page(md: Markdown, lines: list[str]) -> SitePage | None:
    """Return the page that is being converted, as far as the generator tells."""
    return _page_of_mkdocs(md, lines) or _page_of_zensical(md, lines)


def _page_of_mkdocs(md: Markdown, lines: list[str]) -> SitePage | None:
    # MkDocs gives each page's converter a step that knows the page, to make links relative
    step = _registered(md.treeprocessors, "relpath")
    file, config = getattr(step, "file", None), getattr(step, "config", None)
    path, inside = getattr(file, "abs_src_path", None), getattr(file, "src_uri", None)
    root = getattr(config, "docs_dir", None)
    if not (path and inside and root):
        return None
    return page_at(Path(path), Path(root), inside, lines)


def _page_of_zensical(md: Markdown, lines: list[str]) -> SitePage | None:
    step = _registered(md.preprocessors, "rendering_context")
    inside = getattr(getattr(step, "page", None), "path", None)
    config = getattr(step, "config", None)
    docs = config.get("docs_dir") if isinstance(config, dict) else None
    if not (inside and docs):
        return None
    root = Path(docs).absolute()
    return page_at(root / inside, root, inside, lines)


def _registered(steps: Any, name: str) -> object:  # noqa: ANN401 - a registry has no ``get``
    if name not in steps:
        return None
    return steps[name]


def _failure(error: GpuAdvisorError) -> Exception:
    """Return the error as MkDocs wants it, which shows no traceback then, or as it is."""
    module = sys.modules.get("mkdocs.exceptions")
    kind = getattr(module, "BuildError", None)
    return kind(f"gpu-advice: {error}") if isinstance(kind, type) else error


def makeExtension(**kwargs: Any) -> AdviceExtension:  # noqa: ANN401, N802 - their protocol
    """Return the extension, for who names this module instead of the entry point."""
    return AdviceExtension(**kwargs)
