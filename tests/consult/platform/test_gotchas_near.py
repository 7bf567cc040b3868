"""A gotcha keeps quiet where its neighbour bites: none fires too widely."""

from __future__ import annotations

import pytest
from gotcha_near import NEAR
from gotcha_support import consulted

from advisor.store.loader import load_knowledge


def test_every_gotcha_has_a_situation_near_it() -> None:
    assert set(NEAR) == set(load_knowledge().gotchas)


@pytest.mark.parametrize("name", NEAR)
def test_a_gotcha_is_not_shown_in_a_situation_that_is_only_near(name: str) -> None:
    assert name not in {warning.id for warning in consulted(NEAR[name]).warnings}


@pytest.mark.parametrize(
    ("runtime", "version", "old"),
    [
        ("docker", "24.0.7", True), ("docker", "29.0.1", False),
        ("podman", "4.9", True), ("podman", "5.4", False),
        ("containerd", "1.7.20", True), ("containerd", "2.1.4", False),
    ],
)  # fmt: skip
def test_cdi_is_too_new_for_the_runtime_that_runs(runtime: str, version: str, old: bool) -> None:
    answers = {
        "workload.kind": "platform", "platform.orchestrator": "docker",
        "platform.device_injection": "cdi", "platform.container_runtime": runtime,
        "platform.container_runtime_version": version,
    }  # fmt: skip
    shown = {warning.id for warning in consulted(answers).warnings}

    assert ("cdi-too-new-for-runtime" in shown) is old


@pytest.mark.parametrize(
    ("system", "release", "refused"),
    [
        ("ubuntu", "24.04", False), ("ubuntu", "20.04", True), ("centos", "9", False),
        ("centos", "7", True), ("rocky", "8.7", True), ("rocky", "9.4", False),
        ("amazon_linux", "2", True), ("amazon_linux", "2023", False),
    ],
)  # fmt: skip
def test_cgroup_v1_is_refused_where_the_system_boots_with_it(
    system: str, release: str, refused: bool
) -> None:
    answers = {
        "workload.kind": "platform", "platform.node_image": "custom-prebaked",
        "platform.operating_system": system, "platform.os_version": release,
        "platform.kubernetes_version": "1.36.3",
    }  # fmt: skip

    shown = {warning.id for warning in consulted(answers).warnings}
    assert ("cgroup-v1-refused" in shown) is refused
