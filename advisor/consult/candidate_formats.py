"""Which weight formats are worth sizing on a card."""

from __future__ import annotations

from collections.abc import Collection

from advisor.consult.situation import Card, Load

__all__ = ["formats_for", "gguf_formats", "stand_in"]

_STAND_INS = {"awq_int4": "gptq_int4", "fp8": "int8"}
"""Formats of the same width whose kernels run on older cards (handbook 7.3)."""
_IN_GGUF = frozenset({"bf16", "fp16", "mxfp4", "gguf_q8", "gguf_q4"})


def formats_for(card: Card, load: Load) -> tuple[str, ...]:
    """Return the formats worth sizing: 4-bit floats only where the card computes in them."""
    if load.format_fixed or len(load.formats) == 1:
        return load.formats
    native = card.gpu.precisions.fp4_formats
    return tuple(
        name
        for index, name in enumerate(load.formats)
        if index == 0 or name not in {"nvfp4", "mxfp4"} or name in native
    )


def gguf_formats(published: str, permitted: str) -> tuple[str, ...]:
    """Return the formats that llama.cpp reads, GGUF only: as published, or 16 bit, first."""
    first = published if published in _IN_GGUF else "bf16"
    if permitted != "allowed" or first == "mxfp4":
        return (first,)  # GGUF has no 8-bit floats, so `fp8_only` permits nothing else
    return tuple(dict.fromkeys((first, "gguf_q8", "gguf_q4")))


def stand_in(refused: str, tried: Collection[str], load: Load) -> tuple[str, ...]:
    """Return what stands in for a format without kernels; nothing where the answers fix one."""
    other = _STAND_INS.get(refused)
    return () if load.format_fixed or other is None or other in tried else (other,)
