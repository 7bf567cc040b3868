"""What a warning tells somebody to run must exist where the advice puts them.

Reads the printed consultation and the catalogues, none of the code that decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from advisor.store.loader import load_knowledge

__all__ = ["misplaced_words"]

_PLAIN = {"docker", "slurm", "bare_metal"}
_PLAIN_NODES = {"docker_host", "slurm", "bare_metal"}
_OF_KUBERNETES = re.compile(
    r"\b(kubectl|helm|ClusterPolicy|migManager|ConfigMap|DaemonSet|emptyDir|NodePool|NodeClaim)\b"
)
_OF_NVIDIA = re.compile(r"nvidia-smi|nvidia-ctk|nvidia\.com/|\bDCGM_|\bdcgmi\b|\bnvidia-fabric")
_OF_OTHERS = re.compile(r"\b(amd-smi|rocm-smi|hl-smi|amdgpu|habanalabs)\b")
_PACKAGES = re.compile(r"\b(apt|apt-get|apt-mark|dnf|yum)\b")
_SEALED = {
    "talos", "eks-bottlerocket-nvidia", "eks-auto-mode", "gke-cos", "gke-autopilot", "rhcos",
}  # fmt: skip

Found = Mapping[str, Any]


def misplaced_words(found: Found) -> Iterator[str]:
    """Yield a sentence for each command that does not exist there.

    A conflict is about answers that do not go together, so it may name what is not there.
    """
    made = {name: decision["choice"] or {} for name, decision in found["decisions"].items()}
    given = {answer["key"]: answer["value"] for answer in found["answers"]}
    nodes = made.get("provisioning", {})
    for warning in found["warnings"]:
        if warning["kind"] == "conflict":
            continue
        told = f"{warning.get('check', '')} {warning.get('fix', '')}"
        word = _OF_KUBERNETES.search(told)
        if word and _is_plain(nodes, given):
            yield f"{warning['id']} says {word[0]} where there is no Kubernetes"
        word = _OF_NVIDIA.search(told)
        if word and _foreign(made) and not _OF_OTHERS.search(told):
            yield f"{warning['id']} says {word[0]} and no GPU is NVIDIA's"
        word = _PACKAGES.search(told)
        if word and nodes.get("node_image") in _SEALED:
            yield f"{warning['id']} says {word[0]} on {nodes['node_image']}"
    yield from _twice(found)
    yield from _parts(nodes)


def _is_plain(nodes: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    return given.get("platform.orchestrator") in _PLAIN and nodes.get("option") in _PLAIN_NODES


def _foreign(made: Mapping[str, Mapping[str, Any]]) -> bool:
    """Tell whether the chosen GPU is known and of another maker."""
    names = {made.get(name, {}).get("gpu") for name in ("gpu", "sharing")} - {None}
    cards = [load_knowledge().gpus.get(str(name)) for name in names]
    return bool(cards) and all(card is not None and card.vendor != "nvidia" for card in cards)


def _twice(found: Found) -> Iterator[str]:
    """Yield warnings that say the same sentence."""
    texts = [warning.get("text", "") for warning in found["warnings"]]
    for text in sorted({text for text in texts if text and texts.count(text) > 1}):
        yield f"two warnings say: {text}"


def _parts(nodes: Mapping[str, Any]) -> Iterator[str]:
    """Yield versions of parts that the choice does without."""
    versions = set(nodes.get("versions") or ())
    if nodes.get("option") in _PLAIN_NODES:
        for name in sorted(versions & {"kubernetes", "karpenter", "kueue", "nvidia-device-plugin"}):
            yield f"a version of {name} without Kubernetes"
    if nodes.get("gpu_operator") == "none" and "gpu-operator" in versions:
        yield "a version of the GPU Operator, which is not to run"
    if "karpenter" in versions and nodes.get("option") != "karpenter":
        yield f"a version of karpenter for {nodes.get('option')}"
