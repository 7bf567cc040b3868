"""Which cache format runs, and what to say when hardware or engine object."""

from __future__ import annotations

from difflib import get_close_matches

from advisor.errors import InputError, Problem
from advisor.sizing.cache_layers import KV_ELEMENT_BYTES
from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeProblem
from advisor.store.gpu import Gpu
from advisor.store.model import Compressed, Model

__all__ = ["resolve_kv_format"]


def resolve_kv_format(
    request: SizeRequest, model: Model, gpu: Gpu, rules: EngineRules
) -> tuple[str, tuple[SizeProblem, ...]]:
    """Return the cache format in force and its problems.

    ``auto`` is the model's 16-bit dtype, fp8 where the architecture stores packed fp8 rows.

    Raises:
        InputError: an unknown format name.
    """
    wanted = request.kv_format
    if wanted == "auto":
        packed = any(isinstance(a, Compressed) for a in model.attention)
        return ("fp8" if packed else "bf16"), ()
    if wanted not in KV_ELEMENT_BYTES:
        raise InputError(
            Problem(
                "unknown_kv_format",
                f"cache format {wanted!r} is not known.",
                key="kv_format",
                allowed=("auto", *KV_ELEMENT_BYTES),
                nearest=tuple(get_close_matches(wanted, KV_ELEMENT_BYTES, n=2, cutoff=0.6)),
            )
        )
    return wanted, _objections(wanted, gpu, rules)


def _objections(wanted: str, gpu: Gpu, rules: EngineRules) -> tuple[SizeProblem, ...]:
    if wanted == "nvfp4" and "nvfp4" not in gpu.precisions.fp4_formats:
        text = f"an nvfp4 cache needs NVFP4 units; {gpu.name} has none."
        return (_problem(text, blocking=True),)
    if wanted == "int8" and rules.engine == "vllm":
        text = "vLLM has no int8 cache; fp8 takes the same bytes."
        return (_problem(text, blocking=False),)
    if wanted.startswith("fp8") and gpu.architecture in {"volta", "turing"}:
        text = f"no attention backend of {rules.label} reads an fp8 cache on {gpu.name}."
        return (_problem(text, blocking=True),)
    if wanted.startswith("fp8") and gpu.architecture == "ampere":
        text = (
            f"{gpu.name} stores an fp8 cache and converts it on every read; only some attention "
            "backends do, so check that yours starts."
        )
        return (_problem(text, blocking=False),)
    return ()


def _problem(text: str, *, blocking: bool) -> SizeProblem:
    code = "format_unsupported_on_gpu" if blocking else "weight_only_format"
    return SizeProblem(code=code, text=text, section="7.3", blocking=blocking)
