"""Reads how long a context the config allows, rope scaling included.

The rule follows vLLM's derivation of the model length: YaRN multiplies the original length,
linear and dynamic scaling the stated one; Llama 3 and LongRoPE scaling are already in it.
"""

from __future__ import annotations

from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_softmax import class_default

__all__ = ["context_of"]

_POSITIONS = (
    "max_position_embeddings", "n_positions", "seq_length", "max_sequence_length", "max_seq_len",
    "n_ctx", "model_max_length",
)  # fmt: skip
_MULTIPLIED = frozenset({"linear", "dynamic"})
_YARN = frozenset({"yarn", "deepseek_yarn"})
# The last two positions of these tables are taken by padding.
_PADDED_TABLES = frozenset({"roberta", "xlm-roberta", "xlm_roberta", "camembert"})
_LONGEST = 10**9


def context_of(fields: Fields) -> tuple[int, int | None]:
    """Return the longest context and, where scaling made it longer, the native one.

    Raises:
        InputError: The config tells no length.
    """
    positions = fields.optional(*_POSITIONS) or class_default(fields, "max_position_embeddings")
    scaling = _scaling(fields)
    kind, factor, original = _rope(scaling) if scaling is not None else ("", 1.0, None)
    if positions is None and original is None:
        positions = fields.missing(*_POSITIONS)
    stated = positions or original or 0
    if fields.model_type in _PADDED_TABLES and stated > 2:
        return stated - 2, None
    longest = stated
    if kind in _YARN:
        longest = _times(fields, original or stated, factor)
    elif kind in _MULTIPLIED and not fields.model_type.startswith("gemma3"):
        longest = _times(fields, stated, factor)
    return longest, stated if stated < longest else None


def _times(fields: Fields, length: int, factor: float) -> int:
    longest = round(length * factor)
    if longest > _LONGEST:
        message = f"a scaling factor of {factor:g} makes a context of {longest} tokens"
        raise fields.problem("bad_value", message, "rope_scaling")
    return longest


def _scaling(fields: Fields) -> Fields | None:
    scaling = fields.child("rope_scaling") or fields.child("rope_parameters")
    if scaling is None:
        return None
    # some families hold one object per kind of layer
    for name in ("full_attention", "compress"):
        if isinstance(scaling.raw(name), dict):
            return scaling.child(name)
    return scaling


def _rope(scaling: Fields) -> tuple[str, float, int | None]:
    kind = scaling.text("rope_type") or scaling.text("type") or "default"
    original = scaling.optional("original_max_position_embeddings")
    if kind not in _YARN | _MULTIPLIED:
        return kind, 1.0, original
    return kind, scaling.real("factor", 1.0), original
