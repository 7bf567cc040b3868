"""Several loads on the same GPUs: one fleet that carries all of them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation
from advisor.errors import UnknownNameError

_LLAMA = {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192, "concurrency": 20}
_BIG = {"kind": "serving", "model": "llama-3.3-70b", "context_tokens": 8192, "concurrency": 16}
_EMBED = {"kind": "embeddings", "model": "bge-m3"}


def _advise(loads: list[dict[str, Any]], **groups: Any) -> Consultation:
    return advise(read_answers({"workloads": loads, **groups}))


def _choice(found: Consultation, decision: str = "gpu") -> dict[str, Any]:
    choice = found.decisions[decision].choice  # type: ignore[index]
    assert choice is not None, found.decisions["gpu"].because
    return choice.model_dump()


def _three(**groups: Any) -> Consultation:
    loads = [
        {"name": "chat", **_LLAMA},
        {"name": "embed", **_EMBED},
        {"name": "rank", **_EMBED, "kind": "reranking", "model": "bge-reranker-v2-m3"},
    ]
    rent = {"acquisition": "rent", "gpu": ["l40s"]}
    return _advise(loads, **{"hardware": rent, **groups})


def test_small_loads_of_teams_that_trust_each_other_share_a_gpu() -> None:
    choice = _choice(_three(tenancy={"tenants": "trusted_teams"}))
    assert (choice["total_gpus"], choice["shared"]) == (1, True)
    shares = [load["memory_fraction"] for load in choice["loads"]]
    assert len(shares) == 3
    assert sum(shares) <= 0.95
    assert all(share > 0 for share in shares)


def test_a_share_carries_the_load_by_the_sizing_itself() -> None:
    from advisor.sizing.by_name import size_by_name
    from advisor.sizing.request import SizeRequest
    from advisor.store.loader import load_knowledge

    chat = next(x for x in _choice(_three())["loads"] if x["workload"] == "chat")
    request = SizeRequest(
        weight_format=chat["weight_format"],
        max_model_len=8192,
        concurrency=20,
        gpu_memory_utilization=chat["memory_fraction"],
    )
    alone = size_by_name(load_knowledge(), "llama-3.1-8b", "l40s", request)
    assert alone.fits
    assert alone.holds_concurrency
    assert chat["requests_at_once"] >= 20


@pytest.mark.parametrize(
    ("tenancy", "rule"),
    [
        ({"tenants": "untrusted"}, "loads-of-untrusted-tenants"),
        ({"isolation": "memory"}, "loads-that-must-be-isolated"),
        ({"sla": "hard"}, "loads-with-a-hard-sla"),
    ],
)
def test_what_forbids_sharing_gives_each_load_its_own_gpus(
    tenancy: dict[str, str], rule: str
) -> None:
    found = _three(tenancy=tenancy)
    choice = _choice(found)
    assert choice["shared"] is False
    assert choice["total_gpus"] == sum(load["gpus"] for load in choice["loads"]) == 3
    assert rule in {line.rule for line in found.decisions["gpu"].rejected}


def test_a_wanted_speed_forbids_sharing() -> None:
    assert _choice(_three(objectives={"tokens_per_second_per_user": 10}))["shared"] is False


def test_loads_of_several_tenants_share_only_when_trust_is_stated() -> None:
    loads = [{"name": "a", **_LLAMA, "tenant": "one"}, {"name": "b", **_EMBED, "tenant": "two"}]
    rent = {"acquisition": "rent", "gpu": ["l40s"]}
    assert _choice(_advise(loads, hardware=rent))["shared"] is False
    trusted = _advise(loads, hardware=rent, tenancy={"tenants": "trusted_teams"})
    assert _choice(trusted)["shared"] is True


def test_owned_gpus_that_suffice_are_not_shared() -> None:
    loads = [{"name": "a", **_LLAMA}, {"name": "b", **_EMBED}]
    owned = {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 4, "nodes": 1}
    choice = _choice(_advise(loads, hardware=owned))
    assert (choice["option"], choice["shared"], choice["total_gpus"]) == ("use_owned", False, 2)


def test_owned_gpus_too_few_for_both_at_their_best_take_narrower_splits() -> None:
    big = {**_BIG, "context_tokens": 16384, "concurrency": 32}
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 8, "nodes": 1}
    alone = _choice(advise(read_answers({"workload": big, "hardware": owned})))
    assert alone["total_gpus"] == 8
    both = [{"name": "big", **big}, {"name": "b", **_LLAMA}]
    choice = _choice(_advise(both, hardware=owned))
    assert choice["option"] == "use_owned"
    assert choice["total_gpus"] <= 8


def test_too_few_owned_gpus_are_said_with_what_the_loads_take() -> None:
    loads = [
        {"name": "a", **_BIG, "weight_format": "bf16"},
        {"name": "b", **_BIG, "model": "qwen2.5-72b", "weight_format": "bf16"},
    ]
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 4, "nodes": 1}
    found = _advise(loads, hardware=owned)
    choice = _choice(found)
    assert choice["option"] == "change_owned"
    assert "(4 GPUs) does not carry all loads together" in found.decisions["gpu"].because
    assert choice["total_gpus"] == sum(load["gpus"] for load in choice["loads"]) == 8


def test_a_mixed_inventory_carries_each_load_where_it_fits() -> None:
    loads = [{"name": "big", **_BIG, "weight_format": "bf16"}, {"name": "b", **_LLAMA}]
    machines = [{"gpu": "h100-sxm", "gpus_per_node": 4}, {"gpu": "l40s", "gpus_per_node": 2}]
    choice = _choice(_advise(loads, hardware={"inventory": machines}))
    where = {load["workload"]: load["gpu"] for load in choice["loads"]}
    assert where == {"big": "h100-sxm", "b": "l40s"}
    assert choice["gpu_counts"] == {"h100-sxm": 4, "l40s": 1}


def test_copies_of_a_load_take_gpus_each() -> None:
    loads = [{"name": "a", **_LLAMA, "instances": 3}, {"name": "b", **_LLAMA}]
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 8}
    assert _choice(_advise(loads, hardware=owned))["total_gpus"] == 4


def test_all_loads_together_must_keep_the_budget() -> None:
    loads = [{"name": "a", **_BIG}, {"name": "b", **_BIG, "model": "qwen2.5-72b"}]
    rent = {"acquisition": "rent", "gpu": ["h100-sxm"]}
    alone = _choice(_advise(loads, hardware=rent))
    budget = {"budget_usd_per_hour": alone["usd_per_hour"] * 0.4}
    found = _advise(loads, hardware=rent, objectives=budget)
    assert _choice(found)["option"] == "none_fits"
    assert found.decisions["parallelism"].status == "open"


def test_cheapest_comes_first_under_priority_cost() -> None:
    found = _three(objectives={"priority": "cost"}, hardware={"acquisition": "rent"})
    mine = _choice(found)["usd_per_hour"]
    others = [
        a.choice.model_dump().get("usd_per_hour") for a in found.decisions["gpu"].alternatives
    ]
    assert others
    assert all(other is None or other >= mine for other in others)


def test_one_load_that_fits_nothing_is_named() -> None:
    loads = [{"name": "huge", **_BIG, "weight_format": "bf16"}, {"name": "b", **_LLAMA}]
    found = _advise(loads, hardware={"acquisition": "buy", "gpu": "l4", "gpus_per_node": 1})
    assert _choice(found)["option"] == "none_fits"
    assert found.decisions["gpu"].because.startswith("huge: ")


def test_a_load_without_a_model_leaves_the_decision_open() -> None:
    found = _advise([{"name": "a", **_LLAMA}, {"name": "b", "kind": "serving"}])
    assert found.decisions["gpu"].status == "open"
    assert found.decisions["gpu"].because.startswith("Load b: ")


def test_each_load_has_its_own_pattern() -> None:
    loads = [{"name": "big", **_BIG, "weight_format": "bf16"}, {"name": "b", **_LLAMA}]
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 8}
    choice = _choice(_advise(loads, hardware=owned), "parallelism")
    options = {load["workload"]: load["option"] for load in choice["loads"]}
    assert options == {"big": "tensor", "b": "single"}
    assert choice["option"] == "tensor"


def test_what_workload_says_holds_for_loads_that_leave_it_out() -> None:
    loads = [{"name": "a", "model": "llama-3.1-8b"}, {"name": "b", "model": "qwen3-8b"}]
    found = _advise(loads, workload={"kind": "serving", "context_tokens": 4096, "concurrency": 2})
    lengths = {load["max_model_len"] for load in _choice(found)["loads"]}
    assert lengths == {4096}


def test_one_load_in_a_list_is_like_a_workload() -> None:
    listed = _choice(_advise([_LLAMA], hardware={"gpu": "l40s"}))
    plain = _choice(advise(read_answers({"workload": _LLAMA, "hardware": {"gpu": "l40s"}})))
    assert listed == plain


def test_an_unknown_model_is_reported_at_its_record() -> None:
    loads = [{"name": "a", **_LLAMA}, {"name": "b", "kind": "serving", "model": "lama-9"}]
    with pytest.raises(UnknownNameError) as caught:
        _advise(loads)
    assert caught.value.problems[0].key == "workloads[1].model"


def _tenants(**hardware: Any) -> Consultation:
    loads = [
        {"name": "a", **_LLAMA, "concurrency": 4, "tenant": "one"},
        {"name": "b", **_LLAMA, "model": "qwen3-8b", "concurrency": 4, "tenant": "two"},
        {"name": "c", **_EMBED, "tenant": "three"},
    ]
    return _advise(loads, hardware=hardware, tenancy={"tenants": "untrusted"})


def test_untrusted_tenants_get_mig_instances_where_whole_gpus_are_too_few() -> None:
    found = _tenants(acquisition="owned", gpu="h100-sxm", gpus_per_node=2)
    choice = _choice(found)
    assert choice["option"] == "use_owned"
    assert choice["total_gpus"] == len(choice["layout"]) <= 2
    profiles = sorted(load["profile"] for load in choice["loads"])
    assert profiles == sorted(name for held in choice["layout"] for name in held)
    assert _choice(found, "parallelism")["option"] == "single"


def test_an_instance_carries_its_load_by_the_sizing_of_a_card_of_its_memory() -> None:
    from advisor.sizing.by_name import size_by_name
    from advisor.sizing.request import SizeRequest
    from advisor.store.loader import load_knowledge

    choice = _choice(_tenants(acquisition="owned", gpu="h100-sxm", gpus_per_node=2))
    load = next(line for line in choice["loads"] if line["workload"] == "a")
    profile = load_knowledge().mig_tables["h100-80"].profile(load["profile"])
    assert profile is not None
    request = SizeRequest(
        weight_format=load["weight_format"],
        max_model_len=8192,
        concurrency=4,
        gpu_memory_gib=profile.usable_gib,
    )
    sized = size_by_name(load_knowledge(), "llama-3.1-8b", "h100-sxm", request)
    assert sized.fits
    assert sized.holds_concurrency


def test_cards_without_mig_are_never_cut() -> None:
    choice = _choice(_tenants(acquisition="owned", gpu="l40s", gpus_per_node=2))
    assert "layout" not in choice
    assert choice["option"] == "change_owned"


def test_a_machine_of_its_own_for_each_tenant_is_no_mig_instance() -> None:
    loads = [{"name": "a", **_LLAMA}, {"name": "b", **_LLAMA, "model": "qwen3-8b"}]
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 1}
    found = _advise(loads, hardware=owned, tenancy={"tenants": "untrusted", "isolation": "vm"})
    assert "layout" not in _choice(found)


def test_what_is_bought_is_compared_by_its_purchase_price() -> None:
    loads = [{"name": "a", **_BIG}, {"name": "b", **_LLAMA}]
    found = _advise(loads, hardware={"acquisition": "buy"}, objectives={"priority": "cost"})
    choice = _choice(found)
    assert "usd_per_hour" not in choice
    price = choice["purchase_usd"]
    others = [
        a.choice.model_dump().get("purchase_usd") for a in found.decisions["gpu"].alternatives
    ]
    assert any(others)
    assert all(
        other is None or other["low"] * other["high"] >= price["low"] * price["high"]
        for other in others
    )


def test_a_budget_for_buying_binds_all_loads_together() -> None:
    loads = [{"name": "a", **_BIG}, {"name": "b", **_LLAMA}]
    buy = {"acquisition": "buy", "gpu": ["h100-sxm"]}
    price = _choice(_advise(loads, hardware=buy))["purchase_usd"]
    found = _advise(loads, hardware=buy, objectives={"budget_usd": price["low"] * 0.5})
    assert _choice(found)["option"] == "none_fits"


def test_loads_of_which_one_has_no_size_are_not_placed_and_its_model_is_asked_for_first() -> None:
    loads = [{"name": "chat", **_LLAMA}, {"name": "notebooks", "kind": "development"}]
    owned = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 8}
    found = _advise(loads, hardware=owned, tenancy={"tenants": "trusted_teams"})

    for name in ("gpu", "sharing"):
        decision = found.decisions[name]  # type: ignore[index]
        assert (decision.status, decision.choice) == ("open", None)
        assert "notebooks: no model is named" in decision.because
        assert decision.depends_on[0].question == "workloads[1].model"


def test_a_gpu_on_which_two_loads_do_not_fit_is_rejected_once_with_both() -> None:
    load = {"kind": "serving", "context_tokens": 8192, "concurrency": 1, "weight_format": "bf16"}
    node = {"gpus_per_node": 8, "nodes": 1}
    found = advise(
        read_answers(
            {
                "workloads": [
                    {"name": "one", "model": "llama-3.3-70b", **load},
                    {"name": "two", "model": "qwen2.5-72b", **load},
                ],
                "hardware": {
                    "acquisition": "owned",
                    "inventory": [
                        {"gpu": "h100-sxm", **node},
                        {"gpu": "l4", **node, "gpus_per_node": 1},
                    ],
                },
            }
        )
    )
    (line,) = (r for r in found.decisions["gpu"].rejected if (r.gpu, r.rule) == ("l4", None))

    assert "one: " in line.because
    assert "two: " in line.because


def test_a_platform_among_the_loads_is_not_sized() -> None:
    chat, vms = {"name": "chat", **_LLAMA}, {"name": "vms", "kind": "platform"}
    hardware = {"acquisition": "rent", "gpu": ["l40s"]}

    both = _advise([vms, chat], hardware=hardware)

    assert _choice(both) == _choice(_advise([chat], hardware=hardware))
    assert [a.value for a in both.assumptions if a.key == "workloads[].kind"] == ["vms"]


def test_platforms_alone_are_one_platform() -> None:
    found = _advise([{"name": name, "kind": "platform"} for name in ("vms", "containers")])

    assert found.decisions["gpu"].status == "not_applicable"
    assert "same model" not in found.decisions["sharing"].because
    assert [a.value for a in found.assumptions if a.key == "workloads[].kind"] == [
        "vms and containers"
    ]
