"""From answers and candidates to the facts that rules match on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate, Unfit
from advisor.consult.costs import gpus_in_a_node, power_of
from advisor.consult.job_facts import job_fact
from advisor.consult.published import format_bits, runs_as
from advisor.consult.situation import Card, Load, Situation
from advisor.consult.targets import targets_of
from advisor.rules.facts import ANSWERS, ITEM, Fact, Scalar
from advisor.sizing.result import SizeResult
from advisor.store.gpu import Gpu
from advisor.store.model import Model, MoeFfn

__all__ = ["facts_of"]

_FAIR = 1.5
"""A simpler layout that costs up to so many times as much is a reason against the other."""
_EIGHT_BIT = 8
"""Weights of so many bits lose little; narrower ones are noticed (handbook 7.3)."""
_RACK = 36
"""Scale-up domains of this many GPUs are sold as racks."""


def facts_of(
    situation: Situation, candidates: tuple[Candidate, ...], unfit: tuple[Unfit, ...] = ()
) -> list[Fact]:
    """Return all facts of one consultation, in a stable order."""
    facts = [*_answers(situation.answers), _load(situation, candidates)]
    cards = {card.label: card for card in situation.cards}
    named = _named(situation)
    used = sorted({*named, *(candidate.card.label for candidate in candidates)})
    joined = situation.elsewhere or situation.answers.get("hardware.nvlink") != "no"
    facts += [_gpu(cards[label], joined=joined, named=label in named) for label in used]
    job = job_fact(situation, candidates, unfit)
    facts += [] if job is None else [job]
    targets = targets_of(situation.answers)
    left = [c for c in candidates if not targets.missed_by(c) and _wide(c, situation.load)]
    whole = [c for c in left if _domains(c) == 1]
    unstaged = [c for c in left if c.layout.pipeline_parallel == 1]
    for candidate in candidates:
        fields = _candidate(candidate, situation)
        fields |= {
            "one_node_instead": any(_not_much_dearer(other, candidate) for other in whole),
            "no_stages_instead": any(_not_much_dearer(other, candidate) for other in unstaged),
        }
        facts.append(Fact("candidate", candidate.id, fields))
    return facts


def _not_much_dearer(other: Candidate, candidate: Candidate) -> bool:
    """Tell whether ``other`` is a fair alternative: by rent, else by the memory of its GPUs."""
    mine, its = candidate.usd_per_hour, other.usd_per_hour
    if mine is None or its is None:
        mine = candidate.total_gpus * candidate.card.memory_gib
        its = other.total_gpus * other.card.memory_gib
    return its <= _FAIR * mine


def _answers(answers: Answers) -> Iterator[Fact]:
    scalars: dict[str, Scalar] = {}
    for key, value in answers.values.items():
        if isinstance(value, str | int | float | bool):
            scalars[key] = value
        elif isinstance(value, tuple):
            for index, element in enumerate(value):
                if isinstance(element, str | int | float):
                    fields: dict[str, Scalar] = {"key": key, "value": str(element)}
                    yield Fact(ITEM, f"{key}[{index}]", fields)
    yield Fact(ANSWERS, "answers", scalars)


def _known(**fields: Scalar | None) -> dict[str, Scalar]:
    return {name: value for name, value in fields.items() if value is not None}


def _load(situation: Situation, candidates: tuple[Candidate, ...]) -> Fact:
    load, model = situation.load, situation.load.model
    targets = targets_of(situation.answers)
    left = [c for c in candidates if not targets.missed_by(c)]
    fields = _known(
        kind=load.kind,
        context_tokens=load.context_tokens,
        concurrency=load.concurrency,
        format_fixed=load.format_fixed,
        wanted_total=targets.total,
        open_market=targets.needs_estimate,
        owned=situation.owned,
        gpu_assumed=_assumed_card(situation),
        survivors_eight_bit=any(_bits(c) >= 8 for c in left),
        survivors_published=any(c.published for c in left),
    )
    if model is not None:
        fields |= _model_fields(model, load.context_tokens)
    return Fact("load", "load", fields)


def _assumed_card(situation: Situation) -> str | None:
    """Return the card that was taken for a name that fits several."""
    if "hardware.gpu" not in situation.answers.values:
        return None
    notes = (note for note in situation.assumptions if note.key == "hardware.gpu")
    return next((str(note.value) for note in notes), None)


def _model_fields(model: Model, context: int) -> dict[str, Scalar]:
    kinds = {attention.kind for attention in model.attention}
    return _known(
        model=model.id,
        model_name=model.name,
        parameters_b=model.parameters_b,
        active_parameters_b=model.active_parameters_b,
        mixture=any(isinstance(ffn, MoeFfn) for ffn in model.ffn),
        latent_attention="mla" in kinds,
        hybrid=bool(kinds & {"gdn", "kda", "mamba2", "lightning"}),
        vision=model.vision is not None,
        published=runs_as(model),
        max_context_tokens=model.max_context_tokens,
        context_exceeds_model=context > model.max_context_tokens,
        stated_model=model.id == "stated-model",
    )


def _wide(candidate: Candidate, load: Load) -> bool:
    """Tell whether a layout needs no format so narrow that it is a step of its own."""
    return candidate.published or load.format_fixed or _bits(candidate) >= 8


def _domains(candidate: Candidate) -> int:
    """Return how many scale-up domains one replica spans; trays of a rack are one."""
    domain = candidate.card.gpu.scale_up_gpus
    if domain >= _RACK and candidate.gpus_per_replica <= domain:
        return 1
    return candidate.nodes_per_replica


def _named(situation: Situation) -> frozenset[str]:
    """Return the cards that the answers name or own: rules speak of them, fitting or not."""
    if situation.elsewhere:
        return frozenset()
    if not situation.owned and "hardware.gpu" not in situation.answers.values:
        return frozenset()
    return frozenset(card.label for card in situation.cards)


def _gpu(card: Card, *, joined: bool, named: bool) -> Fact:
    gpu = card.gpu
    links = gpu.interconnect
    known = gpu.architecture != "unknown"
    fields = _known(
        id=card.label,
        name=gpu.name,
        vendor=gpu.vendor,
        architecture=gpu.architecture,
        status=gpu.status,
        memory_gib=card.memory_gib,
        bandwidth_gbs=gpu.memory_bandwidth_gbs or None,
        nvlink_gbs=links.nvlink_bidirectional_gbs,
        has_nvlink=joined and _joined(gpu),
        nvlink_bridge_only=links.nvlink_bridge_only,
        pcie_generation=links.pcie_generation,
        scale_up_gpus=gpu.scale_up_gpus,
        tdp_w=gpu.tdp_w,
        liquid_only=gpu.cooling_kinds == ("liquid",),
        mig=gpu.mig.supported,
        native_fp8=gpu.precisions.fp8 if known else None,
        native_fp4=bool(gpu.precisions.fp4_formats) if known else None,
        bf16=gpu.precisions.bf16 if known else None,
        rack=gpu.scale_up_gpus >= _RACK,
        named=named,
    )
    return Fact("gpu", f"gpu:{card.label}", fields)


def _joined(gpu: Gpu) -> bool:
    links = gpu.interconnect
    return bool(links.nvlink_bidirectional_gbs or links.fabric_bidirectional_gbs)


def _bits(candidate: Candidate) -> float:
    return format_bits(candidate.weight_format)


def _power(candidate: Candidate, situation: Situation) -> dict[str, Scalar | None]:
    """Return the peak draw of one machine of a replica, where the GPU's is known."""
    node = power_of(candidate, situation.answers).node_w
    return {
        "node_gpus": gpus_in_a_node(candidate, situation.answers),
        "node_kw_low": node.low / 1000 if node else None,
        "node_kw_high": node.high / 1000 if node else None,
    }


