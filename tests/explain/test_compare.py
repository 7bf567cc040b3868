"""Compare: each side is what comes out when it is asked for, and no number is invented."""

from __future__ import annotations

import json

import pytest
from explain_support import POOL, adviser, case, holds_together

from advisor.consult.consultation import Choice
from advisor.errors import InputError
from advisor.explain.compare import compare
from advisor.reports.advice_words import headline


def rows(name: str, first: str, second: str) -> dict[str, tuple[str, str]]:
    told = compare(adviser(), case(name), first, second)
    holds_together(told)
    return {row["label"]: (row["first"], row["second"]) for row in told.data["rows"]}  # type: ignore[attr-defined]


def test_two_gpus_are_told_by_what_comes_out_when_each_is_named() -> None:
    found = rows("one card", "l4", "h100-sxm fp8")
    for side, sets in enumerate((
        ["hardware.gpu=l4"], ["hardware.gpu=h100-sxm", "workload.weight_format=fp8"]
    )):  # fmt: skip
        choice = adviser().consult_with(case("one card"), sets).decisions["gpu"].choice
        assert choice is not None
        values = choice.model_dump()
        assert f"{values['total_gpus']} x {values['gpu']}" in found["advice"][side]
        assert f"{values['usd_per_hour']:,.2f} USD" in found["cost"][side]
        assert f"as of {values['price_as_of']}" in found["cost"][side]


def test_layouts_are_told_at_their_sizes() -> None:
    found = rows("owned", "tp4", "tp2")
    assert "TP4" in found["layout"][0]
    assert "TP2" in found["layout"][1]


def test_what_has_no_estimate_says_so() -> None:
    found = rows("one card", "l4", "h100-sxm")
    assert "first token" not in found  # no prompt length is given, so neither has one


def test_ways_to_share_are_told_by_their_walls() -> None:
    modes = adviser().knowledge.sharing_modes
    found = rows("mig", "mig", "time-slicing")

    assert found["wall of memory"] == (
        modes["mig"].isolation.memory, modes["time_slicing"].isolation.memory
    )  # fmt: skip


def test_where_each_way_stands_is_said() -> None:
    told = compare(adviser(), case("mig"), "mig", "time-slicing")
    texts = [line.text for line in told.lines]

    assert texts[0].startswith("The choice is MIG instances")
    assert any(text.startswith("time-slicing: ") for text in texts)


def test_things_of_two_kinds_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        compare(adviser(), case("mig"), "mig", "karpenter")
    assert refused.value.problems[0].code == "not_comparable"


@pytest.mark.parametrize("name", POOL)
@pytest.mark.parametrize(
    ("first", "second"), [("h100-sxm", "mi300x"), ("tp2", "pp2"), ("mps", "vgpu"),
                          ("slurm", "karpenter"), ("tensor", "fsdp"), ("fp8", "bf16")]
)  # fmt: skip
def test_every_case_can_be_compared_and_says_the_same_twice(
    name: str, first: str, second: str
) -> None:
    one, other = (compare(adviser(), case(name), first, second) for _ in range(2))

    holds_together(one)
    assert json.dumps(one.as_dict()) == json.dumps(other.as_dict())


@pytest.mark.parametrize(
    ("sharding", "words"),
    [("fsdp", "lora on a base sharded by fsdp: DP8"), ("none", "lora ddp: DP8")],
)
def test_a_base_that_is_sharded_is_not_called_a_copy_on_every_gpu(
    sharding: str, words: str
) -> None:
    choice = Choice(option="lora_ddp", data_parallel=8, sharding=sharding)
    assert headline(choice) == words
