"""Laws over random legal answers."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told
from laws import broken_laws
from random_pairs import CHANGES, broken_between, random_pair
from random_situations import random_situation

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.errors import InputError

SEEDS = range(300)
PAIRS = range(160)


def test_the_random_answers_reach_every_status_and_most_options() -> None:
    found = [told(random_situation(seed)).decisions["gpu"] for seed in SEEDS]
    options = {decision.choice.option for decision in found if decision.choice}

    assert {"provisional", "open", "not_applicable"} <= {decision.status for decision in found}
    assert options == {"buy_or_rent", "use_owned", "change_owned", "none_fits"}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_consultation_keeps_the_laws(seed: int) -> None:
    document = random_situation(seed)

    assert list(broken_laws(document, told(document))) == []


@pytest.mark.parametrize("seed", range(60))
def test_answers_of_any_legal_kind_are_advised_on_or_refused_in_words(seed: int) -> None:
    from random_answers_of_all_keys import random_document_with_known_names

    document = random_document_with_known_names(seed)
    answers = read_answers(document)
    try:
        consultation = advise(answers, engine="reference")
    except InputError:
        return
    assert list(broken_laws(document, consultation)) == []


@pytest.mark.parametrize("seed", PAIRS)
def test_less_to_carry_never_takes_more(seed: int) -> None:
    assert list(broken_between(*random_pair(seed))) == []


def test_the_random_pairs_compare_what_fits() -> None:
    fitting = dict.fromkeys(CHANGES, 0)
    for change, base, _ in map(random_pair, PAIRS):
        found = told(base).decisions["gpu"].choice
        fitting[change] += found is not None and found.option in {"buy_or_rent", "use_owned"}

    assert min(fitting.values()) >= 15, fitting


def total(document: dict[str, Any]) -> float:
    found = choice(told(document))
    return found["total_gpus"] if found["option"] == "use_owned" else float("inf")


MODELS = ("llama-3.1-8b", "llama-3.3-70b", "qwen3-32b", "gpt-oss-120b", "qwen3-30b-a3b")


def owned(model: str, **answers: Any) -> dict[str, Any]:
    return serving(
        model,
        "h100-sxm",
        weight_format="checkpoint",
        hardware__acquisition="owned",
        hardware__gpus_per_node=8,
        hardware__nodes=4,
        **answers,
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("concurrency", [1, 40])
def test_more_memory_never_takes_more_gpus(model: str, concurrency: int) -> None:
    counts = [
        total(owned(model, concurrency=concurrency, hardware__gpu_memory_gib=gib))
        for gib in (30, 45, 60, 79, 110, 140, 190)
    ]

    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("model", MODELS)
def test_fewer_users_never_take_more_gpus(model: str) -> None:
    counts = [total(owned(model, concurrency=n)) for n in (1, 5, 20, 63, 65, 130, 400, 1500)]

    assert counts == sorted(counts)


@pytest.mark.parametrize("model", MODELS)
def test_shorter_requests_never_take_more_gpus(model: str) -> None:
    counts = [
        total(owned(model, concurrency=20, context_tokens=length))
        for length in (1024, 4096, 16384, 32768)
    ]

    assert counts == sorted(counts)
