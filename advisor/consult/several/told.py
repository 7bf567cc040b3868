"""What is told beside the decisions for several loads: warnings, trace and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from advisor.consult.consultation import CandidateCounts, DecisionName, TraceStep, Warned
from advisor.consult.rulings import worst_first
from advisor.consult.several.fleet import Fleet
from advisor.consult.several.fleet_decisions import JudgedFleets
from advisor.consult.several.loads import SizedLoad

__all__ = ["counts_of", "fewest", "trace_of", "warnings_of"]


def warnings_of(
    judged: JudgedFleets, best: Fleet | None, decisions: tuple[DecisionName, ...]
) -> tuple[Warned, ...]:
    """Return the warnings about the fleet and about each load, under its name, worst first."""
    found = {w.id: w for w in judged.rulings.warnings(best.id if best else None, decisions)}
    for index, sized in enumerate(judged.sized):
        part = best.parts[index] if best else None
        chosen = None if part is None else part.judged or part.candidate.id
        for warned in sized.attempt.rulings.warnings(chosen, decisions):
            named = warned.model_copy(update={"text": f"{sized.load.name}: {warned.text}"})
            known = found.get(warned.id)
            if known is None:
                found[warned.id] = named
            elif known.text.partition(": ")[2] != warned.text:
                found[warned.id] = known.model_copy(update={"text": f"{known.text} {named.text}"})
    return worst_first(found.values())


def trace_of(judged: JudgedFleets) -> Iterator[TraceStep]:
    """Yield the rules that fired for the fleets, then those for each load."""
    yield from judged.rulings.trace()
    for sized in judged.sized:
        for step in sized.attempt.rulings.trace():
            named = {alias: f"{sized.load.name}: {fact}" for alias, fact in step.facts.items()}
            yield step.model_copy(update={"facts": named})


def counts_of(judged: JudgedFleets) -> CandidateCounts:
    """Return what was compared, and the fleets that carry all loads."""
    reasons: Counter[str] = Counter()
    for sized in judged.sized:
        reasons.update(sized.attempt.found.rejected_by or {})
    shown = tuple(
        {
            "id": fleet.id,
            "gpu": " + ".join(fleet.gpus),
            "shared": fleet.shared,
            "total_gpus": fleet.total_gpus,
            "usd_per_hour": fleet.usd_per_hour,
        }
        for fleet in judged.ranked
    )
    considered = sum(sized.attempt.found.considered for sized in judged.sized)
    return CandidateCounts(
        considered=considered, rejected_by=dict(sorted(reasons.items())), shown=shown
    )


def fewest(sized: SizedLoad) -> str:
    """Return the fewest GPUs that carry a load alone, in words."""
    least = min(sized.attempt.ranked, key=lambda candidate: candidate.total_gpus)
    count = least.total_gpus * sized.load.instances
    return f"{count} x {least.card.label} for {sized.load.name} in {least.weight_format}"
