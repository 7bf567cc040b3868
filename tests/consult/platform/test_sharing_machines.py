"""Virtual machines and licences; cards outside the catalogue; loads that find no place."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, nested, told

from advisor.consult.consultation import Consultation


def platform(gpu: str | None = None, **answers: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"workload.kind": "platform"}
    document |= {} if gpu is None else {"hardware.gpu": gpu}
    document |= {key.replace("__", "."): value for key, value in answers.items()}
    return nested(document)


def offered(found: Consultation) -> dict[str, dict[str, Any]]:
    others = found.decisions["sharing"].alternatives
    return {other.choice.option: other.choice.model_dump() for other in others}


def out(found: Consultation) -> dict[str, str]:
    return {line.option: str(line.rule) for line in found.decisions["sharing"].rejected}


def shown(found: Consultation) -> set[str]:
    return {warning.id for warning in found.warnings}


@pytest.mark.parametrize("hypervisor", ["vmware", "hyperv", "proxmox", "kvm"])
def test_a_hypervisor_around_the_nodes_makes_them_its_guests(hypervisor: str) -> None:
    found = choice(told(platform("l40s", platform__hypervisor=hypervisor)), "sharing")

    assert (found["option"], found["machine"]) == ("passthrough", "vm")


def test_physical_nodes_stay_physical_under_a_hypervisor_that_runs_on_them() -> None:
    found = told(platform("l40s", platform__hypervisor="kubevirt"))

    assert choice(found, "sharing").get("machine") != "vm"


def test_parts_of_a_gpu_for_machines_are_offered_with_the_licence_that_they_take() -> None:
    apart = {"tenancy__isolation": "vm", "tenancy__workloads_per_gpu": 4}
    unsaid = told(platform("a100-80gb-pcie", **apart))
    refused = told(platform("a100-80gb-pcie", **apart, tenancy__vgpu_license=False))
    licensed = told(platform("a100-80gb-pcie", **apart, tenancy__vgpu_license=True))

    assert choice(unsaid, "sharing")["option"] == "passthrough"
    assert choice(unsaid, "sharing")["gpus_needed"] == 4
    assert offered(unsaid)["vgpu_mig"]["profile"] == "1g.20gb"
    assert out(refused)["vgpu_mig"] == "sharing-no-licence"
    assert choice(licensed, "sharing")["option"] == "vgpu_mig"
    assert "gpus_needed" not in choice(licensed, "sharing")


def test_turns_that_are_configured_are_no_wish_for_more_gpus() -> None:
    turns = {"platform__sharing_now": ["time_slicing"], "platform__sharing_replicas_now": 4}
    found = told(platform("l4", **turns, tenancy__tenants="untrusted"))

    assert choice(found, "sharing")["option"] == "exclusive"
    assert "gpus_needed" not in choice(found, "sharing")
    assert "conflict-whole-gpu-each" not in shown(found)


def test_a_guest_that_is_cut_inside_is_refused_for_what_it_is() -> None:
    strangers = {"tenancy__tenants": "untrusted", "tenancy__isolation": "vm"}
    found = told(platform("a100-80gb-pcie", **strangers, platform__machine="vm"))

    assert out(found)["mig_in_guest"] == "sharing-untrusted-in-one-guest"


def test_more_loads_than_instances_that_are_there_are_counted() -> None:
    cut = {"platform__mig_layout_now": ["1g.10gb"] * 4 + ["3g.40gb"]}
    found = told(platform("h100-sxm", **cut, tenancy__workloads_per_gpu=10))
    enough = told(platform("h100-sxm", **cut, tenancy__workloads_per_gpu=5))

    assert choice(found, "sharing")["gpus_needed"] == 2
    assert "conflict-more-than-fit" in shown(found)
    assert offered(found)["mig"]["replicas"] == 2
    assert "conflict-more-than-fit" not in shown(enough)


def test_an_empty_layout_of_today_divides_by_nothing() -> None:
    found = told(platform("h100-sxm", platform__mig_layout_now=[[]], tenancy__workloads_per_gpu=3))

    assert found.decisions["sharing"].choice is not None


def own_card(**more: Any) -> Consultation:
    figures = {"hardware__acquisition": "owned", "hardware__gpu_memory_gib": 24}
    return told(platform("Own Card", **figures, tenancy__workloads_per_gpu=3, **more))


def test_a_card_that_no_list_has_is_of_the_maker_that_is_stated() -> None:
    found = own_card(hardware__vendors=["amd"])

    assert choice(found, "sharing")["resource_name"] == "amd.com/gpu"
    assert not {"mig", "mps", "time_slicing"} & offered(found).keys()


@pytest.mark.parametrize(
    ("capability", "perhaps"), [("7.5", False), ("8.6", False), ("8.9", False), ("9.0", True)]
)
def test_a_card_that_no_list_has_may_have_mig_where_its_chip_has(
    capability: str, perhaps: bool
) -> None:
    found = own_card(hardware__gpu_compute_capability=capability)

    assert ("mig" in offered(found)) is perhaps


@pytest.mark.parametrize(("capability", "served"), [("6.1", False), ("7.0", True)])
def test_mps_is_for_cards_from_volta_on(capability: str, served: bool) -> None:
    found = own_card(hardware__gpu_compute_capability=capability)

    assert (out(found).get("mps") is None) is served


def test_names_of_compute_instances_are_no_layout() -> None:
    wanted = ["4c.7g.80gb", "3c.7g.80gb"]
    found = told(platform("a100-80gb-sxm", tenancy__mig_layout_wanted=wanted))
    told_of = [warning for warning in found.warnings if warning.id == "sharing-layout-illegal"]

    assert "compute instance" in told_of[0].text
    assert choice(found, "sharing")["layout"] == ["3g.40gb", "3g.40gb"]


def test_jobs_of_slurm_that_rest_take_turns_by_shards() -> None:
    jobs = {"platform__orchestrator": "slurm", "tenancy__workloads_per_gpu": 4}
    rests = told(platform("l4", **jobs, tenancy__duty="intermittent"))

    assert choice(rests, "sharing")["option"] == "time_slicing"
    assert "resource_name" not in choice(rests, "sharing")
    assert choice(told(platform("l4", **jobs)), "sharing")["option"] == "one_process"


@pytest.mark.parametrize("orchestrator", ["slurm", "docker"])
def test_mps_that_runs_stays_where_it_fits(orchestrator: str) -> None:
    runs = {"platform__orchestrator": orchestrator, "platform__sharing_now": ["mps"]}
    found = told(platform("l4", **runs, tenancy__workloads_per_gpu=3))
    strangers = told(platform("l4", **runs, tenancy__tenants="untrusted"))

    assert choice(found, "sharing")["option"] == "mps"
    assert choice(strangers, "sharing")["option"] == "exclusive"
