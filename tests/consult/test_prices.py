"""What is billed for a layout: whole machines, the right provider, the user's own prices."""

from __future__ import annotations

from typing import Any

from consult_support import choice, serving, told

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.prices import Quote, Tariff, tariff_for
from advisor.consult.rent_words import bill_sentences, rent_fields
from advisor.store.loader import load_knowledge
from advisor.store.prices import Price

GPU = "h200-sxm"


def price(usd: float, gpus: int = 1, **facts: Any) -> Price:
    plain = {
        "provider": "aws", "instance": f"machine of {gpus}", "gpu": GPU, "gpu_count": gpus,
        "usd_per_hour": usd, "kind": "on_demand", "region": "any", "as_of": "2026-10-01",
        "sources": ("stated",),
    }  # fmt: skip
    return Price.model_validate(plain | facts)


def quoted(tariff: Tariff, gpus: int, nodes: int = 1) -> Quote:
    found = tariff.quote(GPU, gpus, nodes)
    assert found is not None
    return found


# ---- whole machines ----


def test_a_machine_is_billed_whole_and_its_idle_gpus_are_counted() -> None:
    found = quoted(Tariff([price(40.0, 8)]), 2)

    assert (found.usd_per_hour, found.idle_gpus) == (40.0, 6)
    assert "6 of 8 GPUs stay idle" in " ".join(bill_sentences(found))
    assert rent_fields(found)["idle_gpus"] == 6


def test_several_groups_share_a_machine() -> None:
    found = quoted(Tariff([price(40.0, 8)]), 2, nodes=5)

    assert (found.instances, found.usd_per_hour, found.idle_gpus) == (2, 80.0, 6)


def test_single_gpus_never_make_a_machine_of_two() -> None:
    assert Tariff([price(4.0)]).quote(GPU, 2, 1) is None


def test_single_gpus_are_named_beside_a_bill_for_idle_ones() -> None:
    found = quoted(Tariff([price(40.0, 8), price(4.5), price(4.0, instance="cheap")]), 2)

    assert found.usd_per_hour == 40.0
    assert found.smaller is not None
    assert found.smaller.instance == "cheap"
    assert "4.00 USD per GPU and hour" in " ".join(bill_sentences(found))


def test_an_offer_without_idle_gpus_that_is_passed_over_is_named_with_the_reason() -> None:
    unsure = price(9.0, 2, instance="two", uncertain="sold as Spot only")
    found = quoted(Tariff([price(40.0, 8), unsure]), 2)

    assert found.instance_gpus == 8
    assert found.fitting is not None
    told = " ".join(bill_sentences(found))
    assert "two has none to spare" in told
    assert "sold as Spot only" in told
    assert "no offer of fewer" not in told


def test_an_offer_of_any_number_is_billed_for_the_number_that_is_taken() -> None:
    found = quoted(Tariff([price(40.0, 8), price(5.0, up_to_gpus=4)]), 3)

    assert (found.usd_per_hour, found.instance_gpus, found.idle_gpus) == (15.0, 3, 0)


def test_an_offer_of_any_number_ends_where_it_ends() -> None:
    assert quoted(Tariff([price(40.0, 8), price(4.0, up_to_gpus=4)]), 5).usd_per_hour == 40.0


def test_machines_apart_do_not_carry_a_replica_over_several() -> None:
    pods, hosts = price(2.0, up_to_gpus=8), price(1.0, 8, instance="hosts", community=True)
    tariff = Tariff([price(40.0, 8), pods, hosts])
    found = tariff.quote(GPU, 8, 2, spanning=True)

    assert found is not None
    assert found.usd_per_hour == 80.0
    assert Tariff([price(2.0, up_to_gpus=8)]).quote(GPU, 8, 2, spanning=True) is None


# ---- whose machines ----


def test_community_hosts_are_not_the_default_and_are_named() -> None:
    cheap = price(2.0, instance="community", provider="runpod", community=True)
    found = quoted(Tariff([price(4.0), cheap, price(5.0, provider="runpod")]), 1)

    assert (found.usd_per_hour, found.community) == (4.0, False)
    assert found.cheaper_community == cheap
    assert "without a data-centre SLA" in " ".join(bill_sentences(found))


def test_community_hosts_count_where_nothing_else_is_known_and_are_marked() -> None:
    found = quoted(Tariff([price(2.0, community=True)]), 1)

    assert found.community
    assert rent_fields(found)["community_host"] is True


