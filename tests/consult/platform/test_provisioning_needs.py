"""What the load asks of nodes: claims, versions, adapters, a queue, capacity."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, training
from nodes_support import conflicts, nodes, out, platform

CLAIMS = {"dra": "wanted"}


@pytest.mark.parametrize(
    ("extra", "owner", "line"),
    [
        ({}, "dra", "device_plugin_beside_dra"),
        ({"kubernetes_version": "1.36.3"}, "dra", "device_plugin_beside_dra"),
        ({"kubernetes_version": "1.33"}, "device_plugin", "dra"),
        ({"dra_driver_version": "0.4.1"}, "device_plugin", "dra"),
        ({"dra_driver_version": "25.12.0"}, "device_plugin", "dra"),
        ({"driver_version": "570.124.06"}, "device_plugin", "dra"),
        (
            {"tenancy__workloads_per_gpu": 4, "tenancy__duty": "idle", "hardware__gpu": "l4"},
            "device_plugin",
            "dra",
        ),
    ],
)
def test_claims_are_served_where_every_version_knows_them(
    extra: dict[str, Any], owner: str, line: str
) -> None:
    document = platform(provider="vanilla", **CLAIMS, **extra)

    assert nodes(document)["device_owner"] == owner
    assert line in out(document)
    told_of = {"warn-claims-not-usable", "warn-claims-and-shares"} & set(conflicts(document))
    assert bool(told_of) == (owner != "dra")


def test_claims_ask_for_the_release_that_mends_them() -> None:
    document = platform(provider="vanilla", kubernetes_version="1.35.2", **CLAIMS)

    assert nodes(document)["versions"]["kubernetes"] == "1.36.3"
    assert nodes(document)["versions"]["nvidia-dra-driver"] == "0.5.0"
    assert "nvidia-device-plugin" not in nodes(document)["versions"]


def test_an_ended_kubernetes_is_told_and_replaced() -> None:
    document = platform(provider="eks", kubernetes_version="1.31")

    assert "warn-kubernetes-ended" in conflicts(document)
    assert nodes(document)["versions"]["kubernetes"] == "1.36.3"


@pytest.mark.parametrize(
    ("stated", "version"),
    [("1.36.4", "1.36.4"), ("1.36.1", "1.36.3"), ("1.35", "1.35.6"), ("1.37.1", "1.37.1")],
)
def test_a_supported_kubernetes_stays_from_its_floor_on(stated: str, version: str) -> None:
    found = nodes(platform(provider="vanilla", kubernetes_version=stated))

    assert found["versions"]["kubernetes"] == version


def test_nvlink_between_nodes_takes_a_compute_domain_beside_the_plugin() -> None:
    document = platform(provider="vanilla", hardware__gpu="gb200", hardware__nvlink="multi_node")
    found = nodes(document)

    assert found["compute_domain"] is True
    assert found["device_owner"] == "device_plugin"
    assert "nvidia-dra-driver" in found["versions"]
    assert "karpenter" not in found["versions"]


def test_a_compute_domain_without_nvlink_between_nodes_is_told() -> None:
    document = platform(provider="vanilla", compute_domain="wanted", hardware__gpu="h100-sxm")

    assert "warn-domain-without-rack" in conflicts(document)
    assert "compute_domain" not in nodes(document)


@pytest.mark.parametrize(
    ("document", "exposure"),
    [
        (platform(provider="eks", hardware__fabric="efa", hardware__nodes=4), "efa_plugin"),
        (platform(hardware__fabric="infiniband", hardware__nodes=2), "shared_plugin"),
        (platform(hardware__fabric="ethernet", hardware__nodes=2), "none"),
        (platform(hardware__fabric="infiniband", hardware__nodes=1), "none"),
        (
            platform(hardware__fabric="roce", hardware__nodes=2, tenancy__tenants="untrusted"),
            "sriov_plugin",
        ),
        (
            platform(
                hardware__fabric="infiniband", hardware__nodes=2, rdma_exposure="host_network",
                tenancy__tenants="untrusted",
            ),
            "shared_plugin",
        ),
        (
            platform(orchestrator="slurm", hardware__fabric="roce", hardware__nodes=2),
            "host_network",
        ),
    ],
)  # fmt: skip
def test_pods_reach_the_adapters_as_the_place_offers(
    document: dict[str, Any], exposure: str
) -> None:
    assert nodes(document)["rdma_exposure"] == exposure


def test_a_job_over_several_nodes_is_queued_on_fixed_nodes() -> None:
    document = training(
        "llama-3.1-70b", "h100-sxm", method="full", platform__cloud="aws", hardware__fabric="efa"
    )
    found = nodes(document)

    assert (found["option"], found["queueing"]) == ("static_pool", "kueue")
    assert found["rdma_exposure"] == "efa_plugin"
    assert found["capacity"] == ["reserved", "capacity_block"]
    assert found["instance_type"] == "p5.48xlarge"


@pytest.mark.parametrize(
    ("document", "queue"),
    [
        (platform(), "none"),
        (platform(queueing="volcano"), "volcano"),
        (platform(provider="eks", capacity=["capacity_block"]), "kueue"),
        (platform(tenancy__tenants="untrusted", hardware__gpu="h100-sxm"), "kueue"),
        (platform(orchestrator="slurm"), "none"),
    ],
)
def test_scarce_or_divided_gpus_are_queued_for(document: dict[str, Any], queue: str) -> None:
    assert nodes(document)["queueing"] == queue


def test_spot_never_holds_the_only_copy_of_a_large_model() -> None:
    document = serving(
        "llama-3.3-70b", "h200-sxm", weight_format="fp8", platform__cloud="aws",
        platform__capacity=["spot"],
    )  # fmt: skip

    assert nodes(document)["capacity"] == "on_demand"
    assert out(document)["spot"] == "provisioning-out-spot"
    assert "warn-spot-only-copy" in conflicts(document)


def test_spot_alone_has_on_demand_behind_it() -> None:
    found = nodes(platform(provider="eks", capacity=["spot"], instance_type=["g4dn.xlarge"]))

    assert found["capacity"] == ["spot", "on_demand"]
    assert "instance_type" not in found


def test_an_offer_of_another_cloud_is_no_instance_of_this_one() -> None:
    elsewhere = serving("llama-3.1-8b", "h100-sxm", platform__provider="eks")

    assert str(nodes(elsewhere).get("instance_type")).startswith("p5")


def test_long_jobs_under_karpenter_never_expire() -> None:
    document = serving(
        "llama-3.1-8b", "t4", kind="batch_inference", platform__provider="eks",
        platform__node_autoscaler="karpenter",
    )  # fmt: skip
    service = platform(provider="eks", node_autoscaler="karpenter")

    assert nodes(document)["disruption"]["expire_after"] == "Never"
    assert nodes(service)["disruption"]["consolidation_policy"] == "WhenEmpty"
