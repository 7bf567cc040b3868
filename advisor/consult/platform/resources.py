"""What a pod asks for, and the MIG strategy that gives it that name; a claim where DRA serves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from advisor.consult.platform.cluster_claims import claims_of
from advisor.consult.platform.cluster_place import find_place
from advisor.consult.platform.settled import Settled
from advisor.consult.watched import watched

__all__ = ["resources_of"]

_WHOLE = {"nvidia": "nvidia.com/gpu", "amd": "amd.com/gpu", "intel": "habana.ai/gaudi"}
_CLASSES = {"nvidia": "gpu.nvidia.com", "amd": "gpu.amd.com"}
"""Device classes that the DRA drivers of the makers install, for whole GPUs."""
_MIG_CLASS = "mig.nvidia.com"
_CLAIMABLE = frozenset({"exclusive", "one_process", "multi_lora", "amd_partition", "mig"})
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
    vendors: tuple[str, ...] = tuple(dict.fromkeys(card.gpu.vendor for card in settled.cards))
    vendors = vendors or (min(settled.vendors, default="nvidia"),)
    classes = [name for vendor in vendors if (name := _claimed(option, vendor, settled))]
    if classes:
        return _named(f"ResourceClaim of DeviceClass {name}" for name in classes)
    if option in {"time_slicing", "mps"}:
        return {"resource_name": _SHARED}
    if option in {"mig", "mig_in_guest"}:
        return _of_mig(parameters, answers.values.get("platform.mig_strategy"))
    if option in {"exclusive", "one_process", "amd_partition", "multi_lora"}:
        return _named(_WHOLE[vendor] for vendor in vendors if vendor in _WHOLE)
    return {}


def _named(found: Iterable[str]) -> dict[str, Any]:
    """Return one name as such and several, those of GPUs of several makers, as a list."""
    names = list(dict.fromkeys(found))
    if len(names) > 1:
        return {"resource_names": names}
    return {"resource_name": names[0]} if names else {}


def _claimed(option: str, vendor: str, settled: Settled) -> str | None:
    """Return the device class that a pod claims; ``None`` where the device plugin serves.

    With DRA the plugin is off, and a pod that asks for its resource stays Pending. What is looked
    at here decides about nodes and not about shares, so no look is noted.
    """
    name = _MIG_CLASS if option == "mig" else _CLASSES.get(vendor)
    if option not in _CLAIMABLE or name is None:
        return None
    unseen = replace(settled, answers=watched(settled.answers))
    knowledge = settled.desk.knowledge
    place = find_place(unseen.answers, knowledge)
    image = knowledge.node_images.get(str(settled.answers.values.get("platform.node_image")))
    return name if claims_of(unseen, place, image).usable else None


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
