"""The keys and values that the design fixes, written out once more on purpose.

A test that read them from the question files would agree with any mistake there.
"""

from __future__ import annotations

KEYS: dict[str, str] = {
    "": "ask workloads symptoms",
    "workload": """
        kind model model_config parameters_b active_parameters_b weight_format quantization
        kv_format engine engine_version context_tokens typical_context_tokens prompt_tokens
        output_tokens concurrency traffic shared_prefix lora_adapters speculative_tokens
        images_per_prompt disaggregated cpu_offload serving_stack""",
    "layout": """
        tensor_parallel pipeline_parallel data_parallel expert_parallel max_model_len
        max_num_seqs max_num_batched_tokens gpu_memory_utilization enforce_eager state""",
    "observed": """
        tokens_per_second_per_user total_output_tokens_per_second ttft_ms step_seconds link_gbps
        memory_used_gib""",
    "objectives": """
        priority ttft_ms tokens_per_second_per_user total_output_tokens_per_second
        requests_per_second budget_usd_per_hour budget_usd utilisation_percent""",
    "training": """
        method sequence_tokens micro_batch optimizer master_weights recompute offload sharding
        lora_rank dataset_tokens framework job_stack workers gpus_per_worker
        gradient_accumulation packing pods_per_job same_node""",
    "hardware": """
        acquisition gpu gpu_memory_gib gpu_memory_bandwidth_gbs gpu_compute_capability
        gpus_per_node nodes inventory vendors nvlink nvlink_domain_gpus fabric fabric_gbps nic
        cooling island_gpus island_link architectures max_gpu_watts max_node_kw host_ram_gib
        unified_memory weights_read_gb_per_s iommu_acs""",
    "platform": """
        orchestrator cloud region provider kubernetes_version node_image node_autoscaler
        scale_to_zero capacity queueing topology_scheduling machine hypervisor passthrough_now
        gpus_per_vm instance_type gpu_quota operating_system os_version driver_owner_now
        driver_install driver_version driver_upgrade gpu_operator_version dra compute_domain
        dra_driver_version container_runtime container_runtime_version container_toolkit_version
        device_injection cuda_version rocm_version pod_network rdma_exposure env sharing_now
        sharing_replicas_now mig_strategy mig_layout_now secure_boot air_gapped package_mirror""",
    "tenancy": """
        tenants isolation sla duty crash_isolation vgpu_license confidential workloads_per_gpu
        gpus_per_pod units_per_pod mig_layout_wanted turnover metering""",
}

