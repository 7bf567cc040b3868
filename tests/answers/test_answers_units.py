from __future__ import annotations

from fractions import Fraction

import pytest

from advisor.answers.units import UnitError, parse_quantity
from advisor.answers.validate import read_answers


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("8192", 8192), ("8k", 8192), ("32k", 32_768), ("128K", 131_072), ("128 k", 131_072),
        ("1M", 1_048_576), ("2m", 2_097_152), ("1k", 1024),
        ("10k", 10_000), ("100k", 100_000), ("120k", 120_000), ("200k tokens", 200_000),
        ("10M", 10_000_000), ("1.5k", 1500), ("120Ki", 122_880), ("131_072", 131_072),
        ("512 tokens", 512),
    ],
)  # fmt: skip
def test_k_is_binary_after_a_power_of_two_and_decimal_otherwise(text: str, tokens: int) -> None:
    assert parse_quantity(text, "tokens") == tokens


@pytest.mark.parametrize(
    ("text", "gib"),
    [
        ("80", Fraction(80)),
        ("80GiB", Fraction(80)),
        ("80 GB", Fraction(80 * 10**9, 2**30)),
        ("1.5 TiB", Fraction(1536)),
        ("1.5tb", Fraction(15 * 10**11, 2**30)),
        ("81559 MiB", Fraction(81559, 1024)),
        ("64Gi", Fraction(64)),
    ],
)
def test_gb_and_gib_are_never_taken_for_each_other(text: str, gib: Fraction) -> None:
    assert parse_quantity(text, "gib") == gib


@pytest.mark.parametrize(
    ("text", "unit", "amount"),
    [
        ("3.35 TB/s", "gb_per_s", 3350),
        ("400 Gb/s", "gbit_per_s", 400),
        ("50 GB/s", "gbit_per_s", 400),
        ("400", "gbit_per_s", 400),
        ("3.2 Tb/s", "gbit_per_s", 3200),
        ("100GbE", "gbit_per_s", 100),
        ("8 Gb/s", "gb_per_s", 1),
        ("70B", "billions", 70),
        ("600M", "billions", Fraction(6, 10)),
        ("1T", "billions", 1000),
        ("15T", "decimal_tokens", 15 * 10**12),
        ("64k", "decimal_tokens", 64_000),
        ("90%", "fraction", Fraction(9, 10)),
        ("60 %", "percent", 60),
        ("2 s", "ms", 2000),
        ("300ms", "s", Fraction(3, 10)),
        ("1.2 kW", "w", 1200),
        ("10200 W", "kw", Fraction(102, 10)),
        ("$12.5", "usd_per_hour", Fraction(125, 10)),
        ("12.5 USD/h", "usd_per_hour", Fraction(125, 10)),
        ("30 tok/s", "tokens_per_s", 30),
    ],
)
def test_a_known_unit_is_converted_exactly(text: str, unit: str, amount: Fraction) -> None:
    assert parse_quantity(text, unit) == amount


@pytest.mark.parametrize(
    ("text", "unit", "hint"),
    [
        ("8 GPUs", "count", "write just the number 8"),
        ("80G", "gib", "GB (1000^3 bytes) or GiB (1024^3 bytes)"),
        ("128kB", "tokens", "128k"),
        ("1,000", "count", "without separators"),
        ("0,9", "fraction", "decimal point"),
        ("1 000", "count", "without separators"),
        ("010", "count", "leading zeros"),
        ("0x10", "count", "just the number"),
        ("NaN", "count", "finite"),
        (".inf", "count", "finite"),
        ("-Infinity", "count", "finite"),
        ("true", "count", "not yes or no"),
        ("No", "count", "not yes or no"),
        ("many", "count", "a number is needed"),
        ("", "count", "a number is needed"),
        ("9" * 100, "count", "a number is needed"),
        ("1__0", "count", "just the number"),
    ],
)
def test_what_is_no_quantity_is_refused_with_a_hint(text: str, unit: str, hint: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, unit)
    assert hint in str(caught.value)


def test_the_reading_of_a_unit_is_kept_for_the_echo() -> None:
    answers = read_answers(
        {"workload": {"context_tokens": "128k"}, "hardware": {"gpu_memory_gib": "80GB"}}
    )
    assert answers.origin["workload.context_tokens"].understood == "131072 tokens"
    assert answers.origin["hardware.gpu_memory_gib"].understood == "74.50580597 GiB"
    assert answers.values["hardware.gpu_memory_gib"] == pytest.approx(74.5058059692)


def test_a_bare_number_is_in_the_unit_of_its_key_and_needs_no_echo() -> None:
    answers = read_answers({"workload": {"context_tokens": 8192, "parameters_b": 70.6}})
    assert answers.values["workload.parameters_b"] == 70.6
    assert answers.origin["workload.context_tokens"].understood is None
