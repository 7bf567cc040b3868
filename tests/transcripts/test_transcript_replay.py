"""Replay: what drifted is told by class, and an update loses nothing unasked."""

from __future__ import annotations

import re

import pytest
from transcript_support import adviser, again, drifts, fresh, fresh_text

from advisor.errors import InputError
from advisor.transcripts.drift import CLASSES
from advisor.transcripts.model import Prose


def kinds(text: str) -> set[str]:
    return {drift.kind for drift in drifts(text)}


def changed(pattern: str, new: str) -> str:
    text, count = re.subn(pattern, new, fresh_text(), count=1, flags=re.MULTILINE)
    assert count == 1
    return text


def test_a_fresh_record_has_not_drifted() -> None:
    assert drifts(fresh_text()) == ()


def test_an_update_of_a_fresh_record_changes_no_byte() -> None:
    assert again(fresh_text()).updated(CLASSES) == fresh_text()


@pytest.mark.parametrize(
    ("pattern", "new", "kind"),
    [
        (r"\*use owned: \d+ x l40s", "*use owned: 9 x l40s", "advice"),
        (r"^  total_gpus: .*$", "  total_gpus: 9", "advice"),
        (r"^- `[a-z0-9-]+`: “.*\n", "", "advice"),
        (r"holds up to \d+", "holds up to 1", "advice"),
        (
            r"stay free: \d+ more(?= replicas would fit, or other loads\. \[)",
            "stay free: 9 more",
            "reason",
        ),
        (r"§7\.3\]\(\.\./", "§7.3](../../", "citation"),
        (r"^> \*\*Which model\?\*\*", "> **What model?**", "wording"),
        (r"· `gpu-carries-the-load`", "· `gpu-carries-nothing`", "reason"),
        (r"^gpu-carries-the-load$", "gpu-carries-nothing", "reason"),
        (r"^- `workload\.kv_format` = auto", "- `workload.kv_format` = fp8", "assumption"),
    ],
)
def test_what_is_planted_is_found_in_its_class(pattern: str, new: str, kind: str) -> None:
    assert kinds(changed(pattern, new)) == {kind}


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if kind != "path"])
def test_an_update_of_one_class_leaves_the_others(kind: str) -> None:
    planted = changed(r"^> \*\*Which model\?\*\*", "> **What model?**")
    planted = planted.replace("*use owned: ", "*use all of: ", 1)
    planted = planted.replace("· `gpu-carries-the-load`", "· `gpu-carries-nothing`", 1)
    left = {"wording", "advice", "reason"} - {kind}

    assert kinds(again(planted).updated([kind])) == left  # type: ignore[list-item]


def test_an_answer_that_nobody_asks_for_is_a_loss() -> None:
    extra = "> **How many?** `training.lora_rank` §7.5\n\nYou: 16\n\n"
    text = fresh_text().replace("> **Nothing is left", f"{extra}> **Nothing is left")
    found = again(text)

    assert {drift.kind for drift in found.drifts} == {"path"}
    assert any("“16” is not used any more" in loss for loss in found.losses)


def test_a_question_without_an_answer_is_told_ready_to_paste() -> None:
    turn = r"> \*\*[^\n]*`hardware\.acquisition`[^\n]*\n> [^\n]*\n\nYou: owned\n\n> [^\n]*\n\n"
    text = changed(turn, "")
    found = again(text)
    told = next(drift for drift in found.drifts if drift.where.startswith("no answer to"))

    assert "`hardware.acquisition`" in told.new
    assert "You: buy | rent | owned" in told.new
    assert "*Decides: GPU.*" in told.new
    assert found.losses


def test_an_answer_that_is_refused_is_a_loss() -> None:
    found = again(fresh_text().replace("You: l40s\n", "You: voodoo2\n"))

    assert any("“voodoo2” is not accepted any more" in loss for loss in found.losses)


def test_answers_are_looked_up_by_key_whatever_their_order() -> None:
    blocks = re.split(r"(?m)^(?=> \*\*)", fresh_text().partition("## Advice")[0])
    head, *turns = blocks
    end = turns.pop()
    moved = "".join([head, turns[0], *reversed(turns[-2:]), *turns[1:-2], end])
    text = moved + "## Advice" + fresh_text().partition("## Advice")[2]
    found = again(text)

    assert {drift.where for drift in found.drifts} == {"questions and answers"}
    assert found.losses == ()
    assert found.updated(CLASSES) == fresh_text()


def test_another_answer_gives_other_advice() -> None:
    text = fresh_text().replace("You: l40s\n", "You: l4\n")

    assert "advice" in kinds(text)


def test_prose_is_kept_where_it_stood() -> None:
    text = fresh_text().replace("\nYou: owned", "\nHere the author says *why*.\n\nYou: owned")
    text = text.replace("*use owned: ", "*use all of: ", 1)
    found = again(text)

    assert any(isinstance(item, Prose) for item in found.old.items)
    assert "Here the author says *why*.\n\nYou: owned" in found.updated(CLASSES)
    assert "Somebody owns four cards." in found.updated(CLASSES)


def test_what_cannot_be_held_names_the_file() -> None:
    with pytest.raises(InputError) as caught:
        again(fresh_text().replace("ask: [gpu]", "ask: [colour]"))

    assert caught.value.problems[0].file is not None


def test_the_transcript_says_neither_the_engine_nor_a_path() -> None:
    text = fresh_text()

    assert adviser().engine not in text.split()
    assert "/tests/" not in text
    assert fresh().knowledge in text
