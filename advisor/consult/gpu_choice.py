"""The parameters of a GPU choice, flat, with its rent and what a token costs."""

from __future__ import annotations

from typing import Any, Literal

from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Choice
from advisor.consult.costs import million_tokens, rounded
from advisor.consult.published import as_run
from advisor.consult.rent_words import rent_fields
from advisor.consult.speed_words import band_of, prompts_counted
from advisor.consult.training_facts import run_fields

__all__ = ["Option", "gpu_choice", "kind_of", "whole_ranks"]

_STEPPED = frozenset({"vllm", "sglang", "tensorrt_llm"})
"""Engines that are told how many tokens a step takes."""
Option = Literal["buy_or_rent", "use_owned", "change_owned", "none_fits"]


def gpu_choice(candidate: Candidate, option: Option) -> Choice:
    """Return the flat parameters of a candidate."""
    result, quote = candidate.result, candidate.quote
    parameters: dict[str, Any] = {
        "option": option,
        "gpu": candidate.card.label,
        "gpu_memory_gib": round(candidate.card.memory_gib, 2),
        "count_per_replica": candidate.gpus_per_replica,
        "replicas": candidate.replicas,
        "total_gpus": candidate.total_gpus,
        "nodes": candidate.nodes,
        "engine": result.engine,
        "engine_version": None if result.training else result.engine_version,
        "weight_format": as_run(candidate.weight_format, candidate.card.gpu),
        "kv_format": as_run(result.kv_format, candidate.card.gpu) if result.kv_format else None,
        "max_model_len": None if result.training else result.max_model_len,
        "max_num_seqs": result.max_num_seqs,
        "max_num_batched_tokens": (
            result.max_num_batched_tokens if result.engine in _STEPPED else None
        ),
        "gpu_memory_utilization": result.gpu_memory_utilization,
    }
    parameters |= _load_fields(candidate)
    parameters |= {**_job_settings(candidate), **run_fields(candidate)}
    if candidate.purchase_usd is not None:
        parameters["purchase_usd"] = rounded(candidate.purchase_usd, 0)
    if quote is not None and not candidate.bought:
        parameters |= rent_fields(quote)
        million = million_tokens(candidate).at_full_load
        if million is not None:
            parameters["usd_per_million_output_tokens"] = rounded(million, 2)
    return Choice(**{key: value for key, value in parameters.items() if value is not None})


def whole_ranks(candidate: Candidate) -> int:
    """Return for how many requests one replica has room, each in the cache of one rank."""
    ranks = candidate.layout.data_parallel
    return candidate.holds // ranks * ranks


def _load_fields(candidate: Candidate) -> dict[str, Any]:
    """Return room, speed and power: of one replica, of one user, of all GPUs."""
    result, fields = candidate.result, dict[str, Any]()
    if result.max_concurrency is not None and not result.training:
        fields["room_requests_per_replica"] = whole_ranks(candidate)
        if result.max_num_seqs is not None:
            # the limit is each rank's own
            admitted = result.max_num_seqs * candidate.layout.data_parallel
            fields["admitted_requests_per_replica"] = admitted
    first = band_of(result.ttft_ms)
    answers = not candidate.prompts.encodes  # texts that are embedded or ranked have none
    one = band_of(result.decode_tokens_per_second) if answers else None
    every = candidate.output_tokens_per_second if answers else None
    if one is not None:
        fields["decode_tokens_per_second"] = rounded(one, 1)
    served = candidate.user_tokens_per_second
    if served is not None and prompts_counted(candidate):
        fields["user_tokens_per_second"] = rounded(served, 1)
    if every is not None:
        fields["total_output_tokens_per_second"] = rounded(every, 0)
    if first is not None:
        fields["ttft_ms"] = rounded(first, 0)
    if candidate.card.gpu.tdp_w is not None:
        kilowatts = candidate.card.gpu.tdp_w * candidate.total_gpus / 1000
        fields["all_gpus_kw"] = round(kilowatts, 2)
    return fields


def _job_settings(candidate: Candidate) -> dict[str, Any]:
    """Return what tells training jobs on the same GPUs apart."""
    names = ("sharding", "optimizer", "micro_batch", "sequence_tokens", "recompute", "offload")
    plan = candidate.result.training
    told = {name: plan.get(name) for name in (*names, "master_weights", "loss", "context_parallel")}
    return {"training_method": plan.get("method"), **told}


def kind_of(candidate: Candidate) -> tuple[str, str]:
    """Return the GPU and the format as they are shown."""
    return candidate.card.label, as_run(candidate.weight_format, candidate.card.gpu)
