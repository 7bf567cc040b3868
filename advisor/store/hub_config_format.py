"""Reads the weight format of a hub config: ``quantization_config`` or the data type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_parts import layers_with, part_of, parts_named
from advisor.store.model import Attention, Build, Ffn, Part, WeightFormat

__all__ = ["build_of"]

_DTYPES: dict[str, WeightFormat] = {
    "float32": "fp32", "float": "fp32", "bfloat16": "bf16", "float16": "fp16", "half": "fp16",
}  # fmt: skip
_WIDTH = {
    "mxfp4": 4, "nvfp4": 4, "int4": 4, "awq_int4": 4, "gptq_int4": 4, "nf4": 4, "mxfp6": 6,
    "fp8": 8, "fp8_block": 8, "mxfp8": 8, "int8": 8,
}  # fmt: skip
_MODELOPT: dict[str, WeightFormat] = {
    "NVFP4": "nvfp4", "W4A16_NVFP4": "nvfp4", "NVFP4_AWQ": "nvfp4", "FP8": "fp8",
    "FP8_PER_CHANNEL_PER_TOKEN": "fp8", "FP8_PB_WO": "fp8_block", "FP8_PB_REAL": "fp8_block",
    "MXFP8": "mxfp8", "MXFP4": "mxfp4", "W4A8_MXFP4_FP8": "mxfp4", "W4A16_AWQ": "awq_int4",
    "W4A8_AWQ": "awq_int4", "W8A8_SQ_PER_CHANNEL": "int8", "INT8_SQ": "int8",
}  # fmt: skip
_GROUP = {"nvfp4": 16, "mxfp4": 32}


def build_of(
    top: Fields,
    text: Fields,
    layers: int,
    attention: tuple[Attention, ...],
    ffn: tuple[Ffn, ...],
) -> Build:
    """Return the format of the weights that the config describes.

    ``layers``, ``attention`` and ``ffn`` are the model's shapes: a part counts as wide when the
    config excludes it in at least half of the layers that have it.
    """
    quantised = top.child("quantization_config") or text.child("quantization_config")
    quantised = quantised or top.child("compression_config")
    if quantised is None:
        return Build(format=_dtype(top, text))
    build = _quantised(quantised, text)
    parts = parts_named(_excluded(quantised), layers, layers_with(attention, ffn))
    wide = tuple(part for part in parts if part not in build.part_formats)
    return build.model_copy(update={"wide": wide}) if wide else build


def _dtype(top: Fields, text: Fields) -> WeightFormat:
    for fields in (text, top):
        for name in ("torch_dtype", "dtype"):
            value = fields.text(name)
            if value in (None, "auto"):
                continue
            kind = _DTYPES.get(str(value).removeprefix("torch."))
            if kind is None:
                raise fields.problem("bad_value", f"{name} {value!r} is no known data type", name)
            return kind
    text.notes.append("the config names no data type: bf16 assumed")
    return "bf16"


def _quantised(config: Fields, text: Fields) -> Build:
    method = (config.text("quant_method") or "").lower()
    if not method and config.has("quant_algo", "quantization"):
        method = "modelopt"
    if text.raw("expert_dtype") == "fp4" or config.raw("moe_quant_algo") == "NVFP4":
        method = "fp4_experts"
    reader = _READERS.get(method)
    if reader is None:
        return _unknown(method or "unnamed")
    return reader(config)


def _block_or_tensor_fp8(config: Fields) -> Build:
    return Build(format="fp8_block" if config.has("weight_block_size") else "fp8")


def _mxfp4(_config: Fields) -> Build:
    """gpt-oss: only the experts are in MXFP4."""
    return Build(format="mxfp4", group_size=32, wide=("attention", "head"))


def _bitsandbytes(config: Fields) -> Build:
    four = config.flag("load_in_4bit", default=False)
    return Build(format="nf4" if four else "int8")


def _unknown(method: str) -> Build:
    return Build(format="other", note=f"quantisation method {method!r} is not known here")


def _fp4_experts(config: Fields) -> Build:
    """DeepSeek V4: experts in fp4, everything else in block fp8."""
    nvfp4 = config.raw("moe_quant_algo") == "NVFP4"
    rest: dict[Part, WeightFormat] = {
        "attention": "fp8_block",
        "shared_experts": "fp8_block",
        "dense_ffn": "fp8_block",
    }
    kind: WeightFormat = "nvfp4" if nvfp4 else "mxfp4"
    return Build(format=kind, group_size=_GROUP[kind], part_formats=rest)


def _integer(config: Fields) -> Build:
    method = (config.text("quant_method") or "").lower()
    bits = config.number("bits", "w_bit", default=4)
    group = config.optional("group_size", "q_group_size", minimum=-1)
    group = group if group and group > 0 else None
    family = "awq" if method == "awq" else "gptq" if method.startswith("gptq") else "round"
    kinds: dict[tuple[str, int], WeightFormat] = {
        ("awq", 4): "awq_int4",
        ("gptq", 4): "gptq_int4",
        ("round", 4): "int4",
        ("gptq", 8): "int8",
        ("awq", 8): "int8",
        ("round", 8): "int8",
    }
    kind = kinds.get((family, bits))
    if kind is None:
        return _unknown(f"{method} with {bits} bits")
    return Build(format=kind, group_size=group)


def _compressed_tensors(config: Fields) -> Build:
    groups = config.child("config_groups")
    if groups is None:
        return _unknown("compressed-tensors without config_groups")
    found: dict[str, tuple[WeightFormat, int | None]] = {}
    parts: dict[Part, WeightFormat] = {}
    for name in groups.names():
        group = groups.child(name)
        weights = group.child("weights") if group is not None else None
        if group is None or weights is None:
            continue
        label = group.text("format") or config.text("format") or ""
        found[name] = _scheme(weights, label)
        for part in parts_named(group.items("targets") or [], 0, Counter()):
            parts[part] = found[name][0]
    return _mixed(list(found.values()), parts)


def _scheme(weights: Fields, label: str) -> tuple[WeightFormat, int | None]:
    bits = weights.number("num_bits")
    kind = weights.text("type") or "int"
    group = weights.optional("group_size", minimum=-1)
    group = group if group and group > 0 else None
    if kind == "float" and bits == 4:
        micro = "mxfp4" in label or group == 32
        return ("mxfp4", 32) if micro else ("nvfp4", group or 16)
    if kind == "float" and bits == 8:
        return ("fp8_block" if weights.text("strategy") == "block" else "fp8"), None
    if kind == "int" and bits in {4, 8}:
        return ("int4" if bits == 4 else "int8"), group
    return "other", group


def _mixed(
    schemes: list[tuple[WeightFormat, int | None]], parts: dict[Part, WeightFormat]
) -> Build:
    """Take the narrowest format as the build's, and name the parts that differ."""
    if not schemes:
        return _unknown("no weight scheme")
    kind, group = min(schemes, key=lambda scheme: _WIDTH.get(scheme[0], 99))
    others = {part: value for part, value in parts.items() if value != kind}
    head: dict[Part, WeightFormat] = {"head": kind} if parts.get("head") == kind else {}
    return Build(format=kind, group_size=group, part_formats={**others, **head})


