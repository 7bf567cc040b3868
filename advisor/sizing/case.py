"""One layout to be sized: everything that does not depend on the scheduler's limits."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.weights import WeightPlan
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["Case", "Limits"]

_USUAL_CONTEXT_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What the scheduler may have in flight; activations and windows grow with it."""

    max_num_seqs: int
    max_num_batched_tokens: int


@dataclass(frozen=True, slots=True)
class Case:
    """The question with every name resolved and every default filled in."""

    request: SizeRequest
    model: Model
    gpu: Gpu
    layout: Layout
    rules: EngineRules
    plan: WeightPlan
    total_gib: float
    """What the runtime reports."""
    utilization: float
    """Share that the engine may take."""
    kv_format: str
    max_model_len: int

    @property
    def budget_gib(self) -> float:
        """What weights may take on one GPU; all of it where the share is one of the rest."""
        if self.rules.utilization_of_free:
            return self.total_gib
        return self.utilization * self.total_gib

    @property
    def streams(self) -> int:
        """Sequences decoded at once over all data-parallel ranks."""
        return self.request.concurrency or 1

    @property
    def live_tokens(self) -> int:
        """Live tokens per stream: as stated, else the prompt, else a usual length."""
        stated = self.request.typical_context_tokens or self.request.prompt_tokens
        return min(self.max_model_len, stated or _USUAL_CONTEXT_TOKENS)

    @property
    def has_cache(self) -> bool:
        """Whether any layer keeps something per token or sequence (encoders do not)."""
        return any(layer.kind != "encoder" for layer in self.model.attention)
