"""Sharing and provisioning in words: the headline, and the few settings that one acts on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from advisor.counted import counted

__all__ = ["option_words", "platform_headline", "platform_rows"]

_SHARING = {
    "exclusive": "whole GPUs, nothing shared",
    "mig": "MIG instances",
    "mig_in_guest": "MIG inside the virtual machine that holds the whole GPU",
    "time_slicing": "time-slicing",
    "mps": "MPS",
    "vgpu": "vGPU, shared by time",
    "vgpu_mig": "MIG-backed vGPU",
    "passthrough": "whole GPUs passed through to virtual machines",
    "amd_partition": "AMD compute partitions",
    "sriov": "one SR-IOV function per GPU",
    "multi_lora": "one engine with many adapters",
    "fractional_scheduler": "fractions booked by a scheduler",
    "one_process": "several engines with fixed shares of memory",
}
_PROVISIONING = {
    "static_pool": "a static pool of nodes",
    "karpenter": "Karpenter",
    "cluster_autoscaler": "Cluster Autoscaler",
    "managed_pool": "the provider's node pools",
    "auto_mode": "EKS Auto Mode",
    "docker_host": "a host with Docker",
    "slurm": "Slurm",
    "bare_metal": "processes on the host",
}
_ROWS = {
    "sharing": (
        ("cut into", "layout"),
        ("strategy", "strategy"),
        ("pods ask for", "resource_name"),
        ("engines", "replicas"),
        ("weights", "weight_format"),
        ("GPUs needed", "gpus_needed"),
        ("VMs per GPU", "vms_per_gpu"),
        ("frame buffer", "framebuffer_gb"),
        ("node selector", "node_selector"),
        ("memory share", "memory_fraction"),
        ("adapters", "adapters"),
        ("machine", "machine"),
        ("GPUs per VM", "gpus_per_vm"),
    ),
    "provisioning": (
        ("image", "node_image"),
        ("capacity", "capacity"),
        ("driver by", "driver_owner"),
        ("driver runs in", "driver_in"),
        ("toolkit by", "toolkit_owner"),
        ("GPUs offered by", "device_owner"),
        ("GPU Operator", "gpu_operator"),
        ("RDMA", "rdma_exposure"),
        ("queue", "queueing"),
    ),
}


def option_words(option: str) -> str | None:
    """Return an option of sharing or provisioning as it is said; ``None`` for another decision."""
    return _SHARING.get(option) or _PROVISIONING.get(option)


_WORDS = frozenset(
    {"machine", "capacity", "device_owner", "driver_in", "gpu_operator", "rdma_exposure"}
)
"""Settings whose values are words of ours; names of images and resources stay as they are."""


def platform_headline(values: Mapping[str, Any]) -> str | None:
    """Return a choice of sharing or provisioning as one sentence part, else ``None``."""
    option = str(values.get("option"))
    if option in _PROVISIONING and "gpu" not in values:
        image = values.get("node_image")
        return _PROVISIONING[option] + (f", nodes of {image}" if image else "")
    if option not in _SHARING:
        return None
    text = _SHARING[option]
    if values.get("profile"):
        text += f" {values['profile']}"
    elif option == "time_slicing" and values.get("replicas"):
        text += f", {values['replicas']} turns a GPU"
    return text + (f" on {values['gpu']}" if values.get("gpu") else "")


def platform_rows(name: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield label and text of the settings of a choice, those that it has."""
    for label, key in _ROWS.get(name, ()):
        value = values.get(f"{key}s") or values.get(key)
        if value not in (None, "", [], "none") or _absent_on_purpose(key, values):
            text = _text(value)
            yield label, text.replace("_", " ") if key in _WORDS else text
    if name == "sharing":
        yield from _room_of_an_instance(values)
        yield from _placement(values.get("placement"))
    if name == "provisioning":
        yield from _cold_start(values.get("cold_start"))
        versions = values.get("versions")
        if isinstance(versions, Mapping) and versions:
            yield "versions", ", ".join(f"{key} {value}" for key, value in versions.items())


def _room_of_an_instance(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what one instance holds: the figures of the GPU decision are those of a whole one."""
    profile, room = values.get("profile"), values.get("requests_at_once")
    length = values.get("max_model_len")
    if profile and room is not None and length is not None:
        held = f"{counted(room, 'request')} of {length:,} tokens at once"
        yield "room", f"{held} in a {profile}; room and speed above are a whole GPU's"


def _absent_on_purpose(key: str, values: Mapping[str, Any]) -> bool:
    """Tell whether ``none`` is an answer: an operator that Kubernetes nodes do without."""
    return key == "gpu_operator" and values.get("device_owner") in {"device_plugin", "platform"}


def _text(value: object) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        rows = {" + ".join(row) or "whole": value.count(row) for row in value}
        return "; ".join(f"{count} x ({row})" for row, count in rows.items())
    if isinstance(value, list):
        counts = {str(part): value.count(part) for part in value}
        return ", ".join(
            f"{count} x {part}" if count > 1 else part for part, count in counts.items()
        )
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={part}" for key, part in value.items())
    return str(value)


def _placement(lines: object) -> Iterator[tuple[str, str]]:
    for line in lines if isinstance(lines, list) else ():
        where = line.get("profile") or (
            f"{line['memory_fraction']:.0%} of its memory" if "memory_fraction" in line else "whole"
        )
        count = line.get("gpus") or line.get("replicas") or 1
        yield str(line["workload"]), f"{count} x {line['gpu']}, {where}"


def _cold_start(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and "low_minutes" in value:
        yield "cold start", f"{value['low_minutes']:g} to {value['high_minutes']:g} minutes"
