"""In which format the published weights of a model run, and how wide formats are."""

from __future__ import annotations

from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["as_run", "format_bits", "runs_as"]

_BITS = {
    "fp32": 32.0, "bf16": 16.0, "fp16": 16.0, "fp8": 8.0, "fp8_block": 8.0, "int8": 8.0,
    "mxfp8": 8.0, "gguf_q8": 8.0, "mxfp6": 6.0,
}  # fmt: skip
_NARROWEST = 4.0


def runs_as(model: Model) -> str:
    """Return the format in which engines run the published weights: fp32 files run in 16 bit."""
    if model.published_format != "fp32":
        return model.published_format
    return model.compute_dtype if model.compute_dtype != "fp32" else "fp16"


def format_bits(name: str) -> float:
    """Return the bits of one weight of a format, scales not counted."""
    return _BITS.get(name, _NARROWEST)


def as_run(name: str, gpu: Gpu) -> str:
    """Return the 16-bit format that a card really runs: fp16 where it has no bf16 units.

    >>> from advisor.store.loader import load_knowledge
    >>> as_run("bf16", load_knowledge().gpus["t4"])
    'fp16'
    """
    lacks = gpu.architecture != "unknown" and not gpu.precisions.bf16
    return "fp16" if lacks and name == "bf16" else name
