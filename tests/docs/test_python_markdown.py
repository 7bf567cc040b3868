from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from docs_support import SERVING, advised

from advisor.errors import InputError

markdown = pytest.importorskip("markdown", reason="Python-Markdown is not installed")

FENCE = f"```gpu-advice show=gpu\n{SERVING}```\n"


def html(text: str, *others: str, **config: str) -> str:
    names = [*others, "advisor.docs.python_markdown"]
    configs = {"advisor.docs.python_markdown": config}
    page: str = markdown.markdown(text, extensions=names, extension_configs=configs)
    return page


def test_the_entry_point_is_the_extension() -> None:
    from advisor.docs.python_markdown import AdviceExtension

    (found,) = entry_points(group="markdown.extensions", name="gpu_advice")
    assert found.load() is AdviceExtension


def test_a_fence_becomes_what_its_markdown_would_be() -> None:
    assert html(f"before\n\n{FENCE}\nafter") == markdown.markdown(
        f"before\n\n{advised('show=gpu')}\n\nafter"
    )


@pytest.mark.parametrize("fences", ["fenced_code", "extra"])
def test_it_comes_before_the_processors_of_fences_whatever_their_order(fences: str) -> None:
    text = f"{FENCE}\n```python\nx = 1\n```"
    page = html(text, fences)
    assert "<strong>GPU</strong>" in page
    assert "gpu-advice" not in page
    assert "x = 1" in page


def test_a_fence_directly_below_a_sentence_is_a_paragraph_of_its_own() -> None:
    assert "<p>before</p>\n<p><strong>GPU</strong>" in html(f"before\n{FENCE}")


def test_a_fence_in_a_list_stays_in_its_item() -> None:
    inside = "".join(f"    {line}\n" for line in FENCE.splitlines())
    page = html(f"1. one\n\n{inside}\n2. two")
    assert page.count("<ol>") == 1
    assert page.index("<strong>GPU") < page.index("two")


def test_a_written_block_shows_its_text_and_no_marks() -> None:
    text = f"<!-- gpu-advisor:begin answers=a.yaml -->\n\n{advised('show=gpu')}\n\n"
    page = html(text + "<!-- gpu-advisor:end sha256=0 -->")
    assert "<strong>GPU</strong>" in page


def test_answers_are_found_in_the_root_and_links_are_written(tmp_path: Path) -> None:
    (tmp_path / "gpu.yaml").write_text(SERVING, encoding="utf-8")
    page = html(
        "```gpu-advice answers=gpu.yaml show=gpu\n```", root=str(tmp_path), links="handbook/"
    )
    assert '<a href="handbook/08-decision-framework.md#which-gpu">§8.1</a>' in page


def test_every_broken_block_is_told_with_its_line() -> None:
    broken = FENCE.replace("gpu:", "gpuu:")
    with pytest.raises(InputError) as caught:
        html(f"{broken}\n{FENCE}\n{broken}")
    assert [problem.line for problem in caught.value.problems] == [3, 13]


def test_a_page_without_advice_loads_no_knowledge() -> None:
    code = (
        "import sys, markdown; markdown.markdown('x', extensions=['advisor.docs.python_markdown'])"
        "; print(sorted({'yaml', 'advisor.store.loader', 'advisor.explain'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
