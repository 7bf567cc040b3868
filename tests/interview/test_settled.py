"""What an answer settled: nothing that moves is passed over, and what stays is said to stay."""

from __future__ import annotations

import pytest
from interview_support import adviser, said

from advisor.consult.consultation import Consultation
from advisor.explain.beside import beside
from advisor.explain.change import changes
from advisor.interview.interview import Interview
from advisor.interview.showing import view_of

START = (
    "/set workload.kind=serving workload.model=llama-3.1-8b workload.context_tokens=16k "
    "workload.concurrency=8 hardware.gpu=l4 hardware.acquisition=rent"
)
STEPS = (
    "workload.concurrency=9", "workload.concurrency=16", "workload.concurrency=40",
    "workload.concurrency=400", "workload.typical_context_tokens=4k", "workload.output_tokens=500",
    "workload.prompt_tokens=4k", "objectives.tokens_per_second_per_user=20",
    "workload.context_tokens=32k", "platform.cloud=aws", "platform.region=us-east-1",
    "tenancy.tenants=single", "tenancy.duty=intermittent", "workload.traffic=unknown",
    "hardware.gpus_per_node=2", "workload.concurrency=40",
)  # fmt: skip
STAYS = "The advice stays as it is."


def texts(interview: Interview) -> list[str]:
    return [line.text for line in view_of(interview).log[-1].lines]


def same(before: Consultation, after: Consultation) -> bool:
    """Tell whether nothing that the reports say of the decisions differs but their reasons."""

    def read(told: Consultation) -> object:
        return [
            (name, made.status, made.choice, [one.choice for one in made.alternatives])
            for name, made in told.decisions.items()
        ], {warned.id for warned in told.warnings}

    return read(before) == read(after)


@pytest.fixture(scope="module")
def heard() -> list[tuple[Consultation, Consultation, list[str]]]:
    interview = Interview(adviser())
    said(interview, START)
    found = []
    for step in STEPS:
        before = interview.consultation
        assert said(interview, f"/set {step}").accepted
        found.append((before, interview.consultation, texts(interview)))
    return found


def test_the_advice_stays_is_said_only_where_it_does(
    heard: list[tuple[Consultation, Consultation, list[str]]],
) -> None:
    for before, after, lines in heard:
        if STAYS in lines:
            assert same(before, after)
        assert lines
    assert any(STAYS in lines for _, _, lines in heard)
    assert sum(STAYS not in lines for _, _, lines in heard) > 4


def test_every_choice_that_reads_otherwise_is_told_with_its_numbers(
    heard: list[tuple[Consultation, Consultation, list[str]]],
) -> None:
    counted = 0
    for before, after, lines in heard:
        first, then = before.decisions["gpu"].choice, after.decisions["gpu"].choice
        assert first is not None
        assert then is not None
        old, new = first.model_dump(), then.model_dump()
        for change in changes(before, after):
            if change.before != change.after:
                assert any(change.after.removeprefix("buy or rent: ") in line for line in lines)
            if change.decision == "gpu" and not change.moved:
                counted += old["total_gpus"] != new["total_gpus"]
                for key, form in (("total_gpus", "d"), ("usd_per_hour", ",.2f")):
                    if old.get(key) != new.get(key):
                        text = f"{old[key]:{form}} -> {new[key]:{form}}"
                        assert any(text in line for line in lines)
    assert counted >= 2


def test_settings_that_move_beside_a_choice_that_stays_are_told() -> None:
    interview = Interview(adviser())
    said(interview, START)
    before = interview.consultation
    said(interview, "/set workload.prompt_tokens=4k")
    lines, told = texts(interview), beside(before, interview.consultation)

    assert told
    assert not any(change.reworded for change in changes(before, interview.consultation))
    assert any("The choices stay as they are. Beside them: " in line for line in lines)
    assert any(told[0].partition(" -> ")[0] in line for line in lines)


def test_the_same_gpus_in_other_machines_are_told() -> None:
    interview = Interview(adviser())
    said(
        interview,
        "/set workload.kind=serving workload.model=qwen3-32b workload.context_tokens=16k "
        "workload.concurrency=20 hardware.acquisition=owned hardware.gpu=l40s "
        "hardware.gpus_per_node=4 hardware.nodes=2",
        "/set hardware.gpus_per_node=2",
    )

    assert any(line.startswith("GPU: nodes 1 -> 2; still use owned") for line in texts(interview))


@pytest.mark.parametrize("yes", ["yes", "/keep"])
def test_an_edit_names_the_answer_that_it_changed_and_says_what_moves(yes: str) -> None:
    interview = Interview(adviser())
    said(interview, START)
    said(interview, "/set workload.typical_context_tokens=4k")
    said(interview, "/set tenancy.tenants=single")
    before = interview.consultation
    preview = said(interview, "/edit 2 16k").entry
    assert preview is not None
    reply = said(interview, yes)
    choices = [one.decisions["gpu"].choice for one in (before, interview.consultation)]
    old, new = (one.model_dump()["total_gpus"] for one in choices if one is not None)

    assert reply.turn == 2
    assert reply.entry is not None
    assert "Answer 2" in reply.entry.title
    assert old != new
    assert any(f"GPUs {old} -> {new}" in line.text for line in preview.lines)
