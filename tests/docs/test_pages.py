from __future__ import annotations

import json
import os
import re
import shutil
from importlib import resources
from pathlib import Path

import pytest
from docs_support import DESK, PLATFORM, SERVING
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.docs.desk import Desk
from advisor.docs.pages import BlockState, build_page, check_page
from advisor.errors import InputError
from advisor.explain.adviser import Adviser
from advisor.store.loader import load_knowledge

PAGE = """\
# Page

<!-- gpu-advisor:begin answers="gpu.yaml" show="gpu" -->
<!-- gpu-advisor:end -->

Tail
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "gpu.yaml").write_text(SERVING, encoding="utf-8")
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def only(path: Path, desk: Desk = DESK) -> BlockState:
    state = check_page(path, desk)
    assert state.problems == ()
    (block,) = state.blocks
    return block


def test_a_block_is_built_once_and_is_current_then(page: Path) -> None:
    assert only(page).state == "unbuilt"
    assert build_page(page, DESK).written
    built = page.read_bytes()
    assert only(page).state == "current"
    assert not build_page(page, DESK).written
    assert page.read_bytes() == built


def test_what_is_around_the_block_stays(page: Path) -> None:
    build_page(page, DESK)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(PAGE.partition("<!-- gpu-advisor:end")[0] + "\n**GPU** (")
    assert text.endswith(" -->\n\nTail\n")


def test_other_answers_make_it_stale_and_old_and_new_choice_are_named(page: Path) -> None:
    build_page(page, DESK)
    page.with_name("gpu.yaml").write_text(SERVING.replace("l40s", "l4"), encoding="utf-8")
    block = only(page)
    assert block.state == "stale"
    (move,) = block.moves
    assert move.decision == "gpu"
    assert "1 x l40s" in str(move.old)
    assert "x l4 " in str(move.new)
    build_page(page, DESK)
    assert only(page).state == "current"


def test_a_changed_fact_makes_it_stale(page: Path, tmp_path: Path) -> None:
    build_page(page, DESK)
    with resources.as_file(resources.files("advisor.knowledge")) as folder:
        shutil.copytree(folder, tmp_path / "knowledge")
    catalogue = tmp_path / "knowledge/gpus/nvidia-ada.yaml"
    text = catalogue.read_text(encoding="utf-8")
    catalogue.write_text(
        text.replace("engine_memory_gib: 44.39", "engine_memory_gib: 20.39"), encoding="utf-8"
    )
    other = Desk(Adviser(load_knowledge(tmp_path / "knowledge"), engine="reference"))
    block = only(page, other)
    assert block.state == "stale"
    assert block.moves[0].old != block.moves[0].new


def test_a_change_by_hand_is_found_and_kept_unless_forced(page: Path) -> None:
    build_page(page, DESK)
    text = page.read_text(encoding="utf-8")
    edited = text.replace("1 x l40s", "2 x l40s")
    page.write_text(edited, encoding="utf-8")
    assert only(page).state == "edited"
    assert not build_page(page, DESK).written
    assert page.read_text(encoding="utf-8") == edited
    assert build_page(page, DESK, force=True).written
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("tail", ["sha256=0000", "sha1=77", "sha256="])
def test_a_checksum_that_is_not_ours_counts_as_a_change_by_hand(page: Path, tail: str) -> None:
    build_page(page, DESK)
    text = page.read_text(encoding="utf-8").replace("**GPU**", "**GPUs**")
    head, _, rest = text.partition("gpu-advisor:end ")
    page.write_text(f"{head}gpu-advisor:end {tail}{rest[rest.index(' -->') :]}", encoding="utf-8")
    assert only(page).state == "edited"


def test_a_wrong_checksum_of_the_right_text_is_mended(page: Path) -> None:
    build_page(page, DESK)
    built = page.read_text(encoding="utf-8")
    page.write_text(built.replace("sha256=", "sha256=f"), encoding="utf-8")
    assert only(page).state == "checksum"
    build_page(page, DESK)
    assert page.read_text(encoding="utf-8") == built


def test_text_in_a_block_that_was_never_built_is_kept_unless_forced(page: Path) -> None:
    own = PAGE.replace("<!-- gpu-advisor:end", "\nA paragraph of ours.\n\n<!-- gpu-advisor:end")
    page.write_text(own, encoding="utf-8")
    assert only(page).state == "edited"
    assert not build_page(page, DESK).written
    assert page.read_text(encoding="utf-8") == own
    assert build_page(page, DESK, force=True).written
    assert only(page).state == "current"


def test_a_lost_checksum_is_mended_only_where_the_text_is_ours(page: Path) -> None:
    build_page(page, DESK)
    built = page.read_text(encoding="utf-8")
    lost = re.sub(r" sha256=\w+", "", built)
    page.write_text(lost, encoding="utf-8")
    assert only(page).state == "checksum"
    build_page(page, DESK)
    assert page.read_text(encoding="utf-8") == built
    page.write_text(lost.replace("**GPU**", "**Our GPU**"), encoding="utf-8")
    assert only(page).state == "edited"
    assert not build_page(page, DESK).written


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_line_ends_and_a_byte_order_mark_are_kept(page: Path, end: str) -> None:
    page.write_bytes(("\ufeff" + PAGE.replace("\n", end)).encode("utf-8"))
    build_page(page, DESK)
    text = page.read_bytes().decode("utf-8")
    assert text.startswith("\ufeff# Page" + end)
    others = {"\r\n", "\n", "\r"} - {end}
    rest = text.replace(end, "")
    assert not any(other in rest for other in others)
    assert only(page).state == "current"


def test_a_last_line_without_an_end_stays_without(page: Path) -> None:
    page.write_text(PAGE.removesuffix("\n\nTail\n"), encoding="utf-8")
    build_page(page, DESK)
    assert page.read_text(encoding="utf-8").endswith(" -->")
    assert only(page).state == "current"


@pytest.mark.parametrize("prefix", ["    ", "> ", "> > ", "\t"])
def test_indentation_in_lists_and_quotations_is_kept(page: Path, prefix: str) -> None:
    lines = PAGE.split("\n")[2:4]
    inside = "\n".join(prefix + line for line in lines) + "\n"
    page.write_text(f"1. Item\n\n{inside}", encoding="utf-8")
    build_page(page, DESK)
    text = page.read_text(encoding="utf-8").removeprefix("1. Item\n")
    assert all(line.startswith(prefix.rstrip()) for line in text.split("\n")[:-1] if line)
    assert f"{prefix}**GPU** (" in text
    assert only(page).state == "current"


def test_white_space_that_an_editor_takes_off_is_no_change_by_hand(page: Path) -> None:
    build_page(page, DESK)
    text = page.read_text(encoding="utf-8")
    loose = text.replace("\n\n**GPU**", "\n**GPU**").replace("\n\nNot", "  \n\nNot")
    assert loose != text
    page.write_text(loose, encoding="utf-8")
    assert only(page).state == "current"


def test_mdx_comments_stay_mdx_comments(page: Path) -> None:
    page.write_text(PAGE.replace("<!--", "{/*").replace("-->", "*/}"), encoding="utf-8")
    build_page(page, DESK)
    assert "{/* gpu-advisor:end sha256=" in page.read_text(encoding="utf-8")
    assert "<!--" not in page.read_text(encoding="utf-8")
    assert only(page).state == "current"


def test_inline_answers_in_the_comment_are_advised_on(page: Path) -> None:
    inline = PAGE.replace(' answers="gpu.yaml" show="gpu" -->', f' show="gpu"\n{SERVING}-->')
    page.write_text(inline, encoding="utf-8")
    build_page(page, DESK)
    assert "1 x l40s" in page.read_text(encoding="utf-8")


def test_a_fence_is_checked_and_never_written(page: Path) -> None:
    page.write_text(f"```gpu-advice show=gpu\n{SERVING}```\n", encoding="utf-8")
    before = page.read_bytes()
    assert only(page).state == "fence"
    assert not build_page(page, DESK).written
    assert page.read_bytes() == before


def test_a_broken_answers_file_is_told_with_its_own_line_and_who_wanted_it(page: Path) -> None:
    page.with_name("gpu.yaml").write_text(SERVING.replace("gpu:", "gpuu:"), encoding="utf-8")
    (problem,) = check_page(page, DESK).problems
    assert Path(str(problem.file)).name == "gpu.yaml"
    assert problem.line == 2
    assert "page.md:3" in problem.message
    assert problem.nearest[0] == "hardware.gpu"


def test_broken_inline_answers_are_told_with_the_line_in_the_page(page: Path) -> None:
    text = f"---\nx: 1\n---\n\n```gpu-advice\n{SERVING}platform: {{cloud: awss}}\n```\n"
    page.write_text(text, encoding="utf-8")
    (problem,) = check_page(page, DESK).problems
    assert (Path(str(problem.file)).name, problem.line) == ("page.md", 8)


def test_the_same_mistake_in_two_places_is_told_at_both(page: Path) -> None:
    wrong = SERVING.replace("llama-3.1-8b", "lama-9")
    page.write_text(f"```gpu-advice\n{wrong}```\n\n```gpu-advice\n{wrong}```\n", encoding="utf-8")
    problems = check_page(page, DESK).problems
    assert [problem.line for problem in problems] == [2, 7]


def test_a_missing_answers_file_is_told_at_the_block(page: Path) -> None:
    page.with_name("gpu.yaml").unlink()
    (problem,) = check_page(page, DESK).problems
    assert (problem.code, problem.line) == ("no_answers_file", 3)


def test_a_page_with_one_broken_block_is_not_written_at_all(page: Path) -> None:
    page.write_text(PAGE + PAGE.replace("gpu.yaml", "none.yaml"), encoding="utf-8")
    before = page.read_bytes()
    state = build_page(page, DESK)
    assert not state.written
    assert len(state.problems) == 1
    assert page.read_bytes() == before


def test_citations_must_lead_to_a_page_and_an_anchor_that_are_there(page: Path) -> None:
    page.write_text(PAGE.replace('show="gpu"', 'show="gpu" links="book.md"'), encoding="utf-8")
    assert check_page(page, DESK).problems[0].code == "broken_link"
    book = page.with_name("book.md")
    book.write_text("## 7.3 {#memory-math}\n", encoding="utf-8")
    assert "which-gpu" in check_page(page, DESK).problems[0].message
    book.write_text("## 7.3 {#memory-math}\n(which-gpu)=\n", encoding="utf-8")
    assert only(page).state == "unbuilt"


def test_a_link_to_a_page_stays_a_link_and_its_rights_stay(page: Path) -> None:
    page.chmod(0o640)
    link = page.with_name("link.md")
    link.symlink_to(page.name)
    build_page(link, DESK)
    assert link.is_symlink()
    assert page.stat().st_mode & 0o777 == 0o640
    assert only(page).state == "current"


def test_a_failed_write_leaves_the_old_page_and_nothing_beside_it(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    before = page.read_bytes()
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(InputError, match="cannot be written: No space"):
        build_page(page, DESK)
    assert page.read_bytes() == before
    assert sorted(path.name for path in page.parent.iterdir()) == ["gpu.yaml", "page.md"]


def test_a_file_without_blocks_may_be_anything(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"\xff\xfe\x00")
    assert check_page(path, DESK).blocks == ()
    path.write_bytes(b"gpu-advisor: \xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        check_page(path, DESK)


def test_a_changed_file_behind_the_answers_is_seen(page: Path) -> None:
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "torch_dtype": "bfloat16",
        "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256,
        "max_position_embeddings": 131072,
    }  # fmt: skip
    file = page.with_name("config.json")
    file.write_text(json.dumps(config), encoding="utf-8")
    answers = SERVING.replace("model: llama-3.1-8b", f"model_config: {file}")
    page.with_name("gpu.yaml").write_text(answers, encoding="utf-8")
    build_page(page, DESK)
    file.write_text(json.dumps({**config, "num_hidden_layers": 60}), encoding="utf-8")
    assert only(page).state == "stale"


PIECES = st.sampled_from(
    [
        "text", "", "# title", "1. item", "    indented", "> quoted", "\tx", "```", "````md", "~~~",
        "<!-- gpu-advisor:begin answers=gpu.yaml show=gpu -->\n<!-- gpu-advisor:end -->",
        "  <!-- gpu-advisor:begin answers=gpu.yaml show=gpu -->\n\n  <!-- gpu-advisor:end -->",
        "  <!-- gpu-advisor:begin answers=gpu.yaml show=gpu -->\n  own\n  <!-- gpu-advisor:end -->",
        "> <!-- gpu-advisor:begin answers=gpu.yaml show=gpu -->\n> <!-- gpu-advisor:end -->",
        "```gpu-advice answers=gpu.yaml\n```",
    ]
)  # fmt: skip


@given(pieces=st.lists(PIECES, max_size=12), end=st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_second_build_changes_nothing_and_the_first_only_what_is_ours(
    page: Path, pieces: list[str], end: str
) -> None:
    text = "\n".join(pieces).replace("\n", end)
    page.write_bytes(text.encode())
    first = build_page(page, DESK)
    built = page.read_bytes().decode()
    assert [block.state for block in check_page(page, DESK).blocks] == [
        block.state if block.state in {"fence", "edited"} else "current" for block in first.blocks
    ]
    assert not build_page(page, DESK).written
    ours = re.compile(r"(gpu-advisor:begin[^\n]*\n).*?gpu-advisor:end[^\n]*", re.DOTALL)
    if not first.written:
        assert built == text
    elif "```" not in text and "~~~" not in text:
        assert ours.sub("", built) == ours.sub("", text)


def test_platform_answers_show_what_is_not_applicable(page: Path) -> None:
    page.with_name("gpu.yaml").write_text(PLATFORM, encoding="utf-8")
    build_page(page, DESK)
    assert "**GPU** (not applicable)\n" in page.read_text(encoding="utf-8")
