"""The parameters of a fleet that is chosen, and a line for each load on it."""

from __future__ import annotations

import math
from typing import Any

from advisor.consult.consultation import Choice
from advisor.consult.gpu_choice import Option, gpu_choice
from advisor.consult.published import as_run
from advisor.consult.several.fleet import Fleet, Part
from advisor.counted import counted

__all__ = ["fleet_choice", "share_in_words"]

_KINDS = {"mig": "an instance", "partition": "a partition in", "vgpu": "a vGPU of type"}
_RENT = ("usd_per_hour", "price_as_of", "instance_type", "instances", "provider", "price_kind")


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
        "requests_at_once": None if result.max_concurrency is None else part.at_once,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _neighbours(part: Part, fleet: Fleet) -> list[str] | None:
    """Return the loads on the same GPUs; ``None`` where it shares with none."""
    name = part.load.name
    here = [names for names in fleet.beside if name in names]
    found = dict.fromkeys(other for names in here for other in names if other != name)
    if any(names.count(name) > 1 for names in here):
        found[name] = None  # other copies of its own
    return list(found) or None


def share_in_words(part: Part, fleet: Fleet) -> str:
    """Return what a load that holds a part of a GPU has there."""
    candidate, result = part.candidate, part.candidate.result
    cache = result.kv_cache_gib_per_gpu
    held = ""
    if cache is not None:
        held = f", {cache.expected:.1f} GiB of cache for {counted(part.at_once, 'request')} at once"
    held += _if_memory_is_short(part)
    weights = result.weights_gib_per_gpu
    copies = "" if part.copies == 1 else f"{part.copies} engines, each with "
    if part.profile is not None:
        kind = _KINDS.get(fleet.manner, "a part")
        where = f"{kind} {part.profile} ({candidate.card.memory_gib:.1f} GiB)"
    else:
        gib = (part.fraction or 0.0) * candidate.card.memory_gib
        where = f"{100 * (part.fraction or 0.0):.0f} % of the memory ({gib:.1f} GiB)"
    return (
        f"For {part.load.name}: {copies}{where}: {weights:.1f} GiB of weights in "
        f"{candidate.weight_format}{held}."
    )


def _if_memory_is_short(part: Part) -> str:
    """Return how many requests the low end of the free memory holds, where they are too few.

    Shares and slices start at that end too; this says whether they also carry the load there.
    """
    candidate, room = part.candidate, part.candidate.result.max_concurrency
    if room is None or not math.isfinite(room.expected) or room.expected <= 0:
        return ""
    asked = part.load.answers.values.get("workload.concurrency")
    wanted = math.ceil((asked if isinstance(asked, int) else 1) / candidate.replicas)
    low = math.floor(candidate.holds * room.low / room.expected + 1e-9)
    if low >= wanted:
        return ""
    return f" (borderline: at the low end of the free memory {low} of the {wanted} that are wanted)"
