"""Recognises softmax attention: multi-head, grouped, multi-query, sliding and chunked layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.store.hub_config_families import (
    ALL_LAYERS_SLIDE,
    CLASS_DEFAULTS,
    SLIDING_PATTERNS,
    WINDOW_BY_INDEX,
)
from advisor.store.hub_config_fields import Fields
from advisor.store.model import Attention, FullAttention, WindowedAttention

__all__ = [
    "Heads",
    "class_default",
    "heads_of",
    "hidden_size_of",
    "layers_of",
    "softmax_attention",
]

LayerKind = Literal["full", "sliding", "chunked"]

_MOST_LAYERS = 2000

_KINDS: dict[str, LayerKind] = {
    "full_attention": "full",
    "attention": "full",
    "global": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "minimax_m3_sparse": "full",
}


@dataclass(frozen=True, slots=True)
class Heads:
    """Query heads, key/value heads and their width."""

    heads: int
    kv_heads: int
    head_dim: int


def hidden_size_of(fields: Fields) -> int:
    """Return the model width."""
    return fields.number("hidden_size", "n_embd", "n_embed", "d_model", "dim")


def layers_of(fields: Fields) -> int:
    """Return the number of decoder blocks.

    Raises:
        InputError: It is missing, or larger than any model's.
    """
    layers = fields.number("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    if layers > _MOST_LAYERS:
        message = f"{layers} layers: no model is that deep"
        raise fields.problem("bad_value", message, "num_hidden_layers")
    return layers


def class_default(fields: Fields, name: str) -> int | None:
    """Return the default that the model's class gives ``name``, and note its use."""
    value = CLASS_DEFAULTS.get(fields.model_type, {}).get(name)
    if value is not None:
        fields.notes.append(f"{name} is not in the config: {fields.model_type} defaults to {value}")
    return value


def heads_of(fields: Fields) -> Heads:
    """Return the head counts; no count of key/value heads means multi-head attention.

    Raises:
        InputError: A count is missing, or the counts do not divide.
    """
    heads = fields.optional("num_attention_heads", "n_head", "n_heads")
    heads = heads or class_default(fields, "num_attention_heads")
    if heads is None:
        heads = fields.missing("num_attention_heads", "n_head", "n_heads")
    kv_heads = _kv_heads(fields, heads)
    if kv_heads > heads or heads % kv_heads:
        message = f"{heads} attention heads cannot share {kv_heads} key/value heads"
        raise fields.problem("bad_value", message, "num_key_value_heads")
    return Heads(heads, kv_heads, _head_dim(fields, heads))


def _kv_heads(fields: Fields, heads: int) -> int:
    if fields.has("multi_query_attention"):
        grouped = fields.flag("multi_query_attention", default=False)
        return fields.number("multi_query_group_num") if grouped else heads
    if fields.model_type in {"falcon", "refinedweb", "refinedwebmodel", "gpt_bigcode"}:
        return _multi_query_heads(fields, heads)
    nested = fields.child("attn_config")  # MPT and DBRX
    if nested is not None:
        if nested.text("attn_type") == "multiquery_attention":
            return 1
        return nested.number("kv_n_heads", default=heads)
    given = fields.optional(
        "num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "num_attention_groups"
    )
    return given or class_default(fields, "num_key_value_heads") or heads


def _multi_query_heads(fields: Fields, heads: int) -> int:
    """Falcon and StarCoder: one key/value head unless the new decoder names more."""
    if fields.flag("new_decoder_architecture", default=False):
        return fields.number("num_kv_heads", "n_head_kv", default=heads)
    if fields.has("n_head_kv"):
        return fields.number("n_head_kv")
    fields.ignore("num_kv_heads")
    return 1 if fields.flag("multi_query", default=True) else heads


def _head_dim(fields: Fields, heads: int) -> int:
    given = fields.optional("head_dim", "attention_head_dim", "kv_channels", "d_head")
    given = given or class_default(fields, "head_dim")
    if given is not None:
        return given
    hidden = hidden_size_of(fields)
    if hidden % heads:
        message = f"no head_dim, and hidden size {hidden} does not divide by {heads} heads"
        raise fields.problem("bad_value", message, "head_dim")
    return hidden // heads


def softmax_attention(fields: Fields, layers: int, context: int) -> tuple[Attention, ...]:
    """Return the attention groups of a model whose layers all use softmax attention.

    Args:
        fields: The text part of the config.
        layers: Number of blocks.
        context: Longest context; a window that is wider is no window.
    """
    heads = heads_of(fields)
    kinds = _layer_kinds(fields, layers)
    if "sliding" in kinds and (window := fields.number("sliding_window")) >= context:
        fields.notes.append(f"sliding_window {window} is not below the context: layers are full")
        kinds = ["full" if kind == "sliding" else kind for kind in kinds]
    groups: list[Attention] = []
    full = kinds.count("full")
    if full:
        groups += _full_groups(fields, heads, full)
    for kind in ("sliding", "chunked"):
        count = kinds.count(kind)
        if count:
            groups.append(_windowed(fields, heads, count, kind))
    return tuple(groups)


