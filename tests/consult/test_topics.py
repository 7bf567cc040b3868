"""Which common claims a consultation shows: those about its own model, card or layout."""

from __future__ import annotations

import pytest

from advisor.answers.validate import read_answers_text
from advisor.consult.advise import advise
from advisor.store.corrections import load_corrections


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


def test_without_a_model_nothing_is_touched() -> None:
    assert not shown("workload: {kind: platform}\n")
