"""Several loads on parts of GPUs: MIG-backed vGPUs, vGPUs that take turns, AMD partitions."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation
from advisor.consult.several.equal_parts import compute_modes, vgpu_types
from advisor.store.loader import load_knowledge

_LLAMA = {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192, "concurrency": 1}
_SMALL = {"kind": "serving", "model": "llama-3.2-3b", "context_tokens": 8192, "concurrency": 2}
_VMS = {"orchestrator": "kubernetes", "machine": "vm", "hypervisor": "vmware"}
_NODES = {
    "orchestrator": "kubernetes", "cloud": "on_prem", "provider": "vanilla",
    "machine": "bare_metal",
}  # fmt: skip


def _advise(
    loads: list[dict[str, Any]], gpu: str, count: int, platform: dict[str, Any], **tenancy: Any
) -> Consultation:
    hardware = {"acquisition": "owned", "gpu": gpu, "gpus_per_node": count, "nodes": 1}
    asked = {"workloads": loads, "hardware": hardware, "platform": platform, "tenancy": tenancy}
    return advise(read_answers(asked))


def _choice(found: Consultation, decision: str = "gpu") -> dict[str, Any]:
    choice = found.decisions[decision].choice  # type: ignore[index]
    assert choice is not None, found.decisions["gpu"].because
    return choice.model_dump()


def _in_vms(gpu: str, loads: int = 2, **tenancy: Any) -> Consultation:
    records = [{"name": f"t{i}", **_LLAMA, "tenant": f"t{i}"} for i in range(loads)]
    return _advise(records, gpu, 1, _VMS, tenants="untrusted", isolation="vm", **tenancy)


# ---- virtual machines ----


def test_machines_of_tenants_get_slices_as_vgpus_where_a_licence_is_there() -> None:
    found = _in_vms("h100-pcie", vgpu_license=True)
    gpu, sharing = _choice(found), _choice(found, "sharing")
    assert (gpu["option"], gpu["total_gpus"]) == ("use_owned", 1)
    assert (sharing["option"], sharing["machine"]) == ("vgpu_mig", "vm")
    profiles = [line["profile"] for line in sharing["placement"]]
    assert sorted(profiles) == sorted(name for held in sharing["layout"] for name in held)


def test_the_list_of_loads_and_the_number_of_loads_lead_to_the_same_way() -> None:
    listed = _choice(_in_vms("h100-pcie", vgpu_license=True), "sharing")
    hardware = {"acquisition": "owned", "gpu": "h100-pcie", "gpus_per_node": 1, "nodes": 1}
    tenancy = {"tenants": "untrusted", "isolation": "vm", "vgpu_license": True}
    asked = {
        "workload": _LLAMA, "hardware": hardware, "platform": _VMS,
        "tenancy": {**tenancy, "workloads_per_gpu": 2},
    }  # fmt: skip
    counted = _choice(advise(read_answers(asked)), "sharing")
    assert listed["option"] == counted["option"] == "vgpu_mig"


@pytest.mark.parametrize("licence", [{}, {"vgpu_license": False}])
@pytest.mark.parametrize("gpu", ["h100-pcie", "l40s"])
def test_without_a_licence_each_machine_takes_a_whole_gpu(gpu: str, licence: Any) -> None:
    found = _in_vms(gpu, **licence)
    assert (_choice(found)["option"], _choice(found)["total_gpus"]) == ("change_owned", 2)
    assert _choice(found, "sharing")["option"] == "passthrough"


def test_machines_on_a_gpu_without_mig_get_vgpus_that_hold_the_load() -> None:
    found = _in_vms("l40s", vgpu_license=True)
    sharing = _choice(found, "sharing")
    assert (sharing["option"], sharing["layout"]) == ("vgpu", [["24C", "24C"]])
    assert _choice(found)["total_gpus"] == 1


def test_vgpus_too_small_for_the_load_are_never_chosen() -> None:
    records = [
        {"name": f"t{i}", **_LLAMA, "weight_format": "bf16", "tenant": f"t{i}"} for i in range(3)
    ]
    found = _advise(
        records, "l40s", 1, _VMS, tenants="untrusted", isolation="vm", vgpu_license=True
    )
    assert _choice(found)["total_gpus"] == 2  # 16 GB of a third do not hold 15 GiB of weights


@pytest.mark.parametrize("more", [{"sla": "hard"}, {"confidential": True}])
def test_vgpus_that_take_turns_keep_no_promise(more: dict[str, Any]) -> None:
    assert _choice(_in_vms("l40s", vgpu_license=True, **more))["total_gpus"] == 2


def test_types_of_vgpus_divide_the_memory() -> None:
    gpus = load_knowledge().gpus
    assert [mode.name for mode in vgpu_types(gpus["l40s"])] == [
        "24C",
        "16C",
        "12C",
        "8C",
        "6C",
        "4C",
    ]
    assert vgpu_types(gpus["h100-pcie"]) == ()
    assert vgpu_types(gpus["rtx-4090"]) == ()


# ---- partitions ----


def _on_mi300x(count: int, loads: int, **tenancy: Any) -> Consultation:
    models = ("llama-3.2-3b", "qwen2.5-1.5b", "gemma-2-2b")
    records = [
        {"name": f"m{i}", **_SMALL, "model": models[i % 3], "concurrency": 2 + i}
        for i in range(loads)
    ]
    return _advise(records, "mi300x", count, _NODES, tenants="single", **tenancy)


@pytest.mark.parametrize(
    ("loads", "mode", "parts"), [(2, "DPX", 2), (3, "QPX", 4), (5, "CPX", 8), (8, "CPX", 8)]
)
def test_a_gpu_is_cut_no_finer_than_its_loads_ask(loads: int, mode: str, parts: int) -> None:
    found = _on_mi300x(1, loads, isolation="memory")
    sharing = _choice(found, "sharing")
    assert (sharing["option"], sharing["profile"]) == ("amd_partition", mode)
    assert sharing["layout"] == [[mode] * parts]
    assert len(sharing["placement"]) == loads


def test_a_partition_carries_its_load_by_the_sizing_of_a_card_of_its_memory() -> None:
    from advisor.sizing.by_name import size_by_name
    from advisor.sizing.request import SizeRequest

    knowledge = load_knowledge()
    line = _choice(_on_mi300x(1, 5, isolation="memory"))["loads"][0]
    request = SizeRequest(
        weight_format=line["weight_format"], max_model_len=8192, concurrency=2,
        gpu_memory_gib=knowledge.gpus["mi300x"].engine_memory_gib / 8,
    )  # fmt: skip
    sized = size_by_name(knowledge, "llama-3.2-3b", "mi300x", request)
    assert sized.fits
    assert sized.holds_concurrency


def test_more_loads_than_partitions_take_another_gpu() -> None:
    choice = _choice(_on_mi300x(2, 9, isolation="memory"))
    assert (choice["option"], choice["total_gpus"]) == ("use_owned", 2)
    assert sum(map(len, choice["layout"])) >= 9


def test_a_large_load_and_small_ones_sit_on_gpus_cut_for_each() -> None:
    large = {**_SMALL, "model": "qwen2.5-32b", "weight_format": "bf16"}
    loads = [{"name": f"l{i}", **large, "concurrency": 2 + i} for i in range(2)]
    loads += [{"name": f"s{i}", **_SMALL, "concurrency": 2 + i} for i in range(8)]
    choice = _choice(_advise(loads, "mi300x", 2, _NODES, tenants="single", isolation="memory"))
    assert choice["total_gpus"] == 2
    assert all(len(set(held)) == 1 for held in choice["layout"])
    sizes = {line["workload"]: line["profile"] for line in choice["loads"]}
    assert sizes["l0"] == sizes["l1"] == "DPX"
    assert sizes["s0"] == "CPX"


def test_partitions_are_no_wall_among_untrusted_tenants_or_against_crashes() -> None:
    loads = [{"name": f"t{i}", **_SMALL, "tenant": f"t{i}"} for i in range(2)]
    for tenancy in ({"tenants": "untrusted"}, {"crash_isolation": True, "isolation": "memory"}):
        choice = _choice(_advise(loads, "mi300x", 1, _NODES, **tenancy))
        assert "layout" not in choice


def test_trusted_loads_that_ask_for_no_wall_share_before_the_gpu_is_cut() -> None:
    choice = _choice(_on_mi300x(1, 3))
    assert choice["shared"] is True


def test_only_gpus_with_compute_modes_are_cut() -> None:
    gpus = load_knowledge().gpus
    assert [mode.name for mode in compute_modes(gpus["mi300x"])] == ["DPX", "QPX", "CPX"]
    assert compute_modes(gpus["mi250"]) == ()
    assert compute_modes(gpus["h100-sxm"]) == ()
