"""Pairs of random answers of which the second asks for less, and what must hold between them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

from consult_support import told

from advisor.consult.consultation import Consultation
from advisor.errors import InputError

__all__ = ["CHANGES", "broken_between", "preferred_more", "random_pair"]

Document = dict[str, Any]

MODELS = (
    "llama-3.1-8b", "llama-3.3-70b", "llama-3.1-405b", "qwen3-8b", "qwen3-32b", "qwen3-30b-a3b",
    "qwen3-235b-a22b", "gpt-oss-20b", "gpt-oss-120b", "deepseek-r1", "kimi-k2", "gemma-3-27b",
    "phi-4", "qwen2.5-7b",
)  # fmt: skip
MEMORY_GIB = {
    "l4": 22, "l40s": 44.4, "a10g": 22, "a100-40-sxm": 39.4, "a100-80-sxm": 79.2, "h100-sxm": 79.2,
    "h100-nvl": 93.1, "h200-sxm": 139.7, "b200": 178, "rtx-pro-6000-server": 94.9, "mi300x": 191,
}  # fmt: skip
"""Cards, and about what their runtime reports: where `more memory` starts."""

CHANGES = ("more_memory", "shorter_requests", "fewer_users", "more_cards_to_choose_from")
_CARRIED = frozenset({"buy_or_rent", "use_owned"})


def random_pair(seed: int) -> tuple[str, Document, Document]:
    """Return the kind of change, answers, and answers that ask for less or allow more."""
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    change = CHANGES[seed % len(CHANGES)]
    base = _base(dice)
    easier = copy.deepcopy(base)
    workload, hardware = easier["workload"], easier["hardware"]
    if change == "more_memory":
        gib = MEMORY_GIB[hardware["gpu"]]
        less, more = sorted(dice.sample([0.7, 0.9, 1.0, 1.2, 1.6, 2.0, 3.0], 2))
        base["hardware"]["gpu_memory_gib"] = round(gib * less, 1)
        hardware["gpu_memory_gib"] = round(gib * more, 1)
    elif change == "shorter_requests":
        lengths = sorted(dice.sample([1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072], 2))
        workload["context_tokens"], base["workload"]["context_tokens"] = lengths
    elif change == "fewer_users":
        users = sorted(dice.sample([1, 2, 5, 8, 9, 20, 64, 65, 130, 256, 400, 1500], 2))
        workload["concurrency"], base["workload"]["concurrency"] = users
    else:
        for document in (base, easier):
            document["objectives"] = {"priority": "cost"}
            document["hardware"].pop("acquisition", None)
            document["hardware"].pop("nodes", None)
        hardware["gpu"] = list({hardware["gpu"], *dice.sample(sorted(MEMORY_GIB), 4)})
        hardware["gpu"].sort()
    return change, base, easier


def _base(dice: random.Random) -> Document:
    hardware: Document = {"gpu": dice.choice(sorted(MEMORY_GIB))}
    if dice.random() < 0.6:
        hardware |= {"acquisition": "owned", "gpus_per_node": 8, "nodes": dice.choice([1, 2, 4])}
    workload = {
        "kind": "serving",
        "model": dice.choice(MODELS),
        "weight_format": dice.choice(["checkpoint", "checkpoint", "bf16", "fp8", "awq_int4"]),
        "context_tokens": dice.choice([2048, 8192, 32768, 131072]),
        "concurrency": dice.choice([1, 4, 16, 64, 300]),
    }
    if dice.random() < 0.3:
        workload["engine"] = dice.choice(["sglang", "tensorrt_llm", "llama_cpp", "other"])
    if dice.random() < 0.3:
        workload["kv_format"] = dice.choice(["bf16", "fp8"])
    document: Document = {"workload": workload, "hardware": hardware}
    if dice.random() < 0.5:
        document["objectives"] = {"priority": dice.choice(["balanced", "cost", "simplicity"])}
    return document


def broken_between(change: str, base: Document, easier: Document) -> Iterator[str]:
    """Yield what contradicts that ``easier`` asks for less than ``base``, or allows more.

    GPUs are counted over all layouts that carry the load, since the choice among them may
    prefer a split, a price or one node to the fewest GPUs; see :func:`preferred_more`.
    """
    before, after = _told(base), _told(easier)
    if _option(before) not in _CARRIED:
        return
    if _option(after) != _option(before):
        yield f"{change}: {_option(before)} turns into {_option(after)}"
    elif change == "more_cards_to_choose_from":
        yield from _dearer(_chosen(before), _chosen(after))
    elif _least(after) > _least(before):
        yield f"{change}: {_least(before)} GPUs at least turn into {_least(after)}"


def preferred_more(change: str, base: Document, easier: Document) -> Iterator[str]:
    """Yield where less to carry makes the choice, by preference, take more GPUs."""
    before, after = _chosen(_told(base)), _chosen(_told(easier))
    if change == "more_cards_to_choose_from" or not {"total_gpus"} <= before.keys() & after.keys():
        return
    if before["option"] in _CARRIED and after["total_gpus"] > before["total_gpus"]:
        yield f"{change}: {before['total_gpus']} chosen GPUs turn into {after['total_gpus']}"


def _dearer(before: Document, after: Document) -> Iterator[str]:
    least, paid = before.get("usd_per_hour"), after.get("usd_per_hour")
    if least is not None and (paid is None or paid > least):
        yield f"{after['gpu']} for {paid} was chosen and {before['gpu']} costs {least}"


def _told(document: Document) -> Consultation | None:
    try:
        return told(document)
    except InputError:
        return None


def _chosen(consultation: Consultation | None) -> Document:
    found = None if consultation is None else consultation.decisions["gpu"].choice
    return {} if found is None else found.model_dump()


def _option(consultation: Consultation | None) -> str:
    return str(_chosen(consultation).get("option", "a refusal"))


def _least(consultation: Consultation | None) -> int:
    """Return the fewest GPUs of any layout that carries the load."""
    assert consultation is not None
    assert consultation.candidates is not None
    counts = [row["total_gpus"] for row in consultation.candidates.shown]
    return min([*counts, _chosen(consultation)["total_gpus"]])
