"""Several loads that share GPUs: owners, duty, equal shares, copies, and limits of engines."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation

_LLAMA = {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192, "concurrency": 2}
_EMBED = {"kind": "embeddings", "model": "bge-m3"}
_KUBERNETES = {
    "orchestrator": "kubernetes", "cloud": "on_prem", "provider": "vanilla",
    "machine": "bare_metal",
}  # fmt: skip


def _advise(loads: list[dict[str, Any]], gpu: str, count: int = 1, **tenancy: Any) -> Consultation:
    hardware = {"acquisition": "owned", "gpu": gpu, "gpus_per_node": count, "nodes": 1}
    asked = {"workloads": loads, "hardware": hardware, "platform": _KUBERNETES}
    return advise(read_answers({**asked, "tenancy": tenancy}))


def _choice(found: Consultation, decision: str = "gpu") -> dict[str, Any]:
    choice = found.decisions[decision].choice  # type: ignore[index]
    assert choice is not None, found.decisions["gpu"].because
    return choice.model_dump()


def _alike(count: int, **more: Any) -> list[dict[str, Any]]:
    return [{"name": f"t{i}", **_LLAMA, "tenant": f"t{i}", **more} for i in range(count)]


# ---- copies of one load ----


def test_copies_of_the_only_load_take_gpus_each() -> None:
    found = _advise([{"name": "a", **_LLAMA, "instances": 3}], "h100-sxm", 4)
    choice = _choice(found)
    assert (choice["option"], choice["replicas"], choice["total_gpus"]) == ("use_owned", 3, 3)
    assert _choice(found, "parallelism")["option"] == "replicas"
    assert _choice(found, "sharing")["option"] == "exclusive"


def test_copies_of_the_only_load_share_the_one_gpu_there_is() -> None:
    found = _advise([{"name": "a", **_LLAMA, "instances": 3}], "h100-sxm")
    choice = _choice(found)
    line = choice["loads"][0]
    assert (choice["option"], choice["replicas"], choice["total_gpus"]) == ("use_owned", 3, 1)
    assert line["memory_fraction"] * 3 <= 0.95
    assert line["shares_with"] == ["a"]
    assert _choice(found, "sharing")["replicas"] == 3


def test_copies_that_the_gpus_do_not_hold_are_said() -> None:
    found = _advise([{"name": "a", **_LLAMA, "instances": 40}], "l4", 2)
    assert _choice(found)["option"] == "change_owned"
    assert _choice(found)["total_gpus"] == 40


def test_one_copy_is_like_no_word_of_copies() -> None:
    said = _choice(_advise([{"name": "a", **_LLAMA, "instances": 1}], "h100-sxm"))
    assert said == _choice(_advise([{"name": "a", **_LLAMA}], "h100-sxm"))


@pytest.mark.parametrize("field", [{"instances": 2}, {"instances": 3}])
def test_what_the_note_of_joined_loads_advises_works(field: dict[str, int]) -> None:
    both = _advise([{"name": "a", **_LLAMA}, {"name": "b", **_LLAMA}], "h100-sxm", 4)
    note = next(note for note in both.assumptions if note.key == "workloads")
    assert "workloads[].instances" in note.why
    assert _choice(both)["replicas"] == 1
    apart = _choice(_advise([{"name": "a", **_LLAMA, **field}], "h100-sxm", 4))
    assert apart["replicas"] == field["instances"]


# ---- owners ----


def _of_owners() -> list[dict[str, Any]]:
    return [
        {"name": "a1", **_LLAMA, "context_tokens": 4096, "tenant": "a"},
        {"name": "a2", **_EMBED, "tenant": "a"},
        {"name": "b", **_LLAMA, "tenant": "b"},
    ]


def test_loads_of_one_tenant_share_where_tenants_do_not_trust_each_other() -> None:
    found = _advise(_of_owners(), "l40s", 2, tenants="untrusted")
    choice = _choice(found)
    assert (choice["option"], choice["total_gpus"]) == ("use_owned", 2)
    lines = {line["workload"]: line for line in choice["loads"]}
    assert lines["a1"]["shares_with"] == ["a2"]
    assert "shares_with" not in lines["b"]
    assert lines["b"]["gpus"] == 1


def test_no_gpu_is_shared_over_the_border_of_a_tenant() -> None:
    loads = [*_of_owners(), {"name": "b2", **_EMBED, "tenant": "b"}]
    choice = _choice(_advise(loads, "l40s", 3, tenants="untrusted"))
    owners = {load["name"]: load["tenant"] for load in loads}
    for line in choice["loads"]:
        assert {owners[name] for name in line.get("shares_with", [])} <= {owners[line["workload"]]}


@pytest.mark.parametrize(("loads", "count"), [(_of_owners()[:2], 1), (_of_owners(), 2)])
def test_the_way_to_share_agrees_with_where_loads_sit(
    loads: list[dict[str, Any]], count: int
) -> None:
    found = _advise(loads, "l40s", count, tenants="untrusted")
    sharing = _choice(found, "sharing")
    assert sharing["option"] == "one_process"
    assert any("memory_fraction" in line for line in sharing["placement"])


def test_loads_without_an_owner_never_share_among_untrusted_tenants() -> None:
    loads = [{"name": "a", **_LLAMA}, {"name": "b", **_EMBED}]
    choice = _choice(_advise(loads, "l40s", 1, tenants="untrusted"))
    assert (choice["option"], choice["shared"]) == ("change_owned", False)


def test_tenants_with_one_load_each_still_get_a_gpu_each() -> None:
    choice = _choice(_advise(_alike(2), "l40s", 1, tenants="untrusted"))
    assert (choice["option"], choice["total_gpus"]) == ("change_owned", 2)


# ---- duty and equal shares ----


@pytest.mark.parametrize("where", ["tenancy", "record"])
def test_trusted_loads_that_rest_take_turns(where: str) -> None:
    record = {"duty": "idle"} if where == "record" else {}
    tenancy = {"duty": "idle"} if where == "tenancy" else {}
    found = _advise(_alike(3, **record), "h100-sxm", tenants="trusted_teams", **tenancy)
    assert _choice(found)["shared"] is True
    sharing = _choice(found, "sharing")
    assert (sharing["option"], sharing["replicas"]) == ("time_slicing", 3)


def test_equal_loads_that_do_not_rest_go_to_mps() -> None:
    loads = [{"name": name, **_EMBED, "tenant": name} for name in ("a", "b")]
    for duty in ({}, {"duty": "sustained"}):
        found = _advise(loads, "l4", tenants="trusted_teams", **duty)
        sharing = _choice(found, "sharing")
        assert (sharing["option"], sharing["replicas"]) == ("mps", 2)
        assert "unequal" not in found.decisions["sharing"].because


def test_unequal_loads_of_one_owner_share_one_process_group() -> None:
    big = {**_LLAMA, "concurrency": 24}
    loads = [{"name": "a", **big}, {"name": "b", **_EMBED}]
    found = _advise(loads, "l40s", tenants="single")
    fractions = [line["memory_fraction"] for line in _choice(found)["loads"]]
    assert max(fractions) * 2 > 0.95
    assert _choice(found, "sharing")["option"] == "one_process"


def test_unequal_loads_of_several_owners_keep_pods_of_their_own() -> None:
    big = {**_LLAMA, "concurrency": 24}
    loads = [{"name": "a", **big, "tenant": "a"}, {"name": "b", **_EMBED, "tenant": "b"}]
    found = _advise(loads, "l40s", tenants="trusted_teams")
    assert _choice(found, "sharing")["option"] == "time_slicing"


def test_a_crash_that_must_spare_the_others_forbids_a_share() -> None:
    loads = [{"name": "a", **_LLAMA}, {"name": "b", **_EMBED}]
    found = _advise(loads, "l40s", tenants="single", crash_isolation=True)
    assert _choice(found)["shared"] is False


@pytest.mark.parametrize(("gpu", "count"), [("h200-sxm", 7), ("h100-sxm", 3), ("h100-sxm", 5)])
def test_equal_tenants_get_equal_precision_and_slices(gpu: str, count: int) -> None:
    found = _advise(_alike(count), gpu, tenants="untrusted", isolation="hardware")
    lines = _choice(found)["loads"]
    assert len({(line["weight_format"], line.get("profile")) for line in lines}) == 1


# ---- numbers ----


def test_no_engine_runs_more_requests_than_its_scheduler_allows() -> None:
    small = {**_LLAMA, "model": "qwen2.5-1.5b", "context_tokens": 2048}
    loads = [{"name": f"t{i}", **small, "tenant": f"t{i}"} for i in range(7)]
    for lines in (
        _choice(_advise(loads, "h200-sxm", tenants="untrusted"))["loads"],
        _choice(_advise(loads, "h200-sxm", tenants="trusted_teams"))["loads"],
        _choice(_advise(loads, "h200-sxm", 8))["loads"],
    ):
        assert all(line["requests_at_once"] <= line["max_num_seqs"] for line in lines)


def test_a_slice_that_is_short_at_the_low_end_says_so() -> None:
    loads = _alike(7, concurrency=4)
    because = _advise(loads, "b200", tenants="untrusted").decisions["gpu"].because
    assert "borderline: at the low end of the free memory" in because
    roomy = _advise(_alike(2, concurrency=1), "b200", tenants="untrusted").decisions["gpu"].because
    assert "borderline" not in roomy


# ---- a wide load beside a small one ----


def test_a_small_load_does_not_push_a_large_one_into_stages() -> None:
    big = {**_LLAMA, "model": "llama-3.3-70b", "weight_format": "fp8", "context_tokens": 16384}
    loads = [{"name": "big", **big, "concurrency": 16}, {"name": "embed", **_EMBED}]
    found = _advise(loads, "h100-sxm", 4)
    lines = {line["workload"]: line for line in _choice(found, "parallelism")["loads"]}
    assert lines["big"]["pipeline_parallel"] == 1
    assert lines["big"]["tensor_parallel"] in {2, 4}
    assert _choice(found)["total_gpus"] <= 4
