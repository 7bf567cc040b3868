"""The decisions for several loads: one fleet, and how each load uses its GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from advisor.consult.certainty import status_of
from advisor.consult.consultation import Alternative, Choice, Decision, Dependency, Rejection
from advisor.consult.economics import stale_price_note
from advisor.consult.gpu_choice import Option, gpu_choice
from advisor.consult.parallelism_decision import parallelism_decision
from advisor.consult.published import as_run
from advisor.consult.rejections import unfit_lines
from advisor.consult.rent_words import bill_sentences
from advisor.consult.rulings import Rulings
from advisor.consult.several.fleet import Fleet, Part
from advisor.consult.several.fleet_order import fleet_order_text
from advisor.consult.several.loads import SizedLoad

__all__ = ["JudgedFleets", "fleet_choice", "fleet_gpu_decision", "fleet_parallelism"]

_MOST_ALTERNATIVES = 4
_RENT = ("usd_per_hour", "price_as_of", "instance_type", "instances", "provider", "price_kind")


@dataclass(frozen=True, slots=True)
class JudgedFleets:
    """Fleets as the rules judged them."""

    sized: tuple[SizedLoad, ...]
    found: tuple[Fleet, ...]
    ranked: tuple[Fleet, ...]
    """Survivors, best first."""
    rulings: Rulings
    option: Option
    owned: bool
    priority: str
    known_as_of: str = ""
    """Date of the knowledge, against which prices age."""
    note: str = ""
    """What is said before anything else: why what is owned is not enough."""


def fleet_choice(fleet: Fleet, option: Option) -> Choice:
    """Return the parameters: those of the largest load, the GPUs of all, and a line per load."""
    part = fleet.largest
    fields = gpu_choice(part.candidate, option).model_dump()
    fields = {key: value for key, value in fields.items() if key not in {*_RENT, "idle_gpus"}}
    fields |= {
        "replicas": part.copies,
        "total_gpus": fleet.total_gpus,
        "nodes": fleet.nodes,
        "workload": part.load.name,
        "shared": fleet.shared,
        "loads": [_line(part, fleet) for part in fleet.parts],
    }
    if fleet.layouts:
        fields["layout"] = [list(held) for held in fleet.layouts]
        fields["gpu_memory_gib"] = round(part.card.memory_gib, 2)
    if len(fleet.gpus) > 1:
        fields["gpu_counts"] = dict(fleet.gpus)
    fields.pop("usd_per_million_output_tokens", None)
    if fleet.purchase_usd is not None:
        usd = fleet.purchase_usd
        fields["purchase_usd"] = {"low": round(usd.low), "high": round(usd.high)}
    if fleet.quotes is not None:
        quotes = fleet.quotes
        fields |= {
            "usd_per_hour": round(sum(quote.usd_per_hour for quote in quotes), 4),
            "price_as_of": min(quote.as_of for quote in quotes),
            "instance_type": " + ".join(dict.fromkeys(quote.instance for quote in quotes)),
            "instances": sum(quote.instances for quote in quotes),
            "provider": " + ".join(dict.fromkeys(quote.provider for quote in quotes)),
            "price_kind": " + ".join(dict.fromkeys(quote.kind for quote in quotes)),
        }
        idle = sum(q.instances * q.instance_gpus for q in quotes) - fleet.total_gpus
        if idle > 0:
            fields["idle_gpus"] = idle
    return Choice(**fields)


def _line(part: Part, fleet: Fleet) -> dict[str, Any]:
    candidate = part.candidate
    result = candidate.result
    fields = {
        "workload": part.load.name,
        "gpu": part.card.label,
        "weight_format": as_run(candidate.weight_format, candidate.card.gpu),
        "count_per_replica": part.width,
        "replicas": part.copies,
        "gpus": part.own_gpus if part.fraction is None and part.profile is None else None,
        "memory_fraction": part.fraction,
        "profile": part.profile,
        "shares_with": _neighbours(part, fleet),
        "max_model_len": None if result.training else result.max_model_len,
        "max_num_seqs": result.max_num_seqs,
        "requests_at_once": None if result.max_concurrency is None else candidate.holds,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _neighbours(part: Part, fleet: Fleet) -> list[str] | None:
    """Return the loads on the same GPUs; ``None`` where it shares with none."""
    name = part.load.name
    here = (names for names in fleet.beside if name in names)
    found = dict.fromkeys(other for names in here for other in names if other != name)
    return list(found) or None


def fleet_gpu_decision(judged: JudgedFleets, depends: tuple[Dependency, ...]) -> Decision:
    """Write the decision for the best fleet."""
    best, rulings = judged.ranked[0], judged.rulings
    reasons = rulings.recommended("gpu", best.id)
    against = rulings.rejections("should").get(best.id)
    texts = [judged.note, *(reason.because for reason in reasons), *_each(judged, best)]
    grown = judged.owned and judged.option == "change_owned"
    order = fleet_order_text(judged.priority, owned=judged.owned, grown=grown, bought=best.bought)
    if len(judged.ranked) == 1:
        texts.append("No other set of GPUs that is allowed carries all loads.")
    else:
        texts.append(f"First of {len(judged.ranked)} fleets by {order}.")
    for quote in best.quotes or ():
        texts += bill_sentences(quote)
    if best.quotes:
        oldest = min(quote.as_of for quote in best.quotes)
        texts.append(stale_price_note(oldest, judged.known_as_of) or "")
    if best.money is None and not judged.owned:
        texts.append("No price is known for all of it.")
    if best.purchase_usd is not None:
        texts.append(_to_buy(best))
    if against is not None:
        texts.append(f"What speaks against it: {against.because}")
    sections = [section for reason in reasons for section in reason.rule.cite]
    return Decision(
        status=status_of(depends),
        choice=fleet_choice(best, judged.option),
        strength="should",
        because=" ".join(filter(None, texts)),
        citations=rulings.cite(*(sections or ["8.1"]), "7.3"),
        rules=tuple(reason.rule.id for reason in reasons),
        alternatives=tuple(_alternatives(judged)),
        rejected=tuple(_rejected(judged)),
        depends_on=depends,
    )


def _to_buy(fleet: Fleet) -> str:
    price = fleet.purchase_usd
    if price is None:
        return ""
    return (
        f"{fleet.what} cost about {price.low:,.0f} to {price.high:,.0f} USD to buy: an estimate, "
        "not a quote, without the machines around them."
    )


def _each(judged: JudgedFleets, fleet: Fleet) -> Iterator[str]:
    """Yield what the rules say for each load, under its name."""
    for sized, part in zip(judged.sized, fleet.parts, strict=True):
        if part.fraction is not None or part.profile is not None:
            yield _share(part)
            continue
        for reason in sized.attempt.rulings.recommended("gpu", part.candidate.id):
            yield f"For {_name(part)}: {reason.because}"


def _name(part: Part) -> str:
    copies = part.load.instances
    return part.load.name if copies == 1 else f"{part.load.name} ({copies} copies)"


def _share(part: Part) -> str:
    candidate, result = part.candidate, part.candidate.result
    cache = result.kv_cache_gib_per_gpu
    held = f", {cache.expected:.1f} GiB of cache hold {candidate.holds} requests" if cache else ""
    weights = result.weights_gib_per_gpu
    copies = "" if part.copies == 1 else f"{part.copies} engines, each with "
    if part.profile is not None:
        where = f"an instance {part.profile} ({candidate.card.memory_gib:.1f} GiB)"
    else:
        gib = (part.fraction or 0.0) * candidate.card.memory_gib
        where = f"{100 * (part.fraction or 0.0):.0f} % of the memory ({gib:.1f} GiB)"
    return (
        f"For {part.load.name}: {copies}{where}: {weights:.1f} GiB of weights in "
        f"{candidate.weight_format}{held}."
    )


def _alternatives(judged: JudgedFleets) -> Iterator[Alternative]:
    best, *others = judged.ranked
    told: set[tuple[object, ...]] = {_kind(best)}
    demoted = judged.rulings.rejections("should")
    for fleet in others:
        if len(told) > _MOST_ALTERNATIVES or _kind(fleet) in told:
            continue
        told.add(_kind(fleet))
        against = demoted.get(fleet.id)
        yield Alternative(
            choice=fleet_choice(fleet, judged.option),
            because=_in_short(fleet, owned=judged.owned),
            would_be_chosen_if=(
                f"If this did not count: {against.because}"
                if against is not None and against.rule.id not in _against(judged, best)
                else _if(fleet, best)
            ),
            citations=judged.rulings.cite("8.1", "8.2" if fleet.shared else "7.3"),
        )


def _against(judged: JudgedFleets, fleet: Fleet) -> set[str]:
    found = judged.rulings.rejections("should").get(fleet.id)
    return set() if found is None else {found.rule.id}


def _in_instances(judged: JudgedFleets, depends: tuple[Dependency, ...]) -> Decision:
    """Write the pattern of loads on MIG instances: engines that do not meet."""
    best, rulings = judged.ranked[0], judged.rulings
    reason = rulings.recommended("parallelism", best.id)[0]
    plain = {"tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": 1, "fabric": "none"}
    lines = [
        {
            "workload": part.load.name,
            "option": "replicas" if part.copies > 1 else "single",
            **plain,
            "replicas": part.copies,
            "profile": part.profile,
        }
        for part in best.parts
    ]
    largest = best.largest
    extra = {"workload": largest.load.name, "replicas": largest.copies, "loads": lines}
    return Decision(
        status=status_of(depends),
        choice=Choice(**{**plain, **extra, **reason.payload}),
        strength=reason.rule.strength,
        because=reason.because,
        citations=rulings.cite(*reason.rule.cite),
        rules=(reason.rule.id,),
        depends_on=depends,
    )


def _on_a_share(part: Part) -> str:
    gpus = "one GPU" if part.width == 1 else f"{part.width} GPUs"
    return (
        f"each engine runs on its share of {gpus}, with room for {part.candidate.holds} requests."
    )


def _kind(fleet: Fleet) -> tuple[object, ...]:
    return (*fleet.gpus, fleet.manner, fleet.sharing)


def _in_short(fleet: Fleet, *, owned: bool) -> str:
    names = [part.load.name for part in fleet.parts if part.fraction is not None]
    how = f"shared by {', '.join(names)}" if names else "whole GPUs for each load"
    if fleet.layouts:
        how = "cut into MIG instances"
    if owned:
        return f"{fleet.what}, {how}."
    if fleet.purchase_usd is not None:
        usd = fleet.purchase_usd
        return f"{fleet.what}, {how}, about {usd.low:,.0f} to {usd.high:,.0f} USD to buy."
    if fleet.quotes is None:
        return f"{fleet.what}, {how}; no price known."
    dated = min(quote.as_of for quote in fleet.quotes)
    return f"{fleet.what}, {how}, {fleet.usd_per_hour or 0.0:.2f} USD an hour as of {dated}."


def _if(fleet: Fleet, best: Fleet) -> str:
    mine, other = fleet.money, best.money
    paid, each = ("cost", "USD less") if best.bought else ("rented for", "USD an hour less")
    if fleet.layouts:
        return "If each load had to be isolated, in a MIG instance of its own."
    if best.shared and not fleet.shared:
        return "If no load may share a GPU with another."
    if fleet.shared and not best.shared:
        return "If the loads may share GPUs, without isolation of memory or time."
    if mine is not None and other is not None and mine > other:
        gap = f"{mine - other:,.0f}" if best.bought else f"{mine - other:.2f}"
        return f"If it {paid} {gap} {each}."
    if mine is None and other is not None:
        return "If a quote for it were below the price of the choice; no price is known."
    return "If the choice could not be had."


def _rejected(judged: JudgedFleets) -> Iterator[Rejection]:
    """Yield each rule's first fleet that it forbids, then GPUs on which a load does not fit."""
    told: set[str] = set()
    for fleet in judged.found:
        ruling = judged.rulings.rejections("must").get(fleet.id)
        if ruling is None or ruling.rule.id in told:
            continue
        told.add(ruling.rule.id)
        yield Rejection(
            option=judged.option,
            gpu=fleet.largest.candidate.card.label,
            because=ruling.because,
            citations=judged.rulings.cite(*ruling.rule.cite),
            rule=ruling.rule.id,
        )
    seen: set[tuple[str | None, str]] = set()
    for sized in judged.sized:
        carried = {candidate.card.label for candidate in sized.attempt.ranked}
        for line in unfit_lines(sized.attempt, judged.option):
            if line.gpu in carried or (line.gpu, sized.load.name) in seen:
                continue
            seen.add((line.gpu, sized.load.name))
            yield line.model_copy(update={"because": f"{sized.load.name}: {line.because}"})


