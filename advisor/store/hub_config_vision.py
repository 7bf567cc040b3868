"""Estimates the vision tower beside a language model from ``vision_config``."""

from __future__ import annotations

from advisor.store.hub_config_fields import Fields
from advisor.store.model import Vision

__all__ = ["vision_of"]

# Towers whose feed-forward blocks have three matrices.
_GATED = frozenset({"qwen2_5_vl", "qwen2_5_vl_vision", "gemma4_vision", "pixtral"})


def vision_of(top: Fields, text_hidden: int, notes: list[str]) -> Vision | None:
    """Return the tower with an estimated parameter count, ``None`` for a text model.

    Counted are the blocks, the patch embedding and a two-matrix projector over merged
    patches; convolutions, positions and norms are left out.
    """
    tower = top.child("vision_config")
    if tower is None:
        if top.has("vision_tower", "mm_vision_tower"):
            notes.append("the vision tower is named but not described: it is not counted")
        return None
    # Qwen2-VL calls the tower's width embed_dim and its output hidden_size
    width = tower.optional("embed_dim", "vt_hidden_size", "hidden_size")
    layers = tower.optional("depth", "vt_num_hidden_layers", "num_hidden_layers", "num_layers")
    if width is None or layers is None:
        notes.append("vision_config gives no width or depth: the vision tower is not counted")
        return Vision(parameters_b=0.0)
    inner = tower.optional("vt_intermediate_size", "intermediate_size")
    inner = inner or round(tower.real("mlp_ratio", 4.0) * width)
    patch = tower.optional("patch_size", "spatial_patch_size") or 14
    frames = tower.optional("temporal_patch_size") or 1
    matrices = 3 if tower.model_type in _GATED else 2
    blocks = layers * (4 * width * width + matrices * width * inner)
    embedding = 3 * frames * patch * patch * width
    merged = width * (tower.optional("spatial_merge_size") or 1) ** 2
    projector = merged * merged + merged * text_hidden
    total = (blocks + embedding + projector) / 1e9
    notes.append(f"the vision tower's {total:.2f}B parameters are estimated from vision_config")
    return Vision(parameters_b=round(total, 4), hidden_size=width, intermediate_size=inner)
