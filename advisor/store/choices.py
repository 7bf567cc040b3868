"""What a decision can choose, as far as records of the Kubernetes layer point at it.

The values are the contract of a consultation's ``choice`` objects; a hint such as
``choice.sharing.option`` is checked against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

__all__ = [
    "ALWAYS",
    "CHOICES",
    "DECIDED",
    "FREE",
    "NOW",
    "ONLY_KUBERNETES",
    "now_values",
]

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "choice.gpu.option": ("buy_or_rent", "use_owned", "change_owned", "none_fits"),
        "choice.gpu.engine": (
            "vllm", "sglang", "tensorrt_llm", "llama_cpp", "tgi", "other",
        ),
        "choice.parallelism.option": (
            "single", "replicas", "tensor", "pipeline", "tensor_pipeline", "expert",
            "expert_dp_attention", "disaggregated", "ddp", "fsdp", "tensor_pipeline_data",
            "lora_single", "lora_ddp",
        ),
        "choice.sharing.option": (
            "exclusive", "mig", "mig_in_guest", "time_slicing", "mps", "vgpu", "vgpu_mig",
            "passthrough", "amd_partition", "sriov", "multi_lora", "fractional_scheduler",
            "one_process",
        ),
        "choice.provisioning.option": (
            "static_pool", "karpenter", "cluster_autoscaler", "managed_pool", "auto_mode",
            "docker_host", "slurm", "bare_metal",
        ),
        "choice.provisioning.driver_owner": ("image", "operator", "provider", "host", "none"),
        "choice.provisioning.driver_install": (
            "container_build", "container_precompiled", "host_package", "image", "provider",
        ),
        "choice.provisioning.kernel_modules": ("open", "proprietary"),
        "choice.provisioning.device_owner": ("device_plugin", "dra", "platform", "none"),
        "choice.provisioning.device_injection": ("cdi", "nri", "legacy"),
        "choice.provisioning.rdma_exposure": (
            "none", "shared_plugin", "sriov_plugin", "efa_plugin", "host_network", "multi_network",
        ),
        "choice.provisioning.gpu_operator": (
            "full", "no_driver", "no_driver_no_toolkit", "none",
        ),
        "choice.provisioning.queueing": ("none", "kueue", "volcano", "kai"),
        "choice.provisioning.scale_to_zero": ("yes", "no"),
        "choice.sharing.machine": ("bare_metal", "vm"),
        "choice.sharing.strategy": ("none", "single", "mixed"),
        "chosen.kind": (
            "serving", "batch_inference", "embeddings", "reranking", "benchmark", "fine_tuning",
            "pretraining", "development", "platform",
        ),
        "chosen.trains": ("yes", "no"),
        "chosen.crosses_nodes": ("yes", "no"),
        "chosen.several_wanted": ("yes", "no"),
        "chosen.licence_said": ("yes", "no"),
        "chosen.fleet": ("own", "shared", "mig"),
        "cluster.operator_installed": ("yes", "no"),
        "cluster.sandbox": ("kata", "kubevirt"),
        "gpu.has_nvlink": ("yes", "no"),
        "gpu.mig": ("yes", "no"),
        "gpu.native_fp8": ("yes", "no"),
        "gpu.rack": ("yes", "no"),
    }
)  # fmt: skip
"""Parameter, or what follows from all choices and from the GPU, to its values."""

FREE = frozenset(
    {
        "choice.gpu.weight_format", "choice.provisioning.capacity",
        "choice.provisioning.node_image", "chosen.loads", "chosen.gpus_per_engine",
        "chosen.gpu_nodes", "chosen.gpu_total_gpus", "chosen.gpu_replicas",
        "chosen.gpu_count_per_replica", "chosen.weights_gb",
    }
)  # fmt: skip
"""The same with any text or number."""

_FRACTIONS = ("hami", "kai")
NOW: Mapping[str, tuple[str, Mapping[str, tuple[str, ...]] | None]] = MappingProxyType(
    {
        "choice.gpu.engine": ("workload.engine", None),
        "choice.sharing.option": (
            "platform.sharing_now",
            {
                **{one: (one,) for one in ("exclusive", "mig", "time_slicing", "mps", "vgpu")},
                "fractional_scheduler": _FRACTIONS,
            },
        ),
        "choice.sharing.machine": ("platform.machine", None),
        "choice.sharing.strategy": ("platform.mig_strategy", None),
        "choice.provisioning.option": (
            "platform.node_autoscaler",
            {one: (one,) for one in ("karpenter", "cluster_autoscaler", "auto_mode")},
        ),
        "choice.provisioning.capacity": ("platform.capacity", None),
        "choice.provisioning.node_image": ("platform.node_image", None),
        "choice.provisioning.driver_owner": ("platform.driver_owner_now", None),
        "choice.provisioning.driver_install": ("platform.driver_install", None),
        "choice.provisioning.device_owner": ("platform.dra", {"dra": ("wanted", "in_use")}),
        "choice.provisioning.device_injection": ("platform.device_injection", None),
        "choice.provisioning.rdma_exposure": ("platform.rdma_exposure", None),
        "choice.provisioning.gpu_operator": ("platform.driver_owner_now", {"full": ("operator",)}),
        "choice.provisioning.scale_to_zero": ("platform.scale_to_zero", None),
    }
)
"""Where the answers say what runs now of that which a decision chooses: the question, and its
values for those of the choice (none: the same)."""
ALWAYS = frozenset(
    f"choice.provisioning.{name}"
    for name in (
        "option", "node_image", "driver_owner", "device_owner", "rdma_exposure", "scale_to_zero",
        "gpu_operator", "queueing",
    )
)  # fmt: skip
"""What every consultation chooses: it is never unknown."""
DECIDED = ALWAYS - {"choice.provisioning.gpu_operator"} | {"choice.provisioning.driver_install"}
"""Of these what was said does not count beside the choice: it keeps what can stay, and what it gave
up brings nothing along any more. Where that itself is the trap, a record names the question
(``platform.node_image``)."""
ONLY_KUBERNETES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "choice.provisioning.option": frozenset(
            {"static_pool", "karpenter", "cluster_autoscaler", "managed_pool", "auto_mode"}
        ),
        "choice.provisioning.device_owner": frozenset({"device_plugin", "dra", "platform"}),
        "choice.provisioning.driver_owner": frozenset({"operator"}),
    }
)
"""What is chosen for Kubernetes alone, so that it need not be asked for beside it."""


def now_values(choice: str, values: tuple[str, ...]) -> Iterator[str]:
    """Yield the values of the question in :data:`NOW` that mean one of a choice's ``values``."""
    _, meaning = NOW[choice]
    for value in values:
        yield from (value,) if meaning is None else meaning.get(value, ())
