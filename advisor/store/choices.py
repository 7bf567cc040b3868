"""What a decision can choose, as far as records of the Kubernetes layer point at it.

The values are the contract of a consultation's ``choice`` objects; a hint such as
``choice.sharing.option`` is checked against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["CHOICES"]

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
            "none", "shared_plugin", "sriov_plugin", "efa_plugin", "host_network",
        ),
        "choice.provisioning.gpu_operator": (
            "full", "no_driver", "no_driver_no_toolkit", "none",
        ),
        "choice.provisioning.queueing": ("none", "kueue", "volcano", "kai"),
    }
)  # fmt: skip
"""Parameter to its values."""
