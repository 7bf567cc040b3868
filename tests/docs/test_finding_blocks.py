from __future__ import annotations

import pytest

from advisor.docs.blocks import body_lines, find_blocks

COMMENT = '<!-- gpu-advisor:begin answers="a.yaml" -->'
END = "<!-- gpu-advisor:end -->"


def problems(text: str) -> list[tuple[str, int | None]]:
    found = find_blocks(text.split("\n"), "page.md")
    return [(problem.message, problem.line) for problem in found.problems]


def test_both_forms_of_comment_are_found_with_what_is_between() -> None:
    text = (
        f"{COMMENT}\nold\n{END}\n" + "{/* gpu-advisor:begin answers=b */}\n{/* gpu-advisor:end */}"
    )
    lines = text.split("\n")
    first, second = find_blocks(lines, "page.md").blocks
    assert list(body_lines(lines, first)) == ["old"]
    assert (first.spec.answers_file, second.spec.answers_file) == ("a.yaml", "b")
    assert (first.opening, second.opening) == ("<!--", "{/*")
    assert second.spec.place.line == 4


def test_inline_answers_may_stand_inside_the_comment() -> None:
    lines = ['<!-- gpu-advisor:begin show="gpu"', "workload:", "  kind: serving", "-->", END]
    (block,) = find_blocks(lines, "page.md").blocks
    assert block.spec.answers_text == "workload:\n  kind: serving"
    assert block.spec.answers_line == 2
    assert (block.start, block.end) == (4, 4)


@pytest.mark.parametrize(
    "fence", ["```", "~~~", "````markdown", "- ```", "> ```", "   ```md title=x"]
)
def test_what_stands_inside_another_fence_is_an_example(fence: str) -> None:
    close = fence.lstrip("-> ").rstrip("abcdefghijklmnopqrstuvwxyz =")
    text = f"{fence}\n{COMMENT}\n\ntext\n{END}\n{close}\n{COMMENT}\n{END}"
    found = find_blocks(text.split("\n"), "page.md")
    assert [block.first for block in found.blocks] == [6]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("before", "indent", "after"),
    [
        ("Text:\n\n", "    ", ""),
        ("", "\t", ""),
        ("1. Item\n\nText:\n\n", "    ", ""),
        ("    code\n", "    ", ""),
        ("<pre>\n", "", "</pre>\n"),
        ("<PRE class=x>\n\n", "", "</PRE>\n"),
        ("> <pre>\n", "> ", "> </pre>\n"),
    ],
)
def test_what_stands_in_code_or_raw_html_is_an_example(
    before: str, indent: str, after: str
) -> None:
    example = "".join(f"{indent}{line}\n" for line in (COMMENT, "text", END))
    fence = "".join(f"{indent}{line}\n" for line in ("```gpu-advice", "answers: a", "```"))
    text = f"{before}{example}{after}\n{before}{fence}{after}\nEnd\n\n{COMMENT}\n{END}"
    found = find_blocks(text.split("\n"), "page.md")
    assert [block.first for block in found.blocks] == [text.count("\n") - 1]
    assert found.problems == ()


@pytest.mark.parametrize(
    "before",
    [
        "1. Item\n\n", "- Item\nand more\n\n", "1. Item\n\n    More\n\n", "!!! note\n\n",
        '=== "Tab"\n\n', "[^1]: Note\n\n", "<div markdown>\n\n", "Text\n", "Term\n:   Text\n\n",
    ],
)  # fmt: skip
def test_a_block_may_be_indented_inside_something(before: str) -> None:
    text = f"{before}    {COMMENT}\n    {END}"
    assert len(find_blocks(text.split("\n"), "page.md").blocks) == 1


def test_a_block_inside_another_comment_is_told_as_comments_do_not_nest() -> None:
    found = find_blocks(["<!--", COMMENT, END, "-->", COMMENT, END], "page.md")
    assert [block.first for block in found.blocks] == [4]
    assert [(p.line, p.message) for p in found.problems] == [(3, "gpu-advisor:end has no begin.")]


def test_other_comments_and_scripts_hide_no_block() -> None:
    text = f"<!-- a -->\n<!--\nb\n-->\n<script>x()</script>\n{COMMENT}\n{END}"
    assert len(find_blocks(text.split("\n"), "page.md").blocks) == 1


