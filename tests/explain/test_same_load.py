"""Comparison, why-not and the advice speak of the same load: no two figures for one thing."""

from __future__ import annotations

import re
from functools import cache

import pytest
from explain_support import adviser, holds_together

from advisor.answers.model import Answers
from advisor.answers.validate import override, read_answers
from advisor.consult.consultation import Choice, Consultation
from advisor.explain.column import column_of
from advisor.explain.compare import compare
from advisor.explain.figures import rows_of
from advisor.explain.target import target_of
from advisor.explain.wanted import verdict
from advisor.explain.whynot import whynot
from advisor.explain.words import decided


@cache
def market() -> Answers:
    """Return a load on the open market with a speed that is asked for."""
    return read_answers(
        {
            "workload": {"kind": "serving", "model": "qwen3-32b", "context_tokens": 16384,
                         "typical_context_tokens": 4096, "prompt_tokens": 2048,
                         "concurrency": 30},
            "hardware": {"acquisition": "rent", "vendors": ["nvidia"]},
            "objectives": {"priority": "cost", "tokens_per_second_per_user": 20},
        }
    )  # fmt: skip


def gpus(told: Consultation) -> Choice:
    choice = told.decisions["gpu"].choice
    assert choice is not None
    return choice


def chosen(answers: Answers) -> str:
    values = gpus(adviser().consult(answers)).model_dump()
    return f"{values['gpu']} {values['weight_format']}"


def others(answers: Answers) -> list[str]:
    """Return GPUs and formats that carry the load and are not the choice, as they rank."""
    counts = adviser().consult(answers).candidates
    assert counts is not None
    kinds = dict.fromkeys(f"{one['gpu']} {one['weight_format']}" for one in counts.shown)
    return [kind for kind in kinds if kind != chosen(answers)]


def test_the_column_of_the_choice_is_the_choice() -> None:
    told = adviser().consult(market())
    name, other = chosen(market()), others(market())[0]
    found = compare(adviser(), market(), name, other)
    rows = {row["label"]: row["first"] for row in found.data["rows"]}  # type: ignore[attr-defined]
    values = gpus(told).model_dump()

    holds_together(found)
    assert column_of(adviser(), market(), target_of(adviser(), name)).told == told
    assert rows["advice"] == decided(told.decisions["gpu"], brief=True)
    assert f"{values['usd_per_hour']:,.2f} USD" in rows["cost"]
    assert rows["layout"] == decided(told.decisions["parallelism"], brief=True)


def test_other_columns_are_what_the_comparison_sized_at_the_same_load() -> None:
    counts = adviser().consult(market()).candidates
    assert counts is not None
    for kind in others(market())[:6]:
        first = next(c for c in counts.shown if f"{c['gpu']} {c['weight_format']}" == kind)
        column = column_of(adviser(), market(), target_of(adviser(), kind))
        values = gpus(column.told).model_dump()

        assert not column.by_name
        assert values["total_gpus"] == first["total_gpus"]
        assert values.get("usd_per_hour") == first["usd_per_hour"]


def test_why_not_and_compare_name_the_same_count_and_price_or_say_what_differs() -> None:
    told = adviser().consult(market())
    lost = {(one.gpu, one.weight_format): one.because for one in told.decisions["gpu"].rejected}
    checked = 0
    for kind in others(market())[:6]:
        gpu, weight_format = kind.split()
        found = whynot(adviser(), market(), kind, most=1)
        last = found.lines[-1].text
        named = adviser().consult_with(
            market(), [f"hardware.gpu={gpu}", f"workload.weight_format={weight_format}"]
        )
        column = column_of(adviser(), market(), target_of(adviser(), kind)).told
        one, other = (gpus(side).model_dump() for side in (column, named))
        because = lost.get((gpu, weight_format), "")
        if "GPU" in because:
            assert because.startswith(f"{one['total_gpus']} GPU")
        holds_together(found)
        assert f"{other['total_gpus']} x {gpu}" in last
        if (one["total_gpus"], one.get("usd_per_hour")) != (
            other["total_gpus"], other.get("usd_per_hour")
        ):  # fmt: skip
            checked += 1
            assert "Other than in the open comparison: " in last
    assert checked <= 6


def test_a_speed_without_an_estimate_is_not_shown_to_be_met() -> None:
    bare = adviser().consult(market())
    values = {k: v for k, v in gpus(bare).model_dump().items() if k != "decode_tokens_per_second"}
    decision = bare.decisions["gpu"].model_copy(update={"choice": Choice(**values)})
    told = bare.model_copy(update={"decisions": {**bare.decisions, "gpu": decision}})
    row = next(row for row in rows_of(bare, told) if row.label == "one user")

    assert "20 asked for is not shown to be met" in row.second
    assert "20 asked for: " in row.first


@pytest.mark.parametrize(
    ("wanted", "says"), [(1, "met by estimate"), (5000, "missed by estimate"), (None, "")]
)
def test_what_is_asked_for_stands_beside_the_estimate(wanted: int | None, says: str) -> None:
    text = "" if wanted is None else str(wanted)
    answers = override(market(), (f"objectives.tokens_per_second_per_user={text}",))
    told = adviser().consult_with(answers, ["hardware.gpu=h100-sxm"])
    estimate = gpus(adviser().consult_with(market(), ["hardware.gpu=h100-sxm"])).model_dump()
    given = told.answers
    shown = verdict(
        adviser().consult_with(market(), ["hardware.gpu=h100-sxm"]).model_copy(
            update={"answers": given}
        ),
        "decode_tokens_per_second",
    )  # fmt: skip

    assert "decode_tokens_per_second" in estimate
    assert says in shown
    assert bool(shown) == (wanted is not None)


def test_why_a_card_is_not_compared_is_said() -> None:
    consumer = whynot(adviser(), market(), "rtx-5090", most=1)
    amd = whynot(adviser(), market(), "mi300x", most=1)

    assert "rtx-5090 is not among the GPUs that are compared: status" in consumer.lines[0].text
    assert "vendor amd is not among nvidia" in amd.lines[0].text
    assert any("advise --prices" in one.text for one in consumer.lines)


def test_a_rule_that_speaks_of_another_layout_says_of_which() -> None:
    found = whynot(adviser(), market(), others(market())[0].split()[0], most=1)
    for one in found.lines:
        if "makes it dearer" in one.text and one.text.startswith("Of "):
            assert re.match(r"Of \S+ in \S+ as TP\d+ x PP\d+", one.text)
