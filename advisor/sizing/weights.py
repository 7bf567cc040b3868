"""Bytes of weights on one GPU: formats, what stays wide, sharding.

Source: per-format bytes from the catalogue of formats; sharding rules of the vLLM layers
(column, row, vocabulary and expert parallel); handbook section 7.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.sizing.formats import weight_bytes
from advisor.sizing.layout import Layout, stage_layers
from advisor.sizing.memo import Memo
from advisor.sizing.parameters import Part, PartGroup, parts_of
from advisor.store.formats import WeightFormatRecord
from advisor.store.model import Build, MlaAttention, Model, MoeFfn

__all__ = ["EXPERTS_ONLY_FORMATS", "WeightPlan", "stage_weights_bytes", "weight_plan"]

GIB = 2**30
WIDE_BYTES = 2.0
EXPERTS_ONLY_FORMATS = frozenset({"nvfp4", "mxfp4", "int4", "mxfp6", "mxfp8"})
"""On a mixture these names mean quantised routed experts; the rest stays in 16 bit."""

_FORMATS_WITH_NARROW_TABLES = frozenset({"gguf_q4", "gguf_q8"})


@dataclass(frozen=True, slots=True)
class WeightPlan:
    """How the weights of one model are stored."""

    format: str
    bytes_per_weight: float
    """Per quantised weight, scales included."""
    wide: frozenset[PartGroup]
    """Groups of projections that stay in 16 bit."""
    group_size: int | None = None
    build: Build | None = None
    wide_layer_share: float = 0.0
    """Share of layers kept wide as a whole (first and last)."""
    intermediate_scale: float = 1.0
    """A vendor build with a padded intermediate size carries this much more of it."""
    narrow_tables: bool = False
    expert_padding: tuple[int, int] | None = None
    """Multiples (intermediate, hidden) to which the kernel pads mxfp4 experts."""
    other_widths: Mapping[str, float] = field(default_factory=dict)
    """Bytes per weight of parts stored in another format than ``format``."""

    @property
    def key(self) -> tuple[object, ...]:
        """What tells two plans of one build apart."""
        return (self.format, self.bytes_per_weight, self.expert_padding)

    def part_bytes(self, part: Part) -> float:
        """Return the bytes per element of ``part``, averaged over layers."""
        if part.group in self.other_widths:
            return self.other_widths[part.group]
        narrow = part.linear and part.group not in self.wide
        if self.narrow_tables and part.group in {"embedding", "head"}:
            narrow = True
        if not narrow:
            return max(WIDE_BYTES, self.bytes_per_weight) if self.format == "fp32" else WIDE_BYTES
        share = self.wide_layer_share if part.per_layer else 0.0
        scale = self.intermediate_scale if part.group == "dense_ffn" else 1.0
        return scale * (self.bytes_per_weight * (1 - share) + WIDE_BYTES * share)


def weight_plan(
    model: Model,
    weight_format: str,
    bytes_per_weight: float,
    build: Build | None,
    formats: Mapping[str, WeightFormatRecord],
    expert_padding: tuple[int, int] | None = None,
) -> WeightPlan:
    """Decide which parts of ``model`` the format shrinks.

    A catalogued build that names its wide parts is believed. Otherwise 4-bit float formats and
    plain ``int4`` on a mixture mean the routed experts, everything else all projections.
    """
    wide: set[PartGroup] = set()
    share = 0.0
    if build is not None and build.wide:
        for name in build.wide:
            if name == "first_last_layers":
                share = 2 / model.layers
            else:
                wide.add(name)
    elif weight_format in EXPERTS_ONLY_FORMATS and any(isinstance(f, MoeFfn) for f in model.ffn):
        wide = {"attention", "linear_attention", "dense_ffn", "shared_experts"}
    return WeightPlan(
        format=weight_format,
        bytes_per_weight=bytes_per_weight,
        wide=frozenset(wide),
        group_size=build.group_size if build else None,
        build=build,
        wide_layer_share=share,
        intermediate_scale=_padding(model, build),
        narrow_tables=weight_format in _FORMATS_WITH_NARROW_TABLES,
        expert_padding=expert_padding,
        other_widths=_other_widths(build, formats),
    )


def _other_widths(
    build: Build | None, formats: Mapping[str, WeightFormatRecord]
) -> dict[str, float]:
    """Return bytes per weight of the parts that a mixed build stores in another format."""
    if build is None:
        return {}
    return {part: weight_bytes(formats[name]) for part, name in build.part_formats.items()}


def _padding(model: Model, build: Build | None) -> float:
    if build is None or build.padded_intermediate_size is None:
        return 1.0
    width = next((f.intermediate_size for f in model.ffn if f.kind == "dense"), None)
    return build.padded_intermediate_size / width if width else 1.0


def _ranks(part: Part, layout: Layout) -> float:
    """Return by how much ``part`` shrinks on one rank."""
    if part.sharding == "replicated":
        return 1.0
    if part.sharding == "experts":
        return float(layout.expert_ranks)
    if part.sharding == "kv_heads":
        return float(min(layout.tensor_parallel, part.kv_heads))
    return float(layout.tensor_parallel)


def _latent_copies_bytes(model: Model, layout: Layout) -> float:
    """Return the bytes of the absorbed up-projections that engines keep beside the originals.

    vLLM and SGLang hold ``W_UK`` and ``W_UV`` in 16 bit for decoding, split over ranks.
    """
    total = 0.0
    for a in model.attention:
        if isinstance(a, MlaAttention):
            width = (a.qk_nope_head_dim or 128) + (a.v_head_dim or 128)
            total += a.layers * a.kv_lora_rank * a.heads * width * WIDE_BYTES
    return total / layout.tensor_parallel


_remembered: Memo[tuple[float, ...]] = Memo(4096)


def stage_weights_bytes(
    model: Model, plan: WeightPlan, layout: Layout, *, use_mtp_layers: bool = False
) -> tuple[float, ...]:
    """Return the bytes of weights on one GPU of each pipeline stage.

    Args:
        model: Shapes.
        plan: Format and wide parts.
        layout: Parallel sizes.
        use_mtp_layers: Load the model's own draft layers as well (on the last stage).
    """
    records = (model, plan.build)
    key = (plan.key, layout, use_mtp_layers)
    return _remembered.get(
        records, key, lambda: _stage_weights(model, plan, layout, use_mtp_layers=use_mtp_layers)
    )


def _stage_weights(
    model: Model, plan: WeightPlan, layout: Layout, *, use_mtp_layers: bool
) -> tuple[float, ...]:
    scale = _scale(model, plan)
    sizes = [size * scale for size in _counted(model, plan, layout)]
    if use_mtp_layers and model.mtp_parameters_b:
        sizes[-1] += model.mtp_parameters_b * 1e9 * _mtp_bytes(plan) / layout.expert_ranks
    return tuple(sizes)


def _counted(model: Model, plan: WeightPlan, layout: Layout) -> list[float]:
    """Return bytes per stage from shapes and formats alone."""
    stages = stage_layers(model.layers, layout.pipeline_parallel)
    per_layer = _latent_copies_bytes(model, layout)
    edge_first = edge_last = 0.0
    for part in parts_of(model):
        size = part.parameters * plan.part_bytes(part) / _ranks(part, layout)
        if part.group == "experts":
            size *= _expert_growth(model, plan, layout)
        if part.per_layer:
            per_layer += size
            continue
        tied = part.group == "embedding" and model.tie_embeddings and len(stages) > 1
        edge_first += 0.0 if part.group == "head" else size
        edge_last += size if tied or part.group == "head" else 0.0
    sizes = [per_layer * count / model.layers for count in stages]
    sizes[0] += edge_first
    sizes[-1] += edge_last
    return sizes


def _mtp_bytes(plan: WeightPlan) -> float:
    """Return bytes per draft weight: NVFP4 builds leave the draft layer in 16 bit."""
    if plan.format == "nvfp4":
        return WIDE_BYTES
    return plan.bytes_per_weight if "experts" not in plan.wide else WIDE_BYTES


def _expert_growth(model: Model, plan: WeightPlan, layout: Layout) -> float:
    """Return by how much the kernel's padding enlarges mxfp4 experts; handbook section 7.3."""
    if plan.format != "mxfp4" or plan.expert_padding is None:
        return 1.0
    mixture = next((f for f in model.ffn if isinstance(f, MoeFfn)), None)
    if mixture is None:
        return 1.0
    intermediate, hidden = plan.expert_padding
    ranks = 1 if layout.expert_parallel else layout.expert_ranks
    width = mixture.expert_intermediate_size / ranks
    width_growth: float = -(-width // intermediate) * intermediate / width
    height = mixture.latent_size or model.hidden_size
    return width_growth * (-(-height // hidden) * hidden / height)


def _scale(model: Model, plan: WeightPlan) -> float:
    """Return a factor that brings the sum to what an engine printed or a repository holds.

    Printed sizes count first; file sizes only where shapes or the mix of formats are not known.
    """
    build = plan.build
    if build is None or build.format != plan.format:
        return 1.0
    if plan.expert_padding is None and build.loaded_gib is not None:
        return build.loaded_gib * GIB / sum(_counted(model, plan, Layout()))
    if build.loaded:
        printed = build.loaded[0]
        layout = Layout(tensor_parallel=printed.tensor_parallel)
        return printed.gib_per_gpu * GIB / sum(_counted(model, plan, layout))
    if build.checkpoint_gb is not None and (model.unknown_shapes or _mixed(build)):
        draft = model.mtp_parameters_b * 1e9 * _mtp_bytes(plan)
        counted = sum(part.parameters * plan.part_bytes(part) for part in parts_of(model))
        return max(0.0, build.checkpoint_gb * 1e9 - draft) / counted
    return 1.0


def _mixed(build: Build) -> bool:
    """Tell whether a narrow build's file size is better evidence than its nominal format."""
    return build.format in {"nvfp4", "int4", "mxfp4", "other", "gguf_q4"}
