"""The shape of a consultation, which other programs read."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from consult_support import Document, choice, serving, told, training

from advisor.consult.consultation import (
    Consultation,
    GpuOption,
    ParallelismOption,
    ProvisioningOption,
    SharingOption,
)
from advisor.store.handbook import load_handbook

FIELDS = {
    "schema_version", "engine", "knowledge", "answers", "assumptions", "decisions", "warnings",
    "diagnoses", "corrections", "sizing", "candidates", "next_questions", "trace",
}  # fmt: skip
GPU_PARAMETERS = {
    "gpu", "gpu_memory_gib", "count_per_replica", "replicas", "total_gpus", "nodes", "engine",
    "weight_format", "kv_format", "max_model_len", "max_num_seqs", "max_num_batched_tokens",
    "gpu_memory_utilization", "usd_per_hour", "price_as_of", "instance_type",
}  # fmt: skip
PARALLELISM_PARAMETERS = {
    "tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel",
    "decode_context_parallel", "replicas", "fabric",
}  # fmt: skip
SITUATIONS: dict[str, Document] = {
    "rented": serving("llama-3.3-70b", context_tokens=8192, concurrency=32),
    "owned": serving(
        "llama-3.3-70b", "h100-sxm", hardware__acquisition="owned", hardware__gpus_per_node=4
    ),
    "too small": serving(
        "llama-3.3-70b",
        "l4",
        weight_format="bf16",
        hardware__acquisition="owned",
        hardware__gpus_per_node=1,
    ),
    "too dear": serving("llama-3.3-70b", objectives__budget_usd_per_hour=0.5),
    "training": training("llama-3.1-8b", method="lora"),
    "open": {"workload": {"kind": "serving"}},
    "platform": {"workload": {"kind": "platform"}},
    "encoder": {"workload": {"kind": "embeddings", "model": "bge-m3"}},
}
EACH = pytest.mark.parametrize("name", SITUATIONS)


def cited(consultation: Consultation) -> list[str]:
    """Return every section that a consultation cites."""
    parts = [*consultation.decisions.values(), *consultation.warnings, *consultation.corrections]
    for decision in consultation.decisions.values():
        parts += [*decision.alternatives, *decision.rejected]
    sections = [citation.section for part in parts for citation in part.citations]
    return [*sections, *(a.section for a in consultation.assumptions)]


@EACH
def test_all_fields_are_there(name: str) -> None:
    document = told(SITUATIONS[name]).model_dump(mode="json", by_alias=True)

    assert set(document) == FIELDS
    assert set(document["knowledge"]) == {"version", "as_of", "overlays"}
    assert set(document["candidates"]) == {"considered", "rejected_by", "shown"}


@EACH
def test_it_comes_back_from_json_unchanged(name: str) -> None:
    consultation = told(SITUATIONS[name])
    text = json.dumps(consultation.model_dump(mode="json", by_alias=True), allow_nan=False)

    assert Consultation.model_validate_json(text).model_dump(mode="json") == (
        consultation.model_dump(mode="json")
    )


@EACH
def test_all_four_decisions_are_there_in_order(name: str) -> None:
    found = list(told(SITUATIONS[name]).decisions)

    assert found == ["gpu", "sharing", "parallelism", "provisioning"]


OPTIONS = {
    "gpu": GpuOption,
    "sharing": SharingOption,
    "parallelism": ParallelismOption,
    "provisioning": ProvisioningOption,
}


@EACH
def test_options_come_from_the_published_lists(name: str) -> None:
    decisions = told(SITUATIONS[name]).decisions
    for decision, options in OPTIONS.items():
        found = decisions[decision]  # type: ignore[index]
        choices = [found.choice, *(a.choice for a in found.alternatives)]
        assert {c.option for c in choices if c is not None} <= set(get_args(options))


@EACH
def test_every_decision_is_cited_and_every_citation_resolves(name: str) -> None:
    consultation = told(SITUATIONS[name])
    handbook = load_handbook()

    assert all(decision.citations for decision in consultation.decisions.values())
    assert all(warning.citations for warning in consultation.warnings)
    for section in cited(consultation):
        assert handbook.citation(section)


@EACH
def test_rejected_names_a_gpu_and_format_once(name: str) -> None:
    decisions = told(SITUATIONS[name]).decisions
    kinds = [(line.gpu, line.weight_format) for line in decisions["gpu"].rejected]
    assert len(kinds) == len(set(kinds))
    for later in ("sharing", "provisioning"):
        options = [line.option for line in decisions[later].rejected]  # type: ignore[index]
        assert len(options) == len(set(options))


@EACH
def test_open_questions_use_the_key_if(name: str) -> None:
    document = told(SITUATIONS[name]).model_dump(mode="json", by_alias=True)
    for decision in document["decisions"].values():
        for dependency in decision["depends_on"]:
            assert set(dependency) == {"question", "if", "then"}


@EACH
def test_questions_that_come_next_are_open_ones(name: str) -> None:
    consultation = told(SITUATIONS[name])
    given = {answer.key for answer in consultation.answers}

    assert not given.intersection(q.key for q in consultation.next_questions)


def test_a_rented_choice_has_all_parameters() -> None:
    found = choice(told(SITUATIONS["rented"]))

    assert set(found) >= GPU_PARAMETERS
    assert found["total_gpus"] == found["count_per_replica"] * found["replicas"]


def test_a_pattern_has_all_parameters() -> None:
    assert set(choice(told(SITUATIONS["rented"]), "parallelism")) >= PARALLELISM_PARAMETERS


def test_a_training_pattern_says_how_the_states_are_held() -> None:
    found = choice(told(SITUATIONS["training"]), "parallelism")

    assert {"training_method", "sharding", "optimizer", "offload", "recompute", "micro_batch"} <= (
        set(found)
    )


def test_owned_gpus_have_no_rent() -> None:
    assert "usd_per_hour" not in choice(told(SITUATIONS["owned"]))


def test_the_sizing_is_that_of_the_choice() -> None:
    consultation = told(SITUATIONS["rented"])
    found = choice(consultation)

    assert consultation.sizing is not None
    assert consultation.sizing.gpu == found["gpu"]
    assert consultation.sizing.weight_format == found["weight_format"]
    assert consultation.sizing.layout.gpus == found["count_per_replica"]


def test_answers_say_where_they_came_from() -> None:
    [concurrency] = [a for a in told(SITUATIONS["rented"]).answers if a.key.endswith("concurrency")]

    assert concurrency.value == 32
    assert concurrency.file == "answers"


def test_the_trace_names_rules_and_facts() -> None:
    trace = told(SITUATIONS["rented"]).trace

    assert any(step.rule == "gpu-carries-the-load" and "c" in step.facts for step in trace)


def test_an_empty_ask_gives_warnings_corrections_and_symptoms_alone() -> None:
    asked = serving("deepseek-r1", "h200-sxm", concurrency=64)
    asked |= {"ask": [], "symptoms": ["CUDA out of memory"]}
    consultation = told(asked)

    assert not consultation.decisions
    assert consultation.sizing is None
    assert not consultation.next_questions
    assert consultation.warnings
    assert consultation.corrections
    assert [d.input for d in consultation.diagnoses] == ["CUDA out of memory"]


@pytest.mark.parametrize("name", ["gpu", "sharing", "parallelism", "provisioning"])
def test_only_what_is_asked_for_is_decided(name: str) -> None:
    asked = {"ask": [name], "workload": {"model": "llama-3.1-8b"}, "hardware": {"gpu": "l4"}}

    assert set(told(asked).decisions) == {name}
