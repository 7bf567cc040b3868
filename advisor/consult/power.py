"""What the GPUs of a choice and the machine around them draw, against a limit per machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from advisor.consult.economics import Band
from advisor.errors import InputError, Problem

__all__ = ["HOST_SHARE", "HostShare", "NodePower", "node_power"]

Verdict = Literal["within", "borderline", "over", "unknown", "no_limit"]


@dataclass(frozen=True, slots=True)
class HostShare:
    """What the machine around the GPUs draws, as a part of what the GPUs draw at their limit."""

    low: float
    high: float
    source: str


HOST_SHARE = HostShare(
    low=0.38,
    high=0.83,
    source=(
        "low: GB200 compute tray, 6,667 W with four GPUs of 1,200 W (NVIDIA DPS device "
        "specifications, 2026: 0.389); high: DGX H100, 10.2 kW with eight GPUs of "
        "700 W (vendor maximum, read second hand)"
    ),
)
"""Ratio of whole machine to GPUs, less one. Small PCIe machines can lie outside."""


@dataclass(frozen=True, slots=True)
class NodePower:
    """Peak draw; watts."""

    gpus_w: float | None
    """All GPUs of one machine at their power limit."""
    node_w: Band | None
    """With the machine around them."""
    replica_w: Band | None
    """The GPUs of one replica with their part of the machines."""
    verdict: Verdict
    """``over``: the least estimate, or the GPUs alone, break the limit. ``borderline``: the limit
    lies inside the range."""
    sentence: str
    missing: tuple[str, ...]


def node_power(
    tdp_w: float | None,
    gpus_per_node: int,
    *,
    gpus_per_replica: int | None = None,
    max_node_kw: float | None = None,
    host: HostShare = HOST_SHARE,
) -> NodePower:
    """Return the draw of one machine and one replica: TDP x GPUs x (1 + host share).

    Args:
        tdp_w: Power limit of one GPU; ``None`` where it is not known.
        gpus_per_node: GPUs in one machine.
        gpus_per_replica: GPUs of one replica, over all its machines; a machine's by default.
        max_node_kw: The limit of ``hardware.max_node_kw``.
        host: What the rest of the machine draws.

    Raises:
        InputError: A figure is negative, zero or not a number.
    """
    replica_gpus = gpus_per_node if gpus_per_replica is None else gpus_per_replica
    _check(("tdp_w", tdp_w), ("gpus_per_node", gpus_per_node))
    _check(("gpus_per_replica", replica_gpus), ("max_node_kw", max_node_kw))
    if tdp_w is None:
        text = "The power of this GPU is not known, so the draw of a machine is not either."
        return NodePower(None, None, None, "unknown", text, ("the power limit (TDP) of the GPU",))
    gpus_w = tdp_w * gpus_per_node
    whole = Band(1 + host.low, 1 + host.high)
    node = whole.times(gpus_w)
    verdict = _verdict(node, max_node_kw)
    text = (
        f"One machine with {gpus_per_node} of these GPUs ({gpus_per_node} x {tdp_w:,g} W = "
        f"{gpus_w / 1000:,.2f} kW) draws an estimated {node.low / 1000:,.1f} to "
        f"{node.high / 1000:,.1f} kW"
    )
    return NodePower(
        gpus_w=gpus_w,
        node_w=node,
        replica_w=whole.times(tdp_w * replica_gpus),
        verdict=verdict,
        sentence=f"{text}{_against(verdict, max_node_kw)}.",
        missing=(),
    )


def _verdict(node: Band, max_node_kw: float | None) -> Verdict:
    if max_node_kw is None:
        return "no_limit"
    if node.low > max_node_kw * 1000:
        return "over"
    return "within" if node.high <= max_node_kw * 1000 else "borderline"


def _against(verdict: Verdict, max_node_kw: float | None) -> str:
    words = {
        "over": "more than",
        "within": "within",
        "borderline": "which may or may not stay within",
    }
    if verdict not in words:
        return ""
    return f", {words[verdict]} the {max_node_kw:g} kW of a machine"


def _check(*figures: tuple[str, float | None]) -> None:
    for key, value in figures:
        if value is not None and not (math.isfinite(value) and value > 0):
            message = f"{value} must be a number above 0."
            raise InputError(Problem("bad_value", message, key=key))
