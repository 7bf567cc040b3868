"""How: proofs end in answers or assumptions, and sums can be redone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from explain_support import POOL, adviser, case, holds_together

from advisor.errors import UnknownNameError
from advisor.explain.how import how, names_of
from advisor.explain.recording import recorded


def leaves_of(name: str, wanted: str) -> list[dict[str, Any]]:
    return list(how(adviser(), case(name), wanted).data["leaves"])  # type: ignore[call-overload]


@pytest.mark.parametrize("name", POOL)
def test_every_name_has_a_proof_that_cites_and_ends_in_answers_or_assumptions(name: str) -> None:
    told = adviser().consult(case(name))
    given = {answer.key for answer in told.answers}
    for wanted in names_of(adviser(), told):
        proof = how(adviser(), case(name), wanted)
        holds_together(proof)
        for leaf in proof.data["leaves"]:  # type: ignore[attr-defined]
            assert leaf["given"] == (leaf["key"] in given)
            words = leaf["basis"]
            question = adviser().questions[leaf["key"]]
            assumed = {note.key for note in told.assumptions} | (
                {leaf["key"]} if question.default is not None else set()
            )
            if not leaf["given"] and "assumed" in words:
                assert leaf["key"] in assumed
            elif not leaf["given"]:
                assert "is not given" in words or "answered with unknown" in words


@pytest.mark.parametrize("name", POOL)
def test_the_rules_of_a_proof_are_those_of_the_decision_with_their_own_words(name: str) -> None:
    told = adviser().consult(case(name))
    for decision, made in told.decisions.items():
        rules = how(adviser(), case(name), decision).data["rules"]
        assert [rule["rule"] for rule in rules] == list(made.rules)  # type: ignore[attr-defined]
        for rule in rules:  # type: ignore[attr-defined]
            assert "unknown" not in rule["because"] or rule["because"] in made.because


@pytest.mark.parametrize("name", POOL)
def test_a_recording_is_the_consultation_with_its_facts(name: str) -> None:
    recording = recorded(adviser(), case(name))
    told = adviser().consult(case(name))
    steps = [
        (firing.rule, dict(firing.facts))
        for stage in recording.stages
        for firing in stage.outcome.firings
    ]

    assert recording.told.model_dump() == told.model_dump()
    assert steps == [(step.rule, step.facts) for step in told.trace]


def test_the_memory_sum_can_be_redone() -> None:
    for name in ("one card", "owned", "nodes"):
        sums = how(adviser(), case(name), "gpu").data["sums"]
        text = sums[0]["text"]  # type: ignore[index]
        share, total, taken, left = re.search(  # type: ignore[union-attr]
            r"per GPU: ([\d.]+) x ([\d.]+) GiB - (.*) = ([\d.]+) GiB left", text
        ).groups()
        parts = [float(part) for part in re.findall(r"[\d.]+", taken)]
        assert float(share) * float(total) - sum(parts) == pytest.approx(float(left), abs=0.03)


def test_the_number_of_gpus_is_a_product_that_can_be_redone() -> None:
    sums = how(adviser(), case("owned"), "gpu.total_gpus").data["sums"]
    texts = [one["text"] for one in sums]  # type: ignore[attr-defined]
    width, replicas, total = map(int, re.findall(r"\d+", texts[0]))

    assert width * replicas == total


def test_an_option_a_bare_parameter_and_a_warning_are_names() -> None:
    told = adviser().consult(case("mig"))
    option = how(adviser(), case("mig"), "mig")
    assert option.data["name"] == "sharing"
    assert how(adviser(), case("mig"), "profile").data["name"] == "sharing.profile"
    warned = told.warnings[0].id
    assert how(adviser(), case("mig"), warned.upper()).data["name"] == warned


def test_an_answer_says_where_it_was_given() -> None:
    proof = how(adviser(), case("mig"), "tenancy.tenants")
    assert "given" in proof.lines[0].text
    assert leaves_of("mig", "tenancy.tenants")[0]["given"]


@pytest.mark.parametrize(("name", "near"), [("sharng", "sharing"), ("gpu.replica", "gpu.replicas")])
def test_an_unknown_name_is_answered_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        how(adviser(), case("owned"), name)
    assert near in refused.value.problems[0].nearest
