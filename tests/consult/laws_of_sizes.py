"""Laws about numbers that two parts of a consultation state, and what `size` says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from advisor.consult.consultation import Choice, Consultation
from advisor.errors import InputError
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge

__all__ = ["disagreements", "unfit_advice"]

Values = dict[str, Any]

_SPLIT = ("tensor_parallel", "pipeline_parallel", "data_parallel")
_SIZES: dict[str, tuple[bool, bool, bool, bool]] = {
    # more than one: tensor, pipeline and data ranks, and whether experts stay whole
    "single": (False, False, False, False),
    "replicas": (False, False, False, False),
    "tensor": (True, False, False, False),
    "pipeline": (False, True, False, False),
    "tensor_pipeline": (True, True, False, False),
    "expert_dp_attention": (False, False, True, True),
    "ddp": (False, False, True, False),
    "fsdp": (False, False, True, False),
    "lora_single": (False, False, False, False),
    "lora_ddp": (False, False, True, False),
}
"""What each option says of the sizes; ``expert`` and wide attention are checked by themselves."""


def disagreements(consultation: Consultation) -> Iterator[str]:
    """Yield where the decisions `gpu` and `parallelism` contradict each other."""
    gpu, pattern = _choice(consultation, "gpu"), _choice(consultation, "parallelism")
    if not gpu or not pattern or "count_per_replica" not in gpu:
        return
    split = [pattern.get(name, 1) for name in _SPLIT]
    taken = split[0] * split[1] * split[2]
    if taken != gpu["count_per_replica"]:
        yield f"{split} ranks take {taken} GPUs, a replica has {gpu['count_per_replica']}"
    if pattern["replicas"] != gpu["replicas"]:
        yield f"{pattern['replicas']} replicas here, {gpu['replicas']} there"
    experts = pattern.get("expert_parallel", 1)
    if experts not in {1, split[0] * split[2]}:
        yield f"{experts} expert ranks on {split[0]} tensor and {split[2]} data ranks"
    yield from _misnamed(pattern, [size > 1 for size in split], whole_experts=experts > 1)
    yield from _told_otherwise(consultation, gpu)
    if gpu["nodes"] > gpu["total_gpus"]:
        yield f"{gpu['nodes']} nodes for {gpu['total_gpus']} GPUs"


def _told_otherwise(consultation: Consultation, gpu: Values) -> Iterator[str]:
    """Yield where a reason gives another number of requests than the choice."""
    room = gpu.get("room_requests_per_replica")
    if room is None or gpu.get("groups") or gpu.get("loads"):
        return
    for name in ("gpu", "parallelism"):
        reason = consultation.decisions[name].because  # type: ignore[index]
        for told in _REQUESTS.findall(reason):
            if int(told.replace(",", "")) != room:
                yield f"room for {room} requests, and {name} says {told}"


_REQUESTS = re.compile(r"(?:holds|room for|experts:) ([\d,]+) requests?\b")


def _misnamed(pattern: Values, wide: list[bool], *, whole_experts: bool) -> Iterator[str]:
    option = pattern["option"]
    if (option == "replicas") != (pattern["replicas"] > 1 and not any(wide)):
        yield f"{option} with {pattern['replicas']} replica(s)"
    if option == "expert":
        fine = whole_experts and wide[0] and not wide[2]
    elif option == "expert_dp_attention":
        fine = whole_experts and wide[2]
    elif option == "tensor_pipeline_data":
        fine = (wide[0] or wide[1]) and not whole_experts
    else:
        fine = _SIZES.get(option) == (*wide, whole_experts)
    if not fine:
        yield f"{option} is not what the sizes say: {pattern}"


def unfit_advice(document: dict[str, Any], consultation: Consultation) -> Iterator[str]:
    """Yield the choice and the runners-up that `size` calls illegal or unfit.

    Asked afresh with nothing but what the consultation says; only for a model and a GPU of
    the catalogue, since others have no name to ask by.
    """
    model = document.get("workload", {}).get("model")
    if model is None or consultation.sizing is None or consultation.sizing.training:
        return
    decision, pattern = consultation.decisions.get("gpu"), _choice(consultation, "parallelism")
    if decision is None or document.get("workloads"):
        return
    draft = document["workload"].get("speculative_tokens")
    draft = draft if isinstance(draft, int) else 0
    if decision.choice is not None and pattern:
        yield from _unfit(model, decision.choice.model_dump(), pattern, draft)
    for runner_up in decision.alternatives:
        yield from _unfit(model, runner_up.choice.model_dump(), None, draft)


def _unfit(model: str, gpu: Values, pattern: Values | None, draft: int) -> Iterator[str]:
    if "count_per_replica" not in gpu or load_knowledge().gpus.get(gpu["gpu"]) is None:
        return
    asked = [_size(model, gpu, layout, draft) for layout in _layouts(gpu, pattern)]
    results = [result for result in asked if result is not None]
    if results and not any(result.fits for result in results):
        what = f"{gpu['count_per_replica']} x {gpu['gpu']} {gpu['weight_format']}"
        faults = [problem.code for problem in results[0].problems if problem.blocking]
        yield f"size calls {what} {results[0].status} {faults}: {pattern or 'a runner-up'}"


def _layouts(gpu: Values, pattern: Values | None) -> list[Values]:
    """Return the stated layout, or all ways to spread a replica whose layout is not told."""
    if pattern is not None:
        split: Values = {name: pattern.get(name, 1) for name in _SPLIT}
        return [split | {"expert_parallel": pattern.get("expert_parallel", 1) > 1}]
    count = gpu["count_per_replica"]
    return [
        {"tensor_parallel": count // ranks // stages, "pipeline_parallel": stages}
        | {"data_parallel": ranks, "expert_parallel": experts}
        for ranks in _divisors(count)
        for stages in _divisors(count // ranks)
        for experts in (False, True)
    ]


def _divisors(count: int) -> list[int]:
    return [size for size in range(1, count + 1) if count % size == 0]


def _size(model: str, gpu: Values, layout: Values, draft: int) -> SizeResult | None:
    known = ("max_model_len", "max_num_seqs", "max_num_batched_tokens", "gpu_memory_utilization")
    request = SizeRequest(
        weight_format=gpu["weight_format"],
        kv_format=gpu.get("kv_format", "auto"),
        engine=gpu.get("engine", "vllm"),
        engine_version=gpu.get("engine_version"),
        gpu_memory_gib=gpu["gpu_memory_gib"],
        speculative_tokens=draft,
        **{name: gpu[name] for name in known if name in gpu},
        **layout,
    )
    try:
        return size_by_name(load_knowledge(), model, gpu["gpu"], request)
    except InputError:
        return None


def _choice(consultation: Consultation, name: str) -> Values:
    decision = consultation.decisions.get(name)  # type: ignore[call-overload]
    found: Choice | None = None if decision is None else decision.choice
    return {} if found is None else found.model_dump()
