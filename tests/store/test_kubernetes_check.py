"""``kb check`` of the Kubernetes layer: planted faults are found, with line and nearest name."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.errors import Problem
from advisor.store import check
from advisor.store.loader import Knowledge, load_knowledge

Edit = Callable[[str, str, str], None]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of what the check reads: this layer, the GPUs' neighbours and the handbook."""
    root = tmp_path / "kb"
    for name in ("kubernetes", "gotchas", "symptoms", "questions", "handbook"):
        shutil.copytree(load_knowledge().path / name, root / name)
    return root


@pytest.fixture
def edit(folder: Path) -> Edit:
    """Return a function that replaces the first occurrence of a text in a file."""

    def replace(file: str, old: str, new: str) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return replace


def found(folder: Path) -> list[Problem]:
    return check.check_kubernetes(Knowledge(folder), None)


def only(folder: Path) -> Problem:
    (problem,) = found(folder)
    return problem


def test_what_is_shipped_has_no_fault(folder: Path) -> None:
    assert [str(problem) for problem in found(folder)] == []


POINTERS = (
    # file, what stands there, what is planted, code, nearest
    ("kubernetes/components-nvidia.yaml", "part_of: gpu-operator", "part_of: gpu-operater",
     "unknown_id", "gpu-operator"),
    ("kubernetes/components-nvidia.yaml", "gotcha: rdma-devices-leak", "gotcha: rdma-device-leak",
     "unknown_id", "rdma-devices-leak"),
    ("kubernetes/components-nvidia.yaml", "answers_key: platform.driver_version",
     "answers_key: platform.driver_versoin", "unknown_id", "platform.driver_version"),
    ("kubernetes/node-images.yaml", "providers: [gke]", "providers: [gkee]", "unknown_id", "gke"),
    ("kubernetes/node-images.yaml", "successor: eks-al2023-nvidia",
     "successor: eks-al2023-nvidea", "unknown_id", "eks-al2023-nvidia"),
    ("kubernetes/metrics.yaml", "exporter: dcgm-exporter", "exporter: dcgm-exporteur",
     "unknown_id", "dcgm-exporter"),
    ("kubernetes/metrics.yaml", "metrics: [dcgm-xid]", "metrics: [dcgm-xids]",
     "unknown_id", "dcgm-xid"),
    ("kubernetes/releases.yaml", "gates: [device-taint-rules]", "gates: [device-taint-rule]",
     "unknown_id", "device-taint-rules"),
    ("kubernetes/platforms.yaml", "rdma_exposures: [efa_plugin, none]",
     "rdma_exposures: [efa_plug, none]", "unknown_id", "efa_plugin"),
    ("kubernetes/sharing-modes.yaml", "not_with: [mps, exclusive]",
     "not_with: [mqs, exclusive]", "unknown_id", "mps"),
    ("symptoms/network.yaml", "gotcha: rdma-memlock", "gotcha: rdma-memlok",
     "unknown_id", "rdma-memlock"),
    ("gotchas/rdma.yaml", "component: gpu-operator", "component: gpu-operater",
     "unknown_id", "gpu-operator"),
    ("gotchas/rdma.yaml", "key: hardware.fabric", "key: hardware.fabrik",
     "unknown_key", "hardware.fabric"),
    ("gotchas/rdma.yaml", "key: choice.provisioning.rdma_exposure",
     "key: choice.provisioning.rdma_exposre", "unknown_key",
     "choice.provisioning.rdma_exposure"),
    ("gotchas/driver.yaml", "values: [volta]", "values: [voltaa]", "bad_value", "volta"),
    ("gotchas/dra.yaml", "values: [wanted, in_use]", "values: [wanted, in_used]",
     "bad_value", "in_use"),
)  # fmt: skip


def test_pointers_to_nothing_are_found_with_line_and_the_nearest(folder: Path, edit: Edit) -> None:
    for file, old, new, _, _ in POINTERS:
        edit(file, old, new)
    problems = found(folder)
    assert len(problems) == len(POINTERS)
    for file, _, new, code, nearest in POINTERS:
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
        numbers = {number for number, line in enumerate(lines, 1) if new in line}
        assert [
            problem
            for problem in problems
            if (problem.file, problem.code) == (f"kb/{file}", code)
            and problem.line in numbers
            and nearest in problem.nearest
        ], new


def test_a_section_that_does_not_exist_is_found_in_records_and_in_causes(
    folder: Path, edit: Edit
) -> None:
    edit("kubernetes/xids.yaml", "sections: ['5.6']", "sections: ['5.9']")
    edit("symptoms/mig.yaml", "        sections: ['5.4']", "        sections: ['5.14']")
    problems = found(folder)
    assert {problem.code for problem in problems} == {"broken_citation"}
    assert {problem.key for problem in problems} == {
        "xids.8.sections.0",
        "symptoms.mig-invalid.causes.1.sections.0",
    }


