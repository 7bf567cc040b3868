"""Networks of pods, turnover, the shape of a job and the region: each has its say."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import Document, choice, serving, told, training, warned

from advisor.consult.offers import same_region
from advisor.consult.prices import Tariff
from advisor.store.prices import Price

NODES: dict[str, Any] = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 8}


def platform(**more: Any) -> Document:
    usual = {"kind": "platform", "platform__orchestrator": "kubernetes"}
    document = serving("x", "h100-sxm", **{**NODES, **usual, **more})
    del document["workload"]["model"]
    return document


def job(**more: Any) -> Document:
    usual = {"platform__orchestrator": "kubernetes", "hardware__nodes": 2, "method": "full"}
    long = {"dataset_tokens": 10_000_000_000}
    return training("llama-3.1-8b", "h100-sxm", **{**NODES, **usual, **long, **more})


def told_of(document: Document, start: str) -> set[str]:
    return {name for name in warned(document) if name.startswith(start)}


@pytest.mark.parametrize(
    ("fabric", "network", "expected"),
    [
        ("roce", "cni", "pod-network-roce-without-interface"),
        ("roce", "cni_overlay", "pod-network-roce-without-interface"),
        ("roce", "macvlan", None),
        ("infiniband", "cni_overlay", "pod-network-rdma-passes-by"),
        ("infiniband", "macvlan", "pod-network-macvlan-on-infiniband"),
        ("efa", "cni", "pod-network-rdma-passes-by"),
        ("ethernet", "cni_overlay", "pod-network-sockets-over-overlay"),
        ("ethernet", "cni", None),
        ("infiniband", "host", None),
    ],
)
def test_what_carries_rdma_in_pods_is_told_by_fabric_and_network(
    fabric: str, network: str, expected: str | None
) -> None:
    found = told_of(job(hardware__fabric=fabric, platform__pod_network=network), "pod-network")

    assert found == ({expected} if expected else set())


def test_a_job_on_one_node_is_told_nothing_of_networks_between_nodes() -> None:
    alone = job(hardware__nodes=1, hardware__fabric="roce", platform__pod_network="cni_overlay")

    assert told_of(alone, "pod-network") == set()


@pytest.mark.parametrize(
    ("network", "exposure", "expected"),
    [
        ("cni", "host_network", "pod-network-host-not-given"),
        ("host", "host_network", None),
        ("host", "sriov_plugin", "pod-network-host-with-functions"),
        ("sriov", "shared_plugin", "pod-network-plugin-of-other-kind"),
        ("macvlan", "sriov_plugin", "pod-network-plugin-of-other-kind"),
        ("macvlan", "shared_plugin", None),
        ("sriov", "sriov_plugin", None),
    ],
)
def test_network_and_exposure_that_contradict_each_other_are_told(
    network: str, exposure: str, expected: str | None
) -> None:
    document = platform(platform__pod_network=network, platform__rdma_exposure=exposure)

    assert told_of(document, "pod-network") == ({expected} if expected else set())


def test_strangers_must_not_share_the_network_of_the_host() -> None:
    name = "pod-network-host-of-tenants"

    def asked(tenants: str, network: str) -> Document:
        return platform(tenancy__tenants=tenants, platform__pod_network=network)

    assert name in warned(asked("untrusted", "host"))
    assert name not in warned(asked("trusted_teams", "host"))
    assert name not in warned(asked("untrusted", "cni"))


def test_turnover_matters_where_gpus_are_cut() -> None:
    cut = {"tenancy__tenants": "untrusted", "tenancy__isolation": "hardware"}
    cut["tenancy__workloads_per_gpu"] = 2  # type: ignore[assignment]

    one_by_one = platform(tenancy__turnover="one_after_another", **cut)
    at_once = platform(tenancy__turnover="at_once", **cut)
    whole = platform(tenancy__turnover="one_after_another")

    assert told_of(one_by_one, "turnover") == {"turnover-one-by-one-mig"}
    assert told_of(at_once, "turnover") == {"turnover-at-once-mig"}
    assert told_of(whole, "turnover") == set()


def test_a_worker_larger_than_a_machine_is_never_placed() -> None:
    assert "shape-worker-larger-than-node" in warned(job(workers=1, gpus_per_worker=16))
    assert "shape-worker-larger-than-node" not in warned(job(workers=2, gpus_per_worker=8))


def test_workers_that_share_a_node_are_told_that_nvlink_is_not_used_between_them() -> None:
    assert "shape-workers-share-a-node" in warned(job(workers=4, gpus_per_worker=4))
    assert "shape-workers-share-a-node" not in warned(job(workers=2, gpus_per_worker=8))
    assert "shape-workers-share-a-node" not in warned(job(workers=1, gpus_per_worker=4))


def test_pods_that_must_share_a_node_and_do_not_fit_are_told() -> None:
    assert "shape-job-larger-than-node" in warned(job(workers=4, gpus_per_worker=4, same_node=True))
    assert "shape-job-larger-than-node" not in warned(job(workers=4, gpus_per_worker=4))
    fits = job(workers=2, gpus_per_worker=4, same_node=True)
    assert "shape-job-larger-than-node" not in warned(fits)
    assert "shape-same-node-placement" in warned(fits)


def test_a_job_on_the_same_node_is_given_no_more_than_a_node() -> None:
    assert choice(told(job()))["total_gpus"] == 16
    assert choice(told(job(same_node=True)))["total_gpus"] == 8


def test_workers_that_are_not_what_is_advised_are_told() -> None:
    assert "shape-job-not-as-advised" in warned(job(workers=1, gpus_per_worker=8))
    assert "shape-job-not-as-advised" not in warned(job(workers=2, gpus_per_worker=8))


def test_gpus_that_no_worker_can_take_are_counted() -> None:
    text = next(
        w.text
        for w in told(job(workers=2, gpus_per_worker=3)).warnings
        if w.id == "shape-worker-leaves-a-rest"
    )

    assert "leave 2 of each machine's 8" in text


def rented(region: str, **more: Any) -> Document:
    usual = {"hardware__acquisition": "rent", "platform__cloud": "aws", "platform__region": region}
    return serving("llama-3.1-8b", "l4", **{**usual, **more})


def test_a_price_of_another_region_is_named_as_such() -> None:
    assert "region-of-the-price" in warned(rented("eu-central-1"))
    assert "region-of-the-price" not in warned(rented("US-East-1"))
    assert "region-of-the-price" not in warned(
        rented("eu-central-1", hardware__acquisition="owned")
    )


def test_quotas_and_blocks_are_told_of_the_region_they_hold_in() -> None:
    found = warned(
        rented("us-east-1", platform__gpu_quota=4, platform__capacity=["capacity_block"])
    )

    assert {"region-of-the-quota", "region-of-the-block"} <= found
    assert told_of(rented("us-east-1"), "region") == set()


def price(region: str, usd: float, as_of: str) -> Price:
    return Price.model_validate({
        "provider": "aws", "instance": "g6.xlarge", "gpu": "l4", "gpu_count": 1,
        "usd_per_hour": usd, "kind": "on_demand", "region": region, "as_of": as_of,
        "sources": ["x"],
    })  # fmt: skip


def test_the_price_of_the_stated_region_goes_before_newer_ones_of_others() -> None:
    rows = [price("us-east-1", 1.0, "2026-10-01"), price("eu-west-1", 1.3, "2026-06-01")]

    def quoted(region: str | None) -> tuple[float, str]:
        quote = Tariff(rows, region=region).quote("l4", 1, 1)
        assert quote is not None
        return quote.usd_per_hour, quote.region

    assert quoted("EU-West-1") == (1.3, "eu-west-1")
    assert quoted("ap-south-1") == quoted(None) == (1.0, "us-east-1")


def test_a_price_that_holds_anywhere_is_of_every_region() -> None:
    assert same_region("any", "eu-west-1")
    assert not same_region("us-east-1", "us-east-2")