ENUMS: dict[str, str] = {
    "ask": "gpu sharing parallelism provisioning",
    "workload.kind": """serving batch_inference embeddings reranking benchmark fine_tuning
        pretraining development platform""",
    "workload.weight_format": """checkpoint bf16 fp16 fp8 fp8_block int8 int4 awq_int4 gptq_int4
        nf4 nvfp4 mxfp4 mxfp6 mxfp8 gguf_q4 gguf_q8 other""",
    "workload.quantization": "allowed fp8_only not_allowed",
    "workload.kv_format": "auto bf16 fp16 fp8 fp8_e5m2 int8 nvfp4",
    "workload.engine": "vllm sglang tensorrt_llm llama_cpp tgi other",
    "workload.traffic": "steady bursty scheduled",
    "workload.disaggregated": "no wanted in_use",
    "workload.cpu_offload": "no wanted in_use",
    "workload.serving_stack": """none kaito kserve ray_serve llm_d dynamo production_stack triton
        other""",
    "layout.state": "in_use tried wanted",
    "objectives.priority": "balanced latency throughput cost simplicity",
    "training.method": "full lora qlora",
    "training.optimizer": "adamw adamw_8bit paged_adamw_8bit adafactor sgd muon",
    "training.master_weights": "fp32 none",
    "training.recompute": "none selective full",
    "training.offload": "none cpu nvme",
    "training.sharding": "none zero1 zero2 zero3 fsdp",
    "training.framework": """torch_fsdp deepspeed megatron hf_trainer axolotl llama_factory
        torchtune nemo other""",
    "training.job_stack": """none kubeflow_trainer jobset kuberay mpi_operator volcano other""",
    "hardware.acquisition": "buy rent owned",
    "hardware.vendors": "nvidia amd intel",
    "hardware.nvlink": "yes no bridge multi_node",
    "hardware.fabric": "none ethernet roce infiniband efa cloud_rdma nvlink_rack",
    "hardware.nic": "connectx bluefield efa other",
    "hardware.cooling": "air liquid",
    "hardware.island_link": "nvlink pix pxb phb node sys",
    "hardware.architectures": """volta turing ampere ada hopper blackwell rubin cdna2 cdna3 cdna4
        cdna5 gaudi3""",
    "platform.orchestrator": "kubernetes docker slurm bare_metal",
    "platform.cloud": """aws azure gcp oci coreweave lambda nebius crusoe runpod on_prem other""",
    "platform.provider": "eks gke aks openshift k3s rke2 talos vanilla other",
    "platform.node_image": """eks-al2-gpu eks-al2023-nvidia eks-al2023-standard
        eks-bottlerocket-nvidia eks-ubuntu eks-auto-mode gke-cos gke-ubuntu gke-autopilot
        aks-ubuntu aks-azurelinux aks-driver-none aks-managed-gpu ubuntu-22.04 ubuntu-24.04
        rhel-8 rhel-9 rocky-9 rhcos talos dgx-os custom-prebaked other""",
    "platform.node_autoscaler": """karpenter cluster_autoscaler auto_mode node_auto_provisioning
        none""",
    "platform.capacity": "on_demand spot reserved capacity_block flex_start",
    "platform.queueing": "none kueue volcano kai",
    "platform.topology_scheduling": "none preferred required",
    "platform.machine": "bare_metal vm",
    "platform.hypervisor": "kvm proxmox kubevirt kata vmware hyperv other",
    "platform.driver_owner_now": "image operator provider host none",
    "platform.driver_install": """container_build container_precompiled host_package image
        provider""",
    "platform.driver_upgrade": "auto manual node_replacement",
    "platform.dra": "no wanted in_use",
    "platform.compute_domain": "no wanted in_use",
    "platform.container_runtime": "containerd cri_o docker podman",
    "platform.device_injection": "legacy cdi nri",
    "platform.pod_network": "host cni cni_overlay macvlan sriov",
    "platform.rdma_exposure": """none shared_plugin sriov_plugin efa_plugin host_network
        multi_network""",
    "platform.sharing_now": "exclusive time_slicing mps mig vgpu hami kai",
    "platform.mig_strategy": "none single mixed",
    "platform.package_mirror": "none images_only images_and_packages",
    "tenancy.tenants": "single trusted_teams untrusted",
    "tenancy.isolation": "none memory hardware vm",
    "tenancy.sla": "none soft hard",
    "tenancy.duty": "idle intermittent sustained",
    "tenancy.turnover": "at_once one_after_another",
    "tenancy.metering": "none per_pod per_tenant",
}

YES_NO: str = """
    workload.shared_prefix layout.enforce_eager training.packing training.same_node
    hardware.unified_memory hardware.iommu_acs platform.scale_to_zero platform.passthrough_now
    platform.secure_boot platform.air_gapped tenancy.crash_isolation tenancy.vgpu_license
    tenancy.confidential"""

SECTIONS: str = """
    1 2 2.1 2.2 2.3 2.4 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.2 4.3 5 5.1 5.2 5.3 5.4 5.5 5.6 6
    7 7.1 7.2 7.3 7.4 7.5 8 8.1 8.2 8.3 8.4 9 10"""


def all_keys() -> list[str]:
    """Return every dotted key of the contract."""
    return [
        f"{group}.{name}" if group else name
        for group, names in KEYS.items()
        for name in names.split()
    ]
