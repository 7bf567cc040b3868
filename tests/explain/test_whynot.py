"""Why not: what speaks against something is true, and changes that would help do help."""

from __future__ import annotations

import json

import pytest
from explain_support import POOL, adviser, case, holds_together, with_answers

from advisor.errors import InputError, UnknownNameError
from advisor.explain.target import target_of
from advisor.explain.values import other_texts
from advisor.explain.whynot import whynot

CASES = [
    ("mig", "time_slicing"),
    ("mig", "exclusive"),
    ("mig", "mps"),
    ("mig", "karpenter"),
    ("turns", "mig"),
    ("turns", "exclusive"),
    ("turns", "mps"),
    ("one card", "tp2"),
    ("one card", "l4 fp8"),
    ("one card", "replicas"),
    ("owned", "l40s bf16"),
    ("owned", "mig"),
    ("nodes", "karpenter"),
    ("nodes", "static_pool"),
    ("training", "fsdp"),
]


@pytest.mark.parametrize(("name", "wanted"), CASES)
def test_changes_agree_with_trying_every_value_of_every_answer_that_is_named(
    name: str, wanted: str
) -> None:
    answers, target = case(name), target_of(adviser(), wanted)
    told = whynot(adviser(), answers, wanted)
    holds_together(told)
    if told.data["holds"]:
        assert target.holds(adviser().consult(answers))
        return
    for sets in told.data["changes"]:  # type: ignore[attr-defined]
        assert target.holds(adviser().consult_with(answers, sets))
    single = []
    for key in told.data["keys"]:  # type: ignore[attr-defined]
        for text in other_texts(adviser().questions[key], answers):
            try:
                other = adviser().consult_with(answers, [f"{key}={text}"])
            except InputError:
                continue
            single += [f"{key}={text}"] if target.holds(other) else []
    found = [sets[0] for sets in told.data["changes"] if len(sets) == 1]  # type: ignore[attr-defined]
    if told.data["tried"]["complete"] or found:  # type: ignore[index]
        assert bool(found) == bool(single)


def test_what_is_the_choice_is_said_to_be() -> None:
    told = whynot(adviser(), case("mig"), "MIG")

    assert told.lines[0].text.startswith("It is the choice")
    assert "see how sharing" in told.lines[0].text


def test_a_missing_wall_is_told_with_its_rule_and_the_answer_that_would_have_to_differ() -> None:
    told = whynot(adviser(), with_answers("turns", tenancy__tenants="untrusted"), "time-slicing")

    assert "sharing-untrusted" in " ".join(line.text for line in told.lines)
    changed = {sets[0].partition("=")[0] for sets in told.data["changes"]}  # type: ignore[attr-defined]
    assert "tenancy.tenants" in changed


def test_the_rule_with_the_fewest_failed_tests_comes_first() -> None:
    misses = whynot(adviser(), case("mig"), "karpenter").data["misses"]
    counts = [len(miss["failed"]) for miss in misses]  # type: ignore[attr-defined]

    assert counts == sorted(counts)


def test_a_gpu_that_was_not_compared_is_said_to_be_left_out_and_asked_for() -> None:
    told = whynot(adviser(), case("one card"), "h100")
    texts = [line.text for line in told.lines]

    assert any("hardware.gpu = l4" in text for text in texts)
    assert any("Asked for by hardware.gpu = h100-sxm" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "decision", "what"),
    [
        ("time-slicing", "sharing", "time_slicing"),
        ("Time Slicing", "sharing", "time_slicing"),
        ("tensor parallel", "parallelism", "tensor"),
        ("Cluster Autoscaler", "provisioning", "cluster_autoscaler"),
        ("use owned", "gpu", "use_owned"),
    ],
)
def test_options_are_understood_by_id_and_by_the_words_of_the_reports(
    text: str, decision: str, what: str
) -> None:
    target = target_of(adviser(), text)
    assert (target.decision, target.option) == (decision, what)


def test_gpus_formats_sizes_slices_and_images_are_understood() -> None:
    both = target_of(adviser(), "H200 SXM in fp8")
    assert (both.gpus[0], both.weight_format) == ("h200-sxm", "fp8")
    assert dict(target_of(adviser(), "TP4 x PP2").parameters) == {
        "tensor_parallel": 4,
        "pipeline_parallel": 2,
    }
    assert dict(target_of(adviser(), "mig 1g.10gb").parameters) == {"profile": "1g.10gb"}
    assert dict(target_of(adviser(), "gke-cos").parameters) == {"node_image": "gke-cos"}
    assert set(target_of(adviser(), "h100").gpus) > {"h100-sxm", "h100-pcie"}


@pytest.mark.parametrize(("text", "near"), [("time_slicng", "time_slicing"), ("h101-sxm", "h100")])
def test_what_cannot_be_chosen_is_answered_with_the_nearest(text: str, near: str) -> None:
    with pytest.raises(UnknownNameError) as refused:
        target_of(adviser(), text)
    assert any(name.startswith(near) for name in refused.value.problems[0].nearest)


@pytest.mark.parametrize("name", POOL)
@pytest.mark.parametrize("wanted", ["mig", "h100-sxm fp8", "tp2pp2", "slurm", "none_fits"])
def test_every_case_can_be_asked_and_says_the_same_twice(name: str, wanted: str) -> None:
    first, second = (whynot(adviser(), case(name), wanted, most=6) for _ in range(2))

    holds_together(first)
    assert json.dumps(first.as_dict()) == json.dumps(second.as_dict())
