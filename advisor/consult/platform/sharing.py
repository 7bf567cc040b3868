"""The decision ``sharing``: who holds which part of a GPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from advisor.consult.certainty import status_of
from advisor.consult.consultation import Assumption, Decision, TraceStep
from advisor.consult.platform.chosen import base_facts
from advisor.consult.platform.first_rule import Judged, judge
from advisor.consult.platform.gke import of_pool, sized_by_pool
from advisor.consult.platform.open_questions import open_questions
from advisor.consult.platform.resources import resources_of
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.stages import stages_of
from advisor.consult.platform.ways import Way, find_ways
from advisor.consult.rulings import Rulings
from advisor.consult.sections import sections_of
from advisor.consult.several.placement import of_fleet
from advisor.consult.watched import watched
from advisor.rules.facts import Fact

__all__ = ["Shared", "share"]


@dataclass(frozen=True, slots=True)
class Shared:
    """The decision, and what is told of it elsewhere."""

    decision: Decision
    facts: tuple[Fact, ...] = ()
    """The ``way`` facts."""
    assumptions: tuple[Assumption, ...] = ()
    trace: tuple[TraceStep, ...] = ()


def share(settled: Settled) -> Shared:
    """Decide how the chosen GPUs, or those that are named, are shared."""
    desk = settled.desk
    ways = find_ways(settled)
    offered = tuple(way.fact for way in ways)
    facts = [*base_facts(settled), *offered]
    outcome = desk.engine.fire(stages_of(desk.base).sharing, facts)
    rulings = Rulings(desk.base, outcome, sections_of(desk.knowledge))
    options = {way.fact.id: way.option for way in ways}
    judged = judge("sharing", rulings, options)
    return Shared(_decision(settled, judged, ways), offered, trace=rulings.trace())


def _decision(settled: Settled, judged: Judged, ways: tuple[Way, ...]) -> Decision:
    depends = open_questions(settled, "sharing")
    if settled.kind != "platform" and settled.parameter("gpu", "option") == "none_fits":
        return Decision(
            status="open",
            because="No GPU carries the load, so that there is none to share.",
            citations=judged.rulings.cite("8.2"),
            depends_on=depends,
        )
    gpu = settled.decisions.get("gpu")
    if gpu is not None and _several_unsized(settled, gpu):
        first = gpu.depends_on[:1]
        asked = {dependency.question for dependency in first}
        rest = (needed for needed in depends if needed.question not in asked)
        return Decision(
            status="open",
            because="Several loads are to be placed, and which of them can share a GPU follows "
            f"from the size of each. {gpu.because}",
            citations=judged.rulings.cite("8.2"),
            depends_on=(*first, *rest),
        )
    if judged.first is None:
        return Decision(
            status="open",
            because=_nothing_left(judged),
            citations=judged.rulings.cite("8.2"),
            rejected=judged.rejected(),
            depends_on=depends,
        )
    parameters = {way.fact.id: _parameters(way, settled) for way in ways}
    return judged.decision(parameters, depends, status_of(depends))


def _several_unsized(settled: Settled, gpu: Decision) -> bool:
    """Tell whether several loads cannot be placed, because one of them has no size."""
    loads = settled.answers.get("workloads")
    several = isinstance(loads, tuple) and len(loads) > 1
    return several and settled.fleet is None and gpu.status == "open"


def _nothing_left(judged: Judged) -> str:
    """Return why not even whole GPUs stand, on a node or in a virtual machine."""
    ways = (judged.forbidden.get(f"way:{option}") for option in ("exclusive", "passthrough"))
    reasons = dict.fromkeys(ruling.because for ruling in ways if ruling is not None)
    return " ".join(("No way to share meets all that is asked for.", *reasons))


def _parameters(way: Way, settled: Settled) -> dict[str, Any]:
    if settled.fleet is None:
        return {**way.parameters, **_resources(way.option, way.parameters, settled)}
    # what one load would need alone says nothing of a fleet
    own = {key: value for key, value in way.parameters.items() if key == "gpu"}
    more = of_fleet(settled.fleet, way.option)
    return {**own, **more, **_resources(way.option, more, settled)}


def _resources(option: str, parameters: dict[str, Any], settled: Settled) -> dict[str, Any]:
    """Return what pods ask for, as the place names it; the way is chosen, so no look is noted."""
    cut = sized_by_pool(watched(settled.answers))
    pool = of_pool(option, parameters) if cut else None
    return resources_of(option, parameters, settled) if pool is None else pool
