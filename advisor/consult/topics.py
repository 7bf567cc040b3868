"""Which common misconceptions a consultation touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.candidate import Candidate
from advisor.consult.platform_topics import platform_topics
from advisor.consult.situation import Situation

if TYPE_CHECKING:
    from advisor.store.corrections import Correction

__all__ = ["corrections_about"]

_SHOWN = 5
_FEW_CARDS = 4
_LEAST_PLAIN = 2
_NARROW = frozenset({
    "confidential", "dra", "driver_upgrade", "karpenter", "mig", "mps", "nccl", "sriov",
    "time_slicing", "vgpu",
})  # fmt: skip
"""Plain topics that are enough alone."""
_KINDS_OF_NAME = ("model:", "gpu:", "format:", "architecture:", "vendor:")
"""Narrowest first: the narrowest kind that a claim names must come up."""
_BETWEEN_NODES = {"fabric", "nccl", "rdma"}
_SERVING = frozenset({"kv_cache", "concurrency", "weights"})


def corrections_about(situation: Situation, best: Candidate | None) -> tuple[Correction, ...]:
    """Return the corrections that this situation touches, those about its own model first."""
    from advisor.store.corrections import load_corrections

    if situation.load.model is not None:
        topics = _topics(situation, best)
    else:
        topics = _topics_of_answers(situation)  # what is said of layout and platform
        topics |= {"training"} if situation.load.trains else set()
    found = [
        record
        for record in load_corrections().about(topics)
        if _touches(record, topics, trains=situation.load.trains)
    ]
    found.sort(key=lambda record: _breadth(record, topics))
    return tuple(found[:_SHOWN])


def _touches(record: Correction, topics: set[str], *, trains: bool) -> bool:
    """A claim about named models, or GPUs, is of interest only where one of them is.

    A claim without such names is of interest where all that it is about comes up.
    """
    shared = topics.intersection(record.topics)
    if trains and _SERVING.intersection(record.topics):
        return False
    for prefix in _KINDS_OF_NAME:
        if any(topic.startswith(prefix) for topic in record.topics):
            return any(topic.startswith(prefix) for topic in shared)
    if len(record.topics) < _LEAST_PLAIN and _NARROW.isdisjoint(record.topics):
        return False
    return topics.issuperset(record.topics)


def _breadth(record: Correction, topics: set[str]) -> int:
    """Return how wide the narrowest kind of name is that comes up; plain claims are widest."""
    shared = topics.intersection(record.topics)
    for breadth, prefix in enumerate(_KINDS_OF_NAME):
        if any(topic.startswith(prefix) for topic in shared):
            return breadth
    return len(_KINDS_OF_NAME)


def _topics(situation: Situation, best: Candidate | None) -> set[str]:
    """Return what comes up: the model, the cards, the layout and the kind of work."""
    load = situation.load
    topics = {"memory", "training"} if load.trains else {"memory", "kv_cache", "weights"}
    if not load.trains and load.concurrency > 1:
        topics.add("concurrency")
    if load.model is not None:
        topics.add(f"model:{load.model.id}")
        if any(attention.kind == "mla" for attention in load.model.attention):
            topics.add("mla")
    if situation.answers.is_given("hardware.gpu") and len(situation.cards) <= _FEW_CARDS:
        for card in situation.cards:
            topics |= {f"gpu:{card.gpu.id}", f"vendor:{card.gpu.vendor}"}
    if best is not None:
        topics |= _topics_of(best)
    topics |= _topics_of_answers(situation)
    if "tensor_parallel" in topics and _over_pcie(situation, best):
        # a split over PCIe is where NVLink comes up
        topics |= {"pcie", "nvlink"}
    return topics


def _topics_of_answers(situation: Situation) -> set[str]:
    """Return what the stated layout and objectives bring up, whatever is chosen."""
    answers = situation.answers.values
    topics = set()
    sizes = {}
    for name in ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel"):
        size = answers.get(f"layout.{name}")
        sizes[name] = size if isinstance(size, int) else 1
        if sizes[name] > 1:
            topics.add(name)
    per_node = answers.get("hardware.gpus_per_node")
    taken = sizes["tensor_parallel"] * sizes["pipeline_parallel"] * sizes["data_parallel"]
    if isinstance(per_node, int) and taken > per_node:
        topics |= _BETWEEN_NODES
    if situation.priority in {"latency", "throughput"}:
        topics.add("latency")
    return topics | platform_topics(answers)


def _over_pcie(situation: Situation, best: Candidate | None) -> bool:
    if situation.answers.values.get("hardware.nvlink") == "no" and not situation.elsewhere:
        return True
    return best is not None and not best.card.gpu.interconnect.nvlink_bidirectional_gbs


def _topics_of(best: Candidate) -> set[str]:
    gpu, layout = best.card.gpu, best.layout
    topics = {f"gpu:{gpu.id}", f"vendor:{gpu.vendor}", f"architecture:{gpu.architecture}"}
    topics |= {f"format:{best.weight_format}", "precision"}
    if layout.tensor_parallel > 1:
        topics |= {
            "tensor_parallel",
            "nvlink" if gpu.interconnect.nvlink_bidirectional_gbs else "pcie",
        }
    if best.replicas > 1 or layout.data_parallel > 1:
        topics.add("data_parallel")
    if best.nodes_per_replica > 1:
        topics |= _BETWEEN_NODES
    if layout.pipeline_parallel > 1:
        topics.add("pipeline_parallel")
    if layout.expert_parallel:
        topics.add("expert_parallel")
    return topics
