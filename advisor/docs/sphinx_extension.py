"""Fenced ``gpu-advice`` blocks for Sphinx with MyST.

.. code-block:: python

    extensions = ["myst_parser", "advisor.docs.sphinx_extension"]
    myst_fence_as_directive = ["gpu-advice"]
    gpu_advice_links = "handbook/"

Pages with advice are read again in every build: what they say depends on rules and facts that
Sphinx does not watch. A block that cannot be rendered is an error at its line, and the build ends
with exit code 1, with ``-W`` or without.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from advisor.docs.blocks import FENCE
from advisor.docs.desk import Written
from advisor.docs.site import SitePage, advice, page_name
from advisor.docs.spec import OPTIONS, Place, read_spec
from advisor.errors import GpuAdvisorError

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

__all__ = ["AdviceDirective", "setup"]

_PAGES = "gpu_advice_pages"
_FAILED = "gpu_advice_failed"
"""Attributes of the environment: names of documents that hold advice, and of those that could
not be given all of theirs."""
_LOG = logging.getLogger(__name__)


class AdviceDirective(SphinxDirective):
    """Shows advice; takes answers inside it or by file."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Any]] = dict.fromkeys(OPTIONS, directives.unchanged)

    def run(self) -> list[nodes.Node]:
        """Return the advice as the nodes of its Markdown."""
        if not type(self.state).__module__.startswith("myst_parser"):
            raise self.error(f"{FENCE} writes Markdown: use it on a MyST page.")
        _kept(self.env, _PAGES).add(self.env.docname)
        try:
            written = self._written()
        except GpuAdvisorError as error:
            _kept(self.env, _FAILED).add(self.env.docname)
            _LOG.error("gpu-advice: %s", error, location=self.get_location(), type="gpu_advice")
            return []
        for path in written.files:
            self.env.note_dependency(str(path.absolute()))
        node = nodes.Element()
        lines = StringList(written.markdown.split("\n"), self.env.docname)
        self.state.nested_parse(lines, self.content_offset, node)
        return list(node.children)

    def _written(self) -> Written:
        path, root = Path(self.env.doc2path(self.env.docname)), Path(self.env.srcdir)
        page = SitePage(page_name(path, root), root, posixpath.dirname(self.env.docname))
        attributes = " ".join(f'{key}="{value}"' for key, value in self.options.items())
        spec = read_spec(
            " ".join([*self.arguments, attributes]),
            list(self.content),
            Place(page.name, self.lineno),
            self.lineno + self.content_offset + 1,  # MyST counts from the opening line
        )
        return advice(spec, page, str(self.config.gpu_advice_links))


def _kept(env: BuildEnvironment, name: str) -> set[str]:
    if not hasattr(env, name):
        setattr(env, name, set())
    found: set[str] = getattr(env, name)
    return found


def _again(_app: Sphinx, env: BuildEnvironment, *changes: set[str]) -> list[str]:
    removed = changes[-1]
    return sorted(_kept(env, _PAGES) - removed)


def _forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    for name in (_PAGES, _FAILED):
        _kept(env, name).discard(docname)


def _merge(
    _app: Sphinx, env: BuildEnvironment, _docnames: Iterable[str], other: BuildEnvironment
) -> None:
    for name in (_PAGES, _FAILED):
        _kept(env, name).update(_kept(other, name))


def _fail(app: Sphinx, error: Exception | None) -> None:
    if error is None and _kept(app.env, _FAILED):
        app.statuscode = 1


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive; called by Sphinx."""
    app.add_config_value("gpu_advice_links", "", "env")
    app.add_directive(FENCE, AdviceDirective)
    app.connect("env-get-outdated", _again)
    app.connect("env-purge-doc", _forget)
    app.connect("env-merge-info", _merge)
    app.connect("build-finished", _fail)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True}