def _modelopt(config: Fields) -> Build:
    inner = config.child("quantization") or config
    layers = inner.child("quantized_layers")
    algorithm = inner.text("quant_algo") or ""
    if layers is not None:
        return _modelopt_layers(layers)
    if algorithm == "MIXED_PRECISION" or not algorithm:
        return _compressed_tensors(inner)
    kind = _MODELOPT.get(algorithm)
    if kind is None:
        return _unknown(f"modelopt {algorithm}")
    group = inner.optional("group_size") or _GROUP.get(kind)
    return Build(format=kind, group_size=group)


def _modelopt_layers(layers: Fields) -> Build:
    kinds: Counter[tuple[Part, WeightFormat]] = Counter()
    schemes: dict[WeightFormat, int | None] = {}
    for name in layers.names():
        layer = layers.child(name)
        kind = _MODELOPT.get((layer.text("quant_algo") or "") if layer else "", "other")
        schemes[kind] = _GROUP.get(kind)
        part = part_of(name)
        if part is not None:
            kinds[(part, kind)] += 1
    parts = {part: kind for (part, kind), _ in kinds.most_common()[::-1]}
    return _mixed(list(schemes.items()), parts)


_READERS: dict[str, Callable[[Fields], Build]] = {
    "fp4_experts": _fp4_experts,
    "fp8": _block_or_tensor_fp8,
    "fbgemm_fp8": _block_or_tensor_fp8,
    "awq": _integer,
    "gptq": _integer,
    "gptq_marlin": _integer,
    "auto-round": _integer,
    "autoround": _integer,
    "intel/auto-round": _integer,
    "compressed-tensors": _compressed_tensors,
    "sparseml": _compressed_tensors,
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "modelopt_mixed": _modelopt,
    "mxfp4": _mxfp4,
    "bitsandbytes": _bitsandbytes,
}


def _excluded(config: Fields) -> list[str]:
    names = ("modules_to_not_convert", "ignore", "ignored_layers", "exclude_modules")
    nested = config.child("quantization")
    found: list[Any] = []
    for fields in (config, nested) if nested is not None else (config,):
        for name in names:
            found += fields.items(name) or []
    return [str(entry) for entry in found]
