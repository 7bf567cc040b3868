"""Weight formats: bytes per weight, and which hardware runs them how."""

from __future__ import annotations

from typing import Literal

from advisor.sizing.engine_rules import NEVER, EngineRules
from advisor.sizing.result import SizeProblem
from advisor.store.formats import WeightFormatRecord
from advisor.store.gpu import Gpu
from advisor.store.model import Build, Model

__all__ = ["FormatSupport", "choose_build", "format_support", "support_problems", "weight_bytes"]

_LOADED_NARROWER = "fp32"
"""A build of it runs in the 16-bit type that the model computes in."""

FormatSupport = Literal["native", "weight_only", "unsupported", "unknown"]


def weight_bytes(record: WeightFormatRecord, group_size: int | None = None) -> float:
    """Return bytes per quantised weight, scales included.

    A format without a size of its own (``other``) counts as 16 bit: the caller then scales to
    the size of the published files.
    """
    for group in record.groups:
        if group.group_size == group_size:
            return group.bytes_per_weight
    return record.bytes_per_weight or 2.0


def choose_build(
    model: Model, weight_format: str | None, build_id: str | None
) -> tuple[str, Build | None]:
    """Return the format to size and the catalogued build that backs it, if any.

    ``fp8`` where block fp8 is all that was published means those weights: their 128x128 blocks
    decide which splits are legal. The vendor's own build comes before others of the same format.
    """
    wanted = _wanted_format(model, weight_format)
    unsaid = weight_format is None or weight_format == "checkpoint"
    if build_id is not None:
        for build in model.builds:
            named = build.hf_id is not None and build.hf_id.casefold() == build_id.casefold()
            # a hub id names weights only as long as no other format is asked for
            if named and build.format != _LOADED_NARROWER and (unsaid or build.format == wanted):
                return build.format, build
    for build in model.builds:
        if build.format == wanted:
            return build.format, build
    if wanted == "bf16" and model.published_format == "fp16":
        return "bf16", model.builds[0]
    return wanted, None


def _wanted_format(model: Model, weight_format: str | None) -> str:
    """Return the catalogue id of the format that the stated one means for this model."""
    if weight_format is None or weight_format == "checkpoint":
        if model.published_format != "fp32":
            return model.published_format
        # engines load fp32 checkpoints in the 16-bit type they compute in
        return model.compute_dtype if model.compute_dtype != "fp32" else "fp16"
    published = {build.format for build in model.builds}
    if weight_format == "fp8" and "fp8" not in published and "fp8_block" in published:
        return "fp8_block"
    return weight_format


def format_support(record: WeightFormatRecord, gpu: Gpu) -> FormatSupport:
    """Say how ``gpu`` runs weights in this format; handbook section 7.3."""
    if gpu.vendor == "nvidia":
        return _nvidia_support(record, gpu.compute_capability)
    if gpu.architecture in record.native_other or gpu.gfx_target in record.native_gfx:
        return "native"
    if gpu.gfx_target in record.weight_only_gfx:
        return "weight_only"
    return "unsupported"


def _nvidia_support(record: WeightFormatRecord, capability: str | None) -> FormatSupport:
    if capability is None:
        return "unknown"
    if capability in record.native_compute_capabilities:
        return "native"
    lowest = record.weight_only_min_compute_capability
    if lowest is not None and float(capability) >= float(lowest):
        return "weight_only"
    return "unsupported"


def support_problems(
    record: WeightFormatRecord, gpu: Gpu, rules: EngineRules, *, given: bool
) -> tuple[str, tuple[SizeProblem, ...]]:
    """Return the format that will run and what to say about it.

    bf16 weights on a generation without bf16 run as fp16 when the format was not asked for.
    """
    support = format_support(record, gpu)
    casts = record.id == "bf16" and support == "unsupported" and not given
    refused = _refused_by_version("fp16" if casts else record.id, gpu, rules)
    if refused is not None:
        return record.id, (refused,)
    if support == "native":
        return record.id, ()
    if support == "weight_only":
        text = (
            f"{gpu.name} has no {record.id} units: weights are dequantised in the kernel, which "
            "saves memory and bandwidth but no arithmetic."
        )
        return record.id, (SizeProblem(code="weight_only_format", text=text, section="7.3"),)
    if support == "unknown":
        text = (
            f"the generation of this card ({gpu.name}) is not known, and so neither is whether it "
            f"runs {record.id}: give --gpu-compute-capability."
        )
        return record.id, (SizeProblem(code="gpu_unknown", text=text, section="2.1"),)
    if casts:
        text = (
            f"{gpu.name} has no bf16: {rules.label} refuses it unless told --dtype half; sized as "
            "fp16, which some models overflow."
        )
        return "fp16", (SizeProblem(code="dtype_cast", text=text, section="2.1"),)
    text = f"{rules.label} cannot run {record.id} weights on {gpu.name}; {_remedy(record, gpu)}"
    problem = SizeProblem(code="format_unsupported_on_gpu", text=text, section="7.3", blocking=True)
    return record.id, (problem,)


_KERNELS = {"awq_int4": "awq", "gptq_int4": "gptq", "fp8_block": "fp8"}
"""Names of formats in the engine catalogue where they differ from the formats'."""


def _refused_by_version(weight_format: str, gpu: Gpu, rules: EngineRules) -> SizeProblem | None:
    """Return why this engine version cannot load the format on this NVIDIA card, if so."""
    least = rules.least_capability.get(_KERNELS.get(weight_format, weight_format))
    if least is None or gpu.vendor != "nvidia" or gpu.compute_capability is None:
        return None
    if least <= rules.least_capability.get("fp16", 0.0):
        return None  # the floor of the engine itself, see verdict
    if float(gpu.compute_capability) >= least:
        return None
    remedy = "run fp16 instead" if weight_format == "bf16" else "take another version or format"
    text = (
        f"{rules.label} cannot load {weight_format} weights; {remedy}."
        if least >= NEVER
        else f"{rules.label} runs {weight_format} weights from compute capability {least} on, "
        f"{gpu.name} has {gpu.compute_capability}: {remedy}."
    )
    return SizeProblem(code="format_unsupported_on_gpu", text=text, section="7.3", blocking=True)


def _remedy(record: WeightFormatRecord, gpu: Gpu) -> str:
    if record.id == "bf16":
        return "run fp16 instead."
    known = [*record.native_compute_capabilities]
    if record.weight_only_min_compute_capability is not None:
        known.append(record.weight_only_min_compute_capability)
    if gpu.vendor == "nvidia" and known:
        lowest = min(known, key=float)
        return f"it needs compute capability {lowest}, this card has {gpu.compute_capability}."
    return "take another format."
