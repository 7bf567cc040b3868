"""Arithmetic of a training run: operations, and hours as a range (handbook section 7.5)."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.errors import InputError, Problem
from advisor.sizing.parameters import active_parameters
from advisor.sizing.training_plan import Method, Recompute
from advisor.store.model import FullAttention, MlaAttention, Model, WindowedAttention

__all__ = ["Hours", "training_flops", "training_hours"]

UTILISATION = (0.25, 0.45)
"""Share of the dense 16-bit peak, recomputation counted as work. Published: 42 to 54 % for
22B to 530B on A100 (arXiv 2205.05198); small clusters and fine-tuning stay lower."""
QLORA_SLOWDOWN = 1.66
"""LoRA tuned about 66 % faster than QLoRA (Vertex AI documentation)."""


@dataclass(frozen=True, slots=True)
class Hours:
    """Duration of a run, best and worst case."""

    low: float
    high: float
    assumes: str


def training_flops(
    model: Model,
    tokens: float,
    recompute: Recompute = "none",
    *,
    method: Method = "full",
    sequence_tokens: int | None = None,
) -> float:
    """Return the floating-point operations of training on ``tokens``.

    ``6*N*T``: 2 forward, 2 for input gradients, 2 for weight gradients; 2 more when the
    forward pass is repeated. A frozen base needs no weight gradients: 4 and 6. N is what one
    token passes through (active experts, no input table). With ``sequence_tokens`` causal
    attention is added, three (or four) times its forward ``2*s*heads*head_dim`` per token.
    """
    forward_passes = 2.0 if recompute == "full" else 1.0
    weight_gradients = 1.0 if method == "full" else 0.0
    per_parameter = 2.0 * (forward_passes + 1.0 + weight_gradients)
    dense = per_parameter * active_parameters(model) * tokens
    if sequence_tokens is None:
        return dense
    # attention has no weights: its backward pass is two forward passes whatever is trained
    attention = _attention_forward(model, sequence_tokens) * (forward_passes + 2.0)
    return dense + attention * tokens


def _attention_forward(model: Model, sequence_tokens: int) -> float:
    """Return operations of scores and their use, per token, mean over a causal sequence."""
    total = 0.0
    for a in model.attention:
        seen = sequence_tokens / 2
        if isinstance(a, FullAttention):
            width = a.heads * (a.head_dim + (a.value_head_dim or a.head_dim))
        elif isinstance(a, WindowedAttention):
            seen, width = min(seen, a.window), 2 * a.heads * a.head_dim
        elif isinstance(a, MlaAttention):
            key = (a.qk_nope_head_dim or 128) + a.qk_rope_head_dim
            width = a.heads * (key + (a.v_head_dim or 128))
        else:
            continue
        total += a.layers * 2.0 * seen * width
    return total


def training_hours(
    model: Model,
    tokens: float,
    gpus: int,
    bf16_tflops: float,
    *,
    recompute: Recompute = "none",
    method: Method = "full",
    sequence_tokens: int | None = None,
) -> Hours:
    """Return how long ``gpus`` of ``bf16_tflops`` (dense peak each) train on ``tokens``.

    Raises:
        InputError: ``gpus`` or ``bf16_tflops`` is not positive.
    """
    if gpus < 1 or bf16_tflops <= 0:
        text = "Hours need at least one GPU and a positive dense 16-bit rate."
        raise InputError(Problem("out_of_range", text, key="training"))
    flops = training_flops(model, tokens, recompute, method=method, sequence_tokens=sequence_tokens)
    at_peak = flops / (gpus * bf16_tflops * 1e12) / 3600
    worst, best = UTILISATION
    slow = QLORA_SLOWDOWN if method == "qlora" else 1.0
    assumes = (
        f"{worst:.0%} to {best:.0%} of {bf16_tflops:g} TFLOPS dense per GPU, "
        f"{'recomputation included, ' if recompute == 'full' else ''}"
        "no waiting for data, checkpoints or failed nodes"
    )
    if method == "qlora":
        assumes += f"; up to {slow:g} times longer for dequantising"
    return Hours(at_peak / best, at_peak / worst * slow, assumes)
