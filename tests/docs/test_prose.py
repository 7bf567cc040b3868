from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from advisor.docs.prose import code, plain, prose
from advisor.reports.advice_words import one_line

CASES = [
    "# 1) *a* _b_ __init__ `c` [d](e) <f> | g ~~h~~ $i$ ^j^ ==k== {l} {{m}} \\n &amp; n",
    "http://example.org www.example.org @name a@b.org :smile: fixes #12 a++ ++b++",
    "- item", "+ item", "1. item", "12) item", "= x", "al2023@latest", "awq_int4 and fp8_e5m2",
    "vllm serve --gpu-memory-utilization 0.9 --ipc=host.",
    "pods ask for nvidia.com/gpu: 2, of resource.k8s.io/v1 or (gpu.amd.com); mig.config.name.",
    "ml.p5.48xlarge, ubuntu-24.04, 1g.20gb, v1.30.2, e.g. this; i.e. that. x.y end.",
]  # fmt: skip


def shown(markdown: str, reader: MarkdownIt) -> str:
    page = reader.render(f"**Label**: {markdown}\n")
    return html.unescape(re.sub(r"<[^>]+>", "", page)).strip().removeprefix("Label:").strip()


@pytest.mark.parametrize("text", CASES)
def test_github_shows_exactly_the_characters(text: str) -> None:
    reader = MarkdownIt("gfm-like")
    assert shown(prose(text), reader) == text
    assert "<a " not in reader.render(prose(text))
    assert "<li>" not in reader.render(prose(text))


@pytest.mark.parametrize("text", CASES)
def test_python_markdown_shows_exactly_the_characters(text: str) -> None:
    markdown = pytest.importorskip("markdown")
    page = markdown.markdown(prose(text), extensions=["extra", "sane_lists"])
    body = page.removeprefix("<p>").removesuffix("</p>")
    assert html.unescape(re.sub(r"</?code>", "", body)) == text


@given(st.text())
def test_what_was_written_can_be_read_back(text: str) -> None:
    without = one_line(text).replace("`", "")
    assert plain(prose(without)) == without


@given(st.text())
def test_no_text_becomes_markup(text: str) -> None:
    assert shown(prose(text), MarkdownIt("gfm-like")) == one_line(text).strip()


def test_flags_are_code_so_that_no_typographer_joins_their_dashes() -> None:
    assert prose("with --shm-size or --ipc=host.") == "with `--shm-size` or `--ipc=host`."


def test_dotted_names_are_code_so_that_no_reader_takes_them_for_addresses() -> None:
    assert prose("(workload.kv_format) of nvidia.com/gpu: 2.") == (
        "(`workload.kv_format`) of `nvidia.com/gpu`: 2."
    )
    assert prose("Llama 3.3 on p5.48xlarge with 1g.20gb") == "Llama 3.3 on p5.48xlarge with 1g.20gb"


def test_names_stay_readable_in_the_source() -> None:
    assert prose("fp8_block weights of rtx-pro-6000-server") == (
        "fp8_block weights of rtx-pro-6000-server"
    )


def test_only_a_key_is_code() -> None:
    assert code("workloads[0].model") == "`workloads[0].model`"
    assert code("a `b`") == "a \\`b\\`"
