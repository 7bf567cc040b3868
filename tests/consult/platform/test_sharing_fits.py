"""A part of a GPU is chosen only where it carries its load; else it is said what does."""

from __future__ import annotations

import re
from typing import Any

import pytest
from consult_support import choice, nested, serving, told, training

from advisor.consult.consultation import Consultation
from advisor.consult.platform.ways_vm import framebuffers
from advisor.sizing.mig_placement import instance_memory_gib
from advisor.store.loader import load_knowledge

KNOWLEDGE = load_knowledge()
UNTRUSTED = {"tenancy__tenants": "untrusted"}


def small(gpu: str, **answers: Any) -> dict[str, Any]:
    """Return answers about an 8B model for four users on owned cards."""
    return serving(
        "llama-3.1-8b", gpu, hardware__acquisition="owned", hardware__gpus_per_node=1,
        concurrency=4, context_tokens=8192, **answers,
    )  # fmt: skip


def platform(gpu: str, **answers: Any) -> dict[str, Any]:
    document: dict[str, Any] = {"workload.kind": "platform", "hardware.gpu": gpu}
    document |= {key.replace("__", "."): value for key, value in answers.items()}
    return nested(document)


def wanted(count: int, **more: Any) -> dict[str, Any]:
    return {"tenancy__workloads_per_gpu": count, **more}


def ids(found: Consultation) -> set[str]:
    return {warned.id for warned in found.warnings}


def out(found: Consultation) -> dict[str, str]:
    return {line.option: str(line.rule) for line in found.decisions["sharing"].rejected}


def room_gib(gpu: str, profile: str) -> float:
    record = KNOWLEDGE.gpus[gpu]
    table = KNOWLEDGE.mig_tables[str(record.mig.profile_table)]
    entry = table.profile(profile)
    assert entry is not None
    return instance_memory_gib(record, entry, table)


LAYOUTS = ("tenancy__mig_layout_wanted", "platform__mig_layout_now")


@pytest.mark.parametrize("key", LAYOUTS)
@pytest.mark.parametrize("fixed", ["bf16", None])
def test_a_layout_that_holds_no_load_is_told_and_not_chosen(key: str, fixed: str | None) -> None:
    more = {} if fixed is None else {"workload__weight_format": fixed}
    sharing = {"platform__sharing_now": ["mig"]} if key == LAYOUTS[1] else {}
    found = told(small("h100-sxm", **{key: ["1g.10gb"] * 7}, **more, **sharing))
    made = choice(found, "sharing")

    assert "conflict-layout-holds-no-load" in ids(found)
    assert made["profile"] == "3g.40gb"
    assert "1g.10gb" not in made["layout"]


def test_a_layout_in_which_the_load_may_start_is_told_as_such() -> None:
    cut = ["1g.20gb"] * 4
    found = told(
        small(
            "h100-sxm", workload__weight_format="bf16", workload__concurrency=1,
            workload__context_tokens=8192, platform__sharing_now=["mig"],
            platform__mig_layout_now=cut, **UNTRUSTED,
        )
    )  # fmt: skip
    (tight,) = (w for w in found.warnings if w.id == "conflict-layout-is-tight")

    assert "1g.20gb" in tight.text
    assert tight.severity == "warning"
    assert "conflict-layout-holds-no-load" not in ids(found)
    assert choice(found, "sharing")["profile"] == "3g.40gb"


@pytest.mark.parametrize("key", LAYOUTS)
def test_a_layout_that_holds_the_load_stays(key: str) -> None:
    found = told(small("h100-sxm", **{key: ["3g.40gb", "3g.40gb"]}))

    assert choice(found, "sharing")["layout"] == ["3g.40gb", "3g.40gb"]
    assert "conflict-layout-holds-no-load" not in ids(found)


def test_a_layout_too_small_for_the_model_in_any_instance_leaves_whole_gpus() -> None:
    asked = serving(
        "llama-3.3-70b", "h200-sxm", hardware__acquisition="owned", hardware__gpus_per_node=1,
        concurrency=1, context_tokens=4096, weight_format="fp8",
        tenancy__mig_layout_wanted=["3g.71gb", "3g.71gb"],
    )  # fmt: skip
    found = told(asked)

    assert choice(found, "sharing")["option"] == "exclusive"
    assert out(found)["mig"] == "sharing-no-slice"
    assert "conflict-layout-holds-no-load" in ids(found)


def test_a_narrower_format_carries_more_tenants_with_its_caveat() -> None:
    found = told(small("h100-sxm", **UNTRUSTED, **wanted(4)))
    made = choice(found, "sharing")

    assert choice(found)["weight_format"] == "bf16"
    assert (made["option"], made["weight_format"], made["profile"]) == ("mig", "fp8", "1g.20gb")
    assert "sharing-narrow-format" in found.decisions["sharing"].rules
    # 8.5 GiB of fp8 weights and four requests of 1 GiB in nine tenths of the instance
    assert 0.92 * room_gib("h100-sxm", made["profile"]) > 8.5 + 4


