"""Words of the rules that come after the GPU: what is chosen so far, ways to share, node pools."""

from __future__ import annotations

from advisor.consult.platform.vocabulary_ways import SHARING as _SHARING
from advisor.consult.platform.vocabulary_ways import WAY_FIELDS

__all__ = [
    "CHOSEN_FIELDS",
    "CLUSTER_FIELDS",
    "IMAGE_FIELDS",
    "IN_VERSIONS_FIELDS",
    "POOL_FIELDS",
    "WAY_FIELDS",
]

_OWNERS = ("image", "operator", "provider", "host", "none")
_PLUGIN_OWNERS = ("image", "operator", "provider", "none")
_INSTALLS = (
    "container_build", "container_precompiled", "host_package", "image", "provider",
)  # fmt: skip
_PROVISIONING = (
    "static_pool", "karpenter", "cluster_autoscaler", "managed_pool", "auto_mode", "docker_host",
    "slurm", "bare_metal",
)  # fmt: skip

CHOSEN_FIELDS: dict[str, str | tuple[str, ...]] = {
    # of the GPU decision; absent while it is open
    "gpu_option": ("buy_or_rent", "use_owned", "change_owned", "none_fits"),
    "gpu_engine": "str",
    "gpu_weight_format": "str",
    "gpu_kv_format": "str",
    "gpu_count_per_replica": "int",
    "gpu_total_gpus": "int",
    "gpu_replicas": "int",
    "gpu_nodes": "int",
    "gpu_instance_type": "str",
    "gpu_idle_gpus": "int",
    # of the pattern
    "parallelism_option": (
        "single", "replicas", "tensor", "pipeline", "tensor_pipeline", "expert",
        "expert_dp_attention", "disaggregated", "ddp", "fsdp", "tensor_pipeline_data",
        "lora_single", "lora_ddp",
    ),
    "parallelism_tensor_parallel": "int",
    "parallelism_pipeline_parallel": "int",
    "parallelism_data_parallel": "int",
    "parallelism_expert_parallel": "int",
    "parallelism_fabric": "str",
    "parallelism_job_stack": "str",
    "parallelism_offload": "str",
    # of sharing, once it is settled
    "sharing_option": _SHARING,
    "sharing_profile": "str",
    "sharing_strategy": ("single", "mixed", "none"),
    "sharing_machine": ("bare_metal", "vm"),
    "sharing_replicas": "int",
    "sharing_gpus_per_vm": "int",
    # of provisioning, once it is settled
    "provisioning_option": _PROVISIONING,
    "provisioning_node_image": "str",
    "provisioning_capacity": "str",
    "provisioning_driver_owner": _OWNERS,
    "provisioning_toolkit_owner": _OWNERS,
    "provisioning_driver_install": (
        "container_build", "container_precompiled", "host_package", "image", "provider",
    ),
    "provisioning_kernel_modules": ("open", "proprietary"),
    "provisioning_device_owner": ("device_plugin", "dra", "platform", "none"),
    "provisioning_device_injection": ("cdi", "nri", "legacy"),
    "provisioning_rdma_exposure": (
        "none", "shared_plugin", "sriov_plugin", "efa_plugin", "host_network", "multi_network",
    ),
    "provisioning_gpu_operator": ("full", "no_driver", "no_driver_no_toolkit", "none"),
    "provisioning_queueing": ("none", "kueue", "volcano", "kai"),
    "provisioning_scale_to_zero": "bool",
    # what follows from them
    "kind": (
        "serving", "batch_inference", "embeddings", "reranking", "benchmark", "fine_tuning",
        "pretraining", "development", "platform",
    ),
    "trains": "bool",
    "unit": ("engine", "run"),
    "loads": "int",
    "fleet": ("own", "shared", "mig", "partition", "vgpu"),
    "fleet_even": "bool",
    "fleet_as_wanted": "bool",
    "layout_refused": "str",
    "fleet_rests": "bool",
    "fleet_tenants": "int",
    "fleet_one_tenant": "bool",
    "gpus_per_engine": "int",
    "crosses_nodes": "bool",
    "share_percent": "number",
    "weights_gb": "number",
    "several_wanted": "bool",
    "joined": "bool",
    "model_name": "str",
    # answers put together: whole units that a pod can ask for, GPUs and rows of a MIG layout
    "asks_a_part": "bool",
    "units_there": "int",
    "gpus_there": "int",
    "node_gpus": "int",
    "layout_gpus": "int",
    "vm_ranks": "int",
    "job_gpus": "int",
    "worker_rest": "int",
    "price_elsewhere": "str",
    "busy_said": "bool",
    "shares_said": "bool",
    "licence_said": "bool",
}  # fmt: skip
"""The one fact of kind ``chosen``: what earlier decisions say. ``<decision>_<parameter>`` is that
parameter of the choice; ``choice.<decision>.<parameter>`` in a hint means the same."""

IMAGE_FIELDS: dict[str, str | tuple[str, ...]] = {
    "image": "str",
    "image_name": "str",
    "driver_owner": _OWNERS,
    "toolkit_owner": _OWNERS,
    "plugin_owner": _PLUGIN_OWNERS,
    "driver_in_image": "bool",
    "toolkit_in_image": "bool",
    "plugin_in_image": "bool",
    "operator_driver": "bool",
    "precompiled": "bool",
    "host_packages": "bool",
    "gpu_operator": ("full", "no_driver", "no_driver_no_toolkit", "none"),
    "operator_support": ("validated", "works", "not_supported", "unknown"),
    "add": "str",
    "driver_change": "str",
}
"""What rules read of a node image, as a pool would boot it and as the cluster has it."""

