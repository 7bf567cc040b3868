"""Random legal answers about serving and training, the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

MODELS = (
    "llama-3.1-8b", "llama-3.3-70b", "llama-3.1-405b", "qwen3-8b", "qwen3-32b", "qwen3-30b-a3b",
    "qwen3-235b-a22b", "gpt-oss-20b", "gpt-oss-120b", "deepseek-r1", "kimi-k2", "gemma-3-27b",
    "phi-4", "bge-m3", "bge-reranker-v2-m3", "minimax-m1", "qwen2.5-7b",
)  # fmt: skip
GPUS = (
    "l4", "l40s", "a10g", "a100-40-sxm", "a100-80-sxm", "h100-sxm", "h100-nvl", "h200-sxm", "b200",
    "b300", "rtx-pro-6000-server", "rtx-4090", "mi300x", "t4", "gh200-96",
)  # fmt: skip
FORMATS = ("checkpoint", "bf16", "fp8", "int8", "awq_int4", "gptq_int4", "nvfp4", "unknown")
KINDS = (
    "serving", "serving", "serving", "serving", "batch_inference", "embeddings", "reranking",
    "development", "benchmark", "fine_tuning", "pretraining", "platform",
)  # fmt: skip


def random_situation(seed: int) -> dict[str, Any]:
    """Return nested answers; nothing in them contradicts itself on purpose, much is missing."""
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    document: dict[str, Any] = {"workload": _workload(dice)}
    for group, make in (("hardware", _hardware), ("objectives", _objectives)):
        answers = make(dice)
        if answers:
            document[group] = answers
    if document["workload"].get("kind") in {"fine_tuning", "pretraining"}:
        document["training"] = _training(dice)
    if dice.random() < 0.2:
        document["platform"] = {
            "cloud": dice.choice(["aws", "gcp", "azure", "on_prem", "coreweave", "other"]),
            "capacity": dice.choice(["on_demand", "spot", "reserved"]),
        }
    if dice.random() < 0.1:
        document["layout"] = {
            "tensor_parallel": dice.choice([1, 2, 3, 4, 8, 16]),
            "state": dice.choice(["in_use", "tried", "wanted"]),
        }
    return document


def _some(dice: random.Random, share: float, **choices: Any) -> dict[str, Any]:
    return {key: dice.choice(values) for key, values in choices.items() if dice.random() < share}


def _workload(dice: random.Random) -> dict[str, Any]:
    found = {"kind": dice.choice(KINDS), "model": dice.choice(MODELS)}
    if dice.random() < 0.08:
        del found["model"]
        if dice.random() < 0.7:
            found["parameters_b"] = dice.choice([3, 13, 34, 110])
    return found | _some(
        dice,
        0.4,
        context_tokens=[2048, 8192, 32768, 131072],
        concurrency=[1, 4, 16, 64, 300, 2000],
        weight_format=FORMATS,
        quantization=["allowed", "fp8_only", "not_allowed"],
        kv_format=["auto", "bf16", "fp8"],
        engine=["vllm", "vllm", "sglang", "tensorrt_llm", "llama_cpp", "tgi", "other"],
        typical_context_tokens=[512, 2048, 8192],
        prompt_tokens=[200, 2000, 20000],
        output_tokens=[100, 1000],
        speculative_tokens=[0, 1, 3],
    )


def _hardware(dice: random.Random) -> dict[str, Any]:
    found: dict[str, Any] = _some(
        dice,
        0.15,
        nodes=[1, 2, 4],
        nvlink=["yes", "no", "bridge"],
        cooling=["air", "liquid"],
        max_gpu_watts=[100, 400, 800],
        gpu_memory_gib=[15, 23.6, 79, 140],
        host_ram_gib=[128, 1024],
        vendors=[["nvidia"], ["amd"], ["nvidia", "amd"]],
    )
    if dice.random() < 0.6:
        found["gpu"] = dice.sample(GPUS, dice.choice([1, 1, 1, 3]))
        found |= _some(dice, 0.5, acquisition=["owned", "owned", "rent", "buy"])
        found |= _some(dice, 0.5, gpus_per_node=[1, 2, 3, 4, 6, 8])
    elif dice.random() < 0.15:
        gpus = dice.sample(GPUS, 2)
        found["inventory"] = [{"gpu": g, "gpus_per_node": dice.choice([1, 2, 4])} for g in gpus]
    return found


def _objectives(dice: random.Random) -> dict[str, Any]:
    return _some(
        dice, 0.4, priority=["balanced", "latency", "throughput", "cost", "simplicity"]
    ) | _some(
        dice,
        0.08,
        tokens_per_second_per_user=[5, 40, 500],
        total_output_tokens_per_second=[100, 5000],
        requests_per_second=[1, 50],
        ttft_ms=[100, 2000],
        budget_usd_per_hour=[1, 20, 200],
    )


def _training(dice: random.Random) -> dict[str, Any]:
    return _some(
        dice,
        0.5,
        method=["full", "lora", "qlora"],
        sequence_tokens=[512, 4096, 16384],
        micro_batch=[1, 4],
        optimizer=["adamw", "adamw_8bit", "adafactor", "sgd"],
        recompute=["none", "selective", "full"],
        offload=["none", "cpu"],
        sharding=["none", "zero1", "zero2", "zero3", "fsdp"],
        dataset_tokens=[1000000],
    )
