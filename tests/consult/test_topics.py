"""Which common claims a consultation shows: those about its own model, card or layout."""

from __future__ import annotations

import pytest

from advisor.answers.questions import load_questions
from advisor.answers.validate import read_answers_text
from advisor.consult.advise import advise
from advisor.consult.platform_topics import platform_topics
from advisor.store.corrections import Correction, load_corrections

OF_LOAD_AND_LAYOUT = {
    "concurrency", "data_parallel", "expert_parallel", "fabric", "kv_cache", "latency", "memory",
    "mla", "nccl", "nvlink", "pcie", "pipeline_parallel", "precision", "rdma", "tensor_parallel",
    "training", "weights",
}  # fmt: skip
"""What comes up by the kind of work and by the layout that is chosen."""


def shown(text: str) -> dict[str, tuple[str, ...]]:
    found = advise(read_answers_text(text, name="answers")).corrections
    topics = {record.id: record.topics for record in load_corrections()}
    return {record.id: topics[record.id] for record in found}


def serving(model: str, gpu: str) -> str:
    return (
        f"workload: {{kind: serving, model: {model}, context_tokens: 8192, concurrency: 8}}\n"
        f"hardware: {{acquisition: owned, gpu: {gpu}, nodes: 1, gpus_per_node: 8}}\n"
    )


def test_claims_about_the_model_and_the_card_come_first() -> None:
    found = list(shown(serving("llama-3.3-70b", "h100-sxm")))
    assert found[0] == "70b-fits-two-h100"
    assert "one-h200-serves-16-bit-70b" in found


@pytest.mark.parametrize("gpu", ["h100-sxm", "l40s"])
def test_no_claim_about_another_model_is_shown(gpu: str) -> None:
    for topics in shown(serving("qwen3-32b", gpu)).values():
        models = [topic for topic in topics if topic.startswith("model:")]
        assert not models


def test_no_claim_about_another_card_is_shown_unless_the_model_is_its_subject() -> None:
    for topics in shown(serving("qwen3-32b", "l40s")).values():
        gpus = [topic for topic in topics if topic.startswith("gpu:")]
        assert not gpus or "gpu:l40s" in gpus


def test_training_is_not_told_about_the_cache() -> None:
    text = (
        "workload: {kind: fine_tuning, model: llama-3.3-70b}\n"
        "training: {method: lora}\n"
        "hardware: {acquisition: owned, gpu: h100-sxm, nodes: 1, gpus_per_node: 8}\n"
    )
    for topics in shown(text).values():
        assert not {"kv_cache", "concurrency", "weights"}.intersection(topics)


def test_without_a_model_and_without_a_platform_nothing_is_touched() -> None:
    assert not shown("workload: {kind: platform}\n")


def test_without_a_model_the_platform_brings_up_its_claims() -> None:
    found = shown("workload: {kind: platform}\nplatform: {provider: eks, dra: wanted}\n")

    assert "dra-is-beta" in found
    assert not any(topic.startswith(("model:", "gpu:")) for ts in found.values() for topic in ts)


def _of_answers() -> set[str]:
    """Return every plain topic that some answer brings up."""
    topics = platform_topics({"platform.env": {"NCCL_DEBUG": "INFO"}})
    for key, question in load_questions().items():
        for value in (*(choice.id for choice in question.values), True):
            topics |= platform_topics({key: value}) | platform_topics({key: (value,)})
    return topics


def _can_come_up(record: Correction, plain: set[str]) -> bool:
    return any(":" in topic for topic in record.topics) or plain.issuperset(record.topics)


def test_every_claim_can_come_up_in_some_consultation() -> None:
    plain = _of_answers() | OF_LOAD_AND_LAYOUT | {"operator_chosen"}

    assert [r.id for r in load_corrections() if not _can_come_up(r, plain)] == []


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("tenancy: {mig_layout_wanted: [1g.10gb]}\n", "mig-on-five-cards-only"),
        ("platform: {sharing_now: [vgpu]}\n", "vgpu-costs-a-thousand"),
        ("platform: {node_autoscaler: karpenter}\n", "static-pool-needs-nothing"),
        ("platform: {env: {NCCL_DEBUG: INFO}}\n", "nccl-info-writes-a-file"),
        ("platform: {rdma_exposure: sriov_plugin}\n", "gpudirect-needs-infiniband"),
        (
            "platform: {kubernetes_version: '1.36', driver_version: '570.133.20'}\n",
            "versions-of-mid-2026",
        ),
        (
            "workload: {kind: pretraining}\ntraining: {job_stack: kubeflow_trainer}\n",
            "trainer-runtimes-are-three",
        ),
    ],
)
def test_an_answer_brings_up_the_claim_about_it(text: str, claim: str) -> None:
    assert claim in shown(text)


def test_the_claim_about_a_fault_goes_first() -> None:
    symptom = "symptoms: [a node has 8 GPUs and only 7 are allocatable]\n"
    cluster = "workload: {kind: platform}\nplatform: {orchestrator: kubernetes}\n"

    assert "plugin-knows-no-health" not in shown(cluster)
    assert next(iter(shown(cluster + symptom))) == "plugin-knows-no-health"


def test_what_was_asked_is_told_beside_the_model_and_the_card() -> None:
    asked = "platform: {node_autoscaler: karpenter, dra: wanted}\n"
    told = list(shown(serving("llama-3.3-70b", "h100-sxm") + asked))

    assert told[0] == "70b-fits-two-h100"
    assert any(claim.startswith("dra-") for claim in told)
    assert "karpenter-is-always-right" in told


def test_each_matter_has_its_turn() -> None:
    text = (
        "workload: {kind: platform}\n"
        "platform: {dra: in_use, sharing_now: [mig], machine: vm, hypervisor: kubevirt}\n"
    )
    matters = [set(topics) & {"dra", "mig"} for topics in shown(text).values()]

    assert {"dra"} in matters
    assert {"mig"} in matters


def test_without_an_operator_its_insides_are_of_no_interest() -> None:
    text = (
        "workload: {{kind: platform}}\n"
        "platform: {{gpu_operator_version: {}, driver_owner_now: host}}\n"
    )
    without, within = shown(text.format("none")), shown(text.format("'26.7.0'"))

    assert "always-the-gpu-operator" in without
    assert not any("gpu_operator" in topics for topics in without.values())
    assert any("gpu_operator" in topics for topics in within.values())


def test_a_named_card_brings_up_its_claims_before_the_model_is_known() -> None:
    text = "workload: {{kind: {}}}\nhardware: {{acquisition: owned, gpu: mi300x}}\n"

    assert "rocm-trails-by-six-months" in shown(text.format("serving"))
    assert "rocm-trails-by-six-months" not in shown(text.format("platform"))
