"""Memory that is neither weights nor cache: sampler, forward pass, vision profile, graphs.

Sources: sampling peak 38.5 B per sequence and vocabulary entry, fitted on seven printed H100
peaks (worst 1.1 %) and checked on 256-sequence runs (6.6 %); forward pass within a factor of
two of the logs; handbook section 7.3.
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.layout import Layout
from advisor.store.model import DenseFfn, FullAttention, Model, MoeFfn, WindowedAttention

__all__ = ["Overheads", "forward_peak_bytes", "overheads", "sampler_peak_bytes"]

GIB = 2**30
_LIVE_ROWS = 5.0
"""Rows of the hidden size alive at the widest point of a layer."""


@dataclass(frozen=True, slots=True)
class Overheads:
    """GiB on one GPU of one pipeline stage."""

    non_torch: tuple[float, float, float]
    graphs: tuple[float, float, float]
    sampler: float
    forward: float
    vision: float
    workspace: tuple[float, float, float] = (0.0, 0.0, 0.0)
    state_copies: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def activation_peak(self) -> float:
        """The largest transient: the three do not happen at once."""
        return max(self.sampler, self.forward, self.vision)

    def as_dict(self) -> dict[str, float]:
        """Return expected GiB by public name."""
        return {
            "non_torch_gib": round(self.non_torch[1], 3),
            "activation_peak_gib": round(self.activation_peak, 3),
            "cuda_graphs_gib": round(self.graphs[1], 3),
            "sampler_peak_gib": round(self.sampler, 3),
            "forward_peak_gib": round(self.forward, 3),
            "vision_profile_peak_gib": round(self.vision, 3),
            "state_copies_gib": round(self.state_copies[1], 3),
            "workspace_gib": round(self.workspace[1], 3),
        }


def sampler_peak_bytes(
    model: Model, max_num_seqs: int, batched_tokens: int, bytes_per_logit: float
) -> float:
    """Return the peak of sampling all sequences at once.

    ``bytes_per_logit * sequences * vocabulary`` plus the 16-bit hidden states of the batch,
    which are alive meanwhile. The factor depends on the engine version (38.35 B while sampling
    sorted, 14 B and 6 B in later runners); with the hidden states the eight printed peaks agree
    within 1.8 %. Handbook section 7.3.
    """
    logits = bytes_per_logit * min(max_num_seqs, batched_tokens) * (model.vocab_size or 0)
    return logits + batched_tokens * model.hidden_size * 2.0


def forward_peak_bytes(model: Model, batched_tokens: int, layout: Layout) -> float:
    """Return the activations of one prefill chunk.

    ``tokens * (5h + 2I/TP + (q+k+v)/TP) * 2`` bytes: input, residual, norm and two rows in work;
    a mixture adds its dispatched copies ``tokens * topk * (h + 2*Ie/TP) * 2``. Two printed peaks
    of an 8B model agree within 1 %; for the rest an own estimate, handbook section 7.3.
    """
    ranks = layout.tensor_parallel
    h = model.hidden_size
    width = _LIVE_ROWS * h
    dense = [f.intermediate_size for f in model.ffn if isinstance(f, DenseFfn)]
    width += 2.0 * max(dense, default=0) / ranks
    heads = [
        (a.heads + 2 * a.kv_heads) * a.head_dim
        for a in model.attention
        if isinstance(a, FullAttention | WindowedAttention)
    ]
    width += max(heads, default=2 * h) / ranks
    for f in model.ffn:
        if isinstance(f, MoeFfn):
            split = 1 if layout.expert_parallel else layout.expert_ranks
            copies = f.experts_per_token * (f.latent_size or h)
            width += copies + 2.0 * f.experts_per_token * f.expert_intermediate_size / split
            break
    return batched_tokens * width * 2.0


def _vision_peak_bytes(model: Model) -> float:
    """Return the tower's profile on one image of the largest size it admits.

    ``patches * (8h + 3I) * 2`` bytes per layer in flight; own estimate, checked only against
    the fact that two images did not fit 3 GiB with Qwen2.5-VL (handbook section 7.3).
    """
    tower = model.vision
    if tower is None or not tower.patch_tokens_per_image or not tower.hidden_size:
        return 0.0
    intermediate = tower.intermediate_size or 4 * tower.hidden_size
    return tower.patch_tokens_per_image * (8 * tower.hidden_size + 3 * intermediate) * 2.0


def overheads(
    model: Model,
    layout: Layout,
    rules: EngineRules,
    *,
    max_num_seqs: int,
    batched_tokens: int,
    enforce_eager: bool,
    samples: bool,
    state_bytes_per_layer: float,
) -> Overheads:
    """Sum the overheads of one stage; ``samples`` is true on the stage that holds the head."""
    generates = model.modality not in {"embedding", "reranker"}
    sampler = 0.0
    tables = rules.sampler_state_bytes_per_logit * max_num_seqs * (model.vocab_size or 0) / GIB
    if samples and generates:
        per_logit = rules.sampler_bytes_per_logit
        sampler = sampler_peak_bytes(model, max_num_seqs, batched_tokens, per_logit)
    zero = (0.0, 0.0, 0.0)
    state = state_bytes_per_layer * max_num_seqs / GIB
    copies = rules.state_copies
    workspace = rules.workspace_gib
    return Overheads(
        non_torch=rules.non_torch_gib,
        graphs=zero if enforce_eager else rules.graphs_gib,
        sampler=sampler / GIB,
        forward=forward_peak_bytes(model, batched_tokens, layout) / GIB,
        vision=_vision_peak_bytes(model) / GIB,
        workspace=(workspace[0] + tables, workspace[1] + tables, workspace[2] + tables),
        state_copies=(copies[0] * state, copies[1] * state, copies[2] * state),
    )
