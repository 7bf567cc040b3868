"""Gotchas speak of what is chosen: what was wished, and rejected, brings none."""

from __future__ import annotations

from typing import Any

import pytest
from gotcha_lists import H100, OWNED
from gotcha_situations import BROUGHT_BY
from gotcha_support import consulted, gotchas, shown

from advisor.store.loader import load_knowledge


@pytest.mark.parametrize(
    "said",
    [
        {"platform.gpu_operator_version": "26.7.0"},
        {"platform.driver_owner_now": "operator"},
        {"platform.dra": "in_use", "platform.kubernetes_version": "1.36.4"},
    ],
)
def test_who_has_something_that_advertises_gpus_is_not_told_to_install_it(
    said: dict[str, str],
) -> None:
    alone = {"workload.kind": "platform", "platform.node_image": "eks-al2023-nvidia"}
    (told_alone,) = [w for w in consulted(alone).warnings if w.id == "no-device-plugin"]

    assert told_alone.severity == "warning"
    assert "Install the device plugin" in told_alone.fix
    assert "no-device-plugin" not in gotchas({**alone, **said})
    assert "no-device-plugin" in gotchas({**alone, "platform.gpu_operator_version": "none"})


_WHY_NOT = {"karpenter-ignores-claims", "karpenter-unknown-partitions"}
KARPENTER = {
    name
    for name in BROUGHT_BY
    if name.startswith(("karpenter-", "small-root")) and name not in _WHY_NOT
}
"""What bites under Karpenter, but for what keeps it out."""


@pytest.mark.parametrize(
    "place",
    [
        {"platform.cloud": "gcp", "platform.provider": "gke"},
        {"platform.cloud": "on_prem", "platform.provider": "vanilla"},
        {"platform.cloud": "aws", "platform.provider": "eks", "platform.dra": "wanted"},
        {"platform.cloud": "aws", "platform.provider": "eks", "platform.sharing_now": ["mig"]},
        {"platform.cloud": "aws", "platform.node_image": "eks-auto-mode"},
    ],
)
def test_what_was_named_and_cannot_stay_brings_no_gotchas(place: dict[str, Any]) -> None:
    answers = {
        "workload.kind": "platform", **H100, "platform.node_autoscaler": "karpenter",
        "platform.kubernetes_version": "1.36.4", **place,
    }  # fmt: skip
    found = gotchas(answers)

    assert consulted(answers).decisions["provisioning"].choice.option != "karpenter"  # type: ignore[union-attr]
    assert not found & (KARPENTER - {"karpenter-consolidation"})  # Auto Mode consolidates too


def test_claims_that_were_wished_and_rejected_bring_no_gotchas() -> None:
    answers = {
        "workload.kind": "platform", **H100, "platform.cloud": "aws", "platform.provider": "eks",
        "platform.node_image": "eks-bottlerocket-nvidia", "platform.dra": "wanted",
    }  # fmt: skip

    assert not {"two-allocators", "dra-rights-1-36", "dra-no-preemption"} & gotchas(answers)


def test_a_domain_without_a_rack_is_told_once() -> None:
    answers = {
        "workload.kind": "platform", "hardware.gpu": "l4", "platform.compute_domain": "wanted",
    }  # fmt: skip

    assert "warn-domain-without-rack" in shown(answers)
    assert not {"imex-on-host", "compute-domain-places-nothing"} & gotchas(answers)


@pytest.mark.parametrize("image", ["gke-cos", "gke-autopilot"])
def test_where_the_pool_cuts_mig_nothing_is_said_of_the_operators_labels(image: str) -> None:
    cut = {
        "workload.kind": "platform", **H100, "hardware.gpus_per_node": 8,
        "tenancy.tenants": "untrusted", "tenancy.workloads_per_gpu": 7,
    }  # fmt: skip
    labels = {"mig-strategy-alone", "mig-resource-name", "mig-profile-of-other-card"}

    assert labels <= gotchas(cut)
    there = {"platform.cloud": "gcp", "platform.provider": "gke", "platform.node_image": image}
    assert not (labels | {"mig-needs-idle-gpu"}) & gotchas({**cut, **there})


def test_the_image_of_another_cloud_brings_no_second_plugin() -> None:
    answers = {
        "workload.kind": "platform", **H100, "platform.cloud": "aws", "platform.provider": "eks",
        "platform.node_image": "gke-cos",
    }  # fmt: skip

    assert "second-device-plugin" not in gotchas(answers)


@pytest.mark.parametrize("version", ["1.35.0", "1.35.5"])
def test_a_bug_with_claims_is_told_to_those_who_have_claims(version: str) -> None:
    plain = {"workload.kind": "platform", **H100, "platform.kubernetes_version": version}

    assert not {"kubernetes-1-36-early", "kubernetes-1-35-claims"} & gotchas(plain)
    found = gotchas({**plain, "platform.dra": "in_use"})
    assert "kubernetes-1-35-claims" in found
    assert "kubernetes-1-36-early" not in found
    mended = {**plain, "platform.dra": "in_use", "platform.kubernetes_version": "1.35.6"}
    assert "kubernetes-1-35-claims" not in gotchas(mended)


