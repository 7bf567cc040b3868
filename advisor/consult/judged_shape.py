"""A stated layout that starts: whether its shape suits the machines and the load."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Warned
from advisor.consult.rulings import Rulings
from advisor.consult.situation import Card, Situation
from advisor.sizing.layout import Layout

__all__ = ["shape_faults"]


def shape_faults(
    name: str, layout: Layout, situation: Situation, best: Candidate | None, rulings: Rulings
) -> Iterator[Warned]:
    """Yield what is wrong with the shape of a layout, the worst only.

    Args:
        name: The layout in words, as the subject of a sentence.
        layout: As stated.
        situation: The load and the machines.
        best: What is chosen on the same GPUs, if anything is.
        rulings: For citations.
    """
    card = situation.cards[0]
    if _crosses_machines(layout, situation):
        yield _across(name, layout, card, best, rulings)
    elif best is not None and layout.data_parallel == best.layout.data_parallel == 1:
        width = layout.tensor_parallel * layout.pipeline_parallel
        more = width - best.gpus_per_replica
        if best.borderline or more < 0 or (more > 0 and not _same_weights(situation, best)):
            return
        if layout.expert_parallel and not best.layout.expert_parallel and more == 0:
            yield _experts(name, best, rulings)
        elif layout.pipeline_parallel > 1 and best.layout.pipeline_parallel == 1:
            yield _stages(name, best, rulings)
        elif width >= 2 * best.gpus_per_replica and situation.priority != "latency":
            yield _wide(name, width, best, rulings)


def _crosses_machines(layout: Layout, situation: Situation) -> bool:
    """Tell whether layers are split over machines that no NVLink joins."""
    card, answers = situation.cards[0], situation.answers
    joined = card.gpu.scale_up_gpus >= layout.tensor_parallel
    rack = answers.get("hardware.nvlink") == "multi_node"
    rack = rack or answers.get("hardware.fabric") == "nvlink_rack"
    several = (card.nodes or 1) > 1
    return several and not joined and not rack and layout.tensor_parallel > card.machine_gpus


def _same_weights(situation: Situation, best: Candidate) -> bool:
    """Tell whether the choice has the weights of the stated layout: narrower ones need less."""
    return best.weight_format == situation.load.formats[0]


def _across(
    name: str, layout: Layout, card: Card, best: Candidate | None, rulings: Rulings
) -> Warned:
    machines = -(-layout.tensor_parallel // card.machine_gpus)
    return Warned(
        id="layout-split-crosses-machines",
        kind="limit",
        severity="warning",
        decision="parallelism",
        text=f"{name} splits every layer over {machines} machines: two all-reduces a layer cross "
        "the network in each step.",
        symptom="Prompts take many times as long as on one machine, with the GPUs half idle.",
        cause="An all-reduce of a prompt's chunk moves more than 100 MB for each layer of a 70B; a "
        "stage boundary moves it once.",
        check="The same load with pipeline stages across; all_reduce_perf between the machines.",
        fix=f"{_inside(card, machines, best)} Decoding of single streams may gain from the split "
        "over RDMA of 200 Gbit/s and more: measure both there.",
        citations=rulings.cite("7.2", "7.1"),
    )


def _inside(card: Card, machines: int, best: Candidate | None) -> str:
    if best is not None and best.nodes_per_replica == 1:
        return f"One machine holds it: take {_shape(best)}, and replicas on the other machines."
    return (
        f"Tensor parallel {card.machine_gpus} inside a machine and {machines} pipeline stages "
        "across."
    )


def _stages(name: str, best: Candidate, rulings: Rulings) -> Warned:
    instead = _shape(best)
    return Warned(
        id="layout-needless-stages",
        kind="limit",
        severity="warning",
        decision="parallelism",
        text=f"{name} has pipeline stages that nothing asks for: {instead} carries the load. A "
        "request passes the stages one after another, so no stream gets faster, and with few "
        "requests most GPUs wait.",
        symptom="One or two GPUs busy at a time; latency as on one GPU.",
        check="Utilisation of each GPU, and the latency of one request, in both layouts.",
        fix=f"Take {instead}, and replicas on the GPUs that are left; stages where the links "
        "between the GPUs are too slow for a split.",
        citations=rulings.cite("7.2", "8.3"),
    )


def _experts(name: str, best: Candidate, rulings: Rulings) -> Warned:
    return Warned(
        id="layout-experts-without-need",
        kind="limit",
        severity="info",
        decision="parallelism",
        text=f"{name} deals whole experts to ranks, and {_shape(best)} alone carries the load: "
        "with few requests all ranks wait for the one whose experts are asked for most.",
        symptom="The first token later than without expert parallelism, uneven load of the GPUs.",
        check="The same load with and without it (--enable-expert-parallel).",
        fix="Leave it off until many requests run at once, then with attention in data ranks; keep "
        "it where a slice of an expert cuts quantisation blocks.",
        citations=rulings.cite("7.2#tp-limits", "7.2"),
    )


def _wide(name: str, width: int, best: Candidate, rulings: Rulings) -> Warned:
    return Warned(
        id="layout-wider-than-needed",
        kind="limit",
        severity="warning",
        decision="parallelism",
        text=f"{name} spreads one replica over {width} GPUs, and {_shape(best)} carries the load: "
        "ranks wait for each other in every layer, stages for work, so with many requests replicas "
        "on the same GPUs give more tokens in all.",
        symptom="Throughput that hardly rises with the number of GPUs.",
        check="vllm bench serve (or the like) on one narrow replica, times the replicas that fit.",
        fix=f"Take {_shape(best)} and replicas behind a router; keep the wide split only where the "
        "speed of few streams decides.",
        citations=rulings.cite("7.2#tp-limits", "8.3"),
    )


def _shape(best: Candidate) -> str:
    layout = best.layout
    if layout.gpus == 1:
        return "one GPU"
    stages = f" x PP{layout.pipeline_parallel}" if layout.pipeline_parallel > 1 else ""
    return f"TP{layout.tensor_parallel}{stages}"