def _candidate(candidate: Candidate, situation: Situation) -> dict[str, Scalar]:
    result, layout = candidate.result, candidate.layout
    codes = {problem.code for problem in result.problems}
    decode, first = result.decode_tokens_per_second, result.ttft_ms
    every = result.total_output_tokens_per_second
    quote = candidate.quote
    total = result.total_gib_per_gpu
    return _known(
        gpu=candidate.card.label,
        weight_format=candidate.weight_format,
        published_format=candidate.published,
        weight_bits=_bits(candidate),
        quality_loss="slightly" if _bits(candidate) >= _EIGHT_BIT else "noticeably",
        weight_only="weight_only_format" in codes,
        tensor_parallel=layout.tensor_parallel,
        pipeline_parallel=layout.pipeline_parallel,
        data_parallel=layout.data_parallel,
        expert_parallel=layout.expert_parallel,
        gpus_per_replica=candidate.gpus_per_replica,
        nodes_per_replica=_domains(candidate),
        replicas=candidate.replicas,
        total_gpus=candidate.total_gpus,
        needs=situation.load.concurrency,
        **_room(candidate),
        **_power(candidate, situation),
        usd_per_hour=quote.usd_per_hour if quote else None,
        price_as_of=quote.as_of if quote else None,
        instance=quote.instance if quote else None,
        instance_gpus=quote.instance_gpus if quote else None,
        idle_gpus=quote.instances * quote.instance_gpus - candidate.total_gpus if quote else None,
        total_high=every.high * candidate.replicas if every and every.high else None,
        total_low=every.low * candidate.replicas if every and every.low else None,
        decode_low=decode.low if decode else None,
        decode_high=decode.high if decode else None,
        ttft_low=first.low if first else None,
        ttft_high=first.high if first else None,
        borderline="borderline" in codes,
        default_starts="engine_default_does_not_start" not in codes,
        crosses_nvlink=layout.tensor_parallel > max(1, candidate.card.gpu.scale_up_gpus),
        train_gib=total.expected if total else None,
        training_method=_text(result.training.get("method")),
        sharding=_text(result.training.get("sharding")),
        recompute=_text(result.training.get("recompute")),
        host_ram_gib=result.host_ram_gib,
        **_training_hours(candidate, situation),
    )


def _room(candidate: Candidate) -> dict[str, Scalar]:
    """Return what the weights leave and whom it holds."""
    result = candidate.result
    cache = result.kv_cache_gib_per_gpu
    return _known(
        holds=candidate.holds,
        holds_in_all=candidate.holds * candidate.replicas,
        requests_low=_requests(result, "low"),
        requests_high=_requests(result, "high"),
        kv_replication=result.kv_replication,
        weights_gib=result.weights_gib_per_gpu,
        cache_gib=cache.expected if cache else None,
        request_gib=result.kv_gib_per_request_per_gpu,
        utilization=result.gpu_memory_utilization,
        spare_gib=_spare_gib(result),
    )


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


def _training_hours(candidate: Candidate, situation: Situation) -> dict[str, float]:
    """Return how long the run takes; the time is told and changes no choice."""
    tokens = situation.answers.values.get("training.dataset_tokens")
    rate = candidate.card.gpu.tflops.bf16
    model, plan = situation.load.model, candidate.result.training
    if not plan or model is None or not rate or not isinstance(tokens, int | float):
        return {}
    from advisor.sizing.training_time import training_hours

    hours = training_hours(
        model,
        float(tokens),
        candidate.total_gpus,
        rate,
        recompute=plan["recompute"],  # type: ignore[arg-type]
        method=plan["method"],  # type: ignore[arg-type]
    )
    return {"train_hours_low": hours.low, "train_hours_high": hours.high}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