VERBS = {"rdma-memlock", "gpudirect-rdma-off", "nccl-prefix-match", "nccl-falls-back-to-tcp"}
JOB = {
    "workload.kind": "fine_tuning", "workload.model": "llama-3.3-70b", "training.method": "full",
    **OWNED, "hardware.nodes": 4, "hardware.fabric": "cloud_rdma",
}  # fmt: skip
GKE = {"platform.cloud": "gcp", "platform.provider": "gke"}


def test_h100_on_gke_gets_googles_transport_and_no_verbs() -> None:
    found = gotchas({**JOB, **GKE})
    choice = consulted({**JOB, **GKE}).decisions["provisioning"].choice

    assert "gke-h100-without-rdma" in found
    assert not VERBS & found
    assert getattr(choice, "rdma_exposure", None) != "host_network"


def test_later_cards_on_gke_get_googles_networks() -> None:
    found = gotchas({**JOB, **GKE, "hardware.gpu": "h200-sxm", "hardware.fabric": "roce"})

    assert "gke-multi-networking" in found
    assert not (VERBS | {"gke-h100-without-rdma"}) & found


def test_elsewhere_h100_keeps_its_verbs() -> None:
    found = gotchas({**JOB, "hardware.fabric": "infiniband", "platform.cloud": "on_prem"})

    assert found >= VERBS
    assert not {"gke-h100-without-rdma", "gke-multi-networking"} & found


def test_gaudi_hears_nothing_of_nccl() -> None:
    answers = {**JOB, "hardware.gpu": "gaudi-3", "hardware.fabric": "ethernet"}

    assert not {"nccl-env-not-in-every-pod", "shm-too-small"} & gotchas(answers)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"platform.container_runtime": "cri_o", "platform.container_runtime_version": "1.29"},
         "nri-too-new-for-runtime"),
        ({"platform.container_runtime_version": "1.7.20"}, "nri-too-new-for-runtime"),
        ({"platform.container_runtime_version": "2.0.4"}, "nri-too-new-for-runtime"),
        ({"platform.gpu_operator_version": "25.3.0"}, "nri-before-operator-26-3"),
    ],
)  # fmt: skip
def test_nri_wants_a_runtime_and_an_operator_that_know_it(said: dict[str, str], name: str) -> None:
    nri = {"workload.kind": "platform", "platform.device_injection": "nri"}
    fine = {
        "platform.container_runtime": "containerd", "platform.container_runtime_version": "2.1.4",
        "platform.gpu_operator_version": "26.7.0",
    }  # fmt: skip

    assert name in gotchas({**nri, **said})
    assert not {n for n in gotchas({**nri, **fine}) if n.startswith("nri-")}


@pytest.mark.parametrize(
    ("capacity", "cloud", "name"),
    [("flex_start", "aws", "flex-start-ends"), ("capacity_block", "gcp", "capacity-block-ends")],
)
def test_terms_of_another_clouds_capacity_are_not_told(
    capacity: str, cloud: str, name: str
) -> None:
    answers = {"workload.kind": "platform", "platform.capacity": [capacity]}

    assert name in gotchas(answers)
    assert name not in gotchas({**answers, "platform.cloud": cloud})


def test_an_operator_that_is_not_installed_has_no_object() -> None:
    answers = {
        "workload.kind": "platform", "platform.driver_owner_now": "operator",
        "platform.gpu_operator_version": "none",
    }  # fmt: skip

    assert "second-clusterpolicy" not in gotchas(answers)


HAPPENED = (" is loaded", " vanish from", "finds no", " land in", "was replaced", " are evicted")


def test_a_title_says_what_can_happen_and_not_that_it_did() -> None:
    for record in load_knowledge().gotchas.values():
        told_as_news = [part for part in HAPPENED if part in record.title]
        assert not told_as_news or " may " in record.title or "before" in record.title, record.id


def test_slices_on_gke_hear_nothing_of_networks_between_nodes() -> None:
    cut = {
        "workload.kind": "platform", **H100, **GKE, "hardware.gpus_per_node": 8,
        "hardware.nodes": 2, "tenancy.tenants": "untrusted", "tenancy.workloads_per_gpu": 7,
    }  # fmt: skip

    assert not {"gke-h100-without-rdma", "gke-multi-networking"} & gotchas(cut)


@pytest.mark.parametrize("provider", ["vanilla", "gke"])
def test_the_reset_of_ampere_is_told_where_claims_and_slices_are_in_use(provider: str) -> None:
    runs = {
        "workload.kind": "platform", "platform.provider": provider, "platform.dra": "in_use",
        "platform.machine": "vm", "platform.sharing_now": ["mig"], "hardware.gpu": "a100-80-sxm",
    }  # fmt: skip

    assert "dynamic-mig-cloud-a100" in gotchas(runs)
    assert "dynamic-mig-cloud-a100" not in gotchas({**runs, "hardware.gpu": "h100-sxm"})
