"""What an answers file means: names resolved, defaults taken and said, limits worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.answers.model import Answers
from advisor.consult.consultation import Assumption
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["Card", "Load", "Situation"]


@dataclass(frozen=True, slots=True)
class Load:
    """One workload, as sizing needs it."""

    kind: str
    model: Model | None
    label: str
    """The model as the user called it."""
    formats: tuple[str, ...]
    """Weight formats to compare, the published one first."""
    format_fixed: bool
    build: str | None
    kv_format: str
    engine: str
    engine_version: str | None
    context_tokens: int
    typical_context_tokens: int | None
    prompt_tokens: int | None
    concurrency: int
    speculative_tokens: int = 0

    @property
    def trains(self) -> bool:
        """Whether this is training rather than serving."""
        return self.kind in {"fine_tuning", "pretraining"}


@dataclass(frozen=True, slots=True)
class Card:
    """A GPU that may be used, with the node shapes and limits that apply to it."""

    gpu: Gpu
    label: str
    """The catalogue id, or the user's own name for a card outside it."""
    memory_gib: float
    per_node: tuple[int, ...]
    """GPUs that a node may hold."""
    max_gpus: int | None = None
    """Owned: how many there are; ``None`` for no limit."""
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything the consultation rests on."""

    answers: Answers
    load: Load
    cards: tuple[Card, ...]
    owned: bool
    priority: str
    assumptions: tuple[Assumption, ...]
    ruled_out: tuple[tuple[str, str], ...] = ()
    """(GPU id, reason) of cards that the answers exclude before any sizing."""
    open_reasons: tuple[str, ...] = field(default=())
    """Why nothing can be chosen yet."""
    elsewhere: bool = False
    """Whether the cards are others than the answers speak of, whose links are not theirs."""
    job: tuple[tuple[str, object], ...] = ()
    """Settings of a training job that differ from the answers, so that it fits."""
    change: str = ""
    """The same in words."""
