"""Versions that go together: runtime and Kubernetes, releases of a distribution, support tables."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import conflicts, nodes, platform

from advisor.store.cited import version_key
from advisor.store.loader import load_knowledge


def _versions(**answers: Any) -> dict[str, str]:
    found: dict[str, str] = nodes(platform(**answers))["versions"]
    return found


@pytest.mark.parametrize("minor", ["1.35.6", "1.36.3", "1.37", None])
@pytest.mark.parametrize("provider", ["vanilla", "rke2", "k3s", "talos", "eks"])
@pytest.mark.parametrize("injection", ["cdi", "nri"])
def test_the_advised_runtime_goes_with_the_advised_kubernetes(
    minor: str | None, provider: str, injection: str
) -> None:
    stated = {} if minor is None else {"kubernetes_version": minor}
    found = _versions(provider=provider, device_injection=injection, **stated)
    kubernetes, containerd = (
        version_key(found[name]) or () for name in ("kubernetes", "containerd")
    )

    if kubernetes >= (1, 36):
        assert containerd >= (2,)
    else:
        assert containerd < (2,)
    if injection == "nri":
        floors = load_knowledge().components["containerd"].floors
        assert found["containerd"] in {f.version for f in floors if "NRI" in (f.when or "")}


@pytest.mark.parametrize(
    ("kubernetes", "containerd", "warning"),
    [
        ("1.36.3", "1.7.27", "warn-containerd-beyond"),
        ("1.37", "1.6.33", "warn-containerd-beyond"),
        ("1.33.5", "1.7.27", "warn-containerd-first"),
        ("1.36.3", "2.0.4", None),
        ("1.33.5", "2.1.0", None),
        ("1.35.6", "1.7.27", None),  # a supported minor stays
    ],
)
def test_an_old_runtime_is_told_before_kubernetes_moves(
    kubernetes: str, containerd: str, warning: str | None
) -> None:
    document = platform(
        provider="vanilla", kubernetes_version=kubernetes, container_runtime="containerd",
        container_runtime_version=containerd,
    )  # fmt: skip
    told_of = {name for name in conflicts(document) if name.startswith("warn-containerd")}

    assert told_of == ({warning} if warning else set())


@pytest.mark.parametrize(
    ("stated", "release"),
    [(None, "4.22"), ("1.33", "4.20"), ("1.34.1", "4.21"), ("1.30", "4.22"), ("1.36.3", "4.22")],
)
def test_openshift_is_advised_in_its_own_releases(stated: str | None, release: str) -> None:
    answers = {} if stated is None else {"kubernetes_version": stated}
    found = _versions(provider="openshift", **answers)

    assert found["openshift"] == release
    assert {"kubernetes", "containerd"}.isdisjoint(found)
    assert "cri-o" in found
    warned = conflicts(platform(provider="openshift", **answers))
    assert "warn-kubernetes-ended" not in warned
    assert ("warn-release-unlisted" in warned) == (stated in {"1.30", "1.36.3"})


def test_openshift_with_claims_takes_a_release_that_has_them() -> None:
    found = nodes(platform(provider="openshift", dra="wanted", kubernetes_version="1.34.1"))

    assert found["device_owner"] == "dra"
    assert found["versions"]["openshift"] == "4.22"


def test_a_runtime_that_openshift_has_not_is_told() -> None:
    assert "warn-runtime-foreign" in conflicts(
        platform(provider="openshift", container_runtime="containerd")
    )
    assert "warn-runtime-foreign" not in conflicts(
        platform(provider="openshift", container_runtime="cri_o")
    )


@pytest.mark.parametrize(
    ("gpu", "driver", "warned"),
    [
        ("b300", "570.172.08", True),
        ("b300", "580.82.07", False),
        ("b300", "580", False),
        ("b200", "570.124.06", True),
        ("b200", "570.133.20", False),
        ("gb300-nvl72", "570.172.08", True),
        ("rtx-pro-6000", "570.172.08", True),
        ("h100-sxm", "570.172.08", False),
    ],
)
def test_a_driver_below_the_floor_of_the_card_is_critical(
    gpu: str, driver: str, warned: bool
) -> None:
    document = platform(provider="vanilla", hardware__gpu=gpu, driver_version=driver)
    found = [w for w in told(document).warnings if w.id == "warn-driver-below-gpu"]

    assert bool(found) == warned
    assert all(w.severity == "critical" for w in found)


@pytest.mark.parametrize(
    ("gpu", "cuda", "warned"),
    [("v100", "13.0", True), ("v100", "12.8", False), ("t4", "13.0", False), ("v100", "14", True)],
)
def test_cuda_without_code_for_the_card_is_told_with_an_older_image_as_the_way_out(
    gpu: str, cuda: str, warned: bool
) -> None:
    document = platform(provider="vanilla", hardware__gpu=gpu, cuda_version=cuda)
    found = [w for w in told(document).warnings if w.id == "warn-cuda-dropped-volta"]

    assert bool(found) == warned
    assert all("CUDA 12" in str(w.fix) for w in found)


@pytest.mark.parametrize(
    ("stated", "steps"),
    [
        ("v23.9.0", "24.3, 24.6, 24.9, 25.3, 25.10, 26.3, 26.7;"),
        ("25.10.1", "26.3, 26.7;"),
    ],
)
def test_the_way_out_of_an_ended_operator_leaves_no_series_out(stated: str, steps: str) -> None:
    found = told(platform(provider="vanilla", gpu_operator_version=stated))
    (ended,) = (w for w in found.warnings if w.id == "warn-operator-ended")

    assert f"none: {steps}" in str(ended.fix)


def test_a_branch_of_the_driver_that_ends_soon_is_told_where_it_is_advised() -> None:
    mine = told(platform(provider="vanilla", kubernetes_version="1.36.3"))
    of_the_image = told(platform(provider="eks", kubernetes_version="1.36.3"))
    (ending,) = (w for w in mine.warnings if w.id == "warn-driver-branch-ends")

    assert "595" in ending.text
    assert "2027-03" in ending.text
    assert "warn-driver-branch-ends" not in {w.id for w in of_the_image.warnings}


@pytest.mark.parametrize(
    ("answers", "warning"),
    [
        ({"gpu_operator_version": "24.9.2"}, "warn-operator-ended"),
        ({"gpu_operator_version": "25.3.4"}, "warn-operator-ended"),
        ({"gpu_operator_version": "25.10.0"}, "warn-operator-ended"),
        ({"driver_version": "535.183.01"}, "warn-driver-ended"),
        ({"driver_version": "550.54.15"}, "warn-driver-ended"),
        ({"driver_version": "610.10.01"}, "warn-driver-ended"),
        (
            {"gpu_operator_version": "26.7.0", "kubernetes_version": "1.32.9"},
            "warn-versions-not-listed",
        ),
        (
            {"gpu_operator_version": "26.7.0", "kubernetes_version": "1.37.0"},
            "warn-versions-not-listed",
        ),
        (
            {"provider": "eks", "node_autoscaler": "karpenter", "kubernetes_version": "1.37.0"},
            "warn-versions-not-listed",
        ),
        ({"dra": "wanted", "kubernetes_version": "1.34.1"}, "warn-versions-not-listed"),
    ],
)
def test_versions_without_support_are_told(answers: dict[str, Any], warning: str) -> None:
    assert warning in conflicts(platform(**{"provider": "vanilla", **answers}))


@pytest.mark.parametrize(
    "answers",
    [
        {"gpu_operator_version": "26.7.0", "kubernetes_version": "1.36.3"},
        {"gpu_operator_version": "26.3.3", "driver_version": "580.95.05"},
        {"gpu_operator_version": "none", "driver_version": "595.91.07"},
        {"dra": "wanted", "kubernetes_version": "1.34.2"},
        {"kubernetes_version": "1.37.0"},
    ],
)
def test_versions_with_support_are_left_alone(answers: dict[str, Any]) -> None:
    silent = {"warn-operator-ended", "warn-driver-ended", "warn-versions-not-listed"}

    assert silent.isdisjoint(conflicts(platform(provider="vanilla", **answers)))


def test_an_operator_that_lists_the_stated_kubernetes_is_advised() -> None:
    assert _versions(provider="vanilla", kubernetes_version="1.37.0")["gpu-operator"] == "26.7.1"
    assert _versions(provider="vanilla", kubernetes_version="1.36.3")["gpu-operator"] == "26.7.0"
