"""Recognises feed-forward blocks: dense, mixture of experts, and where each is used."""

from __future__ import annotations

from collections import Counter

from advisor.store.hub_config_families import (
    EXPERTS_USE_INTERMEDIATE_SIZE,
    FOUR_TIMES_HIDDEN,
    UNGATED,
)
from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_softmax import hidden_size_of
from advisor.store.model import DenseFfn, Ffn, MoeFfn

__all__ = ["ffn_groups", "pattern_ffn"]

_EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
_PER_TOKEN = (
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts",
    "moe_topk", "moe_top_k", "moe_k",
)  # fmt: skip
_EXPERT_WIDTH = (
    "moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size",
    "expert_intermediate_size",
)  # fmt: skip
_DENSE_WIDTH = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "hidden_dim")
# Fields that say which layers are mixtures in a way this module does not read.
_UNREAD_PLACEMENT = (
    "expert_layer_period", "moe_layers_enum", "moe_every_n_layers", "moe_layer_indices",
    "moe_frequency", "zero_expert_num",
)  # fmt: skip


def ffn_groups(fields: Fields, layers: int) -> tuple[Ffn, ...]:
    """Return the feed-forward groups of a model in which every layer has such a block."""
    nested = fields.child("ffn_config") if fields.model_type == "dbrx" else None
    if nested is not None:
        return (_dbrx(nested, layers),)
    if not _has_experts(fields):
        return (_dense(fields, layers),)
    mixtures = _mixture_layers(fields, layers)
    groups: list[Ffn] = []
    if mixtures < layers:
        groups.append(_dense(fields, layers - mixtures, beside_experts=True))
    if mixtures:
        groups.append(_mixture(fields, mixtures))
    return tuple(groups)


def pattern_ffn(fields: Fields, blocks: Counter[str]) -> tuple[Ffn, ...]:
    """Return the feed-forward blocks of Nemotron-H, which stand alone."""
    groups: list[Ffn] = []
    if blocks["mlp"]:
        groups.append(_dense(fields, blocks["mlp"]))
    if blocks["moe"]:
        groups.append(_mixture(fields, blocks["moe"]))
    return tuple(groups)


def _has_experts(fields: Fields) -> bool:
    if fields.model_type in {"gemma4_text", "gemma4"}:
        return fields.flag("enable_moe_block", default=False)
    return (fields.optional(*_EXPERTS, minimum=0) or 0) > 1


def _gated(fields: Fields) -> bool:
    return fields.model_type not in UNGATED


def _dense(fields: Fields, layers: int, *, beside_experts: bool = False) -> DenseFfn:
    width = fields.optional("dense_intermediate_size", "intermediate_size_mlp", *_DENSE_WIDTH)
    if fields.model_type == "granitemoehybrid" and not beside_experts:
        width = fields.optional("shared_intermediate_size") or width
    if fields.model_type == "qwen" and width is not None:
        width //= 2  # the first Qwen names both halves of the gated block together
    if width is None and fields.model_type in FOUR_TIMES_HIDDEN:
        width = fields.number("expansion_ratio", default=4) * hidden_size_of(fields)
    if width is None:
        width = fields.missing(*_DENSE_WIDTH)
    return DenseFfn(layers=layers, intermediate_size=width, gated=_gated(fields))


def _mixture(fields: Fields, layers: int) -> MoeFfn:
    width = fields.optional(*_EXPERT_WIDTH)
    if width is None and fields.model_type in EXPERTS_USE_INTERMEDIATE_SIZE:
        width = fields.number("intermediate_size")
    if width is None:
        width = fields.missing(*_EXPERT_WIDTH)
    experts = fields.number(*_EXPERTS)
    per_token = fields.number(*_PER_TOKEN)
    if per_token > experts:
        message = f"{per_token} experts per token of {experts}"
        raise fields.problem("bad_value", message, "num_experts_per_tok")
    shared, shared_width = _shared(fields, width)
    return MoeFfn(
        layers=layers,
        experts=experts,
        experts_per_token=per_token,
        expert_intermediate_size=width,
        shared_experts=shared,
        shared_intermediate_size=shared_width,
        gated=_gated(fields),
        latent_size=fields.optional("moe_latent_size", "routed_expert_hidden_size"),
    )


def _shared(fields: Fields, expert_width: int) -> tuple[int, int]:
    """Return how many shared experts there are and their width together."""
    if fields.model_type in {"llama4_text", "llama4"}:
        return 1, expert_width
    if fields.model_type in {"gemma4_text", "gemma4"}:
        return 1, fields.number("intermediate_size")  # a dense block beside the experts
    count = fields.optional(
        "n_shared_experts", "num_shared_experts", "num_shared_expert", minimum=0
    )
    together = fields.optional(
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "shared_intermediate_size",
        minimum=0,
    )
    if together:
        return (1 if count is None else max(count, 1)), together
    return (count or 0), (count or 0) * expert_width


def _dbrx(nested: Fields, layers: int) -> MoeFfn:
    return MoeFfn(
        layers=layers,
        experts=nested.number("moe_num_experts"),
        experts_per_token=nested.number("moe_top_k"),
        expert_intermediate_size=nested.number("ffn_hidden_size"),
    )


def _mixture_layers(fields: Fields, layers: int) -> int:
    """Count the layers that are mixtures.

    Raises:
        InputError: The config places them in a way that is not known.
    """
    unread = next((name for name in _UNREAD_PLACEMENT if fields.has(name)), None)
    if unread is not None:
        message = f"{unread} places the expert layers in a way this version cannot read"
        raise fields.problem("unknown_layers", message, unread)
    kinds = fields.items("mlp_layer_types", layers)
    if kinds is not None:
        return sum(1 for kind in kinds if kind != "dense")
    frequency = fields.raw("moe_layer_freq")
    if isinstance(frequency, list):
        return sum(1 for entry in fields.items("moe_layer_freq", layers) or [] if entry)
    return sum(1 for index in range(layers) if _is_mixture(fields, index))


def _is_mixture(fields: Fields, index: int) -> bool:
    explicit = fields.items("moe_layers")
    if explicit is not None:
        return index in explicit
    if fields.has("interleave_moe_layer_step"):  # Llama 4
        return (index + 1) % fields.number("interleave_moe_layer_step") == 0
    first = fields.optional(
        "first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", minimum=0
    )
    if index < (first or 0):
        return False
    if fields.has("moe_layer_freq") and index % fields.number("moe_layer_freq"):
        return False
    step = fields.number("decoder_sparse_step", "moe_layer_interval", default=1)
    if (index + 1) % step:
        return False
    return index not in (fields.items("mlp_only_layers") or [])