def test_a_named_provider_may_be_a_community_one() -> None:
    rows = [price(4.0, provider="runpod"), price(2.0, provider="runpod", community=True)]

    assert quoted(Tariff(rows, clouds=frozenset({"runpod"})), 1).usd_per_hour == 2.0


def test_a_sure_price_goes_before_a_doubtful_one() -> None:
    rows = [price(3.0, uncertain="a year old"), price(4.0, instance="sure")]

    assert quoted(Tariff(rows), 1).instance == "sure"
    assert quoted(Tariff(rows[:1]), 1).uncertain == "a year old"


def test_no_default_price_of_the_catalogue_is_a_community_one_where_another_is_known() -> None:
    knowledge = load_knowledge()
    tariff = tariff_for(read_answers({}), knowledge)
    regular = {p.gpu for p in knowledge.prices if not p.community and p.kind == "on_demand"}
    for gpu in ("h100-sxm", "b200", "b300", "a100-80-sxm"):
        found = tariff.quote(gpu, 1, 1)
        assert gpu in regular
        assert found is not None
        assert not found.community


# ---- prices that the user brings ----


def test_a_row_of_the_user_replaces_the_same_offer_even_when_it_is_dearer() -> None:
    tariff = Tariff([price(4.0)], stated=[price(6.0)])
    found = quoted(tariff, 1)

    assert (found.usd_per_hour, found.stated) == (6.0, True)
    assert "by your price file" in " ".join(bill_sentences(found))
    assert rent_fields(found)["price_source"] == "price file"


def test_other_offers_of_the_catalogue_stay() -> None:
    tariff = Tariff([price(4.0, instance="other")], stated=[price(6.0)])

    assert quoted(tariff, 1).usd_per_hour == 4.0


def test_a_provider_that_only_the_user_knows_is_taken_unless_another_is_named() -> None:
    own = price(1.0, provider="our own cluster")

    assert quoted(Tariff([price(4.0)], clouds=frozenset({"aws", "gcp"}), stated=[own]), 1).stated
    assert not quoted(Tariff([price(4.0)], clouds=frozenset({"aws"}), stated=[own]), 1).stated


def test_on_premises_only_the_users_own_provider_has_a_price() -> None:
    answers = read_answers({"platform": {"cloud": "on_prem"}})
    own, aws = price(1.0, provider="our own cluster"), price(0.5)
    tariff = tariff_for(answers, load_knowledge(), (own, aws))

    assert quoted(tariff, 1).provider == "our own cluster"


def test_advice_names_the_price_that_the_user_brought() -> None:
    document = serving("llama-3.3-70b", GPU, weight_format="bf16", context_tokens=8192)
    mine = price(1.0, 8, instance="reserved block")
    found = advise(read_answers(document), engine="reference", prices=(mine,))
    chosen = choice(found)

    assert chosen["usd_per_hour"] == 1.0
    assert chosen["price_source"] == "price file"
    assert "reserved block" in found.decisions["gpu"].because
    assert "by your price file" in found.decisions["gpu"].because


def test_without_a_file_the_catalogue_is_the_source() -> None:
    found = choice(told(serving("llama-3.3-70b", GPU, weight_format="bf16")))

    assert found["price_source"] == "catalogue"


# ---- what has no price ----


def test_where_nothing_is_priced_the_order_does_not_speak_of_the_cheapest() -> None:
    asked = serving("llama-3.3-70b", platform__cloud="on_prem")
    because = told(asked).decisions["gpu"].because

    assert "cheapest by the hour" not in because
    assert "nothing is priced" in because
    assert "no price was compared" in because


def test_cards_without_a_price_are_named_beside_those_with_one() -> None:
    asked = serving("llama-3.3-70b", context_tokens=8192, concurrency=8)
    asked["hardware"] = {"gpu": ["h200-sxm", "h200-nvl"]}
    because = told(asked).decisions["gpu"].because

    assert "without a known price: h200-nvl" in because


def test_a_bill_for_more_gpus_than_are_taken_is_said_with_the_choice() -> None:
    asked = serving("llama-3.3-70b", "h200-sxm", weight_format="bf16", platform__cloud="aws")
    found = told(asked)

    assert choice(found)["idle_gpus"] == 8 - choice(found)["total_gpus"]
    assert "GPUs stay idle" in found.decisions["gpu"].because
