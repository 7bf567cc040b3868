"""Which common misconceptions a consultation touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from advisor.consult.came_up import NOTHING, CameUp
from advisor.consult.candidate import Candidate
from advisor.consult.platform_topics import (
    platform_topics,
    topics_of_faults,
    topics_of_sharing,
)
from advisor.consult.situation import Situation
from advisor.consult.touched import touching_facts
from advisor.store.touch import FACTS, matches

if TYPE_CHECKING:
    from advisor.store.corrections import Correction

__all__ = ["corrections_about"]

_SHOWN = 8
_TELLING = {
    "told.fault": 16,
    "chosen.profile": 4, "chosen.sharing": 4, "gpu.id": 4, "model.id": 4, "model.parameters_b": 4,
    "place.dra": 4,
    "hardware.acquisition": 2,
    "chosen.kind": 1, "chosen.serves": 1, "place.kubernetes": 1,
}  # fmt: skip
"""What a fact counts where that differs from the usual."""
_PRESSING = 3
"""So many of them may be about what was asked or goes wrong, before those about names."""
_FEW_CARDS = 4
_LEAST_PLAIN = 2
_NARROW = frozenset({
    "confidential", "dra", "driver_upgrade", "karpenter", "mig", "mps", "nccl", "sriov",
    "time_slicing", "vgpu",
})  # fmt: skip
"""Plain topics that are enough alone, and what a claim that has one is about."""
_KINDS_OF_NAME = ("model:", "gpu:", "format:", "architecture:", "vendor:")
"""Narrowest first: the narrowest kind that a claim names must come up."""
_BETWEEN_NODES = {"fabric", "nccl", "rdma"}
_SERVING = frozenset({"kv_cache", "concurrency", "weights"})


def corrections_about(
    situation: Situation, best: Candidate | None, came_up: CameUp = NOTHING
) -> tuple[Correction, ...]:
    """Return the corrections that this situation touches.

    A few about a fault or about what was asked and is warned of go first, then those about the
    model, the cards and the rest.
    """
    from advisor.store.corrections import load_corrections

    if situation.load.model is not None:
        topics = _topics(situation, best)
    else:
        topics = _topics_of_answers(situation)  # what is said of layout and platform
        topics |= {"training"} if situation.load.trains else set()
        topics |= set() if situation.load.kind == "platform" else _named_cards(situation)
    topics |= set() if came_up.operator == "none" else {"operator_chosen"}
    topics |= topics_of_faults(came_up.faults) | topics_of_sharing(came_up.sharing)
    told = _touched(load_corrections(), touching_facts(situation, best, came_up))
    found = [
        record
        for record in load_corrections().about(topics)
        if not record.touched_by and _touches(record, topics, trains=situation.load.trains)
    ]
    found.sort(key=lambda record: _breadth(record, topics))
    asked = platform_topics(situation.answers.values) | topics_of_sharing(came_up.sharing)
    first = _pressing(found, came_up, asked)
    left = [record for record in found if record not in first]
    named = [record for record in left if _names(record)]
    plain = _in_turns(record for record in left if not _names(record))
    return (*told, *first, *named, *plain)[:_SHOWN]


def _touched(
    records: Iterable[Correction], facts: Mapping[str, frozenset[str]]
) -> list[Correction]:
    """Return the claims whose situation this is, the closest first, each section in its turn.

    The more of the situation a claim names, the closer it is; what explains a fault is closest.
    """
    close: list[tuple[int, Correction]] = []
    for record in records:
        met = [situation for situation in record.touched_by if matches(situation, facts)]
        if met:
            close.append((max(map(_closeness, met)), record))
    close.sort(key=lambda pair: -pair[0])  # stable: equals keep the order of the files
    by_section: dict[str, list[Correction]] = {}
    for _, record in close:
        by_section.setdefault(record.section, []).append(record)
    turns = chain.from_iterable(zip_longest(*by_section.values()))
    return [record for record in turns if record is not None]


def _closeness(situation: Mapping[str, tuple[str, ...]]) -> int:
    return sum(map(_weight, situation.items()))


def _weight(test: tuple[str, tuple[str, ...]]) -> int:
    """Return how much a fact tells: what was said more than what nearly everybody has."""
    key, values = test
    if key in _TELLING:
        return _TELLING[key]
    return 2 if key in FACTS or values == ("any",) else 4


def _pressing(found: list[Correction], came_up: CameUp, asked: set[str]) -> list[Correction]:
    """Return the claims about a fault, or about a narrow matter that is asked and warned of."""
    # what is said of sizes, 7.3 most of all, goes by the names of models and cards
    faults = {section for section in came_up.faults if not section.startswith("7")}
    faulty = [record for record in found if record.section in faults]
    warned = [record for record in found if record.section in came_up.warned]
    narrow = [record for record in warned if _matter(record) in asked and record not in faulty]
    turns = [*_in_turns(faulty), *_in_turns(narrow)]
    return turns[:_PRESSING]


def _in_turns(records: Iterable[Correction]) -> list[Correction]:
    """Let each matter have its turn: five claims about one would hide the others."""
    by_matter: dict[str | None, list[Correction]] = {}
    for record in records:
        by_matter.setdefault(_matter(record), []).append(record)
    turns = chain.from_iterable(zip_longest(*by_matter.values()))
    return [record for record in turns if record is not None]


def _matter(record: Correction) -> str | None:
    """Return the narrow topic that a claim is about, if it has one."""
    return next((topic for topic in record.topics if topic in _NARROW), None)


def _names(record: Correction) -> bool:
    return any(topic.startswith(_KINDS_OF_NAME) for topic in record.topics)


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
    topics |= _named_cards(situation)
    if best is not None:
        topics |= _topics_of(best)
    topics |= _topics_of_answers(situation)
    if "tensor_parallel" in topics and _over_pcie(situation, best):
        # a split over PCIe is where NVLink comes up
        topics |= {"pcie", "nvlink"}
    return topics


def _named_cards(situation: Situation) -> set[str]:
    """Return the cards that were named, unless that is nearly any."""
    if not situation.answers.is_given("hardware.gpu") or len(situation.cards) > _FEW_CARDS:
        return set()
    cards = [card.gpu for card in situation.cards]
    return {f"gpu:{gpu.id}" for gpu in cards} | {f"vendor:{gpu.vendor}" for gpu in cards}


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
