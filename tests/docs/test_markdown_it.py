from __future__ import annotations

from pathlib import Path

import pytest
from docs_support import SERVING, advised
from markdown_it import MarkdownIt

from advisor.docs.markdown_it_plugin import advice_plugin
from advisor.errors import InputError

FENCE = f"```gpu-advice show=gpu\n{SERVING}```\n"


def test_a_fence_becomes_what_its_markdown_would_be() -> None:
    md = MarkdownIt().use(advice_plugin)
    text = advised("show=gpu")
    assert md.render(f"before\n\n{FENCE}\nafter") == MarkdownIt().render(
        f"before\n\n{text}\n\nafter"
    )


def test_a_fence_in_a_list_stays_in_its_item_and_levels_add_up() -> None:
    md = MarkdownIt().use(advice_plugin)
    inside = "".join(f"   {line}\n" for line in FENCE.splitlines())
    tokens = md.parse(f"1. one\n\n{inside}\n2. two")
    level = 0
    for token in tokens:
        level += min(token.nesting, 0)
        assert token.level == level
        level += max(token.nesting, 0)
    assert level == 0


def test_other_fences_stay() -> None:
    md = MarkdownIt().use(advice_plugin)
    assert "language-gpu-advice2" in md.render("```gpu-advice2\nx\n```")


def test_answers_and_links_are_relative_to_the_page(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/gpu.yaml").write_text(SERVING, encoding="utf-8")
    md = MarkdownIt().use(advice_plugin, root=str(tmp_path), links="book/")
    page = md.render("```gpu-advice answers=gpu.yaml show=gpu\n```", {"page": "a/b.md"})
    assert 'href="../book/08-decision-framework.md#which-gpu"' in page


def test_a_broken_block_is_told_with_page_and_line() -> None:
    md = MarkdownIt().use(advice_plugin)
    with pytest.raises(InputError) as caught:
        md.render("x\n\n" + FENCE.replace("gpu:", "gpuu:"), {"page": "a/b.md"})
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("a/b.md", 5)
