"""The few numbers that decided, one row each: room, memory, speed, cost, power, purchase.

Everything else that was computed stands under the numbers of the sizing (``advice_numbers``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from advisor.consult.consultation import Consultation
from advisor.counted import counted
from advisor.reports.advice_numbers import Pair
from advisor.reports.advice_words import purchase_words
from advisor.sizing.result import RateRange, SizeResult

__all__ = ["decisive_figures"]

_ENCODING = frozenset({"embeddings", "reranking"})
"""Loads that decode nothing."""
_HOURS_PER_MONTH = 730
_WORTH_SAYING_KW = 1.0
"""Less is what any socket gives."""
_SPEED_KEYS = frozenset(
    {
        "objectives.tokens_per_second_per_user",
        "objectives.total_output_tokens_per_second",
        "objectives.requests_per_second",
    }
)
_FLAGS = {"(--prompt-tokens)": "(workload.prompt_tokens)"}
"""Reasons name the flags of ``size``; here answers are meant."""


def decisive_figures(consultation: Consultation) -> tuple[Pair, ...]:
    """Return label and text of the figures of the chosen GPUs; nothing without a choice."""
    decision, sizing = consultation.decisions.get("gpu"), consultation.sizing
    if decision is None or decision.choice is None or sizing is None:
        return ()
    values, given = decision.choice.model_dump(), _given(consultation)
    if values.get("loads"):
        rows = (*_loads(values["loads"]), ("cost", _cost(values)))
        return tuple((label, text) for label, text in rows if text)
    rows = (
        ("room", _room(values, given, sizing)),
        ("memory", _memory(values, sizing)),
        ("speed", _speed(values, given, sizing)),
        ("prompt", _first_token(given, sizing)),
        ("cost", _cost(values)),
        ("power", _power(values)),
    )
    return tuple((label, text) for label, text in rows if text)


def _loads(loads: Iterable[Mapping[str, Any]]) -> Iterator[Pair]:
    """Yield each load with its engines and its share of the GPUs."""
    for load in loads:
        width, engines = load["count_per_replica"], load["replicas"]
        text = f"{engines} x " if engines > 1 else ""
        fraction = load.get("memory_fraction")
        if fraction is not None:
            text += f"{100 * fraction:.0f} % of the memory of "
        if load.get("profile"):
            text += f"MIG {load['profile']} of "
        text += f"{width} x {load['gpu']} in {load['weight_format']}"
        room, length = load.get("requests_at_once"), load.get("max_model_len")
        if room is not None and length is not None:
            text += f", room for {counted(room, 'request')} of {length:,} tokens"
            text += " in each" if engines > 1 else ""
        if load.get("shares_with"):
            text += f", beside {', '.join(load['shares_with'])}"
        yield str(load["workload"]), text


def _given(consultation: Consultation) -> Mapping[str, Any]:
    assumed = {note.key: note.value for note in consultation.assumptions}
    return {**assumed, **{answer.key: answer.value for answer in consultation.answers}}


def _room(values: Mapping[str, Any], given: Mapping[str, Any], sizing: SizeResult) -> str:
    room, replicas = values.get("room_requests_per_replica"), values.get("replicas") or 1
    if not isinstance(room, int):
        return ""
    longest, typical = sizing.max_model_len, given.get("workload.typical_context_tokens")
    length = typical if isinstance(typical, int) else longest
    if isinstance(length, int) and isinstance(longest, int):
        length = min(length, longest)
    tokens = f" of {length:,} tokens" if isinstance(length, int) else ""
    text = f"{counted(room * replicas, 'request')}{tokens} at once"
    if replicas > 1:
        text += f", {room:,} in each of {replicas} replicas"
    admitted = values.get("admitted_requests_per_replica")
    if isinstance(admitted, int):
        ranks = sizing.layout.data_parallel
        each = f" ({ranks} ranks x {admitted // ranks})" if ranks > 1 else ""
        per = " per replica" if replicas > 1 else ""
        text += f"; max_num_seqs admits {admitted:,}{per}{each}"
    wanted = given.get("workload.concurrency")
    groups = values.get("groups")
    if groups:
        return f"{text} on the {values['gpu']}, whose part is {groups[0]['requests']:,}"
    return f"{text}; {wanted:,} wanted" if isinstance(wanted, int) else text


def _memory(values: Mapping[str, Any], sizing: SizeResult) -> str:
    """Return what a training job takes; of serving the first reason tells weights and cache."""
    total, taken = values.get("gpu_memory_gib"), sizing.total_gib_per_gpu
    if taken is None or not isinstance(total, int | float):
        return ""
    return (
        f"{taken.expected:,.1f} of {total:,.1f} GiB per GPU taken "
        f"({taken.low:,.1f} to {taken.high:,.1f})"
    )


def _speed(values: Mapping[str, Any], given: Mapping[str, Any], sizing: SizeResult) -> str:
    if given.get("workload.kind") in _ENCODING:
        return ""
    one, every = sizing.decode_tokens_per_second, values.get("total_output_tokens_per_second")
    if one is None:
        asked = given.get("objectives.priority") in {"latency", "throughput"}
        reason = sizing.no_estimate.get("decode_tokens_per_second")
        told = reason and (asked or not _SPEED_KEYS.isdisjoint(given))
        return f"no estimate: {_in_answers(reason or '')}" if told else ""
    served = values.get("user_tokens_per_second")
    if isinstance(served, Mapping):
        # the basis of the runners-up, by which they are compared
        text = f"{_span(served['low'], served['high'])} tokens/s for one user, prompts counted"
        text += f" ({_rate(one)} while decoding)"
    else:
        text = f"{_rate(one)} tokens/s for one user while decoding"
    if isinstance(every, Mapping):
        text += f", {every['low']:,.0f} to {every['high']:,.0f} in all"
        text += ", prompts counted" if _slower(every, one, sizing, values) else ""
    return f"{text}, by estimate ({_head(one)})"


def _slower(
    every: Mapping[str, Any], one: RateRange, sizing: SizeResult, values: Mapping[str, Any]
) -> bool:
    """Tell whether the total is below what decoding alone would give: prompts take the rest."""
    streams = (sizing.concurrency or 1) * (values.get("replicas") or 1)
    return bool(every["high"] < 0.98 * one.high * streams)


def _first_token(given: Mapping[str, Any], sizing: SizeResult) -> str:
    first = sizing.ttft_ms
    if first is None:
        reason = sizing.no_estimate.get("ttft_ms")
        asked = "objectives.ttft_ms" in given and reason
        return f"first token: no estimate: {_in_answers(reason or '')}" if asked else ""
    low, high = first.low / 1000, first.high / 1000
    return f"first token after {low:,.2g} to {high:,.2g} s, by estimate ({_head(first)})"


def _in_answers(reason: str) -> str:
    for flag, key in _FLAGS.items():
        reason = reason.replace(flag, key)
    return reason


def _rate(rate: RateRange) -> str:
    return _span(rate.low, rate.high)


def _span(low: float, high: float) -> str:
    form = ",.1f" if low < 10 else ",.0f"
    return f"{low:{form}} to {high:{form}}"


def _head(rate: RateRange) -> str:
    """Return the load that an estimate assumes, without its constants."""
    return rate.assumes.partition(";")[0]


def _cost(values: Mapping[str, Any]) -> str:
    usd = values.get("usd_per_hour")
    price = values.get("purchase_usd")
    if values.get("acquisition") == "buy" and isinstance(price, Mapping):
        return f"{purchase_words(price)} to buy, by known prices, not a quote"
    if not isinstance(usd, int | float):
        return ""
    return f"{usd:,.2f} USD an hour, {usd * _HOURS_PER_MONTH:,.0f} USD for a month of 730 hours"


def _power(values: Mapping[str, Any]) -> str:
    """Return the draw of all GPUs and their machines; of rented ones it is another's matter."""
    gpus, node = values.get("all_gpus_kw"), values.get("node_kw")
    rented = values.get("usd_per_hour") or values.get("acquisition") == "rent"
    if rented or not isinstance(gpus, int | float) or gpus < _WORTH_SAYING_KW:
        return ""
    total, bought = values.get("total_gpus"), values.get("purchased_gpus")
    extra = f" (of {bought} that are bought)" if isinstance(bought, int) and bought != total else ""
    text = f"{gpus:,.2f} kW for all {total} GPUs{extra} at their limit"
    held = values.get("gpus_in_a_node")
    if not isinstance(node, Mapping) or not isinstance(held, int) or not isinstance(total, int):
        return text
    share = total / held
    return (
        f"{text}, {node['low'] * share:,.1f} to {node['high'] * share:,.1f} kW with their share of "
        "the machines, by estimate"
    )
