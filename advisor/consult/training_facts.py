"""What rules and the printed choice say of a training job beside its memory."""

from __future__ import annotations

import math
from typing import Any

from advisor.consult.candidate import Candidate
from advisor.consult.training_runs import needed_gbps
from advisor.rules.facts import Scalar

__all__ = ["pattern_settings", "run_fields", "training_fields"]


def _finite(pair: tuple[float, float] | None) -> tuple[float, float] | None:
    return pair if pair is not None and math.isfinite(pair[1]) else None


def training_fields(candidate: Candidate) -> dict[str, Scalar]:
    """Return the fields of the fact ``candidate`` that only training has, those that are known."""
    run, plan = candidate.run, candidate.result.training
    if run is None:
        return {}
    alone = _finite(run.fewest_hours)
    hours, usd, waits = _finite(run.hours), _finite(candidate.usd_per_run), run.offload_seconds
    fields: dict[str, Scalar | None] = {
        "train_hours_low": hours[0] if hours else None,
        "train_hours_high": hours[1] if hours else None,
        "run_usd_low": usd[0] if usd else None,
        "run_usd_high": usd[1] if usd else None,
        "machines": candidate.nodes_per_replica,
        "sequence_tokens": _whole(plan.get("sequence_tokens")),
        "micro_batch": _whole(plan.get("micro_batch")),
        "offload": str(plan.get("offload")),
        "compute_seconds": run.compute_seconds,
        "network_gb": run.network_gb,
        "network_seconds": run.network_seconds,
        "network_gbps": _gbps(candidate),
        "network_bound": _waits(candidate),
        "why_split": run.why_split,
        "sharded_gb": run.sharded_gb,
        "sharded_gbps": run.sharded_gbps,
        "sharded_nodes": run.sharded_nodes,
        "why_count": run.why_count,
        "fewest_gpus": run.fewest_gpus,
        "fewest_hours_low": alone[0] if alone else None,
        "fewest_hours_high": alone[1] if alone else None,
        "offload_seconds_low": waits[0] if waits else None,
        "offload_seconds_high": waits[1] if waits else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _gbps(candidate: Candidate) -> int | None:
    """Return the rate per machine that hides the network behind the arithmetic."""
    run = candidate.run
    if run is None or not run.compute_seconds or not run.network_gb:
        return None
    return math.ceil(needed_gbps(run.network_gb, run.compute_seconds))


def _waits(candidate: Candidate) -> bool | None:
    """Tell whether the stated network takes longer than the arithmetic."""
    run = candidate.run
    if run is None or run.network_seconds is None or run.compute_seconds is None:
        return None
    return run.network_seconds > run.compute_seconds


def run_fields(candidate: Candidate) -> dict[str, Any]:
    """Return the parameters of a GPU choice that say what was changed of a job, hours and rent."""
    hours = _finite(candidate.run.hours if candidate.run else None)
    usd = _finite(candidate.usd_per_run)
    fields: dict[str, Any] = {}
    if candidate.run is not None and candidate.run.changed:
        fields["changed_settings"] = list(candidate.run.changed)
    if hours is not None:
        fields["hours"] = {"low": round(hours[0], 2), "high": round(hours[1], 2)}
    if usd is not None:
        fields["usd_per_run"] = {"low": round(usd[0], 2), "high": round(usd[1], 2)}
    return fields


def pattern_settings(candidate: Candidate) -> dict[str, Any]:
    """Return the parameters of a pattern that only training has; ``None`` where not known."""
    plan, gbps = candidate.result.training, _gbps(candidate)
    names = ("sharding", "optimizer", "offload", "recompute", "micro_batch", "sequence_tokens")
    settings: dict[str, Any] = {"training_method": plan.get("method")}
    settings |= {name: plan.get(name) for name in (*names, "loss", "context_parallel")}
    if gbps is not None:
        settings["fabric_gbps_needed"] = gbps
    return settings
