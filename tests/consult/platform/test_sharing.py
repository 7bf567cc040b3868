"""How GPUs are shared: by hardware, trust, promise, memory and machine, never by the case."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, nested, serving, told, training

from advisor.consult.consultation import Consultation
from advisor.store.loader import load_knowledge


def platform(gpu: str | None = None, **answers: Any) -> dict[str, Any]:
    """Return answers about a platform without a model; keys are dotted by ``__``."""
    document: dict[str, Any] = {"workload.kind": "platform"}
    if gpu is not None:
        document["hardware.gpu"] = gpu
    for key, value in answers.items():
        document[key.replace("__", ".")] = value
    return nested(document)


def small(gpu: str, **answers: Any) -> dict[str, Any]:
    """Return answers about a small model on an owned card."""
    return serving(
        "llama-3.1-8b", gpu, hardware__acquisition="owned", concurrency=2, context_tokens=8192,
        **answers,
    )  # fmt: skip


def tiny(gpu: str, **answers: Any) -> dict[str, Any]:
    """Return answers about a tiny model on an owned card."""
    return serving(
        "qwen2.5-1.5b", gpu, hardware__acquisition="owned", concurrency=2, context_tokens=4096,
        **answers,
    )  # fmt: skip


def option(document: dict[str, Any]) -> str:
    return str(choice(told(document), "sharing")["option"])


def out(consultation: Consultation) -> dict[str, str]:
    """Return the rejected options with the rule that rejects each."""
    return {line.option: str(line.rule) for line in consultation.decisions["sharing"].rejected}


UNTRUSTED = {"tenancy__tenants": "untrusted"}
IN_VMS = {"tenancy__isolation": "vm"}
THREE = {"tenancy__workloads_per_gpu": 3}
SOFTWARE = {"time_slicing", "mps", "one_process", "fractional_scheduler", "multi_lora"}


@pytest.mark.parametrize(
    ("document", "wanted"),
    [
        # one load, nobody beside it
        (small("h100-sxm"), "exclusive"),
        (serving("llama-3.3-70b", "h100-sxm", concurrency=8), "exclusive"),
        (training("llama-3.1-8b", "h100-sxm"), "exclusive"),
        # tenants who do not trust each other
        (small("h100-sxm", **UNTRUSTED), "mig"),
        (tiny("a100-40-sxm", **UNTRUSTED), "mig"),
        (small("a100-40-sxm", **UNTRUSTED), "exclusive"),  # no slice of 20 GB carries 8B in bf16
        (small("rtx-pro-6000-server", **UNTRUSTED), "mig"),
        (small("l40s", **UNTRUSTED), "exclusive"),
        (small("mi300x", **UNTRUSTED), "exclusive"),
        (serving("llama-3.3-70b", "h100-sxm", concurrency=8, **UNTRUSTED), "exclusive"),
        (platform("h200-sxm", **UNTRUSTED), "mig"),
        (platform(**UNTRUSTED), "exclusive"),
        # several loads of one owner
        (platform("a10g", **THREE), "mps"),
        (platform("a10g", tenancy__duty="idle", **THREE), "time_slicing"),
        (platform("a10g", platform__sharing_now=["time_slicing"]), "time_slicing"),
        (platform("a10g", platform__orchestrator="docker", **THREE), "one_process"),
        (platform("l4", tenancy__isolation="memory", tenancy__duty="idle", **THREE), "mps"),
        (platform("mi300x", **THREE), "amd_partition"),
        (platform("h100-sxm", tenancy__crash_isolation=True, **THREE), "mig"),
        (platform("h100-sxm", tenancy__sla="hard", **THREE), "mig"),
        (platform("h100-sxm", tenancy__isolation="hardware", **THREE), "mig"),
        (platform("l4", tenancy__isolation="hardware", **THREE), "exclusive"),
        (platform("l4", platform__sharing_now=["hami"]), "fractional_scheduler"),
        (platform("h100-sxm", tenancy__gpus_per_pod=0.5, tenancy__duty="idle"), "time_slicing"),
        # notebooks
        (nested({"workload.kind": "development", "hardware.gpu": "t4"}), "time_slicing"),
        (nested({"workload.kind": "development"}), "time_slicing"),
        # adapters
        (small("h100-sxm", lora_adapters=20), "multi_lora"),
        (small("h100-sxm", lora_adapters=20, **UNTRUSTED), "mig"),
        # virtual machines
        (platform("h100-sxm", tenancy__isolation="vm"), "passthrough"),
        (platform("h100-sxm", **IN_VMS, tenancy__vgpu_license=True, **THREE), "vgpu_mig"),
        (platform("l40s", **IN_VMS, tenancy__vgpu_license=True, **THREE), "vgpu"),
        (platform("l40s", tenancy__isolation="vm", **THREE), "passthrough"),
        (platform("mi300x", tenancy__isolation="vm"), "passthrough"),
        (
            platform("a100-80-sxm", platform__machine="vm", platform__hypervisor="kvm",
                     tenancy__sla="hard", **THREE),
            "mig_in_guest",
        ),
        (platform("l40", platform__machine="vm", platform__hypervisor="proxmox"), "passthrough"),
        (platform("a40", platform__machine="vm", platform__hypervisor="vmware",
                  platform__sharing_now=["vgpu"]), "vgpu"),
        # confidential computing
        (small("h100-sxm", tenancy__confidential=True), "passthrough"),
        # what is in use stays where nothing speaks against it
        (platform("h100-sxm", platform__sharing_now=["mig"]), "mig"),
        (platform("t4", platform__sharing_now=["mig"]), "exclusive"),
    ],
    ids=repr,
)  # fmt: skip
def test_a_situation_is_shared_so(document: dict[str, Any], wanted: str) -> None:
    assert option(document) == wanted


def test_nothing_without_walls_is_left_among_untrusted_tenants() -> None:
    found = told(small("h100-sxm", **UNTRUSTED))
    offered = [choice(found, "sharing")["option"]]
    offered += [other.choice.option for other in found.decisions["sharing"].alternatives]

    assert set(out(found)) >= SOFTWARE
    assert not SOFTWARE & set(offered)


def test_a_gpu_without_mig_is_never_cut() -> None:
    found = told(platform("l40s", tenancy__mig_layout_wanted=["3g.40gb"], **UNTRUSTED))

    assert out(found)["mig"] == "sharing-not-on-this-gpu"


def test_no_confidential_mode_leaves_the_question_open() -> None:
    found = told(platform("l40s", tenancy__confidential=True)).decisions["sharing"]

    assert found.status == "open"
    assert found.choice is None
    assert "no confidential mode" in found.because


def test_a_confidential_load_gets_no_gpu_without_the_mode() -> None:
    found = told(small("l40s", tenancy__confidential=True)).decisions["gpu"]

    assert found.choice is not None
    assert found.choice.option == "change_owned"
    assert load_knowledge().gpus[found.choice.gpu].confidential_computing.supported is True
    assert "gpu-not-confidential" in {item.rule for item in found.rejected}


def test_engines_that_do_not_fit_together_are_not_put_on_one_gpu() -> None:
    eight = tiny("l4", tenancy__workloads_per_gpu=8, tenancy__duty="idle")
    found = told(eight)

    assert out(found)["time_slicing"] == "sharing-does-not-fit"
    assert choice(found, "sharing")["option"] == "exclusive"


def test_the_slice_is_the_smallest_that_carries_the_load() -> None:
    found = choice(told(small("h100-sxm", **UNTRUSTED)), "sharing")

    # 15 GiB of bf16 weights and 2 GiB of cache leave nothing of the 19.6 GiB of 2g.20gb
    assert found["profile"] == "3g.40gb"
    assert found["requests_at_once"] >= 2


def test_a_smaller_load_takes_a_smaller_slice_with_fewer_sequences() -> None:
    found = choice(told(tiny("h100-sxm", **UNTRUSTED)), "sharing")

    assert found["profile"] == "1g.10gb"
    assert found["layout"] == ["1g.10gb"] * 7
    assert found["strategy"] == "single"
    assert found["resource_name"] == "nvidia.com/gpu"
    assert found["max_num_seqs"] <= 256


def test_equal_slices_are_as_large_as_their_number_allows() -> None:
    asked = platform("h100-sxm", tenancy__workloads_per_gpu=4, tenancy__sla="hard")
    found = choice(told(asked), "sharing")

    assert found["layout"][:4] == ["1g.20gb"] * 4
    assert found["resource_name"] in {"nvidia.com/gpu", "nvidia.com/mig-1g.20gb"}


def test_a_mixed_layout_is_taken_as_wanted() -> None:
    layout = [["2g.20gb", "2g.20gb", "2g.20gb", "1g.10gb"], ["4g.40gb", "3g.40gb"], []]
    asked = platform("h100-sxm", tenancy__mig_layout_wanted=layout)
    found = choice(told(asked), "sharing")

    assert found["layout"] == layout
    assert found["strategy"] == "mixed"
    assert set(found["resource_names"]) == {
        "nvidia.com/mig-2g.20gb", "nvidia.com/mig-1g.10gb", "nvidia.com/mig-4g.40gb",
        "nvidia.com/mig-3g.40gb", "nvidia.com/gpu",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("gpu", "wanted", "taken"),
    [
        ("a100-80-pcie", ["1g.5gb"] * 7, ["1g.10gb"] * 7),
        ("rtx-pro-6000-server", ["1g.12gb"] * 4, ["1g.24gb"] * 4),
        ("a30", ["2g.20gb"], ["2g.12gb"]),
    ],
)
def test_profiles_of_another_card_are_replaced_and_told(
    gpu: str, wanted: list[str], taken: list[str]
) -> None:
    found = told(platform(gpu, tenancy__mig_layout_wanted=wanted))

    assert choice(found, "sharing")["layout"] == taken
    assert "sharing-layout-illegal" in {warned.id for warned in found.warnings}


def test_an_arrangement_without_places_is_told() -> None:
    # 4g and two 2g are eight compute slices of seven
    asked = platform("h100-sxm", tenancy__mig_layout_wanted=["4g.40gb", "2g.20gb", "2g.20gb"])
    [warned] = [w for w in told(asked).warnings if w.id == "sharing-layout-illegal"]

    assert "8 of 7 compute slices" in warned.text
    assert choice(told(asked), "sharing")["layout"] == ["4g.40gb", "2g.20gb"]


def test_a_legal_layout_is_not_told_off() -> None:
    asked = platform("h100-sxm", tenancy__mig_layout_wanted=["3g.40gb", "2g.20gb", "1g.10gb"])

    assert "sharing-layout-illegal" not in {w.id for w in told(asked).warnings}


def test_strategy_single_with_unlike_instances_is_a_conflict() -> None:
    asked = platform(
        "h100-sxm",
        tenancy__mig_layout_wanted=["3g.40gb", "4g.40gb"],
        platform__mig_strategy="single",
    )

    assert "sharing-strategy-single-mixed" in {w.id for w in told(asked).warnings}


def test_each_of_several_loads_has_a_place() -> None:
    document = {
        "workloads": [
            {"name": "chat", "model": "llama-3.1-8b", "concurrency": 4, "context_tokens": 8192},
            {"name": "embed", "model": "bge-m3", "kind": "embeddings", "concurrency": 4},
        ],
        "hardware": {"gpu": "h100-sxm", "acquisition": "owned", "gpus_per_node": 1},
    }
    found = choice(told(document), "sharing")

    assert [line["workload"] for line in found["placement"]] == ["chat", "embed"]
    if found["option"] == "mig":
        assert [line["profile"] for line in found["placement"]] == found["layout"][0]
    else:
        assert sum(line["memory_fraction"] for line in found["placement"]) <= 0.95


def test_the_machine_is_said() -> None:
    assert choice(told(platform("h100-sxm")), "sharing")["machine"] == "bare_metal"
    on_aws = platform("h100-sxm", platform__cloud="aws")
    assert choice(told(on_aws), "sharing")["machine"] == "vm"
    assert choice(told(platform("l4", tenancy__isolation="vm")), "sharing")["machine"] == "vm"


def test_what_was_assumed_about_tenants_is_listed() -> None:
    found = told(platform("h100-sxm"))
    assumed = {note.key: note.value for note in found.assumptions}

    assert assumed["tenancy.isolation"] == "none"
    assert found.decisions["sharing"].status == "provisional"
    assert "tenancy.tenants" in {d.question for d in found.decisions["sharing"].depends_on}


def test_no_kubernetes_means_no_resource_name() -> None:
    found = choice(told(platform("h100-sxm", platform__orchestrator="slurm")), "sharing")

    assert "resource_name" not in found


def test_nothing_is_shared_where_nothing_fits() -> None:
    asked = serving(
        "deepseek-r1", "l4", hardware__acquisition="owned", workload__quantization="not_allowed"
    )
    found = told(asked)

    if found.decisions["gpu"].choice is not None:
        assert found.decisions["gpu"].choice.option != "use_owned"
    assert found.decisions["sharing"].citations


def copies(**groups: Any) -> dict[str, Any]:
    load = {"kind": "serving", "model": "qwen2.5-1.5b", "context_tokens": 4096}
    loads = [{"name": "first", **load, "concurrency": 3}, {"name": "second", **load}]
    owned = {"gpu": "t4", "acquisition": "owned", "gpus_per_node": 1}
    return {"workloads": loads, "hardware": owned, **groups}


def test_copies_of_one_load_are_one_engine() -> None:
    found = told(copies())

    assert choice(found, "sharing")["option"] == "exclusive"
    assert found.decisions["sharing"].rules[0] == "sharing-whole-for-one-engine"
    assert "loads" not in choice(found)
    assert choice(found)["room_requests_per_replica"] >= 4
    assert [note.value for note in found.assumptions if note.key == "workloads"] == [
        "first and second"
    ]


@pytest.mark.parametrize(
    "tenancy", [{"tenants": "untrusted"}, {"isolation": "memory"}, {"crash_isolation": True}]
)
def test_copies_that_must_be_apart_stay_apart(tenancy: dict[str, Any]) -> None:
    found = told(copies(tenancy=tenancy))

    assert not [note for note in found.assumptions if note.key == "workloads"]


def test_pods_ask_for_the_gpus_of_each_maker_by_its_name() -> None:
    node = {"gpus_per_node": 8, "nodes": 1}
    mixed = [{"gpu": "h100-sxm", **node}, {"gpu": "mi300x", **node}]
    found = told(
        {
            "workload": {"kind": "platform"},
            "hardware": {"inventory": mixed},
            "platform": {"orchestrator": "kubernetes"},
        }
    )
    made = choice(found, "sharing")

    assert made["resource_names"] == ["nvidia.com/gpu", "amd.com/gpu"]
    assert "resource_name" not in made