def _full_groups(fields: Fields, heads: Heads, layers: int) -> list[Attention]:
    if fields.model_type in {"gemma4_text", "gemma4"}:
        return [_gemma4_global(fields, heads, layers)]
    gate = fields.flag("attn_output_gate", default=False)
    gate = fields.flag("attention_output_gate", default=gate)
    plain = FullAttention(
        layers=layers,
        heads=heads.heads,
        kv_heads=heads.kv_heads,
        head_dim=heads.head_dim,
        output_gate=gate,
    )
    sparse = _block_sparse(fields, layers)
    if sparse is None:
        return [plain]
    count, index_heads, width = sparse
    indexed = plain.model_copy(
        update={"layers": count, "index_heads": index_heads, "index_head_dim": width}
    )
    rest = layers - count
    return [plain.model_copy(update={"layers": rest}), indexed] if rest else [indexed]


def _block_sparse(fields: Fields, layers: int) -> tuple[int, int, int] | None:
    """Return layers, index heads and index width of MiniMax M3's block-sparse attention."""
    nested = fields.child("sparse_attention_config")
    if nested is None or not nested.flag("use_sparse_attention", default=False):
        return None
    pattern = nested.items("sparse_attention_freq", layers)
    count = sum(1 for entry in pattern if entry) if pattern else layers
    if count == 0:
        return None
    return count, nested.number("sparse_num_index_heads"), nested.number("sparse_index_dim")


def _gemma4_global(fields: Fields, heads: Heads, layers: int) -> FullAttention:
    shared = fields.flag("attention_k_eq_v", default=False)
    kv_heads = fields.optional("num_global_key_value_heads") if shared else None
    return FullAttention(
        layers=layers,
        heads=heads.heads,
        kv_heads=kv_heads or heads.kv_heads,
        head_dim=fields.optional("global_head_dim") or heads.head_dim,
        values_from_keys=shared,
    )


def _windowed(fields: Fields, heads: Heads, layers: int, kind: str) -> WindowedAttention:
    if kind == "chunked":
        window = fields.optional("attention_chunk_size")
        window = window or class_default(fields, "attention_chunk_size")
        if window is None:
            window = fields.missing("attention_chunk_size")
        local: Literal["sliding", "chunked"] = "chunked"
    else:
        window = fields.number("sliding_window")
        local = "sliding"
    return WindowedAttention(
        kind=local,
        layers=layers,
        heads=heads.heads,
        kv_heads=heads.kv_heads,
        head_dim=heads.head_dim,
        window=window,
    )


def _layer_kinds(fields: Fields, layers: int) -> list[LayerKind]:
    listed = fields.items("layer_types", layers)
    if listed is not None:
        unknown = next((entry for entry in listed if entry not in _KINDS), None)
        if unknown is not None:
            message = f"layer_types names {unknown!r}, which this version cannot size"
            raise fields.problem("unknown_attention", message, "layer_types")
        fields.ignore("sliding_window", "attention_chunk_size")  # the list says who uses them
        return [_KINDS[entry] for entry in listed]
    kind = fields.model_type
    if kind in {"llama4_text", "llama4"}:
        return _llama4_kinds(fields, layers)
    if kind in {"gemma4_text", "gemma4"}:
        fields.missing("layer_types")
    if kind in WINDOW_BY_INDEX:
        return _kinds_by_index(fields, layers)
    if kind in ALL_LAYERS_SLIDE:
        return ["sliding" if fields.has("sliding_window") else "full"] * layers
    if kind in SLIDING_PATTERNS and fields.has("sliding_window"):
        return _kinds_by_pattern(fields, layers, SLIDING_PATTERNS[kind])
    if fields.raw("use_sliding_window") is False:
        fields.ignore("sliding_window")
    if kind in {"minimax_m2", "minimax_m3", "minimax_m3_vl", "minimax_m3_vl_text"}:
        fields.ignore("attn_type_list")  # a list with a linear layer was caught before
    return ["full"] * layers


def _llama4_kinds(fields: Fields, layers: int) -> list[LayerKind]:
    if "attention_chunk_size" in set(fields.names()) and not fields.has("attention_chunk_size"):
        return ["full"] * layers
    step = fields.number("no_rope_layer_interval", default=4)
    rope = fields.items("no_rope_layers", layers) or [
        int((index + 1) % step != 0) for index in range(layers)
    ]
    return ["chunked" if entry else "full" for entry in rope]


def _kinds_by_index(fields: Fields, layers: int) -> list[LayerKind]:
    if not fields.flag("use_sliding_window", default=False) or not fields.has("sliding_window"):
        fields.ignore("sliding_window")
        return ["full"] * layers
    first = fields.number("max_window_layers", minimum=0)
    return ["sliding" if index >= first else "full" for index in range(layers)]


def _kinds_by_pattern(fields: Fields, layers: int, default: int) -> list[LayerKind]:
    pattern = fields.raw("sliding_window_pattern")
    if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
        letters = [pattern[index % len(pattern)] for index in range(layers)]
        return ["sliding" if letter == "L" else "full" for letter in letters]
    step = default if pattern is None else fields.checked("sliding_window_pattern", pattern)
    return ["sliding" if (index + 1) % step else "full" for index in range(layers)]
