"""Schema of the model catalogue (``knowledge/models``): what sizing needs to know of a model.

A model is a stack of layer groups that mix tokens (``attention``) and of feed-forward groups
(``ffn``). The shapes use the names of the hub ``config.json`` where one exists.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from advisor.store.records import Record, Strict

__all__ = [
    "Attention",
    "Build",
    "Compressed",
    "DenseFfn",
    "EncoderAttention",
    "Ffn",
    "FullAttention",
    "GatedDeltaNet",
    "KimiDelta",
    "LightningAttention",
    "LoadedSize",
    "Mamba2",
    "MeasuredKv",
    "MlaAttention",
    "Model",
    "MoeFfn",
    "Part",
    "Vision",
    "WeightFormat",
    "WindowedAttention",
]

WeightFormat = Literal[
    "fp32", "bf16", "fp16", "fp8", "fp8_block", "int8", "int4", "awq_int4", "gptq_int4", "nf4",
    "nvfp4", "mxfp4", "mxfp6", "mxfp8", "gguf_q4", "gguf_q8", "other",
]  # fmt: skip


Part = Literal[
    "attention", "linear_attention", "dense_ffn", "shared_experts", "experts", "head",
    "first_last_layers", "vision",
]  # fmt: skip
"""Parts of a model whose width may differ from the rest of a build; ``linear_attention`` covers
Gated DeltaNet, KDA, Mamba-2 and lightning layers."""


class FullAttention(Strict):
    """MHA, GQA or MQA over the whole context."""

    kind: Literal["full"] = "full"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    value_head_dim: int | None = None
    """Only where values are narrower or wider than keys."""
    output_gate: bool = False
    """Query projection is twice as wide and gates the output (Qwen3-Next and later)."""
    values_from_keys: bool = False
    """No value projection: values reuse keys (Gemma 4 global layers); the cache holds both."""
    index_heads: int | None = None
    index_head_dim: int | None = None
    """Set when a block-sparse indexer keeps one key of this width per token (MiniMax M3)."""


class WindowedAttention(Strict):
    """Sliding-window or chunked local attention: cache bounded by ``window`` tokens."""

    kind: Literal["sliding", "chunked"]
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    kv_heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    window: int = Field(ge=1)
    """Tokens in the window, or in one chunk."""


class MlaAttention(Strict):
    """Multi-head latent attention: one latent row per token, held by every tensor-parallel rank."""

    kind: Literal["mla"] = "mla"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    kv_lora_rank: int = Field(ge=1)
    qk_rope_head_dim: int = Field(ge=0)
    qk_nope_head_dim: int | None = None
    v_head_dim: int | None = None
    q_lora_rank: int | None = None
    index_head_dim: int | None = None
    """Set when a sparse indexer keeps its own key cache (DeepSeek V3.2, GLM-5)."""
    index_heads: int | None = None
    borrowed_index_head_dim: int | None = None
    """Set on sparse layers that reuse the choice of an earlier layer's indexer (GLM-5.2): they
    hold no indexer, but some engine versions keep index rows of that width for them."""
    output_gate: bool = False
    """A further hidden x heads x v_head_dim projection gates the output (Kimi K3)."""


class GatedDeltaNet(Strict):
    """Gated DeltaNet linear attention: fixed state per sequence."""

    kind: Literal["gdn"] = "gdn"
    layers: int = Field(ge=1)
    key_heads: int = Field(ge=1)
    value_heads: int = Field(ge=1)
    key_head_dim: int = Field(ge=1)
    value_head_dim: int = Field(ge=1)
    conv_kernel: int = 4
    state_bytes_per_element: int = 4


class KimiDelta(Strict):
    """Kimi delta attention (KDA): fixed state per sequence, with three short convolutions."""

    kind: Literal["kda"] = "kda"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    full_rank_gate: bool = False
    """Output gate as one square projection (Kimi K3) instead of a low-rank pair."""
    conv_kernel: int = 4
    state_bytes_per_element: int = 4


class Mamba2(Strict):
    """Mamba-2 state-space layers: fixed state per sequence."""

    kind: Literal["mamba2"] = "mamba2"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    state_size: int = Field(ge=1)
    groups: int = Field(ge=1)
    conv_kernel: int = 4
    state_bytes_per_element: int = 4


class LightningAttention(Strict):
    """Lightning (linear) attention of the MiniMax-01 and M1 family: heads x d x d state."""

    kind: Literal["lightning"] = "lightning"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    state_bytes_per_element: int = 4


class Compressed(Strict):
    """Window plus compressed rows per layer (DeepSeek V4): approximate, see ``MeasuredKv``."""

    kind: Literal["compressed"] = "compressed"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)
    window: int = Field(ge=1)
    row_bytes: int = Field(ge=1)
    compression: int | None = None
    """Tokens per compressed row; ``None`` for window-only layers."""
    index_row_bytes: int = 0
    """Bytes per compressed row of the indexer."""
    q_lora_rank: int | None = None
    o_groups: int | None = None
    """Head groups of the grouped output projection."""
    o_lora_rank: int | None = None
    """Width of each group inside the output projection."""
    index_heads: int | None = None
    index_head_dim: int | None = None


class EncoderAttention(Strict):
    """Bidirectional encoder: no cache is kept."""

    kind: Literal["encoder"] = "encoder"
    layers: int = Field(ge=1)
    heads: int = Field(ge=1)
    head_dim: int = Field(ge=1)


Attention = Annotated[
    FullAttention
    | WindowedAttention
    | MlaAttention
    | GatedDeltaNet
    | KimiDelta
    | Mamba2
    | LightningAttention
    | Compressed
    | EncoderAttention,
    Field(discriminator="kind"),
]


class DenseFfn(Strict):
    """Dense feed-forward blocks."""

    kind: Literal["dense"] = "dense"
    layers: int = Field(ge=1)
    intermediate_size: int = Field(ge=1)
    gated: bool = True
    """Three matrices (gate, up, down) instead of two."""


class MoeFfn(Strict):
    """Mixture-of-experts blocks."""

    kind: Literal["moe"] = "moe"
    layers: int = Field(ge=1)
    experts: int = Field(ge=1)
    experts_per_token: int = Field(ge=1)
    expert_intermediate_size: int = Field(ge=1)
    shared_experts: int = 0
    shared_intermediate_size: int = 0
    """Width of all shared experts together."""
    gated: bool = True
    latent_size: int | None = None
    """Width in which the routed experts work, where it differs from the hidden size."""


Ffn = Annotated[DenseFfn | MoeFfn, Field(discriminator="kind")]


class Vision(Strict):
    """Vision (or audio) tower beside the language model."""

    parameters_b: float = Field(ge=0)
    hidden_size: int | None = None
    intermediate_size: int | None = None
    patch_tokens_per_image: int | None = None
    """Patches that the tower sees for the largest image the engine profiles with."""


class LoadedSize(Strict):
    """Weights on one GPU as an engine printed them after loading."""

    tensor_parallel: int = Field(ge=1)
    gib_per_gpu: float = Field(gt=0)


class Build(Strict):
    """One published set of weights."""

    format: WeightFormat
    hf_id: str | None = None
    aliases: tuple[str, ...] = ()
    """Other names of the same weights."""
    checkpoint_gb: float | None = None
    """Decimal GB of the weight files that an engine loads."""
    loaded_gib: float | None = None
    """GiB on one GPU as an engine printed it, where it differs (padding)."""
    loaded: tuple[LoadedSize, ...] = ()
    """Printed sizes with tensor parallelism; sizing scales its sum to the first of them."""
    group_size: int | None = None
    wide: tuple[Part, ...] = ()
    """Parts that stay in 16 bit."""
    part_formats: dict[Part, WeightFormat] = Field(default_factory=dict)
    """Parts quantised to another format than ``format`` (mixed-precision builds)."""
    padded_intermediate_size: int | None = None
    note: str | None = None


class MeasuredKv(Strict):
    """A cache cost read off an engine's log because its formula is not known exactly."""

    engine: str
    since: str | None = None
    until: str | None = None
    """First engine version to which this no longer applies."""
    fixed_gib_per_request: float
    bytes_per_token: float
    source: str


