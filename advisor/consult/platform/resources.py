"""What a pod asks for, and the MIG strategy that gives it that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.consult.platform.settled import Settled

__all__ = ["resources_of"]

_WHOLE = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu"}
_SHARED = "nvidia.com/gpu.shared"
"""With ``renameByDefault``, so that nobody takes a turn for a whole GPU."""


def resources_of(option: str, parameters: Mapping[str, Any], settled: Settled) -> dict[str, Any]:
    """Return ``resource_name`` (``resource_names`` for several) and ``strategy`` on Kubernetes.

    Args:
        option: The way to share.
        parameters: Of the choice: ``layout`` and ``profile``.
        settled: Answers and GPUs.
    """
    answers = settled.full_answers
    if answers.values.get("platform.orchestrator") != "kubernetes":
        return {}
    vendor = "nvidia" if not settled.cards else settled.cards[0].gpu.vendor
    if option in {"time_slicing", "mps"}:
        return {"resource_name": _SHARED}
    if option in {"mig", "mig_in_guest"}:
        return _of_mig(parameters, answers.values.get("platform.mig_strategy"))
    if option in {"exclusive", "one_process", "amd_partition", "multi_lora"}:
        name = _WHOLE.get(vendor)
        return {} if name is None else {"resource_name": name}
    return {}


def _of_mig(parameters: Mapping[str, Any], stated: object) -> dict[str, Any]:
    layout = parameters.get("layout")
    if not isinstance(layout, list) or not layout:
        return {}
    rows = layout if isinstance(layout[0], list) else [layout]
    names = list(dict.fromkeys(profile for row in rows for profile in row))
    if not names:
        return {}
    even = len(names) == 1 and all(rows)
    strategy = "single" if even and stated in {None, "none", "single"} else "mixed"
    if strategy == "single":
        return {"strategy": strategy, "resource_name": _WHOLE["nvidia"]}
    resources = [f"nvidia.com/mig-{name.replace('+', '.')}" for name in names]
    profile = parameters.get("profile")
    first = resources[names.index(profile)] if profile in names else resources[0]
    found: dict[str, Any] = {"strategy": strategy, "resource_name": first}
    if not all(rows):
        resources.append(_WHOLE["nvidia"])
    return {**found, "resource_names": resources} if len(resources) > 1 else found
