"""Counts the layers that predict further tokens (MTP) and their parameters."""

from __future__ import annotations

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_parameters import attention_parameters, ffn_parameters
from advisor.store.model import Attention, Ffn, FullAttention

__all__ = ["mtp_of"]


def mtp_of(
    text: Fields,
    attention: tuple[Attention, ...],
    ffn: tuple[Ffn, ...],
    hidden_size: int,
    vocab_size: int,
) -> tuple[int, float]:
    """Return the number of MTP layers and their parameters in 1e9.

    One layer holds an attention and a feed-forward block like the model's last, and a
    projection of two hidden states to one. DeepSeek's style brings a copy of the head;
    Qwen's and Nemotron's share it. Families that only name MTP modules are not counted.
    """
    own_head = text.optional("num_nextn_predict_layers", "num_mtp_layers", minimum=0)
    shared_head = text.optional("mtp_num_hidden_layers", minimum=0)
    layers = own_head or shared_head or 0
    if not layers or not attention or not ffn:
        return 0, 0.0
    mixer = next((group for group in attention if isinstance(group, FullAttention)), attention[0])
    one = attention_parameters(mixer, hidden_size) + ffn_parameters(ffn[-1], hidden_size)
    one += 2 * hidden_size * hidden_size
    copies_head = own_head and not text.model_type.startswith(("nemotron", "qwen"))
    head = vocab_size * hidden_size if copies_head else 0
    return layers, round(layers * (one + head) / 1e9, 4)