CLUSTER_FIELDS: dict[str, str | tuple[str, ...]] = {
    # the place
    "platform": "str",
    "platform_name": "str",
    "orchestrator": ("kubernetes", "docker", "slurm", "bare_metal"),
    "managed": "bool",
    "known": "bool",
    "cloud": "str",
    "provider": "str",
    "conflict": "str",
    "replaces": "str",
    "driver_note": "str",
    "rdma_note": "str",
    "dra_note": "str",
    "scales_note": "str",
    "can_scale": "bool",
    # the image: while options are judged the one that was said, afterwards that of the choice
    **IMAGE_FIELDS,
    "image_given": "bool",
    # the image that was said, whatever is chosen
    "said_image": "str",
    "said_image_name": "str",
    "said_driver_owner": _OWNERS,
    "said_plugin_owner": _PLUGIN_OWNERS,
    "said_operator_driver": "bool",
    "image_ended": "bool",
    "image_until": "str",
    "image_successor": "str",
    "image_fits_gpu": "bool",
    "gpu_not_known_here": "bool",
    "operator_installed": "bool",
    "plugin_runs": "bool",
    # versions and claims
    "kubernetes": "str",
    "kubernetes_minor": "int",
    "kubernetes_supported": "bool",
    "kubernetes_ended": "str",
    "kubernetes_target": "str",
    "kubernetes_goal": "str",
    "release_unlisted": "str",
    "runtime_foreign": "bool",
    "containerd_old": "str",
    "containerd_beyond": "bool",
    "nri_too_old": "bool",
    "driver_floor": "str",
    "driver_floor_gpu": "str",
    "cuda_without_gpu": "str",
    "operator_ended": "str",
    "operator_steps": "str",
    "driver_ended": "str",
    "driver_branch": "str",
    "driver_branch_ends": "str",
    "unlisted_pairs": "str",
    "dra_core": ("none", "alpha", "beta", "ga"),
    "dra_asked": "bool",
    "dra_usable": "bool",
    "dra_blocker": (
        "orchestrator",
        "kubernetes",
        "dra_driver",
        "driver",
        "image",
        "sharing",
        "pool_slices",
    ),
    "compute_domain": "bool",
    "domain_declined": "bool",
    "claims": "bool",
    # virtual machines: pods that are some, and nodes that are guests of vGPU
    "sandbox": ("kata", "kubevirt"),
    "guest_driver": "bool",
    # the GPUs
    "amd": "bool",
    "intel": "bool",
    "nvidia": "bool",
    "mig": "bool",
    "mixed_vendors": "bool",
    "arm": "bool",
    "rack": "bool",
    # the load
    "steady": "bool",
    "bursty": "bool",
    "batch": "bool",
    "gang": "bool",
    "own_rooms": "bool",
    "owned": "bool",
    "slices": "bool",
    "guests": "bool",
    "shared_names": "bool",
    "resource_name": "str",
    "several_tenants": "bool",
    "only_copy": "bool",
    "large_model": "bool",
    "nodes": "int",
    "queueing_said": ("none", "kueue", "volcano", "kai"),
    "capacity_said": "str",
    "spot_alone": "bool",
    "spot_used": "bool",
    "spot_notice": "str",
    "gang_by": "str",
    "jobs_by": "str",
    # the network between nodes
    "rdma_needed": "bool",
    "rdma_way": "str",
    "rdma_said": "str",
    "rdma_said_offered": "bool",
    # what was said of nodes and what became of it
    "stated_option": _PROVISIONING,
    "stated_name": "str",
    "stated_out": "str",
    "image_out": "str",
    "cold_start_minutes_low": "number",
    "cold_start_minutes_high": "number",
}
"""The one fact of kind ``cluster``: where the GPUs run, and who owns what on a node there."""

POOL_FIELDS: dict[str, str | tuple[str, ...]] = {
    "option": _PROVISIONING,
    "name": "str",
    "here": "bool",
    "usual": "bool",
    "stated": "bool",
    "scales": "bool",
    "image_allows": "bool",
    "dra": ("handled", "ignored", "own_claims_only", "not_applicable", "unknown"),
    "dra_note": "str",
    "when": "str",
    "not_when": "str",
    "start_up": "str",
    "knows_partitions": "str",
    # the image that its nodes would boot
    **IMAGE_FIELDS,
    "image_given": "bool",
    "image_fits": "bool",
    "image_replaces": "str",
    "image_replaces_until": "str",
    "driver_install": _INSTALLS,
    "open_modules": "bool",
    "proprietary_modules": "bool",
    "secure_boot_note": "str",
    # what a first request waits for
    "cold_start_low": "number",
    "cold_start_high": "number",
    "cold_start_whole": "bool",
}
"""Fields of kind ``pool``: one way to have GPU nodes come and go."""

IN_VERSIONS_FIELDS: dict[str, str | tuple[str, ...]] = {
    "gotcha": "str",
    "if_inside": "str",
    "not_stated": "str",
}
"""Fields of kind ``in_versions``: the versions in use are those that a gotcha names, with a
sentence on the rest of the version where only its beginning was given; or the names of what runs
in versions that were not said."""
