"""Every fault of an answers file is told at once: keys, values, models and GPUs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.errors import GpuAdvisorError, Problem


def faults(document: Mapping[str, object]) -> dict[str | None, Problem]:
    with pytest.raises(GpuAdvisorError) as caught:
        advise(read_answers(document), engine="reference")
    return {problem.key: problem for problem in caught.value.problems}


def test_a_model_and_a_gpu_are_told_beside_a_wrong_key_and_value() -> None:
    found = faults(
        {
            "workload": {"modle": "x", "model": "llamma-3.3-70b", "engine": "vlm"},
            "hardware": {"gpu": ["h10-sxm", "l44s"]},
        }
    )

    assert set(found) == {"workload.modle", "workload.model", "workload.engine", "hardware.gpu"}
    assert found["workload.model"].nearest[0] == "llama-3.3-70b"


def test_every_name_is_told_where_only_names_are_wrong() -> None:
    loads = [{"name": "a", "model": "llamma-3.3-70b"}, {"name": "b", "model": "qwenn"}]
    machines = [{"gpu": "a1000x"}, {"gpu": "h100-sxm"}, {"gpu": "h101"}]
    found = faults({"workloads": loads, "hardware": {"inventory": machines}})

    assert set(found) == {
        "workloads[0].model", "workloads[1].model",
        "hardware.inventory[0].gpu", "hardware.inventory[2].gpu",
    }  # fmt: skip
    assert all(problem.nearest for problem in found.values())


def test_no_name_is_told_twice() -> None:
    with pytest.raises(GpuAdvisorError) as caught:
        advise(read_answers({"workload.model": "llamma", "hardware.gpu": "h10"}))

    assert [p.key for p in caught.value.problems] == ["workload.model", "hardware.gpu"]


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ({"workload": {"model": "mine", "parameter_b": 7}}, "workload.parameter_b"),
        ({"workload": {"model": "mine", "parameters_b": "7 apples"}}, "workload.parameters_b"),
        ({"hardware": {"gpu": "mine", "gpu_memory_gib": "80 pears"}}, "hardware.gpu_memory_gib"),
        ({"workload": {"kind": "platform", "model": "mine", "engine": "vlm"}}, "workload.engine"),
    ],
)
def test_a_name_that_is_described_is_no_fault_though_its_figure_is(
    document: Mapping[str, object], wrong: str
) -> None:
    assert set(faults(document)) == {wrong}
