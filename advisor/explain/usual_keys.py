"""Which answers usually move a decision, most promising first: where a search starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.answers.model import Answers

__all__ = ["CARDS", "NEVER_CHANGED", "usual_keys"]

CARDS = ("h100-sxm", "l40s", "a100-80-sxm", "mi300x")
"""Cards that stand for others: with MIG, without it, of the generation before, of another maker."""

NEVER_CHANGED = frozenset(
    {
        "ask",
        "symptoms",
        "workload.kind",
        "workload.model",
        "workload.engine",
        "workload.model_config",
    }
)
"""Another answer to these is another question altogether."""

_USUAL: Mapping[str, tuple[str, ...]] = {
    "gpu": (
        "objectives.priority", "workload.quantization", "workload.weight_format",
        "hardware.acquisition", "workload.concurrency", "workload.context_tokens",
        "objectives.tokens_per_second_per_user", "workload.kv_format",
        "objectives.budget_usd_per_hour", "workload.typical_context_tokens", "platform.cloud",
        "hardware.gpu", "hardware.vendors", "hardware.architectures", "hardware.cooling",
        "hardware.nvlink", "hardware.nodes", "hardware.gpus_per_node", "training.method",
        "training.sequence_tokens", "training.micro_batch",
    ),
    "parallelism": (
        "hardware.nvlink", "hardware.fabric", "objectives.priority", "workload.concurrency",
        "workload.context_tokens", "hardware.gpus_per_node", "hardware.nodes",
        "objectives.tokens_per_second_per_user", "workload.quantization", "hardware.gpu",
        "training.method", "training.sharding",
    ),
    "sharing": (
        "tenancy.tenants", "tenancy.isolation", "tenancy.workloads_per_gpu", "tenancy.duty",
        "tenancy.sla", "hardware.gpu", "platform.machine", "platform.hypervisor",
        "tenancy.vgpu_license", "tenancy.crash_isolation", "workload.lora_adapters",
        "platform.sharing_now", "platform.orchestrator",
    ),
    "provisioning": (
        "platform.node_autoscaler", "workload.traffic", "platform.capacity",
        "platform.scale_to_zero", "platform.provider", "platform.orchestrator", "platform.cloud",
        "hardware.acquisition", "platform.dra", "platform.node_image",
    ),
}  # fmt: skip


def usual_keys(decision: str, answers: Answers) -> tuple[str, ...]:
    """Return the answers that usually move a decision, those about training only where one trains.

    Args:
        decision: Which.
        answers: As given.
    """
    trains = answers.values.get("workload.kind") in {"fine_tuning", "pretraining"}
    usual = _USUAL.get(decision, ())
    return tuple(key for key in usual if trains or not key.startswith("training."))
