"""Sentences that say what they say, and the answers they give: keys and values, and no others."""

from __future__ import annotations

import pytest
from reading_cases import offers, sentence, values

SENTENCES: tuple[tuple[str, dict[str, object]], ...] = (
    (
        "llama 3.3 70b at 32k for 50 users on EKS",
        {
            "workload.model": "llama-3.3-70b",
            "workload.context_tokens": 32768,
            "workload.concurrency": 50,
            "platform.cloud": "aws",
            "platform.provider": "eks",
        },
    ),
    (
        "we have two nodes with 8 H100 each, infiniband",
        {
            "hardware.acquisition": "owned",
            "hardware.nodes": 2,
            "hardware.gpus_per_node": 8,
            "hardware.gpu": ("H100",),
            "hardware.fabric": "infiniband",
        },
    ),
    (
        "fine-tune qwen2.5 7b with qlora on a 4090",
        {
            "workload.kind": "fine_tuning",
            "workload.model": "qwen2.5-7b",
            "training.method": "qlora",
            "hardware.gpu": ("rtx-4090",),
        },
    ),
    (
        "we have 4x L40S, no nvlink",
        {
            "hardware.acquisition": "owned",
            "hardware.gpus_per_node": 4,
            "hardware.gpu": ("l40s",),
            "hardware.nvlink": "no",
        },
    ),
    (
        "untrusted tenants share an A100 80GB, kubernetes 1.31 with karpenter on aws",
        {
            "tenancy.tenants": "untrusted",
            "hardware.gpu": ("A100 80GB",),
            "platform.orchestrator": "kubernetes",
            "platform.kubernetes_version": "1.31",
            "platform.node_autoscaler": "karpenter",
            "platform.cloud": "aws",
        },
    ),
    (
        "ttft under 500 ms, 30 tok/s per user",
        {"objectives.ttft_ms": 500.0, "objectives.tokens_per_second_per_user": 30.0},
    ),
    ("budget 20 dollars an hour", {"objectives.budget_usd_per_hour": 20.0}),
    ("spot is fine", {"platform.capacity": ("spot",)}),
    ("we rent on GCP", {"hardware.acquisition": "rent", "platform.cloud": "gcp"}),
    (
        "200 concurrent users, 8k prompts, 500 output tokens",
        {
            "workload.concurrency": 200,
            "workload.prompt_tokens": 8192,
            "workload.output_tokens": 500,
        },
    ),
    ("deepseek v3.1 fp8", {"workload.model": "deepseek-v3", "workload.weight_format": "fp8"}),
    ("no quantization", {"workload.quantization": "not_allowed"}),
    (
        "openshift on prem, air-gapped",
        {
            "platform.provider": "openshift",
            "platform.cloud": "on_prem",
            "platform.air_gapped": True,
        },
    ),
    (
        "Which GPU for Llama-3.3-70B-Instruct with 50 parallel requests on AKS?",
        {
            "workload.model": "llama-3.3-70b",
            "workload.concurrency": 50,
            "platform.cloud": "azure",
            "platform.provider": "aks",
        },
    ),
    (
        "serve Qwen3-32B-AWQ with vLLM 0.11.2 on our 2x RTX 4090",
        {
            "workload.kind": "serving",
            "workload.model": "qwen3-32b",
            "workload.weight_format": "awq_int4",
            "workload.engine": "vllm",
            "workload.engine_version": "0.11.2",
            "hardware.acquisition": "owned",
            "hardware.gpus_per_node": 2,
            "hardware.gpu": ("rtx-4090",),
        },
    ),
    (
        "GPT-OSS 120B in mxfp4, tp 2",
        {
            "workload.model": "gpt-oss-120b",
            "workload.weight_format": "mxfp4",
            "layout.tensor_parallel": 2,
        },
    ),
    (
        "Mixtral 8x7B in int4 on A100 (40GB)",
        {
            "workload.model": "mixtral-8x7b",
            "workload.weight_format": "int4",
            "hardware.gpu": ("A100 40GB",),
        },
    ),
    (
        "kimi k2 on nodes of 8xH200, SGLang",
        {
            "workload.model": "kimi-k2",
            "hardware.gpus_per_node": 8,
            "hardware.gpu": ("H200",),
            "workload.engine": "sglang",
        },
    ),
    (
        "Qwen/Qwen2.5-72B-Instruct, 16k context, 20 users",
        {
            "workload.model": "qwen2.5-72b",
            "workload.context_tokens": 16384,
            "workload.concurrency": 20,
        },
    ),
    (
        "bge-m3 embeddings on an L4",
        {"workload.model": "bge-m3", "workload.kind": "embeddings", "hardware.gpu": ("l4",)},
    ),
    (
        "deepsek v3.1 on machines with 8xH200",
        {"workload.model": "deepseek-v3", "hardware.gpus_per_node": 8, "hardware.gpu": ("H200",)},
    ),
    (
        "kubernetis with karpentr",
        {"platform.orchestrator": "kubernetes", "platform.node_autoscaler": "karpenter"},
    ),
    (
        "phi 4 with 16k context window and ten users",
        {"workload.model": "phi-4", "workload.context_tokens": 16384, "workload.concurrency": 10},
    ),
    (
        "8 nodes of 8x MI300X each with RoCE, 400G",
        {
            "hardware.nodes": 8,
            "hardware.gpus_per_node": 8,
            "hardware.gpu": ("mi300x",),
            "hardware.fabric": "roce",
        },
    ),
    (
        "our servers have 512 GB RAM and 8 A100 80GB SXM",
        {
            "hardware.host_ram_gib": 476.837158203125,
            "hardware.gpus_per_node": 8,
            "hardware.gpu": ("a100-80-sxm",),
        },
    ),
    ("2x8 H100", {"hardware.nodes": 2, "hardware.gpus_per_node": 8, "hardware.gpu": ("H100",)}),
    ("two DGX H100", {"hardware.nodes": 2, "hardware.gpu": ("h100-sxm",)}),
    (
        "8 owned H200",
        {"hardware.acquisition": "owned", "hardware.gpus_per_node": 8, "hardware.gpu": ("H200",)},
    ),
    (
        "our H100 x8",
        {"hardware.acquisition": "owned", "hardware.gpu": ("H100",), "hardware.gpus_per_node": 8},
    ),
    (
        "we have MI300X x 8",
        {"hardware.acquisition": "owned", "hardware.gpu": ("mi300x",), "hardware.gpus_per_node": 8},
    ),
    ("H100 or A100", {"hardware.gpu": ("H100", "A100")}),
    (
        "I have two 80 GB A100s",
        {
            "hardware.acquisition": "owned",
            "hardware.gpus_per_node": 2,
            "hardware.gpu": ("A100 80GB",),
        },
    ),
    (
        "we own one HGX B200 with 8 GPUs",
        {
            "hardware.acquisition": "owned",
            "hardware.nodes": 1,
            "hardware.gpu": ("b200",),
            "hardware.gpus_per_node": 8,
        },
    ),
    (
        "our 8x4090 in a box",
        {
            "hardware.nodes": 1,
            "hardware.acquisition": "owned",
            "hardware.gpus_per_node": 8,
            "hardware.gpu": ("rtx-4090",),
        },
    ),
    ("GH200", {"hardware.gpu": ("GH200",)}),
    ("h100 nvl", {"hardware.gpu": ("h100-nvl",)}),
    ("three machines, 4 gpus per machine", {"hardware.nodes": 3, "hardware.gpus_per_node": 4}),
    (
        "we own a single node with 4 GPUs",
        {"hardware.acquisition": "owned", "hardware.nodes": 1, "hardware.gpus_per_node": 4},
    ),
    (
        "p5.48xlarge in us-east-1",
        {"platform.instance_type": ("p5.48xlarge",), "platform.region": "us-east-1"},
    ),
    ("azure westeurope", {"platform.cloud": "azure", "platform.region": "westeurope"}),
    (
        "kubernetes v1.34 in eu-central-1",
        {
            "platform.orchestrator": "kubernetes",
            "platform.kubernetes_version": "1.34",
            "platform.region": "eu-central-1",
        },
    ),
    (
        "eks 1.31, driver 580.95.05, cuda 13.0",
        {
            "platform.cloud": "aws",
            "platform.provider": "eks",
            "platform.kubernetes_version": "1.31",
            "platform.driver_version": "580.95.05",
            "platform.cuda_version": "13.0",
        },
    ),
    (
        "GPU operator 25.3.4 on ubuntu 24.04",
        {
            "platform.gpu_operator_version": "25.3.4",
            "platform.operating_system": "ubuntu",
            "platform.os_version": "24.04",
        },
    ),
    ("rocm 7.0 on MI325X", {"platform.rocm_version": "7.0", "hardware.gpu": ("mi325x",)}),
    ("100 to 200 users", {"workload.concurrency": 200}),
    ("between 8k and 16k context", {"workload.context_tokens": 16384}),
    ("8-16k context", {"workload.context_tokens": 16384}),
    ("two dozen users", {"workload.concurrency": 24}),
    ("a hundred users", {"workload.concurrency": 100}),
    ("twenty-five concurrent requests", {"workload.concurrency": 25}),
    ("1,000 users", {"workload.concurrency": 1000}),
    ("1'000 users", {"workload.concurrency": 1000}),
    ("1.500 users", {"workload.concurrency": 1500}),
    (
        "128k context window, 10 concurrent requests",
        {"workload.context_tokens": 131072, "workload.concurrency": 10},
    ),
    ("max context of 1M tokens", {"workload.context_tokens": 1048576}),
    ("1 million tokens context", {"workload.context_tokens": 1000000}),
    ("32,768 tokens of context", {"workload.context_tokens": 32768}),
    ("context length: 65536", {"workload.context_tokens": 65536}),
    ("at 8k for 5 users", {"workload.context_tokens": 8192, "workload.concurrency": 5}),
    ("concurrency 200 context 8k", {"workload.concurrency": 200, "workload.context_tokens": 8192}),
    (
        "--max-model-len 32768 --tensor-parallel-size 4",
        {"layout.max_model_len": 32768, "layout.tensor_parallel": 4},
    ),
    (
        "prompts of 4k and answers of 500 tokens",
        {"workload.prompt_tokens": 4096, "workload.output_tokens": 500},
    ),
    ("at least 30 tokens per second per user", {"objectives.tokens_per_second_per_user": 30.0}),
    ("each user needs 25 tokens/s", {"objectives.tokens_per_second_per_user": 25.0}),
    ("throughput of 5000 tokens per second", {"objectives.total_output_tokens_per_second": 5000.0}),
    ("50 requests per second", {"objectives.requests_per_second": 50.0}),
    ("time to first token below 2 s", {"objectives.ttft_ms": 2000.0}),
    ("ttft 0,5 s", {"objectives.ttft_ms": 500.0}),
    ("no more than 500 ms ttft", {"objectives.ttft_ms": 500.0}),
    ("$20/h", {"objectives.budget_usd_per_hour": 20.0}),
    ("at most 30 USD per hour", {"objectives.budget_usd_per_hour": 30.0}),
    ("purchase budget of $250k", {"objectives.budget_usd": 250000.0}),
    ("70% utilisation", {"objectives.utilisation_percent": 70.0}),
    ("300 W per card", {"hardware.max_gpu_watts": 300.0}),
    ("10 kW per node, air cooled", {"hardware.max_node_kw": 10.0, "hardware.cooling": "air"}),
    ("liquid cooling", {"hardware.cooling": "liquid"}),
    ("1,5 TB of RAM", {"hardware.host_ram_gib": 1396.9838619232178}),
    ("400 Gb/s infiniband", {"hardware.fabric_gbps": 400.0, "hardware.fabric": "infiniband"}),
    ("70 billion parameters", {"workload.parameters_b": 70.0}),
    ("a 13B model", {"workload.parameters_b": 13.0}),
    (
        "tensor parallel 8, pipeline parallel 2",
        {"layout.tensor_parallel": 8, "layout.pipeline_parallel": 2},
    ),
    (
        "full fine-tuning of llama 3.1 8b with deepspeed zero3, sequence length 4096",
        {
            "training.method": "full",
            "workload.kind": "fine_tuning",
            "workload.model": "llama-3.1-8b",
            "training.framework": "deepspeed",
            "training.sharding": "zero3",
            "training.sequence_tokens": 4096,
        },
    ),
    (
        "pretraining with megatron, adamw, gradient checkpointing",
        {
            "workload.kind": "pretraining",
            "training.framework": "megatron",
            "training.optimizer": "adamw",
            "training.recompute": "full",
        },
    ),
    ("lora rank 64", {"training.lora_rank": 64}),
    (
        "fsdp, 2B tokens dataset",
        {"training.sharding": "fsdp", "training.dataset_tokens": 2000000000.0},
    ),
    ("4000 token prompts", {"workload.prompt_tokens": 4000}),
    ("2k tokens in the prompt", {"workload.prompt_tokens": 2048}),
    ("spot and on demand", {"platform.capacity": ("spot", "on_demand")}),
    ("scale to zero", {"platform.scale_to_zero": True}),
    ("secure boot off", {"platform.secure_boot": False}),
    (
        "secure boot, time slicing with 4 replicas per gpu",
        {
            "platform.secure_boot": True,
            "platform.sharing_now": ("time_slicing",),
            "platform.sharing_replicas_now": 4,
        },
    ),
    ("trusted teams, hard sla", {"tenancy.tenants": "trusted_teams", "tenancy.sla": "hard"}),
    ("chargeback", {"tenancy.metering": "per_tenant"}),
    ("as cheap as possible", {"objectives.priority": "cost"}),
    ("low latency matters most", {"objectives.priority": "latency"}),
    (
        "shared system prompt, bursty traffic",
        {"workload.shared_prefix": True, "workload.traffic": "bursty"},
    ),
    ("fp8 kv cache", {"workload.kv_format": "fp8"}),
    ("fp8 only", {"workload.quantization": "fp8_only"}),
    ("kueue on coreweave", {"platform.queueing": "kueue", "platform.cloud": "coreweave"}),
    ("talos on bare metal", {"platform.provider": "talos", "platform.machine": "bare_metal"}),
    ("slurm", {"platform.orchestrator": "slurm"}),
)


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_a_sentence_gives_these_answers_and_no_others(
    text: str, expected: dict[str, object]
) -> None:
    reading = sentence(text)
    assert values(reading) == expected
    assert offers(reading) == []
    assert reading.problem is None