def test_a_node_image_that_no_answer_can_name_and_one_that_lacks_a_record_are_found(
    folder: Path, edit: Edit
) -> None:
    edit("kubernetes/node-images.yaml", "- id: rocky-9", "- id: rocky-10")
    edit("kubernetes/platforms.yaml", "rocky-9, ", "")
    messages = {problem.message for problem in found(folder)}
    assert "rocky-10 is no value of platform.node_image." in messages
    assert "platform.node_image has values without a record here: rocky-9." in messages


def test_an_option_of_the_sharing_decision_without_a_record_is_found(
    folder: Path, edit: Edit
) -> None:
    edit("kubernetes/sharing-modes.yaml", "- id: sriov", "- id: sr_iov")
    messages = " ".join(problem.message for problem in found(folder))
    assert "choice.sharing.option has values without a record here: sriov." in messages


def test_stages_versions_and_dates_in_the_wrong_order_are_found(folder: Path, edit: Edit) -> None:
    since = "    since: '2025-11-26'"
    edit("kubernetes/dra-gates.yaml", "since: '1.32', stage: beta", "since: '1.25', stage: beta")
    edit("gotchas/rdma.yaml", "before_version: '26.3.3'", "before_version: '26.2.0'")
    edit("gotchas/driver.yaml", since, f"{since}\n    until: '2024'")
    edit("kubernetes/components-cluster.yaml", "{version: '1.37', status: supported",
         "{version: '1.37', status: current")  # fmt: skip
    assert {(problem.code, (problem.key or "").split(".")[1]) for problem in found(folder)} == {
        ("contradiction", "core"),
        ("contradiction", "rdma-devices-leak"),
        ("contradiction", "eks-al2-ended"),
        ("contradiction", "kubernetes"),
    }


def test_a_symptom_that_misses_its_own_example_is_found(folder: Path, edit: Edit) -> None:
    edit("symptoms/network.yaml", "- connectFullMesh failed", "- connectFullMash failed")
    problem = only(folder)
    assert problem.key == "symptoms.gloo-mesh.example"


def test_a_fragment_of_two_symptoms_is_found(folder: Path, edit: Edit) -> None:
    edit("symptoms/network.yaml", "- connectFullMesh failed",
         "- connectFullMesh failed\n      - duplicate gpu detected")  # fmt: skip
    problem = only(folder)
    assert problem.code == "shared_name"
    assert "gloo-mesh" in f"{problem.message} {problem.key}"


def test_without_handbook_and_questions_only_what_can_be_known_is_checked(folder: Path) -> None:
    shutil.rmtree(folder / "handbook")
    shutil.rmtree(folder / "questions")
    assert found(folder) == []


EXPRESSIONS = (
    # the expression of gpu-ecc-uncorrected, what is said, nearest
    ("increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m] > 0", "The ( in it does not close.", ""),
    ("increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m])) > 0", "Nothing opens the ) in it.", ""),
    ("increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10]) > 0", "[10] is no window of time", ""),
    ("increase(DCGM_FI_DEV_ECC_DBL_VOL_TOTAL[10m]) > 0", "the series DCGM_FI_DEV_ECC_DBL_VOL_TOTAL",
     "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL"),
    ('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu=~"1 |2"} > 0', 'A blank stands in the pattern "1 |2"', ""),
    ('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu=~"1|(2"} > 0', '"1|(2" is no pattern', ""),
    ('DCGM_FI_DEV_ECC_DBE_VOL_TOTAL{gpu="1} > 0', "A quote in it does not close.", ""),
)  # fmt: skip


@pytest.mark.parametrize(("expression", "says", "nearest"), EXPRESSIONS)
def test_an_alert_that_prometheus_would_refuse_or_that_matches_nothing_is_found(
    folder: Path, edit: Edit, expression: str, says: str, nearest: str
) -> None:
    old = "expr: increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[10m]) > 0"
    edit("kubernetes/metrics.yaml", old, f"expr: '{expression}'")
    problem = only(folder)
    assert (problem.code, problem.key) == ("bad_expression", "alerts.gpu-ecc-uncorrected.expr")
    assert says in problem.message
    assert problem.nearest[:1] == ((nearest,) if nearest else ())
    lines = (folder / "kubernetes/metrics.yaml").read_text(encoding="utf-8").splitlines()
    assert problem.line is not None
    assert expression in lines[problem.line - 1]
