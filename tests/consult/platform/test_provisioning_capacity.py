"""Capacity, zero nodes, queues and claims: what is stated must agree with what is advised."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, told, training
from nodes_support import conflicts, nodes, platform

from advisor.store.loader import load_knowledge

CLAIMS = {"dra": "wanted"}


def _because(document: dict[str, Any]) -> str:
    return told(document).decisions["provisioning"].because


# ---- zero nodes, spot, queued capacity, Auto Mode ----


@pytest.mark.parametrize("autoscaler", ["cluster_autoscaler", "karpenter"])
def test_claims_keep_a_node(autoscaler: str) -> None:
    document = platform(
        provider="eks", node_autoscaler=autoscaler, scale_to_zero=True, kubernetes_version="1.36",
        workload__traffic="bursty", **CLAIMS,
    )  # fmt: skip

    assert nodes(document)["option"] == "cluster_autoscaler"
    assert nodes(document)["scale_to_zero"] is False
    assert "warn-zero-claims" in conflicts(document)
    assert "then waits" not in _because(document)


@pytest.mark.parametrize(
    ("place", "mixes", "notice"),
    [
        ({"provider": "eks", "node_autoscaler": "karpenter"}, True, "two minutes"),
        ({"provider": "eks", "node_autoscaler": "auto_mode"}, True, "two minutes"),
        ({"provider": "eks", "node_autoscaler": "cluster_autoscaler"}, False, "two minutes"),
        ({"provider": "gke"}, False, "thirty seconds"),
        ({"provider": "aks"}, False, "thirty seconds"),
        ({"provider": "aks", "node_autoscaler": "node_auto_provisioning"}, True, "thirty seconds"),
    ],
)
def test_on_demand_stands_in_the_same_pool_only_where_pools_can_mix(
    place: dict[str, Any], mixes: bool, notice: str
) -> None:
    because = _because(platform(capacity=["spot"], workload__traffic="bursty", **place))

    assert ("second one on demand" in because) != mixes
    assert notice in because
    kinds = {sale.cloud: sale.terms for sale in load_knowledge().capacity_kinds["spot"].sold_as}
    assert any(terms.startswith(notice) for terms in kinds.values())


@pytest.mark.parametrize(("zero", "warning"), [
    (True, "warn-zero-flex-start"), (False, "warn-flex-start-service"),
])  # fmt: skip
def test_a_service_on_queued_capacity_is_told(zero: bool, warning: str) -> None:
    given = {"platform__cloud": "gcp", "platform__capacity": ["flex_start"]}
    document = serving("llama-3.1-8b", "l4", platform__scale_to_zero=zero, **given)
    found = nodes(document)

    assert warning in conflicts(document)
    if zero:
        assert found["cold_start"]["after"] == "wait for capacity, without a bound"
        assert "the first request then waits" not in _because(document)
    batch = training("llama-3.1-8b", "l4", method="lora", **given)
    assert warning not in conflicts(batch)


@pytest.mark.parametrize(("autoscaler", "warned"), [("auto_mode", True), ("karpenter", False)])
def test_long_jobs_are_told_how_long_nodes_of_auto_mode_live(autoscaler: str, warned: bool) -> None:
    document = training(
        "llama-3.1-8b", "h100-sxm", method="full", platform__provider="eks",
        platform__node_autoscaler=autoscaler,
    )  # fmt: skip
    found = nodes(document)

    assert ("warn-auto-mode-long-jobs" in conflicts(document)) == warned
    assert (found["disruption"]["expire_after"] == "Never") != warned


# ---- queue, gang, topology, fabric ----


def _job(**answers: Any) -> dict[str, Any]:
    return training(
        "llama-3.1-8b", "h100-sxm", method="full", workload__kind="pretraining",
        platform__orchestrator="kubernetes",
        hardware__acquisition="owned",
        hardware__gpus_per_node=8, hardware__nodes=16, hardware__fabric="infiniband",
        platform__provider="vanilla", platform__cloud="on_prem", **answers,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "warnings"),
    [
        ({"platform__queueing": "none"}, {"warn-queue-not-the-gang"}),
        ({"platform__queueing": "kueue"}, set()),
        ({"job_stack": "volcano", "platform__queueing": "kai"}, {"warn-two-gang-schedulers"}),
        ({"job_stack": "volcano", "platform__queueing": "volcano"}, set()),
        (
            {"platform__queueing": "none", "platform__topology_scheduling": "required"},
            {"warn-queue-not-the-gang", "warn-topology-by-nobody"},
        ),
        ({"platform__rdma_exposure": "none"}, {"warn-rdma-none-needed"}),
        ({"platform__rdma_exposure": "shared_plugin"}, set()),
    ],
)
def test_queue_gang_topology_and_fabric_must_agree(
    answers: dict[str, Any], warnings: set[str]
) -> None:
    speaks = {
        "warn-queue-not-the-gang", "warn-two-gang-schedulers", "warn-topology-by-nobody",
        "warn-rdma-none-needed",
    }  # fmt: skip
    given = {"job_stack": "kubeflow_trainer", **answers}

    assert conflicts(_job(**given)) & speaks == warnings


@pytest.mark.parametrize(
    ("queue", "warning"),
    [("none", "warn-topology-by-nobody"), ("volcano", "warn-topology-volcano"), ("kueue", None)],
)
def test_a_required_topology_needs_somebody_who_reads_it(queue: str, warning: str | None) -> None:
    document = platform(provider="vanilla", topology_scheduling="required", queueing=queue)
    found = {name for name in conflicts(document) if name.startswith("warn-topology")}

    assert found == ({warning} if warning else set())


@pytest.mark.parametrize(
    ("version", "warned"),
    [("1.36.0", True), ("1.36.1", True), ("1.36.3", False), ("1.35.6", False)],
)
def test_the_fault_of_suspended_jobs_is_told_on_the_patches_that_have_it(
    version: str, warned: bool
) -> None:
    bug = load_knowledge().kubernetes_releases["1.36"].bugs
    assert "k8s-139329" in bug
    document = _job(job_stack="kubeflow_trainer", platform__kubernetes_version=version)

    assert ("warn-suspended-jobs" in conflicts(document)) == warned


# ---- what pods ask for ----


@pytest.mark.parametrize(
    ("answers", "device_class"),
    [
        ({"provider": "vanilla"}, "gpu.nvidia.com"),
        ({"provider": "gke"}, "gpu.nvidia.com"),
        ({"provider": "vanilla", "hardware__gpu": "mi300x"}, "gpu.amd.com"),
        (
            {
                "provider": "vanilla", "hardware__gpu": "a100-80-sxm",
                "tenancy__tenants": "untrusted", "tenancy__workloads_per_gpu": 7,
            },
            "mig.nvidia.com",
        ),
        ({"node_image": "eks-bottlerocket-nvidia"}, None),
        ({"provider": "vanilla", "kubernetes_version": "1.30.4"}, None),
    ],
)  # fmt: skip
def test_pods_ask_by_a_claim_exactly_where_claims_are_served(
    answers: dict[str, Any], device_class: str | None
) -> None:
    document = platform(**CLAIMS, **answers)
    made = told(document).decisions["sharing"].choice
    assert made is not None
    name = str(made.model_dump().get("resource_name"))

    assert (nodes(document)["device_owner"] == "dra") == (device_class is not None)
    assert name.startswith("ResourceClaim") == (device_class is not None)
    assert device_class is None or name.endswith(f" {device_class}")
