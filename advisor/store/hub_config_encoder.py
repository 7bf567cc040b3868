"""Recognises encoder-only models (embedding and reranking): no cache is kept."""

from __future__ import annotations

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_softmax import hidden_size_of
from advisor.store.model import DenseFfn, EncoderAttention

__all__ = ["encoder_shapes"]

_GATED = frozenset({"gte", "jina_bert", "modernbert", "new", "nomic_bert"})


def encoder_shapes(fields: Fields, layers: int) -> tuple[EncoderAttention, DenseFfn]:
    """Return the attention and feed-forward group of an encoder."""
    hidden = hidden_size_of(fields)
    heads = fields.number("num_attention_heads", "n_head", "n_heads")
    if hidden % heads:
        message = f"hidden size {hidden} does not divide by {heads} heads"
        raise fields.problem("bad_value", message, "num_attention_heads")
    # local layers save work, not memory: an encoder keeps no cache anyway
    fields.ignore("local_attention", "global_attn_every_n_layers", "layer_types")
    fields.ignore("sliding_window", "use_memory_efficient_attention")
    width = fields.number("intermediate_size", "n_inner", "hidden_dim", "ffn_dim")
    return (
        EncoderAttention(layers=layers, heads=heads, head_dim=hidden // heads),
        DenseFfn(layers=layers, intermediate_size=width, gated=fields.model_type in _GATED),
    )