@pytest.mark.parametrize(
    "fixed", [{"quantization": "not_allowed"}, {"weight_format": "bf16"},
              {"objectives__priority": "simplicity"}], ids=repr,
)  # fmt: skip
def test_a_format_that_must_stay_puts_fewer_on_a_gpu(fixed: dict[str, Any]) -> None:
    found = told(small("h100-sxm", **UNTRUSTED, **wanted(4), **fixed))
    made = choice(found, "sharing")

    assert made["profile"] == "3g.40gb"
    assert "weight_format" not in made
    assert made["gpus_needed"] == 2
    assert "conflict-more-than-fit" in ids(found)


def test_where_no_walls_are_asked_the_narrower_format_is_an_alternative() -> None:
    found = told(small("a100-40-sxm", **wanted(2)))
    offered = {
        other.choice.option: other.choice.model_dump()
        for other in found.decisions["sharing"].alternatives
    }

    assert choice(found, "sharing")["option"] != "mig"
    assert offered["mig"]["weight_format"] == "fp8"


@pytest.mark.parametrize(("gpu", "count", "most"), [("h100-sxm", 8, 7), ("a30", 5, 4)])
def test_more_than_a_gpu_has_instances_is_told(gpu: str, count: int, most: int) -> None:
    found = told(platform(gpu, **UNTRUSTED, **wanted(count)))
    made = choice(found, "sharing")

    assert len(made["layout"]) == most
    assert made["gpus_needed"] == 2
    assert "conflict-more-than-fit" in ids(found)
    fits = told(platform(gpu, **UNTRUSTED, **wanted(most)))
    assert "gpus_needed" not in choice(fits, "sharing")
    assert "conflict-more-than-fit" not in ids(fits)


def test_small_loads_beyond_the_instances_take_a_second_gpu_not_whole_ones() -> None:
    asked = serving(
        "qwen2.5-1.5b", "rtx-pro-6000-server", hardware__acquisition="owned", concurrency=2,
        hardware__gpus_per_node=2, context_tokens=4096, **UNTRUSTED, **wanted(7),
    )  # fmt: skip
    made = choice(told(asked), "sharing")

    assert made["layout"] == ["1g.24gb"] * 4
    assert made["gpus_needed"] == 2


def test_partitions_carry_the_load_too() -> None:
    asked = serving(
        "qwen3-32b", "mi355x", hardware__acquisition="owned", hardware__gpus_per_node=8,
        concurrency=4, context_tokens=16384, **wanted(4),
    )  # fmt: skip
    made = choice(told(asked), "sharing")

    # a quarter of 288 GB is less than 61 GiB of weights, cache and room
    assert (made["profile"], made["gpus_needed"]) == ("DPX", 2)


def test_a_job_is_rejected_with_its_own_numbers() -> None:
    asked = training(
        "llama-3.1-8b", "a100-80-sxm", method="qlora", hardware__acquisition="owned",
        hardware__gpus_per_node=2, tenancy__tenants="trusted_teams", **wanted(2),
    )  # fmt: skip

    assert out(told(asked))["mig"] == "sharing-no-slice-for-the-job"


@pytest.mark.parametrize("gpu", sorted(KNOWLEDGE.gpus))
def test_framebuffers_are_whole_parts_of_the_memory(gpu: str) -> None:
    sizes = framebuffers(KNOWLEDGE.gpus[gpu])

    assert sizes[0] == round(KNOWLEDGE.gpus[gpu].memory_gb)
    assert all(sizes[0] % size == 0 for size in sizes)


IN_VMS = {
    "tenancy__isolation": "vm", "tenancy__vgpu_license": True, "platform__machine": "vm",
    "platform__hypervisor": "vmware",
}  # fmt: skip


@pytest.mark.parametrize(
    ("document", "gigabytes", "vms"),
    [
        (platform("a10", **IN_VMS, **wanted(3)), 8, 3),
        (platform("l4", **IN_VMS, **wanted(5)), 4, 6),
        (platform("rtx-6000-ada", **IN_VMS, **wanted(2)), 24, 2),
        (small("l40s", **IN_VMS, **wanted(2)), 24, 2),
    ],
)
def test_a_vgpu_says_how_much_memory_each_vm_gets(
    document: dict[str, Any], gigabytes: int, vms: int
) -> None:
    made = choice(told(document), "sharing")

    assert (made["option"], made["framebuffer_gb"], made["vms_per_gpu"]) == (
        "vgpu", gigabytes, vms,
    )  # fmt: skip