@pytest.mark.parametrize(
    "mark",
    [
        "<!-- gpu-adviser:begin answers=a -->", "<!-- GPU-Advisor:begin -->",
        "<!-- gpu_advisor:end -->", "<!-- gpuadvisor: begin -->", "<!-- gpu-advisor begin -->",
        "<!-- GPU advisor: end -->", "<!--- gpu-advisor:begin -->", "{/* gpu-advsior:begin */}",
        "```gpu-advise\nanswers: a\n```", "```{GPU-Advice}\n```", "~~~gpu_advice answers=a\n~~~",
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_is_told(mark: str) -> None:
    [(message, line)] = problems(f"Text\n\n{mark}")
    assert "is not known" in message
    assert line == 3


@pytest.mark.parametrize(
    "text",
    [
        "<!-- gallery begin -->", "<!-- glossary:end -->", "<!-- gpu -->", "```go\n```",
        "```gpu-list\n```", "<!-- gpu-advisory -->", "    <!-- gpu-adviser:begin -->",
        "The advice begins with <!-- gpu-adviser:begin -->",
    ],
)  # fmt: skip
def test_what_only_looks_a_little_like_ours_is_nobodys_business(text: str) -> None:
    assert problems(text) == []


def test_a_fence_of_advice_inside_a_longer_fence_is_an_example() -> None:
    text = "````\n```gpu-advice\nanswers: a\n```\n````"
    assert find_blocks(text.split("\n"), "page.md").blocks == ()


def test_a_fence_that_is_indented_like_code_does_not_close_the_one_around_it() -> None:
    text = f"```markdown\n1. Item\n\n    ```gpu-advice\n    ```\n```\n{COMMENT}\n{END}"
    found = find_blocks(text.split("\n"), "page.md")
    assert [block.first for block in found.blocks] == [6]
    assert found.problems == ()


def test_code_between_backticks_on_one_line_opens_no_fence() -> None:
    text = f"```x``` is code\n{COMMENT}\n{END}"
    assert len(find_blocks(text.split("\n"), "page.md").blocks) == 1


def test_a_mention_inside_a_sentence_is_no_block() -> None:
    found = find_blocks([f"Write `{COMMENT}` where you want it."], "page.md")
    assert found.blocks == ()
    assert found.problems == ()


@pytest.mark.parametrize("name", ["gpu-advice", "{gpu-advice}"])
def test_a_fence_is_found_with_its_indentation(name: str) -> None:
    lines = ["1. Item", "", f"    ```{name} show=gpu", "    workload: {kind: platform}", "    ```"]
    (block,) = find_blocks(lines, "page.md").blocks
    assert (block.kind, block.prefix) == ("fence", "    ")
    assert block.spec.answers_text == "workload: {kind: platform}"
    assert block.spec.answers_line == 4


def test_a_fence_right_behind_a_bullet_keeps_the_bullet() -> None:
    lines = ["- ```gpu-advice answers=a.yaml", "  ```"]
    (block,) = find_blocks(lines, "page.md").blocks
    assert (block.lead, block.prefix) == ("- ", "  ")


def test_lines_are_counted_from_where_front_matter_was_cut_off() -> None:
    (block,) = find_blocks([COMMENT, END], "page.md", first_line=5).blocks
    assert block.spec.place.line == 5


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        (COMMENT, "has no end", 1),
        (f"x\n{END}", "has no begin", 2),
        (f"{COMMENT}\n{COMMENT}\n{END}", "has no end", 1),
        ("<!-- gpu-advisor:beginn -->", "is not known", 1),
        ("<!-- gpu-advisor:begin\nworkload: {}\n", "never closed", 1),
        (f"{COMMENT} and more\n{END}", "Text follows", 1),
        (f"{COMMENT}\n{END} and more", "its line for itself", 2),
        (f"- {COMMENT}\n  {END}", "must begin its own line", 1),
        ("```gpu-advice answers=a.yaml\n", "never closed", 1),
    ],
)
def test_a_broken_block_is_told_with_its_line(text: str, said: str, line: int) -> None:
    found = problems(text)
    assert said in found[0][0]
    assert found[0][1] == line


def test_a_broken_block_hides_no_other() -> None:
    text = f"```gpu-advice\n```\n{COMMENT}\n{END}"
    found = find_blocks(text.split("\n"), "page.md")
    assert [block.first for block in found.blocks] == [2]
    assert [problem.code for problem in found.problems] == ["no_answers"]
