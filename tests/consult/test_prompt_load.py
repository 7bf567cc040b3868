"""Prompts take time of the GPUs that decode: in the choice, the cost and the warnings."""

from __future__ import annotations

import math
from typing import Any

import pytest
from consult_support import told, warned

from advisor.consult.economics import Band
from advisor.consult.prompt_load import NO_PROMPTS, PromptLoad
from advisor.consult.targets import Targets
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge

CARDS = ["l4", "a10g", "l40s", "a100-80-sxm", "h100-sxm"]


def chat(prompt: int | None, speed: float = 20, **workload: Any) -> dict[str, Any]:
    load = {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192, **workload}
    load |= {"concurrency": 100, "output_tokens": 400}
    if prompt is not None:
        load["prompt_tokens"] = prompt
    return {
        "workload": load,
        "objectives": {"tokens_per_second_per_user": speed, "priority": "cost"},
        "hardware": {"acquisition": "rent", "gpu": CARDS},
    }


def embeds(rate: float | None, **more: Any) -> dict[str, Any]:
    load = {"kind": "embeddings", "model": "bge-m3", "context_tokens": 8192, **more}
    objectives = {} if rate is None else {"requests_per_second": rate}
    return {"workload": load, "objectives": objectives, "hardware": {"gpu": "l4"}}


def chosen(document: dict[str, Any]) -> dict[str, Any]:
    choice = told(document).decisions["gpu"].choice
    assert choice is not None
    return choice.model_dump()


def sized(
    prompt: int | None = 1500, concurrency: int = 16, model: str = "llama-3.1-8b"
) -> SizeResult:
    request = SizeRequest(prompt_tokens=prompt, concurrency=concurrency, max_model_len=8192)
    return size_by_name(load_knowledge(), model, "h100-sxm", request)


# ---- the arithmetic ----


def test_a_token_costs_its_step_and_its_share_of_the_prompt() -> None:
    result = sized()
    decode, prefill = result.total_output_tokens_per_second, result.prompt_tokens_per_second
    assert decode is not None
    assert prefill is not None
    mixed = PromptLoad(prompt_tokens=1500, output_tokens=400).total(result, 3)

    assert mixed is not None
    assert mixed.high == pytest.approx(3 / (1 / decode.high + 1500 / 400 / prefill.high))
    assert mixed.low == pytest.approx(3 / (1 / decode.low + 1500 / 400 / prefill.low))


def test_a_known_rate_of_prompts_takes_its_share_and_decoding_gets_the_rest() -> None:
    result = sized()
    decode, prefill = result.total_output_tokens_per_second, result.prompt_tokens_per_second
    assert decode is not None
    assert prefill is not None
    half = PromptLoad(prompt_tokens=1500, requests_per_second=prefill.high / 1500 / 2)
    left = half.total(result, 1)

    assert left is not None
    assert left.high == pytest.approx(decode.high / 2)
    assert Targets(prompts=half).fast_enough(result, 1)
    double = PromptLoad(prompt_tokens=1500, requests_per_second=prefill.high / 1500 * 2)
    assert not Targets(prompts=double).fast_enough(result, 1)
    assert Targets(prompts=double).fast_enough(result, 2)
    assert double.replicas(result) == math.ceil(2 * prefill.high / prefill.low)


def test_one_user_waits_for_the_prompts_of_the_others_and_not_for_his_own() -> None:
    mix = PromptLoad(prompt_tokens=1500, output_tokens=400)
    alone, busy = sized(concurrency=1), sized(concurrency=16)
    assert alone.decode_tokens_per_second is not None
    assert busy.decode_tokens_per_second is not None

    one = mix.one_user(alone)
    assert one == Band(alone.decode_tokens_per_second.low, alone.decode_tokens_per_second.high)
    many = mix.one_user(busy)
    assert many is not None
    assert many.high < busy.decode_tokens_per_second.high


def test_what_is_not_known_of_prompts_is_not_counted() -> None:
    result, silent = sized(), sized(prompt=None)
    for prompts, answer in [
        (NO_PROMPTS, result),
        (PromptLoad(prompt_tokens=1500), result),
        (PromptLoad(prompt_tokens=1500, output_tokens=400, shared_prefix=True), result),
        (PromptLoad(prompt_tokens=1500, output_tokens=400), silent),
    ]:
        decode = answer.total_output_tokens_per_second
        assert decode is not None
        assert not prompts.counted(answer)
        assert prompts.total(answer, 1) == Band(decode.low, decode.high)


