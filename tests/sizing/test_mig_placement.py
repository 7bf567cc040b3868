"""MIG instances on a GPU: legal starts, mixed layouts, fewest GPUs."""

from __future__ import annotations

import itertools

import pytest

from advisor.sizing.mig_placement import (
    as_slice,
    fewest_gpus,
    instance_memory_gib,
    placement,
    plain_profiles,
    starts,
)
from advisor.store.loader import load_knowledge
from advisor.store.mig import MigProfile, MigTable

_TABLES = sorted(load_knowledge().mig_tables)


def _table(name: str = "h100-80") -> MigTable:
    return load_knowledge().mig_tables[name]


def _profiles(table: MigTable, *names: str) -> list[MigProfile]:
    found = [table.profile(name) for name in names]
    assert None not in found
    return [profile for profile in found if profile is not None]


@pytest.mark.parametrize("name", _TABLES)
def test_the_start_rule_gives_the_largest_counts_of_every_table(name: str) -> None:
    table = _table(name)
    for profile in plain_profiles(table):
        most = profile.max_instances
        assert placement([profile] * most, table) is not None, profile.profile
        assert placement([profile] * (most + 1), table) is None, profile.profile


def test_starts_are_those_that_the_driver_prints() -> None:
    table = _table()
    printed = {
        "1g.10gb": (0, 1, 2, 3, 4, 5, 6),
        "1g.20gb": (0, 2, 4, 6),
        "2g.20gb": (0, 2, 4),
        "3g.40gb": (0, 4),
        "4g.40gb": (0,),
        "7g.80gb": (0,),
    }
    assert {p.profile: starts(p, table) for p in plain_profiles(table)} == printed


@pytest.mark.parametrize(
    ("layout", "legal"),
    [
        (("3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"), True),
        (("2g.20gb", "2g.20gb", "2g.20gb", "1g.10gb"), True),
        (("4g.40gb", "3g.40gb"), True),
        (("4g.40gb", "2g.20gb", "1g.10gb"), True),
        (("3g.40gb", "3g.40gb", "1g.10gb"), False),
        (("4g.40gb", "4g.40gb"), False),
        (("2g.20gb",) * 4, False),
        (("7g.80gb", "1g.10gb"), False),
    ],
)
def test_mixed_layouts(layout: tuple[str, ...], *, legal: bool) -> None:
    table = _table()
    assert (placement(_profiles(table, *layout), table) is not None) is legal


@pytest.mark.parametrize("name", _TABLES)
def test_placed_instances_never_overlap_and_keep_their_slices(name: str) -> None:
    table = _table(name)
    for layout in itertools.combinations_with_replacement(plain_profiles(table), 3):
        placed = placement(layout, table)
        if placed is None:
            continue
        taken = [
            range(start, start + profile.memory_slices)
            for profile, start in zip(layout, placed, strict=True)
        ]
        slices = [index for span in taken for index in span]
        assert len(slices) == len(set(slices))
        assert max(slices) < table.memory_slices
        assert sum(p.compute_slices for p in layout) <= table.compute_slices


def test_all_instances_come_on_few_gpus() -> None:
    table = _table()
    demand = _profiles(table, *["3g.40gb"] * 3, *["1g.10gb"] * 5, "2g.20gb")
    gpus = fewest_gpus(demand, table)
    assert sorted(p.profile for held in gpus for p in held) == sorted(p.profile for p in demand)
    assert all(placement(held, table) is not None for held in gpus)
    assert len(gpus) == 3


def test_an_instance_shows_its_share_of_memory_bandwidth_and_arithmetic() -> None:
    knowledge, table = load_knowledge(), _table("h200")
    gpu = knowledge.resolve_gpu("h200").record
    profile = table.profile("1g.35gb")
    assert profile is not None
    part = as_slice(gpu, profile, table)
    assert 34.0 < part.engine_memory_gib < gpu.engine_memory_gib / 4
    assert part.memory_bandwidth_gbs == pytest.approx(gpu.memory_bandwidth_gbs / 4)
    assert gpu.tflops.bf16 is not None
    assert part.tflops.bf16 == pytest.approx(gpu.tflops.bf16 / 7)
    assert part.interconnect.nvlink_bidirectional_gbs is None
    assert part.scale_up_gpus == 1


def test_memory_as_the_driver_printed_it_is_taken() -> None:
    table = _table()
    gpu = load_knowledge().resolve_gpu("h100-sxm").record
    profile = table.profile("3g.40gb")
    assert profile is not None
    assert instance_memory_gib(gpu, profile, table) == 39.5
