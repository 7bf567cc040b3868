"""A model known by its size only: cautious shapes, and ranges that hold its like-sized models."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, nested, told, warned

from advisor.answers.validate import read_answers
from advisor.consult.models import model_of
from advisor.sizing.training import TrainingPlan, training_memory
from advisor.store.loader import load_knowledge
from advisor.store.model import FullAttention, Model

KNOWLEDGE = load_knowledge()
PLAN = TrainingPlan(method="full", sequence_tokens=4096, sharding="fsdp", world_size=32)
SIZES = (0.5, 1.5, 3, 7, 8, 13, 14, 20, 32, 34, 70, 110, 180, 405)


class Silent:
    def note(self, key: str, value: object, why: str, section: str) -> None:
        """Forget it."""


def stand_in(size: float, **more: Any) -> Model:
    answers = read_answers(nested({"workload.parameters_b": size, **more}))
    model = model_of(answers, KNOWLEDGE, Silent())[0]
    assert model is not None
    return model


def like_sized(size: float) -> list[Model]:
    return [
        model
        for model in KNOWLEDGE.models.values()
        if size / 1.25 <= model.parameters_b <= size * 1.25
        and len(model.attention) == 1
        and isinstance(model.attention[0], FullAttention)
        and all(ffn.kind == "dense" for ffn in model.ffn)
        and model.modality == "text"
    ]


def kept_for_a_token(model: Model) -> int:
    first = model.attention[0]
    assert isinstance(first, FullAttention)
    return first.layers * first.kv_heads * first.head_dim


@pytest.mark.parametrize("size", SIZES)
def test_training_memory_lies_among_that_of_like_sized_models(size: float) -> None:
    found = training_memory(stand_in(size), PLAN)
    known = [training_memory(model, PLAN) for model in like_sized(size)]
    assert found.activations is not None
    assert found.total is not None
    activations = [memory.activations.expected for memory in known if memory.activations]
    totals = [memory.total.expected for memory in known if memory.total]

    assert 0.9 * min(activations) <= found.activations.expected <= 1.1 * max(activations)
    assert 0.9 * min(totals) <= found.total.expected <= 1.1 * max(totals)
    assert found.activations.high >= max(activations)
    assert found.activations.low <= min(activations)


@pytest.mark.parametrize("size", SIZES)
def test_the_cache_is_the_largest_of_like_models_that_group_queries(size: float) -> None:
    grouped = [
        kept_for_a_token(model)
        for model in like_sized(size)
        if 1 < model.attention[0].kv_heads < model.attention[0].heads  # type: ignore[union-attr]
    ]

    assert kept_for_a_token(stand_in(size)) == max(grouped)


def test_what_a_mixture_leaves_behind_follows_its_active_parameters() -> None:
    dense = training_memory(stand_in(70), PLAN)
    mixture = training_memory(stand_in(70, **{"workload.active_parameters_b": 20}), PLAN)
    assert dense.activations is not None
    assert mixture.activations is not None

    assert mixture.activations.expected < dense.activations.expected
    assert mixture.states.expected == pytest.approx(dense.states.expected)


def test_serving_speaks_of_the_cache_and_training_of_activations() -> None:
    served = nested({"workload.model": "mine", "workload.parameters_b": 7})
    trained = nested(
        {"workload.kind": "pretraining", "workload.model": "mine", "workload.parameters_b": 7}
    )

    assert "warn-stated-model" in warned(served)
    assert "warn-training-stated-model" in warned(trained)
    assert not {"warn-stated-model", "warn-stated-model-range"} & warned(trained)
    notes = {a.key: a.why for a in told(trained).assumptions}
    assert "cache" not in notes["workload.model"]


def test_the_name_of_a_size_is_no_promise_of_hundreds_of_users() -> None:
    asked = nested({
        "workload.model": "mine", "workload.parameters_b": 7, "workload.concurrency": 10,
        "workload.context_tokens": 8192, "hardware.gpu": "h100-sxm",
    })  # fmt: skip
    found = choice(told(asked))

    assert found["room_requests_per_replica"] < 100