class Model(Record):
    """One model as sizing sees it."""

    name: str
    aliases: tuple[str, ...] = ()
    """Other names and hub ids with the same sizing fields."""
    hf_id: str | None = None
    family: str | None = None
    modality: Literal["text", "vision_language", "embedding", "reranker", "omni"] = "text"
    parameters_b: float = Field(gt=0)
    """Total, in 1e9, as loaded for serving (MTP layers apart)."""
    active_parameters_b: float | None = None
    layers: int = Field(ge=1)
    hidden_size: int = Field(ge=1)
    vocab_size: int | None = None
    tie_embeddings: bool = False
    max_context_tokens: int = Field(ge=1)
    native_context_tokens: int | None = None
    """What the config says without rope scaling, where lower than ``max_context_tokens``."""
    attention: tuple[Attention, ...]
    ffn: tuple[Ffn, ...]
    dense_block_intermediate_sizes: tuple[int, ...] = ()
    """Widths that vary by block (NAS models)."""
    mtp_layers: int = 0
    mtp_parameters_b: float = 0.0
    """Parameters of the MTP layers, not part of ``parameters_b``."""
    vision: Vision | None = None
    published_format: WeightFormat
    builds: tuple[Build, ...] = Field(min_length=1)
    """Published weights; the first is the original."""
    measured_kv: tuple[MeasuredKv, ...] = ()
    compute_dtype: Literal["bf16", "fp16", "fp32"] = "bf16"
    unknown_shapes: tuple[str, ...] = ()
    """Figures not known; sizing that needs one says so instead of guessing."""
    licence: str | None = None
    gated: bool | None = None
    released: str | None = None
