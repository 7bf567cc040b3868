"""``gpu-advisor record`` and ``gpu-advisor replay``."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from transcript_support import Run

ANSWERS = """\
# A team owns one machine with four cards.
ask: [gpu]
workload: {kind: serving, model: llama-3.1-8b, concurrency: 8, context_tokens: 8k}
hardware: {acquisition: owned, gpu: l40s, gpus_per_node: 4, nodes: 1}
workloads: unknown
"""
SCRIPT = """\
# at the second question
workload.concurrency: /why
end: /how gpu
"""


@pytest.fixture
def answers(tmp_path: Path) -> str:
    file = tmp_path / "answers.yaml"
    file.write_text(ANSWERS, encoding="utf-8")
    return str(file)


@pytest.fixture
def transcript(tmp_path: Path, command: Run, answers: str) -> Path:
    file = tmp_path / "four-cards.md"
    ran = command("record", str(file), "--answers", answers, "--tags", "gpu,owned")
    assert ran.code == 0, ran.err
    return file


def test_a_record_from_answers_replays_without_drift(command: Run, transcript: Path) -> None:
    text = transcript.read_text(encoding="utf-8")
    ran = command("replay", str(transcript))

    assert "A team owns one machine with four cards." in text
    assert "title: Four cards" in text
    assert (ran.code, ran.out) == (0, "1 transcript, nothing drifted.\n")


def test_outside_a_checkout_sections_are_named_without_a_link(transcript: Path) -> None:
    text = transcript.read_text(encoding="utf-8")

    assert "`workload.model` §7.3\n" in text
    assert "](" not in text
    assert str(transcript.parent) not in text


def test_lines_of_a_script_are_said_at_their_questions(
    command: Run, tmp_path: Path, answers: str
) -> None:
    script, file = tmp_path / "lines", tmp_path / "t.md"
    script.write_text(SCRIPT, encoding="utf-8")
    ran = command("record", str(file), "--answers", answers, "--script", str(script))
    text = file.read_text(encoding="utf-8")

    assert ran.code == 0, ran.err
    assert text.index("`workload.concurrency`") < text.index("You: `/why`") < text.index("You: 8")
    assert text.index("**Nothing is left to ask.**") < text.index("You: `/how gpu`")


def test_a_script_with_an_unknown_question_is_refused_with_its_line(
    command: Run, tmp_path: Path, answers: str
) -> None:
    script = tmp_path / "lines"
    script.write_text("\nworkload.concurency: /why\n", encoding="utf-8")
    file = str(tmp_path / "t.md")
    ran = command("record", file, "--answers", answers, "--script", str(script))

    assert ran.code == 2
    assert f"{script}:2" in ran.err
    assert "workload.concurrency" in ran.err


def test_a_line_that_is_never_said_is_refused(command: Run, tmp_path: Path, answers: str) -> None:
    script = tmp_path / "lines"
    script.write_text("training.lora_rank: /why\n", encoding="utf-8")
    file = tmp_path / "t.md"
    ran = command("record", str(file), "--answers", answers, "--script", str(script))

    assert ran.code == 2
    assert "was never said" in ran.err
    assert not file.exists()


def test_a_file_that_is_there_is_not_written_over(
    command: Run, transcript: Path, answers: str
) -> None:
    ran = command("record", str(transcript), "--answers", answers)

    assert ran.code == 2
    assert "--force" in ran.err


def test_an_interview_that_is_left_early_is_recorded_as_far_as_it_went(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "t.md"
    typed = "/set ask=gpu\n1\nllama 3.1 8b\nnonsense\n/help\n0\n/quit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    ran = command("record", str(file))
    text = file.read_text(encoding="utf-8")

    assert ran.code == 0, ran.err
    assert "You: serving" in text
    assert "You: I don't know" in text
    assert "You: `/quit`" in text
    assert "nonsense" not in text
    assert "/help" not in text
    assert command("replay", str(file)).code == 0


@pytest.mark.parametrize(
    "typed",
    [
        "serve llama 3.1 8b for 20 concurrent users at 8k\n0\n/quit\n",
        "1\nllama 3.1 8b\n20\n8k\nidk\n2\n2\n1\n",
        "serve llama 3.1 8b for 50 users and 3000 tokens\n",
    ],
)
def test_what_was_just_recorded_does_not_drift(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    file = tmp_path / "t.md"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert command("record", str(file)).code == 0

    assert command("replay", str(file)).out == "1 transcript, nothing drifted.\n"


def test_nothing_is_written_where_nothing_is_said(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("/quit\n"))
    command("record", str(tmp_path / "t.md"))

    assert list(tmp_path.iterdir()) == []


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_drift_is_a_diff_under_its_class_and_exit_one(command: Run, transcript: Path) -> None:
    edit(transcript, "*use owned: ", "*use all of: ")
    ran = command("replay", str(transcript))

    assert ran.code == 1
    assert f"advice: {transcript}: Decisions: GPU" in ran.out
    assert "  -**GPU** (provisional): *use all of: " in ran.out
    assert "  +**GPU** (provisional): *use owned: " in ran.out
    assert "1 transcript, 1 drifted (advice 1)." in ran.out


def test_drift_as_json_names_class_place_and_both_sides(command: Run, transcript: Path) -> None:
    edit(transcript, "*use owned: ", "*use all of: ")
    ran = command("replay", str(transcript), "--format", "json")
    found = json.loads(ran.out)

    assert ran.code == 1
    assert [one["file"] for one in found] == [str(transcript)]
    drift = found[0]["drift"][0]
    assert (drift["class"], drift["where"]) == ("advice", "Decisions: GPU")
    assert "use all of" in drift["old"]
    assert "use owned" in drift["new"]


def test_wording_only_warns_unless_strict(command: Run, transcript: Path) -> None:
    edit(transcript, "**Which model?**", "**What model?**")

    assert command("replay", str(transcript)).code == 0
    assert command("replay", str(transcript), "--strict").code == 1


def test_an_update_takes_over_what_is_now(command: Run, transcript: Path) -> None:
    before = transcript.read_text(encoding="utf-8")
    edit(transcript, "*use owned: ", "*use all of: ")
    ran = command("replay", str(transcript), "--update")

    assert ran.code == 0
    assert transcript.read_text(encoding="utf-8") == before


def test_an_update_of_one_class_leaves_the_rest(command: Run, transcript: Path) -> None:
    edit(transcript, "*use owned: ", "*use all of: ")
    edit(transcript, "**Which model?**", "**What model?**")
    command("replay", str(transcript), "--update", "--only", "wording")
    text = transcript.read_text(encoding="utf-8")

    assert "**Which model?**" in text
    assert "*use all of: " in text


def test_an_update_that_would_lose_an_answer_is_refused(command: Run, transcript: Path) -> None:
    extra = "> **Rank?** `training.lora_rank` §7.5\n\nYou: 16\n\n> **Nothing is left"
    edit(transcript, "> **Nothing is left", extra)
    before = transcript.read_text(encoding="utf-8")
    refused = command("replay", str(transcript), "--update")

    assert refused.code == 1
    assert "“16” is not used any more" in refused.err
    assert transcript.read_text(encoding="utf-8") == before
    assert command("replay", str(transcript), "--update", "--force").code == 0
    assert "You: 16" not in transcript.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--update", "--only", "colour"), "There is no class 'colour'."),
        (("--only", "path"), "go with --update"),
        (("--force",), "go with --update"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    command: Run, transcript: Path, words: tuple[str, ...], told: str
) -> None:
    ran = command("replay", str(transcript), *words)

    assert ran.code == 2
    assert told in ran.err


def test_a_folder_without_transcripts_and_a_missing_file_are_refused(
    command: Run, tmp_path: Path
) -> None:
    assert "No transcripts below." in command("replay", str(tmp_path)).err
    assert "There is no such file." in command("replay", str(tmp_path / "no.md")).err
    (tmp_path / "empty.md").write_text("")
    both = command("replay", str(tmp_path / "empty.md"), str(tmp_path / "no.md")).err
    assert "empty.md:1: A transcript begins" in both
    assert "no.md: There is no such file." in both
