"""The transcripts that ship: they hold, they say nothing volatile, they reach the rules."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest
from transcript_support import adviser
from transcripts_page import FILES, LIST, PAGE, ROOT, counts, refreshed, transcripts

from advisor.answers.questions import UNKNOWN
from advisor.answers.validate import read_answers
from advisor.cli.kb_coverage import answers_files, measure
from advisor.transcripts.hearing import DONT_KNOW
from advisor.transcripts.model import Said
from advisor.transcripts.read import read_transcript
from advisor.transcripts.replay import replayed

FEWEST = 30
REACHED = 0.9
"""Part of the rules that transcripts and examples must fire."""
COMMANDS = {
    "why", "how", "whynot", "whatif", "limits", "compare", "back", "edit", "skip", "set", "find",
    "open", "facts", "cite",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_transcript_holds(file: Path) -> None:
    found = replayed(adviser(), read_transcript(file), file)

    assert [(one.kind, one.where) for one in found.drifts] == [], (
        f"gpu-advisor replay {file.relative_to(ROOT)} shows it, --update takes it over"
    )


def test_there_are_enough_of_them() -> None:
    assert len(FILES) >= FEWEST


def test_every_command_and_not_knowing_is_shown() -> None:
    said = [i.text for one in transcripts().values() for i in one.items if isinstance(i, Said)]

    assert {text[1:].split()[0] for text in said if text.startswith("/")} >= COMMANDS
    assert DONT_KNOW in said


def test_every_decision_is_made_in_several_ways() -> None:
    settings = [one.block("Settings") for one in transcripts().values()]
    text = "\n".join(block.text or "" for block in settings if block is not None)
    options = re.findall(r"^(\w+):\n  option: (\w+)$", text, re.MULTILINE)

    for decision in ("gpu", "sharing", "parallelism", "provisioning"):
        assert len({option for name, option in options if name == decision}) >= 3, decision


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_in_it_is_volatile(file: Path) -> None:
    body = file.read_text(encoding="utf-8").split("---\n", 2)[2]

    assert str(ROOT) not in body
    assert str(Path.home()) not in body
    assert not re.search(r"\brule engine\b", body)
    assert not re.search(r"\b\d\d:\d\d:\d\d\b", body)


def test_no_clock_is_read() -> None:
    code = [
        path.read_text(encoding="utf-8") for path in (ROOT / "advisor/transcripts").glob("*.py")
    ]
    clock = re.compile(r"^ *(?:import|from) (?:time|datetime)\b", re.MULTILINE)

    assert code
    assert [text for text in code if clock.search(text)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_links_lead_to_headings_of_the_handbook(file: Path) -> None:
    links = set(re.findall(r"\]\(([^)#\s]+)#([^)\s]+)\)", file.read_text(encoding="utf-8")))

    assert links
    for page, anchor in links:
        text = file.parent.joinpath(page).read_text(encoding="utf-8")
        headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w\- ]", "", one.casefold()).replace(" ", "-") for one in headings}
        assert anchor in slugs, (page, anchor)


@pytest.mark.parametrize("page", [LIST, PAGE], ids=lambda page: page.name)
def test_the_pages_made_from_them_are_up_to_date(page: Path) -> None:
    assert refreshed(page) == page.read_text(encoding="utf-8"), (
        "run: python tests/transcripts/transcripts_page.py"
    )


def test_few_questions_are_asked() -> None:
    asked = counts()

    assert median(asked["all four decisions"]) <= 14
    assert median(asked["gpu"]) <= 10


@pytest.mark.slow
def test_transcripts_and_examples_fire_most_rules() -> None:
    found = measure(answers_files([str(ROOT / "transcripts"), str(ROOT / "examples")]))
    groups = found.rules.values()
    fired, total = sum(len(g.reached) for g in groups), sum(g.total for g in groups)

    assert fired >= REACHED * total, f"{fired} of {total}: gpu-advisor kb coverage --never"


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples" / "rules").glob("*.yaml")), ids=lambda file: file.stem
)
def test_answers_for_rules_say_which(file: Path) -> None:
    comment = "\n".join(re.findall(r"^# (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"[a-z]+(?:-[a-z0-9]+)+(?:\.[a-z]+)?", comment)
    known = set(adviser().rules.by_id)

    assert named
    assert set(named) <= known
    assert UNKNOWN not in read_answers(file).values.values()
