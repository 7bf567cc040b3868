"""What a training job is asked to do, and the memory range that every part of its answer uses.

Holds the vocabulary only; the sums live in the sibling ``training_*`` modules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from advisor.errors import InputError, Problem

__all__ = [
    "GIB",
    "GibRange",
    "LoraTargets",
    "MasterWeights",
    "Method",
    "Offload",
    "Optimizer",
    "Recompute",
    "Sharding",
    "TrainingPlan",
]

GIB = 2.0**30

Method = Literal["full", "lora", "qlora"]
Optimizer = Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "muon"]
MasterWeights = Literal["fp32", "none"]
Recompute = Literal["none", "selective", "full"]
Offload = Literal["none", "cpu", "nvme"]
Sharding = Literal["none", "zero1", "zero2", "zero3", "fsdp"]
LoraTargets = Literal["auto", "all_linear", "attention"]

_BEFORE_BF16 = frozenset({"pascal", "volta", "turing"})


@dataclass(frozen=True, slots=True)
class GibRange:
    """GiB of memory: least, expected, most. Unlike a result's span, ``low`` is the good end."""

    low: float
    expected: float
    high: float

    @classmethod
    def of_bytes(
        cls, expected: float, *, low: float | None = None, high: float | None = None
    ) -> GibRange:
        """Convert bytes; a bound that is not given equals ``expected``."""
        least = expected if low is None else low
        most = expected if high is None else high
        return cls(least / GIB, expected / GIB, most / GIB)

    @classmethod
    def zero(cls) -> GibRange:
        """Return nothing at all."""
        return cls(0.0, 0.0, 0.0)

    def __add__(self, other: GibRange) -> GibRange:
        return GibRange(
            self.low + other.low, self.expected + other.expected, self.high + other.high
        )

    def times(self, factor: float) -> GibRange:
        """Return every bound multiplied by ``factor``."""
        return GibRange(self.low * factor, self.expected * factor, self.high * factor)

    def larger(self, other: GibRange) -> GibRange:
        """Return the larger of both, bound by bound: two peaks that do not coincide."""
        return GibRange(
            max(self.low, other.low),
            max(self.expected, other.expected),
            max(self.high, other.high),
        )

    def smaller(self, other: GibRange) -> GibRange:
        """Return the smaller of both, bound by bound."""
        return GibRange(
            min(self.low, other.low),
            min(self.expected, other.expected),
            min(self.high, other.high),
        )

    def as_dict(self) -> dict[str, float]:
        """Return ``low``, ``expected`` and ``high`` in GiB."""
        return {"low": self.low, "expected": self.expected, "high": self.high}


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """One training job: method, precision, sharding, batch.

    Raises:
        InputError: A size is below one, or the context-parallel ranks do not divide the
            sharding ranks.
    """

    method: Method
    sequence_tokens: int
    """Tokens of one sequence: the longest in the data, or the packed length."""
    micro_batch: int = 1
    """Sequences per GPU and forward pass; gradient accumulation does not count."""
    optimizer: Optimizer = "adamw"
    master_weights: MasterWeights = "fp32"
    """``none``: weights, gradients and moments all in 16 bit."""
    recompute: Recompute = "none"
    offload: Offload = "none"
    """With ``zero3`` or ``fsdp`` all states move; else the optimizer's (and ZeRO-2 gradients)."""
    sharding: Sharding = "none"
    world_size: int = 1
    """Ranks over which the states are sharded or replicated (data and context parallel)."""
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    context_parallel: int = 1
    """Ranks that share one sequence; part of ``world_size``."""
    sequence_parallel: bool = False
    """Megatron's: splits norms and residuals over the tensor-parallel ranks."""
    gradient_dtype: Literal["bf16", "fp16", "fp32"] = "bf16"
    lora_rank: int = 16
    lora_targets: LoraTargets = "auto"
    """``auto``: all linear layers of a dense model, attention alone on a mixture."""
    flash_attention: bool = True
    """Any fused kernel that never stores the score matrix."""
    chunked_loss: bool = False
    """Loss computed piece by piece, so that not all logits exist at once in fp32."""
    offload_activations: bool = False
    """Checkpoints of full recomputation wait in host RAM."""
    packing: bool = False
    gpus_per_node: int = 8
    gpu_architecture: str | None = None
    """Catalogue architecture (``volta``, ``ampere``, ...); decides whether bf16 exists."""

    def __post_init__(self) -> None:
        problems = [
            Problem("out_of_range", "Must be at least 1.", key=f"training.{name}")
            for name in _SIZES
            if getattr(self, name) < 1
        ]
        if not problems and self.world_size % self.context_parallel:
            text = f"{self.context_parallel} does not divide the {self.world_size} sharding ranks."
            problems.append(Problem("not_divisible", text, key="training.context_parallel"))
        if problems:
            raise InputError(problems)

    @property
    def gpus(self) -> int:
        """GPUs of the whole job."""
        return self.world_size * self.tensor_parallel * self.pipeline_parallel

    @property
    def nodes(self) -> int:
        """Nodes of the whole job, rounded up."""
        return -(-self.gpus // self.gpus_per_node)

    @property
    def tokens_per_gpu(self) -> float:
        """Tokens whose activations one GPU holds per micro-batch."""
        return self.sequence_tokens * self.micro_batch / self.context_parallel

    @property
    def shards_weights(self) -> bool:
        """Whether weights are split over the ranks and gathered block by block."""
        return self.sharding in {"zero3", "fsdp"}

    @property
    def shards_gradients(self) -> bool:
        """Whether gradients are split over the ranks."""
        return self.sharding in {"zero2", "zero3", "fsdp"}

    @property
    def lacks_bf16(self) -> bool:
        """Whether the named architecture has no bf16, so that training runs in fp16."""
        return self.gpu_architecture in _BEFORE_BF16

    @property
    def half_precision(self) -> str:
        """Name of the 16-bit format in use."""
        return "fp16" if self.lacks_bf16 else "bf16"


_SIZES = (
    "sequence_tokens", "micro_batch", "world_size", "tensor_parallel", "pipeline_parallel",
    "context_parallel", "lora_rank", "gpus_per_node",
)  # fmt: skip
