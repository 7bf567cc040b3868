"""Shapes that cannot be: layers that do not add up, heads that do not divide, odd generations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.store.gpu import Gpu
from advisor.store.mig import MigTable
from advisor.store.model import Model

__all__ = ["Fault", "gpu_faults", "mig_faults", "model_faults"]

Fault = tuple[str, tuple[str | int, ...]]
"""What is wrong, and the path of the key inside the record."""

_PROFILE = re.compile(r"(\d+)g\.(\d+)gb")
"""The name of a MIG profile, such as ``2g.20gb``: compute slices and GB."""
_CAPABILITY = re.compile(r"\d{1,2}\.\d")
_LEAST_BYTES_PER_FLOP = 0.001
_MOST_BYTES_PER_FLOP = 0.03
"""GB/s per dense bf16 GFLOPS of every card sold lies well inside these."""


def model_faults(model: Model) -> Iterator[Fault]:
    """Yield what cannot be true of a model's shapes."""
    for name in ("attention", "ffn"):
        groups = getattr(model, name)
        total = sum(group.layers for group in groups)
        if total > model.layers:
            yield f"{total} layers are described, the model has {model.layers}.", (name,)
    described = sum(a.layers for a in model.attention)
    # one block a layer (Nemotron-H): attention and feed-forward layers add up instead
    apart = described + sum(f.layers for f in model.ffn) == model.layers
    if model.attention and described < model.layers and not (apart or model.notes):
        message = f"{described} of {model.layers} layers are described: say in notes why."
        yield message, ("attention",)
    for index, group in enumerate(model.attention):
        heads, kv_heads = getattr(group, "heads", None), getattr(group, "kv_heads", None)
        if heads and kv_heads and heads % kv_heads:
            message = f"{heads} heads do not share {kv_heads} KV heads evenly."
            yield message, ("attention", index, "kv_heads")


def gpu_faults(gpu: Gpu) -> Iterator[Fault]:
    """Yield what cannot be true of a card."""
    capability = gpu.compute_capability
    if capability is not None and _CAPABILITY.fullmatch(capability) is None:
        yield f"{capability!r} is no compute capability such as 9.0.", ("compute_capability",)
    rate = gpu.tflops.bf16
    if rate and gpu.memory_bandwidth_gbs:
        share = gpu.memory_bandwidth_gbs / (rate * 1000)
        if not _LEAST_BYTES_PER_FLOP < share < _MOST_BYTES_PER_FLOP:
            yield (
                f"{gpu.memory_bandwidth_gbs:g} GB/s do not go with {rate:g} dense TFLOPS.",
                ("memory_bandwidth_gbs",),
            )


def mig_faults(table: MigTable) -> Iterator[Fault]:
    """Yield what cannot be true of the instance sizes of a card."""
    for position, profile in enumerate(table.profiles):
        path = ("profiles", position)
        match = _PROFILE.match(profile.profile)
        said = match and (int(match[1]), int(match[2]))
        if said and said != (profile.compute_slices, profile.memory_gb):
            message = f"{profile.profile} has other slices or another memory than its name says."
            yield message, path
        if (
            profile.compute_slices * profile.max_instances > table.compute_slices
            or profile.memory_slices * profile.max_instances > table.memory_slices
        ):
            yield f"{profile.max_instances} x {profile.profile} need more than one GPU.", path