@pytest.mark.parametrize("count", [3, 6])
def test_vgpus_too_small_for_the_load_are_not_chosen(count: int) -> None:
    found = told(small("l40s", **IN_VMS, **wanted(count), workload__weight_format="bf16"))
    made = choice(found, "sharing")

    assert made["framebuffer_gb"] == 24
    assert made["gpus_needed"] == -(-count // 2)
    assert "conflict-more-than-fit" in ids(found)


def test_a_load_that_fills_the_gpu_gets_no_vgpu() -> None:
    asked = small("l4", **IN_VMS, **wanted(2), workload__weight_format="bf16")
    found = told(asked)

    assert out(found)["vgpu"] == "sharing-no-framebuffer"
    assert choice(found, "sharing")["option"] == "passthrough"


@pytest.mark.parametrize("count", [2, 3, 7, 20, 48, 60, 1000])
@pytest.mark.parametrize("gpu", ["l40s", "h100-sxm"])
def test_shares_never_add_up_to_more_than_the_gpu(gpu: str, count: int) -> None:
    found = told(platform(gpu, **wanted(count)))
    offered = [choice(found, "sharing")]
    offered += [other.choice.model_dump() for other in found.decisions["sharing"].alternatives]
    shares = [made["memory_fraction"] for made in offered if "memory_fraction" in made]

    assert shares
    assert all(0 < share * count <= 0.95 + 1e-9 for share in shares)
    assert (out(found).get("mps") == "sharing-mps-clients") == (count > 48)


def test_mps_in_use_beyond_its_clients_is_told() -> None:
    asked = platform("l40s", platform__sharing_now=["mps"], platform__sharing_replicas_now=60)
    fine = platform("l40s", platform__sharing_now=["mps"], platform__sharing_replicas_now=48)

    assert "conflict-mps-clients" in ids(told(asked))
    assert "conflict-mps-clients" not in ids(told(fine))


def test_no_more_requests_are_promised_than_the_engine_runs() -> None:
    asked = serving(
        "qwen2.5-1.5b", "h200-sxm", hardware__acquisition="owned", concurrency=2,
        context_tokens=2048, **UNTRUSTED,
    )  # fmt: skip
    made = choice(told(asked), "sharing")

    assert made["option"] == "mig"
    assert made["requests_at_once"] <= made["max_num_seqs"]


def test_profiles_that_nobody_listed_are_not_made_up() -> None:
    asked = serving(
        "qwen2.5-1.5b", "rtx-pro-5000-48", hardware__acquisition="owned", concurrency=2,
        context_tokens=4096, **UNTRUSTED, **wanted(2),
    )  # fmt: skip
    found = told(asked)
    made = choice(found, "sharing")

    assert made["option"] == "mig"
    assert made["most_instances"] == 2
    assert made["profiles_from"] == "nvidia-smi mig -lgip"
    assert "layout" not in made


@pytest.mark.parametrize("gpu", ["h100-sxm", "rtx-pro-6000-max-q", "a30", "b200"])
def test_without_a_layout_the_alternatives_name_profiles_of_this_card(gpu: str) -> None:
    found = told(platform(gpu, platform__sharing_now=["mig"])).decisions["sharing"]
    named = {other.choice.model_dump().get("profile") for other in found.alternatives} - {None}
    table = KNOWLEDGE.mig_tables[str(KNOWLEDGE.gpus[gpu].mig.profile_table)]
    most = {profile.profile: profile.max_instances for profile in table.profiles}

    assert sorted(most[str(name)] for name in named) == [2, 4]
    assert all(re.fullmatch(r"\d+g\.\d+gb", str(name)) for name in named)


@pytest.mark.parametrize(
    ("gpu", "layout", "legal"),
    [
        ("h100-sxm", ["1g.10gb+me"], True),
        ("h100-sxm", ["1g.10gb+me", "1g.10gb+me"], False),
        ("a30", ["1g.6gb+me"] * 4, False),
        ("a30", ["1g.6gb+me", "2g.12gb+me"], False),
        ("rtx-pro-6000-server", ["1g.24gb+gfx"] * 4, True),
        ("rtx-pro-6000-server", ["1g.24gb+me", "1g.24gb+me.all"], False),
    ],
)
def test_media_engines_go_to_one_instance(gpu: str, layout: list[str], legal: bool) -> None:
    found = told(platform(gpu, tenancy__mig_layout_wanted=layout))
    taken = choice(found, "sharing")["layout"]

    assert ("sharing-layout-illegal" in ids(found)) != legal
    assert len(taken) == len(layout)
    assert sum("+me" in name for name in taken) <= 1
