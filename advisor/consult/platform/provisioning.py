"""The decision ``provisioning``: how nodes come and go, who owns their software."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.consult.certainty import status_of
from advisor.consult.consultation import Assumption, Decision, Rejection, TraceStep
from advisor.consult.platform.chosen import base_facts
from advisor.consult.platform.cluster import cluster_fact, outcome_fact
from advisor.consult.platform.cluster_instance import instance_for
from advisor.consult.platform.cluster_place import Place, find_place
from advisor.consult.platform.cold_start import cold_start
from advisor.consult.platform.first_rule import Judged, judge
from advisor.consult.platform.open_questions import open_questions
from advisor.consult.platform.pools import Pool, find_pools
from advisor.consult.platform.pools_image import Images
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.stages import stages_of
from advisor.consult.platform.versions import versions_of
from advisor.consult.platform.versions_stated import support_fields
from advisor.consult.rulings import Rulings
from advisor.consult.sections import sections_of
from advisor.rules.facts import Fact, Scalar

__all__ = ["Provisioned", "provision"]

_RATE = "hardware.weights_read_gb_per_s"
_NOTHING: Mapping[str, Any] = {
    "rdma_exposure": "none", "queueing": "none", "scale_to_zero": False, "gpu_operator": "none",
    "toolkit_owner": "none",
}  # fmt: skip
"""What holds unless a rule says more."""
_COMES = frozenset({"karpenter", "cluster_autoscaler", "managed_pool", "auto_mode"})
"""Options under which a node may have to come first."""


@dataclass(frozen=True, slots=True)
class Provisioned:
    """The decision, and the facts that later rules read of it."""

    decision: Decision
    facts: tuple[Fact, ...] = ()
    """The ``cluster`` fact."""
    assumptions: tuple[Assumption, ...] = ()
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, slots=True)
class _Round:
    """The rules fired once, with or without the image that was said."""

    judged: Judged
    cluster: Fact
    pools: Mapping[str, Pool]
    """Fact id to option with its nodes."""

    @property
    def pool(self) -> Pool | None:
        """The choice."""
        chosen = self.judged.chosen
        return None if chosen is None else self.pools[chosen]


def provision(settled: Settled) -> Provisioned:
    """Decide who brings nodes and their software."""
    knowledge = settled.desk.knowledge
    place = find_place(settled.answers, knowledge)
    images = Images(settled.answers, place, settled.cards, knowledge)
    first = last = _fire(settled, place, images, keep_given=True)
    if first.pool is None and images.given is not None:
        # nothing goes with the image that was said: the image gives way
        last = _fire(settled, place, images, keep_given=False)
    depends = open_questions(settled, "provisioning")
    if last.pool is None:
        open_ = Decision(
            status="open",
            because="No way to have GPU nodes here meets all that is asked for.",
            citations=last.judged.rulings.cite("8.4"),
            rejected=_rejected(first, last),
            depends_on=depends,
        )
        return Provisioned(open_, (last.cluster,), place.assumptions, last.judged.rulings.trace())
    parameters = _parameters(settled, place, last, last.pool)
    more = _came_of(first, last) | support_fields(
        settled,
        place,
        parameters["versions"],
        claims=bool(last.cluster.fields.get("dra_usable")),
    )
    decision = last.judged.decision(
        {**_of_others(last), last.pool.fact.id: parameters}, depends, status_of(depends)
    )
    offered = {other.choice.option for other in decision.alternatives}
    decision = decision.model_copy(update={"rejected": _rejected(first, last, offered)})
    return Provisioned(
        decision,
        (outcome_fact(settled, place, last.cluster, last.pool, more),),
        tuple(_assumptions(settled, place, parameters)),
        last.judged.rulings.trace(),
    )


def _fire(settled: Settled, place: Place, images: Images, *, keep_given: bool) -> _Round:
    desk = settled.desk
    pools = find_pools(settled, place, images, keep_given=keep_given)
    cluster = cluster_fact(settled, place, images, keep_given=keep_given)
    facts = [*base_facts(settled), cluster, *(pool.fact for pool in pools)]
    outcome = desk.engine.fire(stages_of(desk.base).provisioning, facts)
    rulings = Rulings(desk.base, outcome, sections_of(desk.knowledge))
    judged = judge("provisioning", rulings, {pool.fact.id: pool.option for pool in pools})
    return _Round(judged, cluster, {pool.fact.id: pool for pool in pools})


def _parameters(settled: Settled, place: Place, made: _Round, pool: Pool) -> dict[str, Any]:
    """Return what code adds to what rules have set."""
    found: dict[str, Any] = dict(_NOTHING)
    kinds = settled.answers.get("platform.capacity")
    if isinstance(kinds, tuple) and kinds:
        found["capacity"] = list(kinds) if len(kinds) > 1 else kinds[0]
    instance = instance_for(settled, place)
    if instance is not None:
        found["instance_type"] = instance
    ruled = made.judged.parameters()
    found["versions"] = versions_of(settled, place, {**ruled, "option": pool.option})
    install = ruled.get("driver_install")
    image = None if pool.image is None else pool.image.image
    if place.orchestrator == "kubernetes":
        comes = pool.option in _COMES
        start = cold_start(settled, place, image, new_node=comes, install=install)
        found |= {} if start is None else {"cold_start": start.as_parameter()}
    return found


def _of_others(made: _Round) -> dict[str, dict[str, Any]]:
    """Return what alternatives say of their nodes."""
    return {
        name: {} if pool.image is None else {"node_image": pool.image.image.id}
        for name, pool in made.pools.items()
    }


def _rejected(first: _Round, last: _Round, offered: Collection[str] = ()) -> tuple[Rejection, ...]:
    """Return options and set-ups that are out, those of the stated image first.

    What is out on the stated image and stands on another one is chosen or offered there.
    """
    found = {line.option: line for line in first.judged.rejected()}
    found |= {line.option: line for line in last.judged.rejected()}
    stands = {*offered, *(() if last.pool is None else (last.pool.option,))}
    lines = [line for line in found.values() if line.option not in stands]
    return (*lines, *_out(last.judged))


def _out(judged: Judged) -> Iterator[Rejection]:
    """Yield set-ups that rules speak against: those of the choice, and those of the place."""
    told: set[str] = set()
    for ruling in judged.rulings.of("reject", judged.name):
        option = ruling.payload.get("option")
        if option is None or ruling.rule.strength == "must" or option in told:
            continue
        if ruling.candidate in {None, judged.chosen}:
            told.add(option)
            yield Rejection(
                option=str(option),
                because=ruling.because,
                citations=judged.rulings.cite(*ruling.rule.cite),
                rule=ruling.rule.id,
            )


def _came_of(first: _Round, last: _Round) -> dict[str, Scalar]:
    """Return why what was stated cannot stay."""
    stated = first.cluster.fields.get("stated_option")
    for made in (first, last):
        ruling = made.judged.forbidden.get(f"pool:{stated}")
        if ruling is not None and last.pool is not None and last.pool.option != stated:
            return {"stated_out": ruling.because}
    return {}


def _assumptions(
    settled: Settled, place: Place, parameters: Mapping[str, Any]
) -> Iterator[Assumption]:
    yield from place.assumptions
    serves = settled.kind not in {"fine_tuning", "pretraining"}
    silent = settled.answers.get("workload.traffic") is None
    if serves and silent and place.orchestrator == "kubernetes":
        yield Assumption(
            key="workload.traffic",
            value="steady",
            why="Nothing says that load comes and goes.",
            section="8.4",
        )
    parts = parameters.get("cold_start", {}).get("parts", ())
    reads = any(part["part"] == "weights-read" for part in parts)
    if reads and settled.answers.get(_RATE) is None:
        record = settled.desk.knowledge.cold_start_parts["weights-read"]
        yield Assumption(
            key=_RATE,
            value=[record.low_gb_per_s, record.high_gb_per_s],
            why="The rate at which weights are read was not said; the cold start is a range.",
            section="8.4",
        )
