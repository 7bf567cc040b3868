"""Recognises NVIDIA's NAS models, whose blocks differ (``block_configs``)."""

from __future__ import annotations

from collections import Counter

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_softmax import hidden_size_of
from advisor.store.model import Attention, DenseFfn, Ffn, FullAttention

__all__ = ["nas_shapes"]

_BLOCK_ROUNDING = 256
_UNKNOWN_BLOCKS = ("replace_with_linear", "sparsify", "window_length", "num_sink_tokens")


def nas_shapes(fields: Fields, layers: int) -> tuple[tuple[Attention, ...], tuple[Ffn, ...]]:
    """Return the attention and feed-forward groups of the blocks that have them.

    The width of a block is 2/3 x multiplier x hidden size, rounded up to a multiple of 256
    (``modeling_decilm`` of the published checkpoints).

    Raises:
        InputError: A block uses something other than plain attention or a plain FFN.
    """
    entries = fields.items("block_configs", layers) or []
    heads = fields.number("num_attention_heads")
    hidden = hidden_size_of(fields)
    kv_heads: Counter[int] = Counter()
    widths: Counter[int] = Counter()
    for index, entry in enumerate(entries):
        attention, ffn = _parts(fields, entry, index)
        if not attention.get("no_op"):
            kv_heads[_kv_heads(fields, attention, heads)] += 1
        if not ffn.get("no_op"):
            widths[_width(fields, ffn, hidden)] += 1
    groups = [
        FullAttention(layers=count, heads=heads, kv_heads=kv, head_dim=hidden // heads)
        for kv, count in sorted(kv_heads.items())
    ]
    blocks = [
        DenseFfn(layers=count, intermediate_size=width) for width, count in sorted(widths.items())
    ]
    return tuple(groups), tuple(blocks)


def _parts(
    fields: Fields, entry: object, index: int
) -> tuple[dict[str, object], dict[str, object]]:
    attention = entry.get("attention") if isinstance(entry, dict) else None
    ffn = entry.get("ffn") if isinstance(entry, dict) else None
    if not isinstance(attention, dict) or not isinstance(ffn, dict):
        message = f"block_configs entry {index} has no attention and ffn"
        raise fields.problem("bad_value", message, "block_configs")
    for part in (attention, ffn):
        odd = next((name for name in _UNKNOWN_BLOCKS if part.get(name)), None)
        if odd is not None:
            message = f"block_configs entry {index} uses {odd}, which this version cannot size"
            raise fields.problem("unknown_attention", message, "block_configs")
    return attention, ffn


def _kv_heads(fields: Fields, attention: dict[str, object], heads: int) -> int:
    share = fields.checked("block_configs", attention.get("n_heads_in_group"))
    if heads % share:
        message = f"{heads} heads do not divide into groups of {share}"
        raise fields.problem("bad_value", message, "block_configs")
    return heads // share


def _width(fields: Fields, ffn: dict[str, object], hidden: int) -> int:
    multiplier = ffn.get("ffn_mult")
    if isinstance(multiplier, bool) or not isinstance(multiplier, int | float):
        message = "a block has no ffn_mult"
        raise fields.problem("bad_value", message, "block_configs")
    if not 0 < multiplier < 1000:
        raise fields.problem("bad_value", f"ffn_mult {multiplier} is out of range", "block_configs")
    width = int(2 * multiplier * hidden / 3)
    return -(-width // _BLOCK_ROUNDING) * _BLOCK_ROUNDING