def fleet_parallelism(judged: JudgedFleets, depends: tuple[Dependency, ...]) -> Decision:
    """Write how the GPUs of each load work together; the choice is that of the largest load."""
    best = judged.ranked[0]
    if best.layouts:
        return _in_instances(judged, depends)
    lines: list[dict[str, Any]] = []
    texts: list[str] = []
    rules: list[str] = []
    chosen: Decision | None = None
    for sized, part in zip(judged.sized, best.parts, strict=True):
        own = replace(sized.attempt, ranked=(part.candidate,))
        decision = parallelism_decision(own, depends)
        if decision.choice is None:
            continue
        fields = decision.choice.model_dump() | {"replicas": part.copies}
        lines.append({"workload": part.load.name, **fields})
        shared = part.fraction is not None
        texts.append(f"For {part.load.name}: {_on_a_share(part) if shared else decision.because}")
        rules += decision.rules
        if part is best.largest:
            chosen = decision
    if chosen is None or chosen.choice is None:
        return Decision(
            status="open",
            because="No rule names a pattern for these layouts.",
            citations=judged.rulings.cite("8.3"),
            depends_on=depends,
        )
    extra = {"workload": best.largest.load.name, "replicas": best.largest.copies, "loads": lines}
    return chosen.model_copy(
        update={
            "choice": chosen.choice.model_copy(update=extra),
            "because": " ".join(texts),
            "rules": tuple(dict.fromkeys(rules)),
        }
    )
