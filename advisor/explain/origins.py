"""Which answers a parameter of a choice comes from, where code and not a rule sets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation

__all__ = ["origins_of"]

_LOAD = (
    "workload.model", "workload.parameters_b", "workload.context_tokens",
    "workload.typical_context_tokens", "workload.concurrency",
)  # fmt: skip
_FORMAT = ("workload.weight_format", "workload.quantization", "objectives.priority")
_SPEED = (
    "objectives.tokens_per_second_per_user", "objectives.total_output_tokens_per_second",
    "objectives.requests_per_second", "workload.prompt_tokens",
)  # fmt: skip
_CARDS = ("hardware.gpu", "hardware.inventory", "hardware.acquisition", "platform.cloud")
_TRAINING = (
    "training.method", "training.sequence_tokens", "training.micro_batch", "training.optimizer",
    "training.sharding", "training.recompute", "training.offload",
)  # fmt: skip
_WIDTH = (*_LOAD, *_FORMAT, "workload.kv_format", *_TRAINING)

_ORIGINS: Mapping[str, tuple[str, ...]] = {
    "sizing": (*_LOAD, "workload.weight_format", "workload.kv_format", *_TRAINING),
    "gpu": (*_CARDS, "objectives.priority"),
    "count_per_replica": _WIDTH,
    "tensor_parallel": _WIDTH,
    "pipeline_parallel": _WIDTH,
    "data_parallel": _WIDTH,
    "expert_parallel": _WIDTH,
    "replicas": ("workload.concurrency", "workload.typical_context_tokens", *_SPEED),
    "total_gpus": ("workload.concurrency", *_SPEED),
    "nodes": ("hardware.gpus_per_node", "hardware.nodes"),
    "engine": ("workload.engine",),
    "engine_version": ("workload.engine_version",),
    "weight_format": _FORMAT,
    "kv_format": ("workload.kv_format",),
    "max_model_len": ("workload.context_tokens", "layout.max_model_len"),
    "max_num_seqs": ("workload.concurrency", "layout.max_num_seqs"),
    "max_num_batched_tokens": ("layout.max_num_batched_tokens", "workload.engine"),
    "gpu_memory_utilization": ("layout.gpu_memory_utilization", "workload.engine"),
    "gpu_memory_gib": ("hardware.gpu", "hardware.gpu_memory_gib"),
    "room_requests_per_replica": (
        "workload.context_tokens", "workload.typical_context_tokens", "workload.kv_format",
    ),
    "usd_per_hour": ("platform.cloud", "platform.capacity", "hardware.acquisition"),
    "instance_type": ("platform.cloud", "platform.instance_type", "platform.capacity"),
    "acquisition": ("hardware.acquisition",),
    "capacity": ("platform.capacity",),
    "fabric": ("hardware.nvlink", "hardware.fabric"),
    "machine": ("platform.machine", "platform.cloud"),
    "training_method": ("training.method",),
    "sharding": ("training.sharding",),
    "optimizer": ("training.optimizer",),
    "offload": ("training.offload",),
    "recompute": ("training.recompute",),
    "micro_batch": ("training.micro_batch",),
    "sequence_tokens": ("training.sequence_tokens",),
    "node_image": ("platform.node_image", "platform.provider", "platform.operating_system"),
    "profile": (*_LOAD, "tenancy.workloads_per_gpu", "tenancy.mig_layout_wanted"),
    "layout": (*_LOAD, "tenancy.workloads_per_gpu", "tenancy.mig_layout_wanted"),
}  # fmt: skip


def origins_of(parameter: str, told: Consultation, answers: Answers) -> tuple[str, ...]:
    """Return the keys behind a parameter that are given, or that were assumed."""
    del answers
    known = {given.key for given in told.answers} | {note.key for note in told.assumptions}
    return tuple(key for key in _ORIGINS.get(parameter, ()) if key in known)
