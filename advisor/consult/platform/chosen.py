"""The facts that every later stage starts from: answers, what is chosen, the GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from advisor.answers.model import Answers
from advisor.consult.candidate_facts import known_only
from advisor.consult.facts import answer_facts, gpu_fact
from advisor.consult.offers import same_region
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.vocabulary import CHOSEN_FIELDS
from advisor.consult.several.placement import sharers
from advisor.rules.facts import Fact, Scalar

__all__ = ["base_facts", "chosen_fact", "wanted_per_gpu"]


def base_facts(settled: Settled) -> list[Fact]:
    """Return answers with defaults, the chosen fact and one fact for each GPU."""
    return [*answer_facts(settled.full_answers), chosen_fact(settled), *_gpus(settled)]


def _gpus(settled: Settled) -> Iterator[Fact]:
    joined = settled.answers.get("hardware.nvlink") != "no"
    for card in {card.label: card for card in settled.cards}.values():
        yield gpu_fact(card, joined=joined, named=True)


def chosen_fact(settled: Settled) -> Fact:
    """Return the parameters of all choices so far, and what follows from them."""
    fields: dict[str, Scalar] = {}
    for decision, made in settled.decisions.items():
        if made.choice is None:
            continue
        for name, value in made.choice.model_dump().items():
            key = f"{decision}_{name}"
            if key in CHOSEN_FIELDS and isinstance(value, str | int | float):
                fields[key] = value
    return Fact("chosen", "chosen", {**fields, **_derived(settled), **_counted(settled)})


def _derived(settled: Settled) -> dict[str, Scalar]:
    candidate, fleet, load = settled.candidate, settled.fleet, settled.load
    engine = None if candidate is None else candidate.gpus_per_replica
    if fleet is not None:
        engine = fleet.largest.width
    weights = None
    if candidate is not None and candidate.result.weights_gib_per_gpu is not None:
        gib = candidate.result.weights_gib_per_gpu * candidate.gpus_per_replica
        weights = gib * 2**30 / 1e9
    wanted = wanted_per_gpu(settled.answers)
    return known_only(
        kind=settled.kind,
        trains=any(load.trains for load in settled.loads),
        unit=_unit(settled),
        loads=len(settled.loads),
        fleet=None if fleet is None else fleet.manner,
        **({} if fleet is None else sharers(fleet)),
        gpus_per_engine=engine,
        crosses_nodes=_crosses(settled),
        weights_gb=weights,
        several_wanted=wanted is not None and wanted > 1,
        joined=any(note.key == "workloads" for note in settled.assumptions),
        model_name=None if load is None or load.model is None else load.model.name,
    )


def _unit(settled: Settled) -> str:
    """Return what takes whole GPUs, as it is called: an engine serves, a run trains."""
    trains = [load.trains for load in settled.loads]
    return "run" if trains and all(trains) else "engine"


def _counted(settled: Settled) -> dict[str, Scalar]:
    """Return what follows from numbers that were said: for rules that find contradictions.

    They only warn, so no look is noted.
    """
    answers = settled.answers.values
    part, machine = answers.get("tenancy.gpus_per_pod"), answers.get("hardware.gpus_per_node")
    replicas = settled.parameter("sharing", "replicas")
    owned = answers.get("hardware.acquisition") == "owned"
    nodes = answers.get("hardware.nodes", 1)
    there = machine * nodes if isinstance(machine, int) and isinstance(nodes, int) else None
    candidate = settled.candidate
    workers, each = answers.get("training.workers"), answers.get("training.gpus_per_worker")
    return known_only(
        job_gpus=workers * each if isinstance(workers, int) and isinstance(each, int) else None,
        worker_rest=_rest(machine, each),
        price_elsewhere=_price_elsewhere(settled),
        busy_said=_said_busy(answers),
        shares_said=_said_to_share(answers),
        licence_said=answers.get("tenancy.vgpu_license") is not None,
        asks_a_part=None if not isinstance(part, int | float) else part != int(part),
        node_gpus=machine if isinstance(machine, int) else None,
        gpus_there=there if owned else None,
        units_there=replicas * machine
        if isinstance(replicas, int) and isinstance(machine, int)
        else None,
        layout_gpus=max((_rows(answers.get(key)) for key in _LAYOUTS), default=0) or None,
        vm_ranks=None
        if candidate is None
        else candidate.gpus_per_replica // candidate.nodes_per_replica,
    )


def _said_busy(answers: Mapping[str, object]) -> bool:
    """Tell whether a load is said never to rest; the usual value says nothing."""
    loads = answers.get("workloads")
    records = loads if isinstance(loads, tuple) else ()
    own = [load.get("duty") for load in records if isinstance(load, Mapping)]
    return "sustained" in {answers.get("tenancy.duty"), *own}


def _said_to_share(answers: Mapping[str, object]) -> bool:
    """Tell whether several loads on a GPU are wanted; what is configured today is no wish."""
    loads, part = answers.get("tenancy.workloads_per_gpu"), answers.get("tenancy.gpus_per_pod")
    several = isinstance(loads, int) and loads > 1
    return several or (isinstance(part, int | float) and 0 < part < 1)


def _rest(machine: object, worker: object) -> int | None:
    """Return how many GPUs of a machine are left by workers that fit into it."""
    if not isinstance(machine, int) or not isinstance(worker, int) or worker > machine:
        return None
    return machine % worker


def _price_elsewhere(settled: Settled) -> str | None:
    """Return the region of the price, where another one is stated."""
    candidate, stated = settled.candidate, settled.answers.values.get("platform.region")
    if candidate is None or candidate.usd_per_hour is None or not isinstance(stated, str):
        return None
    quote = candidate.quote
    if quote is None or same_region(quote.region, stated):
        return None
    return quote.region


_LAYOUTS = ("tenancy.mig_layout_wanted", "platform.mig_layout_now")


def _rows(layout: object) -> int:
    """Return for how many GPUs a layout is given; a plain list is of one kind for all."""
    if not isinstance(layout, tuple) or not layout or not isinstance(layout[0], tuple):
        return 0
    return len(layout)


def wanted_per_gpu(answers: Answers) -> int | None:
    """Return how many loads one GPU shall carry, where that is said, configured or implied."""
    for key in ("tenancy.workloads_per_gpu", "platform.sharing_replicas_now"):
        value = answers.get(key)
        if isinstance(value, int):
            return value
    part = answers.get("tenancy.gpus_per_pod")
    return int(1 / part + 1e-9) if isinstance(part, int | float) and 0 < part < 1 else None


def _crosses(settled: Settled) -> bool | None:
    """Tell whether one engine or job reaches over machines; as stated where nothing is chosen."""
    if settled.fleet is not None:
        return any(part.candidate.nodes_per_replica > 1 for part in settled.fleet.parts)
    if settled.candidate is not None:
        return settled.candidate.nodes_per_replica > 1
    return _stated_to_cross(settled.answers)


_SIZES = ("tensor_parallel", "pipeline_parallel", "data_parallel")


def _stated_to_cross(answers: Answers) -> bool | None:
    """Tell whether the layout that is stated takes more GPUs than a machine has."""
    machine = answers.get("hardware.gpus_per_node")
    sizes = [answers.get(f"layout.{name}") for name in _SIZES]
    known = [size for size in sizes if isinstance(size, int)]
    ranks = answers.get("layout.expert_parallel")
    most = max(math.prod(known), ranks if isinstance(ranks, int) else 1)
    if not isinstance(machine, int) or most == 1:
        return None
    return most > machine
