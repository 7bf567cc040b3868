"""The fact ``candidate``: one GPU, format and layout with all that rules may ask of it."""

from __future__ import annotations

import math

from advisor.consult.candidate import Candidate
from advisor.consult.costs import gpus_in_a_node, power_of
from advisor.consult.full_engines import fills_engines
from advisor.consult.prompt_facts import speed_with_prompts
from advisor.consult.published import format_bits
from advisor.consult.situation import Situation
from advisor.consult.targets import targets_of
from advisor.consult.training_facts import training_fields
from advisor.rules.facts import Scalar
from advisor.sizing.result import SizeResult

__all__ = ["RACK", "bits_of", "candidate_fields", "domains_of", "known_only"]

_EIGHT_BIT = 8
_MOST_REQUESTS = 10**12
"""More at once is nobody's load, and a fact holds no larger whole number exactly."""
"""Weights of so many bits lose little; narrower ones are noticed (handbook 7.3)."""
_KW_DIGITS = 6
"""Of kilowatts: a limit that is just kept must not be missed by the noise of a product."""
RACK = 36
"""Scale-up domains of this many GPUs are sold as racks."""


def known_only(**fields: Scalar | None) -> dict[str, Scalar]:
    """Return the fields that have a value: what is not known is no fact."""
    return {name: value for name, value in fields.items() if value is not None}


def domains_of(candidate: Candidate) -> int:
    """Return how many scale-up domains one replica spans; trays of a rack are one."""
    domain = candidate.card.gpu.scale_up_gpus
    if domain >= RACK and candidate.gpus_per_replica <= domain:
        return 1
    return candidate.nodes_per_replica


def _split_place(domains: int) -> str:
    """Return where the ranks of one replica sit, in words."""
    if domains == 1:
        return "inside one node"
    return f"over {domains} nodes and the network between them, which slows each of its steps,"


def bits_of(candidate: Candidate) -> float:
    """Return the bits of one weight."""
    return format_bits(candidate.weight_format)


def _power(candidate: Candidate, situation: Situation) -> dict[str, Scalar | None]:
    """Return the peak draw of one machine of a replica, where the GPU's is known."""
    node = power_of(candidate, situation.answers).node_w
    return {
        "node_gpus": gpus_in_a_node(candidate, situation.answers),
        "node_kw_low": round(node.low / 1000, _KW_DIGITS) if node else None,
        "node_kw_high": round(node.high / 1000, _KW_DIGITS) if node else None,
    }


def candidate_fields(candidate: Candidate, situation: Situation) -> dict[str, Scalar]:
    """Return the fields that concern the candidate alone."""
    result, layout = candidate.result, candidate.layout
    codes = {problem.code for problem in result.problems}
    decode, first = result.decode_tokens_per_second, result.ttft_ms
    quote, price = None if candidate.bought else candidate.quote, candidate.purchase_usd
    total = result.total_gib_per_gpu
    return known_only(
        gpu=candidate.card.label,
        weight_format=candidate.weight_format,
        published_format=candidate.published,
        weight_bits=bits_of(candidate),
        quality_loss="slightly" if bits_of(candidate) >= _EIGHT_BIT else "noticeably",
        weight_only="weight_only_format" in codes,
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        data_parallel=layout.data_parallel,
        expert_parallel=layout.expert_parallel,
        gpus_per_replica=candidate.gpus_per_replica,
        nodes_per_replica=domains_of(candidate),
        replicas=candidate.replicas,
        total_gpus=candidate.total_gpus,
        are_there=candidate.card.max_gpus is not None,
        **_room(candidate, situation),
        **_power(candidate, situation),
        usd_per_hour=quote.usd_per_hour if quote else None,
        price_as_of=quote.as_of if quote else None,
        instance=quote.instance if quote else None,
        instance_gpus=quote.instance_gpus if quote else None,
        idle_gpus=candidate.billed_gpus - candidate.total_gpus if quote else None,
        billed_gpus=candidate.billed_gpus,
        purchase_low=price.low if price else None,
        purchase_high=price.high if price else None,
        purchase_middle=price.middle if price else None,
        **speed_with_prompts(candidate),
        decode_low=decode.low if decode else None,
        decode_high=decode.high if decode else None,
        ttft_low=first.low if first else None,
        ttft_high=first.high if first else None,
        ttft_middle=math.sqrt(first.low * first.high) if first and first.low else None,
        borderline="borderline" in codes,
        default_starts="engine_default_does_not_start" not in codes,
        crosses_nvlink=layout.tensor_parallel > max(1, candidate.card.gpu.scale_up_gpus),
        train_gib=total.expected if total else None,
        training_method=_text(result.training.get("method")),
        sharding=_text(result.training.get("sharding")),
        recompute=_text(result.training.get("recompute")),
        host_ram_gib=result.host_ram_gib,
        **training_fields(candidate),
    )


def _room(candidate: Candidate, situation: Situation) -> dict[str, Scalar]:
    """Return what the weights leave, whom it holds, and where the ranks sit."""
    result = candidate.result
    cache = result.kv_cache_gib_per_gpu
    return known_only(
        needs=situation.load.concurrency,
        holds=candidate.holds,
        split_place=_split_place(domains_of(candidate)),
        replicas_for=_reason_for_replicas(candidate, situation),
        holds_in_all=min(candidate.holds * candidate.replicas, _MOST_REQUESTS),
        requests_low=_requests(result, "low"),
        requests_high=_requests(result, "high"),
        kv_replication=result.kv_replication,
        weights_gib=result.weights_gib_per_gpu,
        cache_gib=cache.expected if cache else None,
        request_gib=result.kv_gib_per_request_per_gpu,
        utilization=result.gpu_memory_utilization,
        spare_gib=_spare_gib(result),
    )


def _reason_for_replicas(candidate: Candidate, situation: Situation) -> str:
    needs = situation.load.concurrency
    if fills_engines(situation):
        return "a batch that keeps every GPU at work" if candidate.replicas > 1 else "a batch"
    if candidate.replicas == 1 or candidate.holds * (candidate.replicas - 1) < needs:
        return f"for the {needs} wanted it"
    speed = targets_of(situation.answers, situation.load).set_speed
    return f"for the {needs} wanted " + ("the speed asked for" if speed else "the most tokens")


_HIGHEST_SHARE = 0.97
"""Up to this share of the memory engines start in practice; the rest is the CUDA context's."""


def _spare_gib(result: SizeResult) -> float | None:
    """Return what the highest memory share would add to the cache of one GPU."""
    share = result.gpu_memory_utilization
    if share is None or result.training:
        return None
    return max(0.0, (_HIGHEST_SHARE - share) * result.gpu_memory_gib)


def _requests(result: SizeResult, end: str) -> float | None:
    """Return one end of the range of requests of full length, all ranks of a replica together."""
    room = result.max_concurrency
    if room is None or not math.isfinite(room.high):
        return None
    return float(getattr(room, end)) * result.layout.data_parallel


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
