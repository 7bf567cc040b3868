"""Several loads on more of what is owned: fewer GPUs with narrower weights are told beside them."""

from __future__ import annotations

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Alternative

_SMALL = {"kind": "serving", "model": "qwen3-8b", "prompt_tokens": 4000, "output_tokens": 500}
_LOADS = [
    {"name": "small", **_SMALL, "concurrency": 32},
    {"name": "big", **_SMALL, "model": "qwen3-235b-a22b", "concurrency": 256},
]


def _fewer(nodes: int) -> tuple[int, list[Alternative]]:
    owned = {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 8, "nodes": nodes}
    gpu = advise(read_answers({"workloads": _LOADS, "hardware": owned})).decisions["gpu"]
    assert gpu.choice is not None
    total = gpu.choice.model_dump()["total_gpus"]
    others = (other for other in gpu.alternatives)
    return total, [other for other in others if other.choice.model_dump()["total_gpus"] < total]


def test_fewer_gpus_to_add_are_an_alternative_that_says_what_they_cost() -> None:
    total, fewer = _fewer(nodes=1)
    assert fewer
    gap = total - fewer[0].choice.model_dump()["total_gpus"]
    assert fewer[0].would_be_chosen_if.startswith(f"If {gap} GPUs fewer outweigh narrower weights")
    assert "for big instead of fp8_block" in fewer[0].would_be_chosen_if


def test_of_what_is_there_anyway_fewer_is_no_other_way() -> None:
    assert _fewer(nodes=4)[1] == []
