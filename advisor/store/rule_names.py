"""What the fields of facts and answers are called in the decision tables.

A field that is not listed reads as its own name, with its unit behind the number
(``decode_low`` is "decode low", ``max_node_kw > 5`` is "max node above 5 kW"), so that a new
rule is readable before anybody adds a word here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["PRESENCE", "YES_NO", "field_name", "unit_of"]

_NAMES = {
    "candidate.cache_gib": "the memory left for the cache",
    "candidate.compute_seconds": "the arithmetic of a micro-batch",
    "candidate.decode_high": "the fast end of the speed for one user",
    "candidate.decode_low": "the slow end of the speed for one user",
    "candidate.gpu": "the card",
    "candidate.gpus_per_replica": "GPUs of one replica",
    "candidate.holds_in_all": "requests held by all replicas",
    "candidate.host_ram_gib": "the host RAM that the job needs on a machine",
    "candidate.idle_gpus": "idle GPUs",
    "candidate.kv_replication": "copies of each cached row",
    "candidate.machines": "machines of the job",
    "candidate.needs": "requests wanted at once",
    "candidate.network_gbps": "the network rate that would hide the traffic",
    "candidate.node_kw_high": "the upper estimate of a machine's power",
    "candidate.node_kw_low": "the lower estimate of a machine's power",
    "candidate.nodes_per_replica": "nodes of one replica",
    "candidate.offload_seconds_low": "the time that offload adds",
    "candidate.pipeline_parallel": "pipeline stages",
    "candidate.prompt_high": "the fast end of the prompt tokens a second",
    "candidate.prompt_low": "the slow end of the prompt tokens a second",
    "candidate.prompt_middle": "the middle of the estimates of prompt tokens a second",
    "candidate.prompt_percent_high": "the upper estimate of the time spent on prompts",
    "candidate.prompt_percent_low": "the lower estimate of the time spent on prompts",
    "candidate.request_gib": "the cache of one request",
    "candidate.run_usd_high": "the upper estimate of the run's rent",
    "candidate.run_usd_low": "the lower estimate of the run's rent",
    "candidate.served_high": "the fast end of the speed for one user with prompts counted",
    "candidate.served_low": "the slow end of the speed for one user with prompts counted",
    "candidate.sharded_gbps": "the network rate that full sharding would need",
    "candidate.spare_gib": "the memory left unused",
    "candidate.total_gpus": "GPUs in all",
    "candidate.total_high": "the fast end of all tokens a second",
    "candidate.total_low": "the slow end of all tokens a second",
    "candidate.total_middle": "the middle of the estimates of all tokens a second",
    "candidate.train_gib": "memory of the training job",
    "candidate.train_hours_high": "the upper estimate of the run's time",
    "candidate.train_hours_low": "the lower estimate of the run's time",
    "candidate.ttft_high": "the late end of the first token",
    "candidate.ttft_low": "the early end of the first token",
    "candidate.ttft_middle": "the middle of the estimates of the first token",
    "candidate.usd_per_hour": "rent by the hour",
    "candidate.user_middle": "the middle of the estimates for one user",
    "candidate.utilization": "the memory share of the engine",
    "candidate.weight_bits": "the weights",
    "candidate.weights_gib": "the weights on a GPU",
    "candidate.why_count": "reason for the number of GPUs",
    "candidate.why_split": "reason for the split",
    "fleet.kinds": "kinds of GPU",
    "fleet.named_tenants": "tenants named",
    "fleet.total_gpus": "GPUs of all loads",
    "fleet.usd_per_hour": "rent of all loads by the hour",
    "gpu.architecture": "generation",
    "gpu.bf16": "whether the card has bf16 units",
    "gpu.memory_gib": "the card's memory",
    "gpu.pcie_generation": "PCIe generation",
    "gpu.scale_up_gpus": "the largest linked group",
    "gpu.status": "the card's status",
    "gpu.vendor": "the card's vendor",
    "hardware.fabric": "the stated network",
    "hardware.fabric_gbps": "the stated network's rate",
    "hardware.gpu": "a GPU to take",
    "hardware.host_ram_gib": "the stated host RAM",
    "hardware.max_node_kw": "what a machine may draw",
    "job.gpus": "GPUs of the job",
    "job.host_ram_gib": "the host RAM that the stated job needs",
    "job.logits_gib": "the logits",
    "job.peak_share": "the share of one micro-batch in the memory",
    "job.weights_share": "the share of the weights in the memory",
    "layout.expert_parallel": "the stated expert ranks",
    "layout.pipeline_parallel": "the stated pipeline stages",
    "layout.tensor_parallel": "the stated tensor parallel",
    "load.active_parameters_b": "the number of active parameters",
    "load.asked_prompts": "prompt tokens a second of the stated requests",
    "load.concurrency": "requests at once",
    "load.context_tokens": "the longest request",
    "load.fastest_user": "the fastest speed that any layout gives one user",
    "load.kind": "the kind of work",
    "load.typical_tokens": "the usual request",
    "load.wanted_prompts": "the wanted prompt tokens a second",
    "load.wanted_total": "the wanted tokens a second of all users",
    "objectives.budget_usd": "the budget of the run",
    "objectives.budget_usd_per_hour": "the budget by the hour",
    "objectives.requests_per_second": "requests a second",
    "objectives.tokens_per_second_per_user": "the wanted speed for one user",
    "objectives.ttft_ms": "the allowed wait for the first token",
    "observed.memory_used_gib": "the observed memory in use",
    "platform.gpu_quota": "the GPU quota",
    "platform.topology_scheduling": "placement by topology",
    "tenancy.sla": "the service level",
    "tenancy.tenants": "trust between tenants",
    "training.dataset_tokens": "the data set's size",
    "training.job_stack": "the stated job stack",
    "training.method": "the training method",
    "workload.concurrency": "the number of users",
    "workload.context_tokens": "the longest request as stated",
    "workload.disaggregated": "separate prefill and decode",
    "workload.kind": "the kind of work as stated",
    "workload.prompt_tokens": "the prompt",
    "workload.typical_context_tokens": "the typical request",
}

YES_NO: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "candidate.borderline": (
            "the pessimistic end of the memory estimate does not fit",
            "even the pessimistic end of the memory estimate fits",
        ),
        "candidate.crosses_nvlink": (
            "the split goes beyond the NVLink domain",
            "the split stays inside the NVLink domain",
        ),
        "candidate.default_starts": (
            "the engine's default number of sequences starts",
            "the engine's default number of sequences does not start",
        ),
        "candidate.expert_parallel": ("whole experts per rank", "no expert parallelism"),
        "candidate.network_bound": ("the network bounds the step", "the network is fast enough"),
        "candidate.no_stages_instead": (
            "a layout without stages carries the load too",
            "only stages carry the load",
        ),
        "candidate.one_node_instead": (
            "a layout in one node carries the load too",
            "no layout in one node carries the load",
        ),
        "candidate.prompts_counted": (
            "the time of prompts is counted",
            "the time of prompts is not counted",
        ),
        "candidate.published_format": (
            "the weights are as published",
            "the weights are not as published",
        ),
        "candidate.weight_only": (
            "the card has no units for the weight format",
            "the card computes in the weight format",
        ),
        "fleet.busy": ("all loads are busy all the time", "some loads rest"),
        "fleet.one_tenant": ("all loads are one tenant's", "the loads are of several tenants"),
        "fleet.owned": ("the GPUs are owned", "the GPUs are not owned"),
        "fleet.shared": ("loads share a GPU", "no loads share a GPU"),
        "gpu.bf16": ("the card computes in bf16", "the card has no bf16 units"),
        "gpu.has_nvlink": ("NVLink or a like link", "no NVLink or like link"),
        "gpu.named": ("the card is named in the answers", "the card is not named in the answers"),
        "gpu.nvlink_bridge_only": ("NVLink by bridges alone", "NVLink not by bridges"),
        "gpu.rack": ("the card is sold as a rack", "the card is not sold as a rack"),
        "load.context_exceeds_model": (
            "the longest request exceeds the model's window",
            "the longest request is within the model's window",
        ),
        "load.format_fixed": ("the weight format is given", "the weight format is not given"),
        "load.longest_text": (
            "the longest text stands in for the usual one",
            "the usual text is given",
        ),
        "load.mixture": ("a mixture of experts", "a dense model"),
        "load.open_market": ("GPUs may still be chosen", "the GPUs are given"),
        "load.owned": ("the GPUs are owned", "the GPUs are not owned"),
        "load.several": ("several loads", "one load"),
        "load.stated_model": (
            "the model is known by its size only",
            "the model's shapes are known",
        ),
        "load.survivors_eight_bit": (
            "weights of 8 bits or more carry the load too",
            "only weights below 8 bits carry the load",
        ),
        "load.survivors_published": (
            "the published weights carry the load too",
            "the published weights do not carry the load",
        ),
        "load.texts_only": ("texts are read and none written", "text is written"),
        "load.typical_assumed": (
            "the usual length follows from prompt and answer",
            "the usual length does not follow from prompt and answer",
        ),
        "load.vision": ("the model sees images", "the model reads text alone"),
        "workload.shared_prefix": ("prompts share a beginning", "prompts share no beginning"),
    }
)
"""Yes/no field -> how it reads when true, and when false."""

PRESENCE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "candidate.decode_high": ("there is a speed estimate", "there is no speed estimate"),
        "candidate.request_gib": ("the model keeps a cache", "the model keeps no cache"),
        "candidate.requests_low": (
            "the cache is a range",
            "the cache is no range",
        ),
        "candidate.total_high": (
            "there is an estimate of the total rate",
            "there is no estimate of the total rate",
        ),
        "candidate.train_gib": ("training", "serving"),
        "candidate.ttft_low": (
            "there is an estimate of the first token",
            "there is no estimate of the first token",
        ),
        "candidate.usd_per_hour": ("a rent is known", "no rent is known"),
        "load.gpu_assumed": ("the GPU's name fits several cards", "the GPU's name fits one card"),
        "load.wanted_prompts": (
            "a rate of prompts is wanted",
            "no rate of prompts is wanted",
        ),
        "load.wanted_total": ("a total rate is wanted", "no total rate is wanted"),
    }
)
"""Field -> how it reads when it is known, and when not."""

_UNITS = (
    ("_usd_per_hour", "USD an hour"),
    ("usd_per_hour", "USD an hour"),
    ("_usd", "USD"),
    ("_gib", "GiB"),
    ("_gbps", "Gbit/s"),
    ("_gbs", "GB/s"),
    ("_kw", "kW"),
    ("_kw_low", "kW"),
    ("_kw_high", "kW"),
    ("_ms", "ms"),
    ("_percent", "%"),
    ("_percent_low", "%"),
    ("_percent_high", "%"),
    ("_tokens", "tokens"),
    ("_seconds", "s"),
    ("_seconds_low", "s"),
    ("_seconds_high", "s"),
    ("_hours_low", "hours"),
    ("_hours_high", "hours"),
    ("_bits", "bits"),
    ("_watts", "W"),
)
"""How a field's name ends, and the unit of its number."""


def field_name(name: str) -> str:
    """Return what a field is called; ``name`` is its kind, or answer group, and its own name.

    >>> field_name("candidate.replicas"), field_name("hardware.host_ram_gib")
    ('replicas', 'host ram')
    """
    if name in _NAMES:
        return _NAMES[name]
    last = name.rpartition(".")[2]
    ending = max((end for end, _ in _UNITS if last.endswith(end)), key=len, default="")
    return (last.removesuffix(ending) or last).replace("_", " ")


def unit_of(name: str) -> str:
    """Return the unit of a field's number, or nothing.

    >>> unit_of("hardware.max_node_kw")
    'kW'
    """
    fitting = [(len(end), unit) for end, unit in _UNITS if name.endswith(end)]
    return max(fitting)[1] if fitting else ""