def test_a_search_for_replicas_never_begins_beyond_what_suffices() -> None:
    mix = PromptLoad(prompt_tokens=1500, output_tokens=400)
    for per_user, total in [(150.0, None), (None, 9000.0), (100.0, 5000.0)]:
        targets = Targets(per_user=per_user, total=total, prompts=mix)
        enough = next(
            n for n in range(1, 65) if targets.fast_enough(sized(concurrency=-(-64 // n)), n)
        )
        assert enough > 1
        assert 1 <= targets.least_replicas(sized(concurrency=64), 1, 64) <= enough


# ---- the choice ----


def test_longer_prompts_need_more_for_the_same_speed() -> None:
    short, long = chosen(chat(100)), chosen(chat(7000))

    assert long["usd_per_hour"] > short["usd_per_hour"]
    tokens = "usd_per_million_output_tokens"
    assert long[tokens]["low"] > short[tokens]["high"]


def test_a_card_that_prompts_make_too_slow_is_refused_with_its_number() -> None:
    document = chat(7000) | {
        "hardware": {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 1}
    }
    decision = told(document).decisions["gpu"]

    assert decision.choice is None or decision.choice.option != "use_owned"
    assert "decode" not in decision.because or "speed" in decision.because


def test_a_common_beginning_is_said_and_counts_nothing() -> None:
    document = chat(7000, shared_prefix=True)

    assert "warn-shared-prefix-not-counted" in warned(document)
    assert chosen(document)["total_gpus"] == chosen(chat(None))["total_gpus"]


def test_the_price_of_tokens_says_whether_prompts_are_in_it() -> None:
    assert (
        "the time of prompts of 1,500 tokens is counted"
        in told(chat(1500)).decisions["gpu"].because
    )
    assert "prompts is not counted" in told(chat(None)).decisions["gpu"].because


def test_prompts_that_take_much_of_the_time_are_told() -> None:
    assert "warn-prompts-take-the-time" in warned(chat(7000))
    assert "warn-prompts-take-the-time" not in warned(chat(10))


# ---- texts that are embedded ----


def test_a_rate_of_texts_sets_the_number_of_replicas() -> None:
    few, many = chosen(embeds(10)), chosen(embeds(1000))

    assert many["total_gpus"] > 10 * few["total_gpus"]
    assert chosen(embeds(None))["total_gpus"] == 1


def test_the_longest_text_stands_for_all_and_is_said_to() -> None:
    assert "warn-longest-text-counted" in warned(embeds(1000))
    typical = embeds(1000, typical_context_tokens=512)
    assert "warn-longest-text-counted" not in warned(typical)
    assert chosen(typical)["total_gpus"] < chosen(embeds(1000))["total_gpus"]


def test_a_rate_that_only_the_fast_end_reads_is_a_hope() -> None:
    assert "warn-prompt-rate-is-a-hope" in warned(embeds(1000))
    assert "warn-prompt-rate-is-a-hope" not in warned(embeds(0.01))


def test_texts_have_no_price_by_the_output_token() -> None:
    document = {
        "workload": {"kind": "embeddings", "model": "qwen3-embedding-8b"},
        "hardware": {"acquisition": "rent"},
    }
    assert chosen(document).get("usd_per_million_output_tokens") is None


def test_where_nothing_is_so_fast_a_draft_is_mentioned() -> None:
    document = chat(None, speed=100_000) | {"hardware": {"acquisition": "rent"}}
    texts = {w.id: w.fix for w in told(document).warnings}

    assert "Speculative" in texts["warn-nothing-so-fast"]


# ---- laws ----


@pytest.mark.parametrize("card", ["l40s", "h100-sxm"])
def test_fewer_users_and_shorter_prompts_never_take_more(card: str) -> None:
    def gpus(users: int, prompt: int) -> float:
        document = chat(prompt, speed=15)
        document["workload"]["concurrency"] = users
        document["hardware"] = {"acquisition": "rent", "gpu": card}
        choice = told(document).decisions["gpu"].choice
        found = {} if choice is None else choice.model_dump()
        return found.get("total_gpus") or float("inf")

    for prompt in (100, 2000, 7000):
        counts = [gpus(users, prompt) for users in (3, 10, 33, 100)]
        assert counts == sorted(counts)
    for users in (10, 100):
        counts = [gpus(users, prompt) for prompt in (100, 700, 2000, 7000)]
        assert counts == sorted(counts)
