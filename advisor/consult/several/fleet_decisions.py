"""The decisions for several loads: one fleet, and how each load uses its GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from advisor.consult.certainty import status_of
from advisor.consult.consultation import Choice, Decision, Dependency, Rejection
from advisor.consult.economics import stale_price_note
from advisor.consult.gpu_choice import Option
from advisor.consult.parallelism_decision import parallelism_decision
from advisor.consult.rejections import unfit_lines
from advisor.consult.rent_words import bill_sentences
from advisor.consult.rulings import Rulings
from advisor.consult.several.fleet import Fleet, Part
from advisor.consult.several.fleet_alternatives import fleet_alternatives
from advisor.consult.several.fleet_choice import fleet_choice, share_in_words
from advisor.consult.several.fleet_order import fleet_order_text
from advisor.consult.several.loads import SizedLoad
from advisor.counted import counted

__all__ = ["JudgedFleets", "fleet_gpu_decision", "fleet_parallelism"]


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

    @property
    def to_be_paid(self) -> bool:
        """Whether each GPU of a fleet counts, as of what is there already it does not."""
        return not self.owned or self.option == "change_owned"


def fleet_gpu_decision(judged: JudgedFleets, depends: tuple[Dependency, ...]) -> Decision:
    """Write the decision for the best fleet."""
    best, rulings = judged.ranked[0], judged.rulings
    reasons = rulings.recommended("gpu", best.id)
    against = rulings.rejections("should").get(best.id)
    texts = [
        judged.note,
        _of_the_wish(best),
        *(reason.because for reason in reasons),
        *_each(judged, best),
    ]
    grown = judged.owned and judged.option == "change_owned"
    order = fleet_order_text(judged.priority, owned=judged.owned, grown=grown, bought=best.bought)
    if len(judged.ranked) == 1 and best.as_wanted:
        texts.append("No other GPUs that are allowed carry all loads when they are cut so.")
    elif len(judged.ranked) == 1:
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
        alternatives=tuple(fleet_alternatives(judged)),
        rejected=tuple(_rejected(judged)),
        depends_on=depends,
    )


def _of_the_wish(fleet: Fleet) -> str:
    """Return what became of a MIG layout that is wanted."""
    if fleet.as_wanted:
        return "The MIG layout that is wanted binds: GPUs are cut so, and loads sit where they fit."
    if fleet.refused:
        return f"The MIG layout that is wanted is not kept: {fleet.refused}."
    return ""


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
            yield share_in_words(part, fleet)
            continue
        for reason in sized.attempt.rulings.recommended("gpu", part.candidate.id):
            yield f"For {_name(part)}: {reason.because}"


def _name(part: Part) -> str:
    copies = part.load.instances
    return part.load.name if copies == 1 else f"{part.load.name} ({copies} copies)"


def _in_instances(judged: JudgedFleets, depends: tuple[Dependency, ...]) -> Decision:
    """Write the pattern of loads on parts of GPUs: engines that do not meet."""
    best, rulings = judged.ranked[0], judged.rulings
    reasons = rulings.recommended("parallelism", best.id)
    reason = reasons[0]
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
        rules=tuple(reason.rule.id for reason in reasons),
        depends_on=depends,
    )


def _on_a_share(part: Part) -> str:
    gpus = "one GPU" if part.width == 1 else f"{part.width} GPUs"
    room = counted(part.at_once, "request")
    return f"each engine runs on its share of {gpus}, with room for {room}."


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
    yield from _unfit(judged)


def _unfit(judged: JudgedFleets) -> Iterator[Rejection]:
    """Yield each GPU and format on which loads do not fit once, with the figures of each load."""
    seen: set[tuple[str | None, str]] = set()
    lines: dict[tuple[str | None, str | None], Rejection] = {}
    for sized in judged.sized:
        carried = {candidate.card.label for candidate in sized.attempt.ranked}
        for line in unfit_lines(sized.attempt, judged.option):
            if line.gpu in carried or (line.gpu, sized.load.name) in seen:
                continue
            seen.add((line.gpu, sized.load.name))
            because = f"{sized.load.name}: {line.because}"
            before = lines.get((line.gpu, line.weight_format))
            if before is not None:
                because = f"{before.because} {because}"
            lines[line.gpu, line.weight_format] = line.model_copy(update={"because": because})
    yield from lines.values()


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
        if fields["option"] == "single" and part.copies > 1:
            fields["option"] = "replicas"
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
            "choice": chosen.choice.model_copy(update={"option": _option(lines, best), **extra}),
            "because": " ".join(texts),
            "rules": tuple(dict.fromkeys(rules)),
        }
    )


def _option(lines: list[dict[str, Any]], fleet: Fleet) -> object:
    """Return the pattern of the largest load."""
    name = fleet.largest.load.name
    return next(line["option"] for line in lines if line["workload"] == name)
