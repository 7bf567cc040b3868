"""The shipped catalogues: everything is there, and the figures are the published ones."""

from __future__ import annotations

import pytest

from advisor.store.loader import Knowledge

GPUS = (
    "v100", "t4", "a10", "a10g", "a30", "a40", "a100-40-sxm", "a100-40-pcie", "a100-80-sxm",
    "a100-80-pcie", "l4", "l40s", "h100-pcie", "h100-sxm", "h100-nvl", "h20", "h200-sxm",
    "h200-nvl", "gh200-96", "gh200-144", "b200", "b300", "gb200", "gb300",
    "rtx-pro-6000-server", "rtx-pro-6000-workstation", "rtx-pro-4500-server", "rtx-4090",
    "rtx-5090", "mi210", "mi250x", "mi300x", "mi325x", "mi350x", "mi355x", "mi350p", "gaudi3",
    "rubin", "mi455x", "v100-16", "v100s", "a800-80-sxm", "a800-80-pcie", "a800-40-pcie", "l40",
    "l20", "h800-sxm", "rtx-pro-6000-max-q", "rtx-pro-5000-48", "rtx-pro-5000-72", "rtx-a6000",
    "rtx-a5000", "rtx-6000-ada", "rtx-5880-ada", "gb10", "rtx-3090", "rtx-3090-ti",
    "rtx-3060-12", "rtx-3060-ti", "rtx-4070-ti", "rtx-4080", "rtx-4090d", "rtx-5080",
    "rtx-5070-laptop", "mi250", "mi300a",
)  # fmt: skip


def test_every_gpu_is_catalogued(knowledge: Knowledge) -> None:
    assert set(GPUS) <= set(knowledge.gpus)


BANDWIDTH_GBS = {
    "h100-sxm": 3350, "h100-pcie": 2000, "h100-nvl": 3900, "h200-sxm": 4800, "a100-80-sxm": 2039,
    "a100-80-pcie": 1935, "a100-40-sxm": 1555, "b200": 7700, "l40s": 864, "l4": 300, "a10": 600,
    "rtx-4090": 1008, "rtx-5090": 1792, "rtx-3090": 936, "rtx-a6000": 768, "rtx-6000-ada": 960,
    "rtx-pro-6000-server": 1597, "rtx-pro-6000-workstation": 1792, "mi300x": 5300, "a40": 696,
    "gb10": 273,
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "bandwidth_gbs"), BANDWIDTH_GBS.items())
def test_memory_bandwidth_is_the_published_one(
    knowledge: Knowledge, gpu: str, bandwidth_gbs: float
) -> None:
    assert knowledge.gpus[gpu].memory_bandwidth_gbs == bandwidth_gbs


ENGINE_MEMORY_GIB = {
    "h100-sxm": 79.2, "h200-sxm": 139.7, "a100-40-sxm": 39.4, "rtx-pro-6000-server": 95.0,
    "rtx-5090": 31.4, "rtx-3090": 23.6, "rtx-4090": 23.6, "l4": 22.0, "t4": 14.6, "l40s": 44.4,
    "b200": 178.4, "b300": 267.7, "gb200": 184.3, "mi300x": 192.0, "mi325x": 256.0,
    "v100": 31.7,
}  # fmt: skip


@pytest.mark.parametrize(("gpu", "gib"), ENGINE_MEMORY_GIB.items())
def test_engine_memory_is_what_engines_print(knowledge: Knowledge, gpu: str, gib: float) -> None:
    assert knowledge.gpus[gpu].engine_memory_gib == pytest.approx(gib, abs=0.06)
    assert knowledge.gpus[gpu].engine_memory_basis == "measured"


def test_dense_rates_are_not_the_sparse_headline(knowledge: Knowledge) -> None:
    h100, b200 = knowledge.gpus["h100-sxm"].tflops, knowledge.gpus["b200"].tflops
    assert (h100.bf16, h100.fp8, h100.fp4) == (989, 1979, None)
    assert (b200.bf16, b200.fp4) == (2250, 9000)


def test_a_figure_that_was_not_read_is_marked(knowledge: Knowledge) -> None:
    for gpu in knowledge.gpus.values():
        if gpu.engine_memory_basis == "derived":
            assert "engine_memory_gib" in gpu.unverified, gpu.id


def test_no_ampere_card_claims_fp8_and_no_hopper_card_fp4(knowledge: Knowledge) -> None:
    for gpu in knowledge.gpus.values():
        if gpu.architecture == "ampere":
            assert not gpu.precisions.fp8, gpu.id
        if gpu.architecture in ("ampere", "ada", "hopper"):
            assert gpu.precisions.fp4_formats == (), gpu.id


def test_bridged_cards_are_not_mistaken_for_switched_ones(knowledge: Knowledge) -> None:
    bridged = {gpu.id for gpu in knowledge.gpus.values() if gpu.interconnect.nvlink_bridge_only}
    assert {"a100-80-pcie", "h100-pcie", "h100-nvl", "h200-nvl", "rtx-a6000"} <= bridged
    assert {"a100-80-sxm", "h100-sxm", "h200-sxm", "b200"}.isdisjoint(bridged)
    assert knowledge.gpus["h200-nvl"].scale_up_gpus == 4
    assert knowledge.gpus["gb200"].scale_up_gpus == 72


