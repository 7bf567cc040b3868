"""GKE: GPUs are cut and shared by settings of a node pool, and pods always ask for whole units.

One pool has one partition size, written on its nodes as a label; the same goes for time-sharing and
MPS (Google: "Run multi-instance GPUs", "GPU time-sharing", read 2026). NVIDIA's resource names of
slices and turns, and its MIG strategies, do not occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.answers.model import Answers

__all__ = ["of_pool", "sized_by_pool"]

_WHOLE = "nvidia.com/gpu"
_SIZE = "cloud.google.com/gke-gpu-partition-size"
_STRATEGY = "cloud.google.com/gke-gpu-sharing-strategy"
_CLIENTS = "cloud.google.com/gke-max-shared-clients-per-gpu"
_STRATEGIES = {"time_slicing": "time-sharing", "mps": "mps"}


def sized_by_pool(answers: Answers) -> bool:
    """Tell whether GKE's own settings cut the GPUs: no GPU Operator was said to do it."""
    if answers.get("platform.provider") != "gke":
        return False
    return answers.get("platform.gpu_operator_version") in {None, "none"}


def of_pool(option: str, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what pods ask for and select on GKE; ``None`` where nothing is cut or shared.

    Args:
        option: The way to share.
        parameters: Of the choice: ``layout``, ``profile`` and ``replicas``.
    """
    if option == "mig":
        size = parameters.get("profile")
        selector = {} if size is None else {"node_selector": {_SIZE: size}}
        return {"resource_name": _WHOLE, **selector}
    if option in _STRATEGIES:
        clients = parameters.get("replicas")
        counted = {} if clients is None else {_CLIENTS: str(clients)}
        return {
            "resource_name": _WHOLE,
            "node_selector": {_STRATEGY: _STRATEGIES[option], **counted},
        }
    return None
