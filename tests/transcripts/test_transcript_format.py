"""The file format of transcripts: written, read back, refused with file and line."""

from __future__ import annotations

import pytest
from transcript_support import WORDS, fresh, fresh_text

from advisor.errors import InputError
from advisor.transcripts.markup import code, md, split_cites, typed, uncoded
from advisor.transcripts.model import END, Asked, Said
from advisor.transcripts.read import read_transcript_text
from advisor.transcripts.write import written


def test_what_is_written_reads_back_to_the_same() -> None:
    back = read_transcript_text(fresh_text(), "case.md")

    assert back == fresh()
    assert written(back) == fresh_text()


def test_questions_stand_in_bold_with_their_key_and_section() -> None:
    line = next(one for one in fresh_text().splitlines() if "`workload.model`" in one)

    assert line.startswith("> **Which model?** `workload.model` [§7.3](../knowledge/handbook/07-")


def test_the_head_says_what_is_asked_for_and_which_knowledge_spoke() -> None:
    head = fresh_text().split("---")[1]

    assert "ask: [gpu]" in head
    assert f"title: {WORDS.title}" in head or f'title: "{WORDS.title}"' in head
    assert "knowledge: 20" in head
    assert "tags: [gpu, owned]" in head


def test_commands_and_what_they_said_are_turns() -> None:
    said = {one.text: one for one in fresh().items if isinstance(one, Said)}

    assert said["/why"].reply
    assert "Taken back" in said["/back"].reply[0].text
    assert any("Only tried" in line.text for line in said["/whatif hardware.gpu=l4"].reply)
    assert said["/how gpu"].reply[0].text
    assert said["/limits workload.concurrency"].reply


def test_a_question_that_was_taken_back_is_asked_twice() -> None:
    keys = [item.key for item in fresh().items if isinstance(item, Asked)]

    assert keys.count("workload.concurrency") == 2
    assert keys[-1] == END


def test_the_advice_names_sections_and_rules() -> None:
    decisions = fresh().block("")

    assert decisions is not None
    assert [one.id for one in decisions.bullets] == ["GPU"]
    assert decisions.bullets[0].cites
    assert decisions.bullets[0].rules


@pytest.mark.parametrize(
    "text",
    ["50", "/set a=`b`", "`", "``x``", "a*b_c", "[x](y)", "<b>", "C:\\x", "# no heading", "1. no"],
)
def test_what_is_typed_survives_the_file(text: str) -> None:
    assert uncoded(typed(text)) == text
    assert uncoded(code(text)) == text


def test_sections_at_the_end_of_a_line_are_told_from_the_text() -> None:
    text, cites = split_cites("It is so (§7.3), see [§7.2](a.md#b) §8.1")

    assert text == "It is so (§7.3), see"
    assert cites == ("[§7.2](a.md#b)", "§8.1")


def test_an_underscore_inside_a_word_is_left_alone() -> None:
    assert md("kv_cache of *this*") == r"kv_cache of \*this\*"


HEAD = "---\ntitle: A\nknowledge: 1\n---\n\n# A\n\n"
SAID = "> **Q** `workload.kind` §1\n\nYou: serving\n\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("# no head", 1, "no_front_matter"),
        ("---\ntitle: A\ncolour: red\n---\n", 3, "bad_front_matter"),
        ("---\ntitle: A\n---\n", 1, "bad_front_matter"),
        ("---\ntitle: A\nknowledge: 1\ntags: a\n---\n", 4, "bad_front_matter"),
        ('---\ntitle: "A\nknowledge: 1\n---\n', 2, "bad_front_matter"),
        (f"{HEAD}## Advice\n", 8, "no_heading"),
        (f"{HEAD}## Interview\n", 8, "no_heading"),
        (HEAD.replace("# A", "# B") + f"## Interview\n{SAID}## Advice\n", 5, "bad_title"),
        (f"{HEAD}## Interview\n\n## Advice\n", 8, "nothing_said"),
        (f"{HEAD}## Interview\n\nYou:\n\n## Advice\n", 10, "nothing_said"),
        (f"{HEAD}## Interview\n\n> what is this\n\n{SAID}## Advice\n", 10, "bad_quotation"),
        (f"{HEAD}## Interview\n\n{SAID}## Advice\n\nBuy more.\n", 16, "free_text_in_advice"),
        (f"{HEAD}## Interview\n\n{SAID}## Advice\n\n```\nx\n", 16, "open_fence"),
    ],
)
def test_a_broken_file_is_refused_with_file_and_line(text: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_transcript_text(text, "case.md")

    problem = caught.value.problems[0]
    assert (problem.code, problem.file) == (what, "case.md")
    assert problem.line == line
