"""Tells from module names which parts of a model a quantised build leaves wide."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from advisor.store.model import (
    Attention,
    DenseFfn,
    Ffn,
    GatedDeltaNet,
    KimiDelta,
    LightningAttention,
    Mamba2,
    Part,
)

__all__ = ["layers_with", "part_of", "parts_named"]

# Module names, most telling first; norms, routers and embeddings are wide in every build.
_PARTS: tuple[tuple[str, Part], ...] = (
    (r"visual|vision|mm_projector|multi_modal_projector|embed_vision", "vision"),
    (r"linear_attn|mamba|mixer\.(in|out)_proj", "linear_attention"),
    (r"shared_expert", "shared_experts"),
    (r"experts", "experts"),
    (r"attn|attention|mixer\.[qkvo]_proj", "attention"),
    (r"lm_head|(^|\.)head$|output_layer", "head"),
    (r"(mlp|feed_forward|ffn)(\.|\\\.|\*|.*(gate|up|down)_proj|$)", "dense_ffn"),
)
_ALWAYS_WIDE = re.compile(
    r"norm|router|embed_tokens|wte|(mlp|moe|block_sparse_moe|mixer)\.gate$|shared_expert_gate"
    r"|e_score|conv|rotary|^gate$|indexer|\bmtp"
)


def layers_with(attention: tuple[Attention, ...], ffn: tuple[Ffn, ...]) -> Counter[Part]:
    """Count the layers that hold each part."""
    counts: Counter[Part] = Counter()
    for group in attention:
        linear = isinstance(group, GatedDeltaNet | KimiDelta | Mamba2 | LightningAttention)
        counts["linear_attention" if linear else "attention"] += group.layers
        if isinstance(group, KimiDelta):
            counts["attention"] += group.layers  # both kinds are called self_attn there
    for block in ffn:
        if isinstance(block, DenseFfn):
            counts["dense_ffn"] += block.layers
            continue
        counts["experts"] += block.layers
        counts["shared_experts"] += block.layers if block.shared_experts else 0
    return counts


def part_of(module: str) -> Part | None:
    """Return the part that a module name belongs to, ``None`` for norms and the like."""
    lowered = module.lower()
    return next((part for pattern, part in _PARTS if re.search(pattern, lowered)), None)


def parts_named(modules: list[Any], layers: int, holders: Counter[Part]) -> tuple[Part, ...]:
    """Return the parts that ``modules`` name, if for at least half of the layers with it.

    A pattern without a layer number stands for all layers. Whole blocks at the start or the
    end of the stack become ``first_last_layers``.
    """
    touched: dict[Part, set[str]] = {}
    blocks: set[int] = set()
    for module in map(str, modules):
        if _ALWAYS_WIDE.search(module.lower()):
            continue
        whole = re.search(r"layers\.(\d+)\.?\*?$", module)
        part = None if whole else part_of(module)
        if whole:
            blocks.add(int(whole[1]))
        elif part is not None:
            number = re.search(r"layers\.(\d+)", module)
            touched.setdefault(part, set()).add(number[1] if number else "all")
    parts = [
        part
        for _, part in _PARTS
        if part in touched and ("all" in touched[part] or 2 * len(touched[part]) >= holders[part])
    ]
    if "attention" in parts and holders["linear_attention"] and _same_name(holders, layers):
        parts.append("linear_attention")
    if blocks & {0, layers - 1}:
        parts.append("first_last_layers")
    beside = "dense_ffn" in parts and holders["experts"] and not holders["dense_ffn"]
    if beside:  # Gemma 4: the block beside the experts is entered as a shared expert
        parts = ["shared_experts" if part == "dense_ffn" else part for part in parts]
    return tuple(dict.fromkeys(parts))


def _same_name(holders: Counter[Part], layers: int) -> bool:
    """Tell whether linear layers are counted as attention too (Kimi delta layers)."""
    return holders["attention"] == layers > holders["linear_attention"]
