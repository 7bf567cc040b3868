"""Recognises hybrids with a fixed state: Gated DeltaNet, Mamba-2 and lightning layers."""

from __future__ import annotations

from collections import Counter

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_softmax import heads_of, hidden_size_of
from advisor.store.model import (
    Attention,
    FullAttention,
    GatedDeltaNet,
    LightningAttention,
    Mamba2,
)

__all__ = [
    "block_pattern",
    "delta_net_attention",
    "lightning_attention",
    "mamba_hybrid_attention",
    "pattern_attention",
]

_STATE_BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
_LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}


def _full(fields: Fields, layers: int, *, output_gate: bool = False) -> FullAttention:
    heads = heads_of(fields)
    return FullAttention(
        layers=layers,
        heads=heads.heads,
        kv_heads=heads.kv_heads,
        head_dim=heads.head_dim,
        output_gate=output_gate,
    )


def _state_bytes(fields: Fields, *names: str) -> int:
    """Bytes per element of the recurrent state; fp32 where the config does not say."""
    for name in names:
        value = fields.text(name)
        if value is None or value == "auto":
            continue
        if value not in _STATE_BYTES:
            raise fields.problem("bad_value", f"{name} {value!r} is no known type", name)
        return _STATE_BYTES[value]
    fields.notes.append("the type of the recurrent state is not in the config: fp32 assumed")
    return 4


def _counted(fields: Fields, layers: int, linear: str, full: str) -> tuple[int, int]:
    """Count linear and full layers of ``layer_types``."""
    kinds = Counter(fields.items("layer_types", layers) or [])
    unknown = set(kinds) - {linear, full}
    if unknown:
        message = f"layer_types names {min(map(str, unknown))!r}, which is not known here"
        raise fields.problem("unknown_attention", message, "layer_types")
    return kinds[linear], kinds[full]


def delta_net_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return the groups of Qwen3-Next, Qwen3.5 and later: Gated DeltaNet and full attention."""
    if fields.has("layer_types"):
        linear, full = _counted(fields, layers, "linear_attention", "full_attention")
    else:
        step = fields.number("full_attention_interval", default=4)
        full = layers // step
        linear = layers - full
    groups: list[Attention] = []
    if full:
        gate = fields.flag("attn_output_gate", default=True)
        groups.append(_full(fields, full, output_gate=gate))
    if linear:
        groups.append(
            GatedDeltaNet(
                layers=linear,
                key_heads=fields.number("linear_num_key_heads"),
                value_heads=fields.number("linear_num_value_heads"),
                key_head_dim=fields.number("linear_key_head_dim"),
                value_head_dim=fields.number("linear_value_head_dim"),
                conv_kernel=fields.number("linear_conv_kernel_dim", default=4),
                state_bytes_per_element=_state_bytes(fields, "mamba_ssm_dtype"),
            )
        )
    return tuple(groups)


def mamba_hybrid_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return the groups of Granite 4 H and Bamba: Mamba-2 or attention, then an FFN."""
    if fields.has("layer_types"):
        mamba, full = _counted(fields, layers, "mamba", "attention")
    else:
        places = fields.items("attn_layer_indices")
        if places is None:
            fields.missing("layer_types", "attn_layer_indices")
        full = len(places or [])
        mamba = layers - full
    groups: list[Attention] = [_full(fields, full)] if full else []
    if mamba > 0:
        groups.append(_granite_mamba(fields, mamba))
    return tuple(groups)


def _granite_mamba(fields: Fields, layers: int) -> Mamba2:
    heads = fields.number("mamba_n_heads")
    width = fields.raw("mamba_d_head")
    if width in (None, "auto"):
        expanded = fields.number("mamba_expand", default=2) * hidden_size_of(fields)
        if expanded % heads:
            message = f"mamba_d_head cannot be derived: {expanded} / {heads} heads"
            raise fields.problem("bad_value", message, "mamba_d_head")
        width = expanded // heads
    return Mamba2(
        layers=layers,
        heads=heads,
        head_dim=fields.checked("mamba_d_head", width),
        state_size=fields.number("mamba_d_state"),
        groups=fields.number("mamba_n_groups", default=1),
        conv_kernel=fields.number("mamba_d_conv", default=4),
        state_bytes_per_element=_state_bytes(fields, "mamba_ssm_dtype", "mamba_ssm_cache_dtype"),
    )


def block_pattern(fields: Fields) -> Counter[str]:
    """Count the one-purpose blocks of Nemotron-H: mamba, attention, mlp, moe.

    Raises:
        InputError: The pattern names a block that is not known.
    """
    letters = fields.text("hybrid_override_pattern")
    if letters is not None:
        blocks = [_LETTERS.get(letter, letter) for letter in letters]
        name = "hybrid_override_pattern"
    else:
        blocks = [str(entry) for entry in fields.items("layers_block_type") or []]
        name = "layers_block_type"
    unknown = sorted(set(blocks) - set(_LETTERS.values()))
    if unknown or not blocks:
        message = f"{name} names the block {unknown[0]!r}" if unknown else f"{name} is empty"
        raise fields.problem("unknown_attention", message, name)
    given = fields.optional("num_hidden_layers")
    if given is not None and given != len(blocks):
        message = f"{name} has {len(blocks)} blocks for {given} layers"
        raise fields.problem("bad_value", message, name)
    return Counter(blocks)


def pattern_attention(fields: Fields, blocks: Counter[str]) -> tuple[Attention, ...]:
    """Return the attention and Mamba-2 blocks of Nemotron-H."""
    groups: list[Attention] = []
    if blocks["attention"]:
        groups.append(_full(fields, blocks["attention"]))
    if blocks["mamba"]:
        groups.append(
            Mamba2(
                layers=blocks["mamba"],
                heads=fields.number("mamba_num_heads"),
                head_dim=fields.number("mamba_head_dim"),
                state_size=fields.number("ssm_state_size"),
                groups=fields.number("n_groups"),
                conv_kernel=fields.number("conv_kernel", default=4),
                state_bytes_per_element=_state_bytes(
                    fields, "mamba_ssm_cache_dtype", "mamba_ssm_dtype"
                ),
            )
        )
    fields.ignore("hybrid_override_pattern", "layers_block_type")
    return tuple(groups)


def lightning_attention(fields: Fields, layers: int) -> tuple[Attention, ...]:
    """Return the groups of MiniMax-Text-01 and M1: lightning and full attention."""
    codes = fields.items("attn_type_list", layers)
    if codes is not None:
        if set(codes) - {0, 1}:
            message = "attn_type_list must hold 0 (lightning) and 1 (softmax)"
            raise fields.problem("unknown_attention", message, "attn_type_list")
        linear, full = codes.count(0), codes.count(1)
    elif fields.has("layer_types"):
        linear, full = _counted(fields, layers, "linear_attention", "full_attention")
    else:
        fields.missing("attn_type_list", "layer_types")
        linear, full = 0, 0
    heads = heads_of(fields)
    groups: list[Attention] = [_full(fields, full)] if full else []
    if linear:
        groups.append(LightningAttention(layers=linear, heads=heads.heads, head_dim=heads.head_dim))
    return tuple(groups)