def test_an_mi250_shows_two_devices(knowledge: Knowledge) -> None:
    card = knowledge.gpus["mi250x"]
    assert (card.memory_gb, card.runtime_devices, card.engine_memory_gib) == (128, 2, 63.98)


MIG_TABLES = (
    "a30 a100-40 a100-80 h100-80 h100-94 h100-96 h200 gh200-144 b200 gb200 b300 gb300 rtx-pro-6000"
)


def test_every_mig_table_is_there_and_used(knowledge: Knowledge) -> None:
    assert set(knowledge.mig_tables) == set(MIG_TABLES.split())
    used = {gpu.mig.profile_table for gpu in knowledge.gpus.values()}
    assert set(knowledge.mig_tables) <= used


def test_mig_profiles_of_an_h100(knowledge: Knowledge) -> None:
    table = knowledge.mig_tables[knowledge.gpus["h100-sxm"].mig.profile_table or ""]
    profile = table.profile("3g.40gb")
    assert profile is not None
    assert (profile.max_instances, profile.memory_slices, profile.usable_gib) == (2, 4, 39.5)
    assert table.profile("3g.20gb") is None
    assert knowledge.mig_facts["limits"].text.startswith("No CUDA peer-to-peer")


def test_link_ratios_follow_from_the_links(knowledge: Knowledge) -> None:
    values = {
        ratio.id: round(ratio.value(knowledge.interconnects), 1)
        for ratio in knowledge.ratios.values()
    }
    assert values == {
        "nvlink4-pcie5": 7.0,
        "nvlink5-pcie5": 14.1,
        "nvlink3-pcie4": 9.4,
        "nvlink4-ndr": 9.0,
        "nvlink5-ndr": 18.0,
    }


def test_both_directions_of_a_link_are_twice_one(knowledge: Knowledge) -> None:
    for link in knowledge.interconnects.values():
        assert link.gbs_bidirectional == pytest.approx(2 * link.gbs_per_direction, rel=0.01)


def test_all_reduce_times_are_those_measured(knowledge: Knowledge) -> None:
    times = {
        (gpu, point.gpus, point.message_elements): point.microseconds
        for gpu, table in knowledge.allreduce.items()
        for point in table.points
    }
    assert times["h100-sxm", 8, 8192] == 5.3
    assert times["l40s", 8, 67_108_864] == 162_481
    assert times["rtx-pro-6000-server", 4, 131_072] == 57
    assert len(times) == 5 * 3 * 4


def test_prices_are_whole_instances_with_a_date(knowledge: Knowledge) -> None:
    assert len(knowledge.prices) >= 190
    (p5,) = [
        price
        for price in knowledge.prices
        if (price.instance, price.kind, price.as_of) == ("p5.48xlarge", "on_demand", "2026-07-20")
    ]
    assert (p5.usd_per_hour, p5.usd_per_gpu_hour, p5.gpu) == (55.04, 6.88, "h100-sxm")
    assert {price.kind for price in knowledge.prices} >= {"spot", "reserved_1y", "capacity_block"}


def test_weight_bytes_include_scales(knowledge: Knowledge) -> None:
    bytes_of = {name: record.bytes_per_weight for name, record in knowledge.formats.items()}
    assert bytes_of["bf16"] == 2
    assert bytes_of["awq_int4"] == pytest.approx(0.5 + 2 / 128 + 0.5 / 128, abs=1e-4)
    assert bytes_of["nvfp4"] == 0.5 + 1 / 16
    assert bytes_of["mxfp4"] == 0.5 + 1 / 32
    assert bytes_of["other"] is None


def test_every_narrow_format_comes_with_a_caveat(knowledge: Knowledge) -> None:
    for record in (*knowledge.formats.values(), *knowledge.kv_formats.values()):
        assert record.quality
    assert {name for name, record in knowledge.formats.items() if record.lossless} == {
        "fp32",
        "bf16",
        "fp16",
    }


def test_hardware_support_of_formats(knowledge: Knowledge) -> None:
    formats = knowledge.formats
    assert "9.0" in formats["fp8"].native_compute_capabilities
    assert "8.0" not in formats["fp8"].native_compute_capabilities
    assert "9.0" not in formats["nvfp4"].native_compute_capabilities
    assert "10.0" not in formats["int8"].native_compute_capabilities
    assert formats["mxfp4"].native_gfx == ("gfx950",)
    assert formats["nvfp4"].native_gfx == ()


def test_kv_bytes(knowledge: Knowledge) -> None:
    sizes = {name: record.bytes_per_element for name, record in knowledge.kv_formats.items()}
    assert sizes == {
        "bf16": 2,
        "fp16": 2,
        "fp8": 1,
        "fp8_e5m2": 1,
        "int8": 1,
        "nvfp4": 0.5625,
    }
