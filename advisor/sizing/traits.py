"""What about a model and a launch changes how an engine behaves."""

from __future__ import annotations

from advisor.sizing.request import SizeRequest
from advisor.store.model import MlaAttention, Model, MoeFfn

__all__ = ["traits_of"]

_STATES = {"gdn": "gdn", "kda": "kda", "mamba2": "mamba2", "lightning": "mamba2"}
_WIDE_FORMATS = frozenset({"bf16", "fp16", "fp32", "checkpoint"})


def traits_of(request: SizeRequest, model: Model) -> frozenset[str]:
    """Return the traits that the engine catalogue's conditions name."""
    return frozenset(_model_traits(model) | _launch_traits(request, model))


def _model_traits(model: Model) -> set[str]:
    kinds = {attention.kind for attention in model.attention}
    found = {_STATES[kind] for kind in kinds if kind in _STATES}
    if found:
        found.add("hybrid")
    if "sliding" in kinds:
        found.add("sliding")
    if "chunked" in kinds:
        found.add("chunked_local")
    for attention in model.attention:
        if isinstance(attention, MlaAttention):
            found.add("mla")
            if attention.index_head_dim is not None:
                found.add("sparse_mla")
    if any(isinstance(f, MoeFfn) for f in model.ffn):
        found.add("moe")
    if model.vision is not None:
        found.add("vision")
    return found


def _launch_traits(request: SizeRequest, model: Model) -> set[str]:
    found: set[str] = set()
    weights = request.weight_format or model.published_format
    if weights not in _WIDE_FORMATS or model.published_format not in _WIDE_FORMATS:
        found.add("quantized_weights")
    if "awq" in weights:
        found.add("awq")
    if "gptq" in weights:
        found.add("gptq")
    if request.enforce_eager:
        found.add("eager")
    if request.speculative_tokens:
        found.add("speculative")
    if request.kv_format.startswith("fp8"):
        found.add("fp8_kv")
    if request.kv_format == "nvfp4":
        found.add("nvfp4_kv")
    return found
