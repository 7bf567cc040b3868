"""From answers and candidates to the facts that rules match on."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate, Unfit
from advisor.consult.candidate_facts import (
    RACK,
    bits_of,
    candidate_fields,
    domains_of,
    known_only,
)
from advisor.consult.job_facts import job_fact
from advisor.consult.layouts import strained
from advisor.consult.prompt_facts import prompt_facts
from advisor.consult.published import runs_as
from advisor.consult.situation import Card, Load, Situation
from advisor.consult.targets import targets_of
from advisor.rules.facts import ANSWERS, ITEM, Fact, Scalar
from advisor.sizing.speed import expert_share
from advisor.store.gpu import Gpu
from advisor.store.model import Model, MoeFfn

__all__ = ["answer_facts", "facts_of", "gpu_fact"]

_FAIR = 1.5
"""A simpler layout that costs up to so many times as much is a reason against the other."""

_FAIR_OWNED = 4.0
"""The same where the GPUs are there anyway, and only other loads could want them."""


def facts_of(
    situation: Situation, candidates: tuple[Candidate, ...], unfit: tuple[Unfit, ...] = ()
) -> list[Fact]:
    """Return all facts of one consultation, in a stable order."""
    facts = [*answer_facts(situation.answers), _load(situation, candidates)]
    cards = {card.label: card for card in situation.cards}
    named = _named(situation)
    used = sorted({*named, *(candidate.card.label for candidate in candidates)})
    joined = situation.elsewhere or situation.answers.get("hardware.nvlink") != "no"
    facts += [gpu_fact(cards[label], joined=joined, named=label in named) for label in used]
    job = job_fact(situation, candidates, unfit)
    facts += [] if job is None else [job]
    targets = targets_of(situation.answers, situation.load)
    left = [c for c in candidates if not targets.missed_by(c) and _wide(c, situation.load)]
    whole = [c for c in left if domains_of(c) == 1]
    unstaged = [c for c in left if not strained(c.layout, c.card)]
    for candidate in candidates:
        fields = candidate_fields(candidate, situation)
        fields |= {
            "one_node_instead": any(_fair(o, candidate, situation.all_there) for o in whole),
            "no_stages_instead": any(_fair(o, candidate, situation.all_there) for o in unstaged),
        }
        facts.append(Fact("candidate", candidate.id, fields))
    return facts


def _fair(other: Candidate, candidate: Candidate, owned: bool) -> bool:
    """Tell whether ``other`` is a fair alternative: by its price, else by the memory of its GPUs.

    What may not start is none to what will, and owned GPUs that lie idle save nothing.
    """
    if other.borderline and not candidate.borderline:
        return False
    mine, its = candidate.money, other.money
    if mine is None or its is None:
        mine = candidate.total_gpus * candidate.card.memory_gib
        its = other.total_gpus * other.card.memory_gib
    return its <= (_FAIR_OWNED if owned else _FAIR) * mine


def answer_facts(answers: Answers) -> Iterator[Fact]:
    """Yield the fact of all scalar answers and one for each element of a list."""
    scalars: dict[str, Scalar] = {}
    for key, value in answers.values.items():
        if isinstance(value, str | int | float | bool):
            scalars[key] = value
        elif isinstance(value, tuple):
            for index, element in enumerate(_flat(value)):
                fields: dict[str, Scalar] = {"key": key, "value": str(element)}
                yield Fact(ITEM, f"{key}[{index}]", fields)
    yield Fact(ANSWERS, "answers", scalars)


def _flat(value: tuple[object, ...]) -> Iterator[object]:
    """Yield the plain elements of a list, and of the lists in it (MIG layouts of several GPUs)."""
    for element in value:
        if isinstance(element, tuple):
            yield from _flat(element)
        elif isinstance(element, str | int | float):
            yield element


def _load(situation: Situation, candidates: tuple[Candidate, ...]) -> Fact:
    load, model = situation.load, situation.load.model
    targets = targets_of(situation.answers, situation.load)
    left = [c for c in candidates if not targets.missed_by(c)]
    fields = known_only(
        kind=load.kind,
        context_tokens=load.context_tokens,
        typical_tokens=min(load.typical_context_tokens or load.context_tokens, load.context_tokens),
        typical_assumed=_typical_assumed(situation),
        concurrency=load.concurrency,
        format_fixed=load.format_fixed,
        wanted_total=targets.total,
        **prompt_facts(targets.prompts),
        open_market=targets.needs_estimate,
        several=situation.answers.is_given("workloads"),
        owned=situation.owned,
        owned_nodes=max((card.nodes or 1 for card in situation.cards), default=1)
        if situation.owned
        else None,
        gpu_assumed=_assumed_card(situation),
        older_release=_older_release(situation),
        fastest_user=_fastest(candidates, estimated=targets.needs_estimate),
        survivors_eight_bit=any(bits_of(c) >= 8 for c in left),
        survivors_published=any(c.published for c in left),
    )
    if model is not None:
        fields |= _model_fields(model, load.context_tokens)
        hit = expert_share(model, load.concurrency)
        fields |= known_only(experts_hit_percent=100 * hit if fields["mixture"] else None)
    return Fact("load", "load", fields)


def _typical_assumed(situation: Situation) -> bool:
    """Tell whether the usual length was worked out from the lengths of prompt and answer."""
    return any(note.key == "workload.typical_context_tokens" for note in situation.assumptions)


def _fastest(candidates: tuple[Candidate, ...], *, estimated: bool) -> float | None:
    """Return the fast end for one user of the fastest layout.

    Args:
        candidates: What carries the load.
        estimated: Whether what has no estimate is out anyway; else one such may be faster.
    """
    rates = [candidate.user_tokens_per_second for candidate in candidates]
    known = [rate.high for rate in rates if rate is not None]
    return max(known) if known and (estimated or len(known) == len(rates)) else None


def _assumed_card(situation: Situation) -> str | None:
    """Return the card that was taken for a name that fits several."""
    if "hardware.gpu" not in situation.answers.values:
        return None
    notes = (note for note in situation.assumptions if note.key == "hardware.gpu")
    return next((str(note.value) for note in notes), None)


def _older_release(situation: Situation) -> str | None:
    """Return the engine release that was taken because later ones do not list the card."""
    notes = (note for note in situation.assumptions if note.key == "workload.engine_version")
    return next((str(note.value) for note in notes), None)


def _model_fields(model: Model, context: int) -> dict[str, Scalar]:
    kinds = {attention.kind for attention in model.attention}
    return known_only(
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
    return candidate.published or load.format_fixed or bits_of(candidate) >= 8


def _named(situation: Situation) -> frozenset[str]:
    """Return the cards that the answers name or own: rules speak of them, fitting or not."""
    if situation.elsewhere:
        return frozenset()
    if not situation.owned and "hardware.gpu" not in situation.answers.values:
        return frozenset()
    return frozenset(card.label for card in situation.cards)


def gpu_fact(card: Card, *, joined: bool, named: bool) -> Fact:
    """Return what rules read of a GPU.

    Args:
        card: The GPU as it may be used.
        joined: Whether NVLink may be counted on.
        named: Whether the answers name or own it.
    """
    gpu = card.gpu
    links = gpu.interconnect
    known = gpu.architecture != "unknown"
    fields = known_only(
        id=card.label,
        name=gpu.name,
        vendor=gpu.vendor,
        architecture=gpu.architecture,
        status=gpu.status,
        memory_gib=card.memory_gib,
        bandwidth_gbs=gpu.memory_bandwidth_gbs or None,
        nvlink_gbs=links.nvlink_bidirectional_gbs,
        has_nvlink=_joined(gpu, nvlink=joined),
        nvlink_bridge_only=links.nvlink_bridge_only,
        pcie_generation=links.pcie_generation,
        scale_up_gpus=gpu.scale_up_gpus,
        tdp_w=gpu.tdp_w,
        liquid_only=gpu.cooling_kinds == ("liquid",),
        mig=gpu.mig.supported,
        vgpu=gpu.vgpu.supported is True,
        native_fp8=gpu.precisions.fp8 if known else None,
        native_fp4=bool(gpu.precisions.fp4_formats) if known else None,
        bf16=gpu.precisions.bf16 if known else None,
        rack=gpu.scale_up_gpus >= RACK,
        named=named,
        mig_instances=gpu.mig.max_instances,
        confidential=gpu.confidential_computing.supported,
        confidential_several=_confidential_several(gpu),
        sriov=gpu.sriov,
        partitions=_partitions(gpu),
        compute_capability=gpu.compute_capability,
        min_driver=gpu.min_driver,
    )
    return Fact("gpu", f"gpu:{card.label}", fields)


def _confidential_several(gpu: Gpu) -> bool | None:
    """Tell whether several GPUs of one VM may be confidential; ``None`` where modes are unknown."""
    modes = gpu.confidential_computing.modes
    return any(not mode.startswith("single-GPU") for mode in modes) if modes else None


def _partitions(gpu: Gpu) -> bool:
    """Tell whether it can show up as several devices (modes beside SPX)."""
    return gpu.vendor == "amd" and not (gpu.partitioning or "none").startswith("none")


def _joined(gpu: Gpu, *, nvlink: bool) -> bool:
    """Tell whether a fast link joins them; another maker's fabric is there without NVLink."""
    links = gpu.interconnect
    linked = nvlink and links.nvlink_bidirectional_gbs
    return bool(linked or links.fabric_bidirectional_gbs)
