"""The words that rules may use: answers, candidates, GPUs, the model and the load."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.answers.questions import Question
    from advisor.rules.vocabulary import FieldSpec, Vocabulary
    from advisor.store.loader import Knowledge
    from advisor.store.overlays import Overlay

__all__ = [
    "CANDIDATE_FIELDS",
    "FLEET_FIELDS",
    "GPU_FIELDS",
    "JOB_FIELDS",
    "LOAD_FIELDS",
    "rule_vocabulary",
]

_FORMATS = (
    "fp32", "bf16", "fp16", "fp8", "fp8_block", "int8", "int4", "awq_int4", "gptq_int4", "nf4",
    "nvfp4", "mxfp4", "mxfp6", "mxfp8", "gguf_q4", "gguf_q8", "other",
)  # fmt: skip

CANDIDATE_FIELDS: dict[str, str | tuple[str, ...]] = {
    "gpu": "str",
    "weight_format": _FORMATS,
    "published_format": "bool",
    "weight_bits": "number",
    "quality_loss": ("slightly", "noticeably"),
    "weight_only": "bool",
    "tensor_parallel": "int",
    "pipeline_parallel": "int",
    "data_parallel": "int",
    "expert_parallel": "bool",
    "gpus_per_replica": "int",
    "nodes_per_replica": "int",
    "split_place": "str",
    "replicas": "int",
    "replicas_for": "str",
    "total_gpus": "int",
    "holds": "int",
    "holds_in_all": "int",
    "requests_low": "number",
    "requests_high": "number",
    "needs": "int",
    "kv_replication": "int",
    "weights_gib": "number",
    "cache_gib": "number",
    "request_gib": "number",
    "utilization": "number",
    "spare_gib": "number",
    "node_gpus": "int",
    "node_kw_low": "number",
    "node_kw_high": "number",
    "usd_per_hour": "number",
    "price_as_of": "str",
    "instance": "str",
    "instance_gpus": "int",
    "idle_gpus": "int",
    "billed_gpus": "int",
    "are_there": "bool",
    "purchase_low": "number",
    "purchase_high": "number",
    "purchase_middle": "number",
    "total_low": "number",
    "total_high": "number",
    "total_middle": "number",
    "user_middle": "number",
    "prompt_middle": "number",
    "ttft_middle": "number",
    "prompts_counted": "bool",
    "prompt_low": "number",
    "prompt_high": "number",
    "prompt_percent_low": "number",
    "prompt_percent_high": "number",
    "served_low": "number",
    "served_high": "number",
    "decode_low": "number",
    "decode_high": "number",
    "ttft_low": "number",
    "ttft_high": "number",
    "borderline": "bool",
    "default_starts": "bool",
    "one_node_instead": "bool",
    "no_stages_instead": "bool",
    "crosses_nvlink": "bool",
    "train_gib": "number",
    "train_hours_low": "number",
    "train_hours_high": "number",
    "run_usd_low": "number",
    "run_usd_high": "number",
    "machines": "int",
    "sequence_tokens": "int",
    "micro_batch": "int",
    "offload": ("none", "cpu", "nvme"),
    "compute_seconds": "number",
    "network_gb": "number",
    "network_seconds": "number",
    "network_gbps": "number",
    "network_bound": "bool",
    "why_split": (
        "wanted",
        "framework",
        "framework_recompute",
        "framework_faster",
        "memory",
        "size",
        "link",
    ),
    "sharded_gb": "number",
    "sharded_gbps": "number",
    "sharded_nodes": "int",
    "why_count": ("owned", "month", "longest", "cheaper"),
    "fewest_gpus": "int",
    "fewest_hours_low": "number",
    "fewest_hours_high": "number",
    "offload_seconds_low": "number",
    "offload_seconds_high": "number",
    "training_method": ("full", "lora", "qlora"),
    "sharding": ("none", "zero1", "zero2", "zero3", "fsdp"),
    "recompute": ("none", "selective", "full"),
    "host_ram_gib": "number",
}
"""Fields of kind ``candidate``: one GPU, format and layout that carries the load."""

GPU_FIELDS: dict[str, str | tuple[str, ...]] = {
    "id": "str",
    "name": "str",
    "vendor": ("nvidia", "amd", "intel"),
    "architecture": (
        "volta", "turing", "ampere", "ada", "hopper", "blackwell", "rubin", "cdna2", "cdna3",
        "cdna4", "cdna5", "gaudi3", "unknown",
    ),
    "status": ("shipping", "legacy", "consumer", "workstation", "export", "announced"),
    "memory_gib": "number",
    "bandwidth_gbs": "number",
    "nvlink_gbs": "number",
    "has_nvlink": "bool",
    "nvlink_bridge_only": "bool",
    "pcie_generation": "int",
    "scale_up_gpus": "int",
    "tdp_w": "number",
    "liquid_only": "bool",
    "mig": "bool",
    "vgpu": "bool",
    "native_fp8": "bool",
    "native_fp4": "bool",
    "bf16": "bool",
    "rack": "bool",
    "named": "bool",
    "mig_instances": "int",
    "confidential": "bool",
    "confidential_several": "bool",
    "sriov": "bool",
    "partitions": "bool",
    "compute_capability": "str",
    "min_driver": "str",
}  # fmt: skip

LOAD_FIELDS: dict[str, str | tuple[str, ...]] = {
    "kind": (
        "serving", "batch_inference", "embeddings", "reranking", "benchmark", "fine_tuning",
        "pretraining", "development", "platform",
    ),
    "model": "str",
    "model_name": "str",
    "parameters_b": "number",
    "active_parameters_b": "number",
    "mixture": "bool",
    "latent_attention": "bool",
    "hybrid": "bool",
    "vision": "bool",
    "published": _FORMATS,
    "context_tokens": "int",
    "typical_tokens": "int",
    "typical_assumed": "bool",
    "max_context_tokens": "int",
    "context_exceeds_model": "bool",
    "concurrency": "int",
    "kv_bytes_per_token": "number",
    "format_fixed": "bool",
    "wanted_total": "number",
    "wanted_prompts": "number",
    "fastest_user": "number",
    "asked_prompts": "number",
    "prompt_tokens": "number",
    "texts_only": "bool",
    "longest_text": "bool",
    "experts_hit_percent": "number",
    "open_market": "bool",
    "several": "bool",
    "stated_model": "bool",
    "owned": "bool",
    "owned_nodes": "int",
    "gpu_assumed": "str",
    "older_release": "str",
    "survivors_eight_bit": "bool",
    "survivors_published": "bool",
}  # fmt: skip

JOB_FIELDS: dict[str, str | tuple[str, ...]] = {
    "gpu": "str",
    "gpus": "int",
    "fits": "bool",
    "method": ("full", "lora", "qlora"),
    "sharding": ("none", "zero1", "zero2", "zero3", "fsdp"),
    "sequence_tokens": "int",
    "micro_batch": "int",
    "needs_gib": "number",
    "usable_gib": "number",
    "weights_gib": "number",
    "logits_gib": "number",
    "peak_gib": "number",
    "peak_share": "number",
    "weights_share": "number",
    "host_ram_gib": "number",
}
"""Fields of kind ``job``: a training job as stated, where it fits first or misses least."""

FLEET_FIELDS: dict[str, str | tuple[str, ...]] = {
    "what": "str",
    "owned": "bool",
    "kinds": "int",
    "loads": "int",
    "engines": "int",
    "sharing": "int",
    "sharing_names": "str",
    "total_gpus": "int",
    "own_gpus": "int",
    "nodes": "int",
    "shared": "bool",
    "mig": "bool",
    "partitions": "bool",
    "vgpus": "bool",
    "vgpu_mig": "bool",
    "cut_as": "str",
    "instances": "int",
    "split_for_others": "bool",
    "fullest_percent": "int",
    "largest": "str",
    "largest_gpus": "int",
    "largest_engines": "int",
    "usd_per_hour": "number",
    "purchase_usd_low": "number",
    "one_tenant": "bool",
    "named_tenants": "int",
    "busy": "bool",
}
"""Fields of kind ``fleet``: GPUs that carry several loads, each on whole ones or on a share."""

_TYPES = {
    "bool": "bool",
    "integer": "int",
    "number": "number",
    "size_tokens": "int",
    "size_gib": "number",
    "enum": "str",
}


def _answer_field(question: Question) -> FieldSpec:
    from advisor.rules.vocabulary import FieldSpec

    values = tuple(choice.id for choice in question.values)
    if question.list:
        return FieldSpec("list", values)
    kind = _TYPES.get(question.kind, "str")
    return FieldSpec(kind, values if kind == "str" else ())  # type: ignore[arg-type]


def rule_vocabulary(knowledge: Knowledge | None = None) -> Vocabulary:
    """Return the vocabulary of questions and fact kinds that rules may use.

    Args:
        knowledge: Its overlays' questions count beside the shipped ones; by default it is the
            knowledge in use. Another base folder brings none: code reads the shipped ones.
    """
    from advisor.store.loader import load_knowledge, shipped_knowledge

    wanted, shipped = knowledge or load_knowledge(), shipped_knowledge()
    if wanted.path == shipped.path:
        return _vocabulary(wanted)
    return _vocabulary(_with_overlays(wanted.overlays) if wanted.overlays else shipped)


@lru_cache(maxsize=8)
def _with_overlays(overlays: tuple[Overlay, ...]) -> Knowledge:
    from advisor.store.loader import shipped_knowledge

    return replace(shipped_knowledge(), overlays=overlays)


@lru_cache(maxsize=8)
def _vocabulary(knowledge: Knowledge) -> Vocabulary:
    from advisor.answers.questions import load_questions
    from advisor.consult.measured_words import MEASURED_FIELDS
    from advisor.consult.platform.vocabulary import (
        CHOSEN_FIELDS,
        CLUSTER_FIELDS,
        IN_VERSIONS_FIELDS,
        POOL_FIELDS,
        WAY_FIELDS,
    )
    from advisor.rules.vocabulary import FieldSpec, Vocabulary

    answers = {
        question.key: _answer_field(question)
        for question in load_questions(knowledge).values()
        if question.kind not in {"list_of_records", "mapping"} and "." in question.key
    }
    kinds = {
        "answers": answers,
        "candidate": _specs(CANDIDATE_FIELDS),
        "gpu": _specs(GPU_FIELDS),
        "load": _specs(LOAD_FIELDS),
        "job": _specs(JOB_FIELDS),
        "fleet": _specs(FLEET_FIELDS),
        "chosen": _specs(CHOSEN_FIELDS),
        "way": _specs(WAY_FIELDS),
        "cluster": _specs(CLUSTER_FIELDS),
        "pool": _specs(POOL_FIELDS),
        "in_versions": _specs(IN_VERSIONS_FIELDS),
        "measured": _specs(MEASURED_FIELDS),
        "need": {"what": FieldSpec("str")},
    }
    return Vocabulary(kinds)


def _specs(fields: dict[str, str | tuple[str, ...]]) -> dict[str, FieldSpec]:
    from advisor.rules.vocabulary import FieldSpec

    return {
        name: FieldSpec("str", short) if isinstance(short, tuple) else FieldSpec(short)  # type: ignore[arg-type]
        for name, short in fields.items()
    }
