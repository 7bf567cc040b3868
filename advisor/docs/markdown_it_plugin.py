"""Fenced ``gpu-advice`` blocks for markdown-it-py.

    MarkdownIt().use(advice_plugin, root="docs", links="handbook/")

A fence becomes the tokens of its advice, so every renderer shows it like the rest of the page.
What is being rendered can be named in the environment: ``md.render(text, {"page": "a/b.md"})``.
"""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.docs.blocks import FENCE
from advisor.docs.site import SitePage, advice
from advisor.docs.spec import Place, read_spec
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

__all__ = ["advice_plugin"]


def advice_plugin(md: MarkdownIt, root: str = ".", links: str = "") -> None:
    """Render ``gpu-advice`` fences.

    Args:
        md: The parser to extend.
        root: The folder of all pages.
        links: Where citations lead, relative to ``root``.

    Rendering raises :class:`advisor.errors.InputError` with every block that cannot be used.
    """

    def replace_fences(state: StateCore) -> None:
        name = str(state.env.get("page", "page"))
        page = SitePage(name, Path(root), posixpath.dirname(name))
        problems: list[Problem] = []
        tokens: list[Token] = []
        for token in state.tokens:
            if token.type != "fence" or token.info.split(maxsplit=1)[:1] != [FENCE]:
                tokens.append(token)
                continue
            try:
                tokens += _advice_tokens(token, page, links, state)
            except InputError as error:
                problems += error.problems
        if problems:
            raise InputError(problems)
        state.tokens = tokens

    md.core.ruler.after("block", "gpu_advice", replace_fences)


def _advice_tokens(token: Token, page: SitePage, links: str, state: StateCore) -> list[Token]:
    line = (token.map[0] if token.map else 0) + 1
    _, _, attributes = token.info.strip().partition(" ")
    body = token.content.splitlines()
    spec = read_spec(attributes, body, Place(page.name, line), line + 1)
    tokens: list[Token] = []
    state.md.block.parse(advice(spec, page, links).markdown, state.md, state.env, tokens)
    for made in tokens:
        made.level += token.level
        made.map = list(token.map) if token.map else None
    return tokens
