"""What the tail of a model's name says: tuning, and the format of its weights."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["bracketed_format", "format_hint", "without_suffixes"]

_FORMATS: tuple[tuple[str, str], ...] = (
    (r"nvfp4|modelopt-?fp4|fp4", "nvfp4"),
    (r"mxfp4", "mxfp4"),
    (r"mxfp8", "mxfp8"),
    (r"fp8(?:-?dynamic|-?kv|-?block)?|w8a8-?fp8", "fp8"),
    (r"awq(?:-?int4|-?4bit)?|int4-?awq", "awq_int4"),
    (r"gptq(?:-?int4|-?4bit)?|gptq-?marlin", "gptq_int4"),
    (r"gptq-?int8|int8|w8a8|w8a16|8bit", "int8"),
    (r"bnb-?4bit|nf4|unsloth-?bnb-?4bit", "nf4"),
    (r"int4|w4a16|4bit|autoround(?:-?int4)?", "int4"),
    (r"q4(?:_k_[ms]|_0|_1)?-?gguf|gguf-?q4\w*|q4(?:_k_[ms]|_0|_1)", "gguf_q4"),
    (r"q8(?:_0)?-?gguf|gguf-?q8\w*|q8_0", "gguf_q8"),
    (r"gguf", "other"),
    (r"bf16|bfloat16", "bf16"),
    (r"fp16|float16", "fp16"),
)
_FORMAT_TAILS = tuple(
    (re.compile(rf"[-_. ](?:{tail})$", re.IGNORECASE), name) for tail, name in _FORMATS
)
_TUNING_TAIL = re.compile(r"[-_. ](?:instruct|it|chat|hf|base|pt|qat|v\d+\.\d+)$", re.IGNORECASE)

_BRACKETED = re.compile(r"\s*[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*$")


def bracketed_format(name: str) -> tuple[str, str | None]:
    """Return ``name`` without a weight format in brackets at its end, and that format.

    Brackets that state anything else are part of the name.

    >>> bracketed_format("Kimi-K3 (MXFP4)")
    ('Kimi-K3', 'mxfp4')
    >>> bracketed_format("GLM-4.5V (106B-A12B)")
    ('GLM-4.5V (106B-A12B)', None)
    """
    match = _BRACKETED.search(name)
    stated = format_hint(f" {match[1]}") if match else None
    if match is None or stated is None:
        return name.strip(), None
    return name[: match.start()].strip(), stated


def format_hint(name: str) -> str | None:
    """Return the weight format that the last parts of ``name`` state, or ``None``.

    >>> format_hint("Qwen3-8B-AWQ")
    'awq_int4'
    >>> format_hint("Llama-3.1-8B-FP8-Instruct")
    'fp8'
    """
    for tail in (name, *_without_tuning(name)):
        for pattern, weight_format in _FORMAT_TAILS:
            if pattern.search(tail):
                return weight_format
    return None


def without_suffixes(name: str) -> Iterator[str]:
    """Yield ``name`` with one tail after another removed, the longest form first."""
    seen = name
    while (shorter := _shorter(seen)) is not None:
        yield shorter
        seen = shorter


def _shorter(name: str) -> str | None:
    for pattern, _ in _FORMAT_TAILS:
        if match := pattern.search(name):
            return name[: match.start()]
    match = _TUNING_TAIL.search(name)
    return name[: match.start()] if match else None


def _without_tuning(name: str) -> Iterator[str]:
    while match := _TUNING_TAIL.search(name):
        name = name[: match.start()]
        yield name
