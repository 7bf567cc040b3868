"""What sizing hands to the rules: layouts that carry the load, and near misses."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.consult.economics import Band
from advisor.consult.prices import Quote
from advisor.consult.prompt_load import NO_PROMPTS, PromptLoad
from advisor.consult.purchase import PurchaseRange
from advisor.consult.situation import Card
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult

__all__ = ["Candidate", "Candidates", "TrainingRun", "Unfit"]


@dataclass(frozen=True, slots=True)
class TrainingRun:
    """How long a training job takes and what it moves; ``None`` where that is not known."""

    hours: tuple[float, float] | None = None
    """Once over the data, best and worst; infinite where the card's rate is not known."""
    pace: float = 0.0
    """Micro-batches a second of all data ranks, for comparison; 0 where not known."""
    compute_seconds: float | None = None
    """Arithmetic of one micro-batch at 40 % of the peak."""
    network_gb: float = 0.0
    """What enters one machine for each micro-batch, with its share of what a step brings."""
    network_seconds: float | None = None
    """The same over the stated network."""
    offload_seconds: tuple[float, float] | None = None
    """What a step adds for states that wait in host RAM."""
    why_split: str | None = None
    """Why tensor, pipeline and data ranks go before full sharding."""
    sharded_gb: float | None = None
    """What full sharding would bring into each machine instead, for each micro-batch."""
    sharded_gbps: float | None = None
    """Rate per machine that would hide it."""
    sharded_nodes: int | None = None
    why_count: str | None = None
    """Why more GPUs than the fewest: ``owned``, ``month``, ``longest`` or ``cheaper``."""
    fewest_gpus: int | None = None
    fewest_hours: tuple[float, float] | None = None
    """How long the fewest that hold the job would take."""
    changed: tuple[str, ...] = ()
    """Settings of the job that differ from the answers, so that it fits."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One GPU, format and layout that carries the load, with its numbers."""

    id: str
    card: Card
    weight_format: str
    layout: Layout
    nodes_per_replica: int
    replicas: int
    holds: int
    """Requests of the planned length at once in one replica."""
    result: SizeResult
    quote: Quote | None
    published: bool
    """Whether the weights are as the model's makers published them."""
    prompts: PromptLoad = NO_PROMPTS
    """What prompts take of the time."""
    run: TrainingRun | None = None
    """Of a training job."""
    purchase: PurchaseRange | None = None
    """What the GPUs cost to buy, whole boards; ``None`` where nothing is bought."""
    other_machines: tuple[int, ...] = ()
    """With how many GPUs its machines are offered, where none is of the size that is asked for."""

    @property
    def gpus_per_replica(self) -> int:
        """GPUs of one engine instance."""
        return self.layout.gpus

    @property
    def total_gpus(self) -> int:
        """GPUs of all replicas."""
        return self.layout.gpus * self.replicas

    @property
    def nodes(self) -> int:
        """Machines of all replicas: as billed, else each with as many whole replicas as fit."""
        if self.quote is not None and not self.bought:
            return self.quote.instances
        if self.nodes_per_replica > 1:
            return self.nodes_per_replica * self.replicas
        stages = self.layout.pipeline_parallel
        held = self.card.stages_in_machine(self.gpus_per_replica // stages) // stages
        per_node = max(1, held)
        return -(-self.replicas // per_node)

    @property
    def borderline(self) -> bool:
        """Whether the ends of the range of free memory disagree on whether it starts."""
        return self.result.borderline

    @property
    def user_tokens_per_second(self) -> Band | None:
        """Of one user, waiting for the prompts of the others where they are known."""
        return self.prompts.one_user(self.result)

    @property
    def output_tokens_per_second(self) -> Band | None:
        """Of all replicas together, the time of prompts taken off where it is known."""
        return self.prompts.total(self.result, self.replicas)

    @property
    def usd_per_hour(self) -> float | None:
        """Rent of whole instances, where a price is known and nothing is bought."""
        return None if self.quote is None or self.bought else self.quote.usd_per_hour

    @property
    def bought(self) -> bool:
        """Whether the GPUs are to be bought, so that no rent is paid."""
        return self.purchase is not None

    @property
    def purchase_usd(self) -> Band | None:
        """Known prices of what must be bought; ``None`` without one."""
        return None if self.purchase is None else self.purchase.usd

    @property
    def money(self) -> float | None:
        """What is compared: the middle of the purchase prices (USD), else USD an hour of rent."""
        if not self.bought:
            return self.usd_per_hour
        return None if self.purchase_usd is None else self.purchase_usd.middle

    @property
    def billed_gpus(self) -> int:
        """GPUs of the rented instances, idle ones too; without a known offer those of replicas."""
        if self.quote is None or self.bought:
            return self.total_gpus
        return self.quote.billed_gpus

    @property
    def usd_per_run(self) -> tuple[float, float] | None:
        """Rent of a finite job, best and worst; infinite where its hours are not known."""
        usd, hours = self.usd_per_hour, self.run.hours if self.run else None
        return None if usd is None or hours is None else (usd * hours[0], usd * hours[1])


@dataclass(frozen=True, slots=True)
class Unfit:
    """A GPU and format that no legal layout made fit, with the nearest miss."""

    card: Card
    weight_format: str | None
    """``None`` for training, where the method decides."""
    reason: str
    """Problem code of the nearest miss."""
    text: str
    result: SizeResult | None = None
    """The numbers of the nearest miss, where rules want them (training)."""
    gpus: int | None = None
    """Of one machine, where more machines carry the load."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What sizing leaves for the rules."""

    kept: tuple[Candidate, ...] = ()
    unfit: tuple[Unfit, ...] = ()
    considered: int = 0
    rejected_by: dict[str, int] | None = None
    machines: tuple[Unfit, ...] = ()
    """Why one machine does not do, of GPUs and formats that carry the load over several only."""
    cut: tuple[Candidate, ...] = ()
    """What carries the load too and is not handed to the rules: the last by rank."""
