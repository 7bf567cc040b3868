"""What ``size`` answers. The field names are a public contract (``gpu-advisor schema size``)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["LayoutResult", "Range", "RateRange", "SizeProblem", "SizeResult", "Span"]

ProblemCode = Literal[
    "weights_exceed_memory",
    "no_kv_memory_left",
    "kv_too_small_for_max_model_len",
    "max_num_seqs_exceeds_state_blocks",
    "heads_not_divisible",
    "kv_heads_not_divisible",
    "quant_group_not_divisible",
    "experts_not_divisible",
    "format_unsupported_on_gpu",
    "borderline",
    "version_bug",
    "unknown_attention",
    "unknown_shapes",
    "layers_fewer_than_stages",
    "context_parallel_not_allowed",
    "engine_unsupported",
    "engine_version_unknown",
    "engine_version_outside_known",
    "graphs_do_not_fit",
    "engine_default_does_not_start",
    "weight_only_format",
    "dtype_cast",
    "stays_wide",
    "context_beyond_model",
    "draft_unknown",
    "approximate_cache",
    "gpu_unknown",
    "name_assumed",
    "layout_chosen",
    "shape_padded",
    "assumption",
    "host_ram",
    "training_note",
]


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Range(_Frozen):
    """Whole numbers: pessimistic, expected, optimistic."""

    low: int
    expected: int
    high: int


class Span(_Frozen):
    """Real numbers: pessimistic, expected, optimistic."""

    low: float
    expected: float
    high: float


class RateRange(_Frozen):
    """A band without a middle, and what it assumes."""

    low: float
    high: float
    assumes: str


class SizeProblem(_Frozen):
    """Something the reader must know about the answer."""

    code: ProblemCode
    text: str
    section: str
    """Handbook section that explains it."""
    blocking: bool = False
    """Whether it makes the layout unfit or illegal."""


class LayoutResult(_Frozen):
    """Parallel sizes of one engine instance, and the GPUs they take."""

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    expert_parallel: int = 1
    """Ranks that hold whole experts; 1 is off."""
    decode_context_parallel: int = 1
    gpus: int = 1
    gpu_count: int | None = None
    """GPUs stated by the caller."""
    idle_gpus: int = 0
    """Stated GPUs beyond whole instances of this layout."""
    instances: int = 1
    """How many instances of this layout the stated GPUs hold."""


class SizeResult(_Frozen):
    """The answer. Sizes in GiB (2**30 bytes) or bytes, per GPU unless the name says otherwise."""

    status: Literal["fits", "does_not_fit", "cannot_run", "unknown"]
    fits: bool
    """Starts, with one request of ``max_model_len``."""
    holds_concurrency: bool | None = None
    """Whether ``concurrency`` requests of ``max_model_len`` fit; null when none was stated."""
    model: str
    gpu: str
    gpu_memory_gib: float
    engine: str | None = None
    engine_version: str | None = None
    weight_format: str
    kv_format: str | None = None
    layout: LayoutResult
    max_model_len: int | None = None
    concurrency: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    gpu_memory_utilization: float | None = None
    weights_gib_per_gpu: float | None = None
    kv_bytes_per_token_per_gpu: float | None = None
    """Marginal: layers that keep the whole context."""
    state_bytes_per_sequence_per_gpu: float | None = None
    """Recurrent state of linear and Mamba layers."""
    kv_fixed_bytes_per_sequence_per_gpu: float | None = None
    """Bounded part (windows at their cap)."""
    kv_gib_per_request_per_gpu: float | None = None
    """What the engine sets aside for one request of ``max_model_len``."""
    kv_cache_gib_per_gpu: Span | None = None
    kv_cache_tokens: Range | None = None
    """Per engine instance, as that engine version's log prints it."""
    kv_replication: int | None = None
    max_concurrency: Span | None = None
    """Requests of ``max_model_len`` at once, per engine instance."""
    largest_max_model_len: int | None = None
    largest_max_num_seqs: int | None = None
    """Limit set by state blocks of hybrids; null where there is none."""
    overheads: dict[str, float] = Field(default_factory=dict)
    """GiB by name, each name ending in ``_gib``."""
    training_states_gib_per_gpu: float | None = None
    activations_gib_per_gpu: float | None = None
    host_ram_gib: float | None = None
    total_gib_per_gpu: Span | None = None
    """Training only: everything that one GPU must hold."""
    training: dict[str, float | str | int | None] = Field(default_factory=dict)
    decode_tokens_per_second: RateRange | None = None
    """Per user; like the two below null without an estimate, see ``no_estimate``."""
    total_output_tokens_per_second: RateRange | None = None
    ttft_ms: RateRange | None = None
    prompt_tokens_per_second: RateRange | None = None
    """Of an instance that reads prompts (or embeds texts) and does nothing else."""
    no_estimate: dict[str, str] = Field(default_factory=dict)
    """Why a speed is null, by its field."""
    problems: tuple[SizeProblem, ...] = ()
    arithmetic: tuple[str, ...] = ()
    """The sums, in words an engineer can follow."""

    @property
    def borderline(self) -> bool:
        """Whether the ends of the range of free memory disagree on whether it starts."""
        return any(problem.code == "borderline" for problem in self.problems)
