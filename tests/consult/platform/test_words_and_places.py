"""Warnings speak of what is there: host or cluster, maker of the GPU, MIG, boards, guests."""

from __future__ import annotations

from typing import Any

import pytest
from gotcha_support import consulted, shown

from advisor.consult.consultation import Warned
from advisor.store.gotcha import WithoutKubernetes
from advisor.store.loader import load_knowledge

SLICED: dict[str, Any] = {
    "workload.kind": "development",
    "hardware.acquisition": "owned",
    "hardware.gpu": "a100-80-sxm",
    "hardware.gpus_per_node": 8,
    "platform.sharing_now": ["mig"],
}


def told(answers: dict[str, Any], name: str) -> Warned:
    return next(warning for warning in consulted(answers).warnings if warning.id == name)


def test_a_host_without_kubernetes_is_told_other_commands_than_a_cluster() -> None:
    cluster = told({**SLICED, "platform.orchestrator": "kubernetes"}, "mig-needs-idle-gpu")
    host = told({**SLICED, "platform.orchestrator": "slurm"}, "mig-needs-idle-gpu")

    assert "kubectl" in cluster.check
    assert "kubectl" not in host.check
    assert "migManager" not in host.fix
    assert cluster.text == host.text


def test_what_is_not_said_of_hosts_stays_as_it_is() -> None:
    cluster = told({**SLICED, "platform.orchestrator": "kubernetes"}, "mig-needs-idle-gpu")
    unsaid = told(SLICED, "mig-needs-idle-gpu")

    assert unsaid == cluster


def test_texts_for_hosts_have_the_names_of_a_warnings_parts() -> None:
    texts = [gotcha.without_kubernetes for gotcha in load_knowledge().gotchas.values()]

    assert any(texts)
    for text in filter(None, texts):
        assert isinstance(text, WithoutKubernetes)
        assert text.model_dump(exclude_none=True)


@pytest.mark.parametrize("gpu", ["l40s", "mi300x"])
def test_nothing_is_told_of_mig_on_a_gpu_without_it_but_that_there_is_none(gpu: str) -> None:
    found = shown({**SLICED, "hardware.gpu": gpu, "platform.orchestrator": "kubernetes"})

    assert "consistency-mig-without-mig" in found
    assert not [name for name in found if name.startswith("mig-")]
    assert "monitor-mig-instances" not in found


def test_mig_in_use_on_a_gpu_with_it_keeps_its_gotchas() -> None:
    found = shown({**SLICED, "platform.orchestrator": "kubernetes"})

    assert {"mig-needs-idle-gpu", "mig-resource-name", "monitor-mig-instances"} <= set(found)


@pytest.mark.parametrize(("gpus", "there"), [(8, True), (4, False)])
def test_boards_of_four_have_no_switch_to_manage(gpus: int, there: bool) -> None:
    answers = {
        "workload.kind": "platform",
        "hardware.acquisition": "owned",
        "hardware.gpu": "h100-sxm",
        "hardware.gpus_per_node": gpus,
        "platform.orchestrator": "slurm",
    }

    assert ("fabric-manager-missing" in shown(answers)) is there


def test_hosts_whose_gpus_are_bound_to_vfio_are_not_told_of_a_plugin_or_exporter_there() -> None:
    answers = {
        "workload.kind": "platform",
        "hardware.acquisition": "owned",
        "hardware.gpu": "h100-sxm",
        "hardware.gpus_per_node": 8,
        "platform.orchestrator": "kubernetes",
        "platform.hypervisor": "kubevirt",
        "tenancy.tenants": "untrusted",
        "tenancy.isolation": "vm",
    }
    found = set(shown(answers))

    assert "monitor-nvidia-in-guests" in found
    assert not found & {"gpu-dropped-after-xid", "monitor-nvidia-health", "ecc-alert-never-fires"}


def test_the_roce_between_gaudi_cards_of_one_machine_asks_for_no_adapters_in_pods() -> None:
    answers = {
        "workload.model": "llama-3.3-70b",
        "workload.concurrency": 8,
        "workload.context_tokens": 8192,
        "hardware.acquisition": "owned",
        "hardware.gpu": "gaudi-3",
        "hardware.gpus_per_node": 8,
        "platform.orchestrator": "kubernetes",
    }
    found = consulted(answers)
    nodes = found.decisions["provisioning"].choice
    assert nodes is not None

    assert nodes.rdma_exposure == "none"
    assert "network-operator" not in nodes.versions


def test_auto_mode_elsewhere_than_at_aws_is_told_and_not_taken_in_silence() -> None:
    answers = {
        "workload.kind": "platform",
        "platform.cloud": "coreweave",
        "platform.provider": "eks",
        "platform.node_autoscaler": "auto_mode",
    }

    assert "does not run on coreweave" in told(answers, "warn-place-conflict").text


@pytest.mark.parametrize(("cloud", "kept"), [("nebius", False), ("gcp", False), ("aws", True)])
def test_karpenter_is_no_way_where_no_cloud_provider_of_it_is_known(cloud: str, kept: bool) -> None:
    answers = {
        "workload.kind": "platform",
        "platform.cloud": cloud,
        "platform.provider": "talos",
        "platform.node_autoscaler": "karpenter",
    }
    nodes = consulted(answers).decisions["provisioning"].choice
    assert nodes is not None

    assert (nodes.option == "karpenter") is kept


def test_shares_of_a_gpu_say_that_its_figures_are_those_of_one_load() -> None:
    answers: dict[str, Any] = {
        "workload.model": "llama-3.1-8b",
        "workload.concurrency": 8,
        "workload.context_tokens": 8192,
        "hardware.gpu": "a100-80-sxm",
        "hardware.acquisition": "rent",
        "platform.cloud": "aws",
        "tenancy.isolation": "memory",
    }
    alone = shown(answers)
    shared = shown({**answers, "tenancy.workloads_per_gpu": 4})

    assert "warn-idle-rented-gpus" in alone
    assert "warn-figures-of-one-load" not in alone
    assert "warn-figures-of-one-load" in shared
    assert "warn-idle-rented-gpus" not in shared


@pytest.mark.parametrize("orchestrator", ["docker", "slurm", "bare_metal"])
def test_what_only_an_operator_brings_is_not_told_of_hosts(orchestrator: str) -> None:
    answers = {
        "workload.kind": "platform",
        "platform.orchestrator": orchestrator,
        "platform.node_image": "dgx-os",
        "platform.driver_owner_now": "operator",
        "platform.device_injection": "nri",
        "platform.gpu_operator_version": "25.10.1",
    }

    assert not {"two-driver-owners", "nri-before-operator-26-3"} & set(shown(answers))


@pytest.mark.parametrize(
    ("kind", "unit"), [("serving", "engine"), ("fine_tuning", "run"), ("pretraining", "run")]
)
def test_an_engine_serves_and_a_run_trains(kind: str, unit: str) -> None:
    sharing = consulted(
        {
            "workload.kind": kind, "workload.model": "llama-3.1-70b", "ask": ["gpu", "sharing"],
            "training.method": "full", "training.sequence_tokens": 4096,
            "hardware.acquisition": "owned", "hardware.gpu": "h200-sxm",
            "hardware.gpus_per_node": 8, "hardware.nodes": 4,
        }
    ).decisions["sharing"]  # fmt: skip
    said = " ".join((sharing.because, *(line.because for line in sharing.rejected)))

    assert f"One {unit} spans" in said
    assert f"One {unit} takes" in said
    assert {"engine": "One run", "run": "One engine takes"}[unit] not in said
