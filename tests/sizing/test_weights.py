"""Weights: shards add up to the whole, and what makes a build larger than its nominal format."""

from __future__ import annotations

import pytest
from sizing_questions import GIB, ask, codes, model, tensor, text_of

from advisor.sizing.formats import choose_build, weight_bytes
from advisor.sizing.layout import Layout, stage_layers
from advisor.sizing.parameters import parts_of
from advisor.sizing.weights import WeightPlan, stage_weights_bytes, weight_plan
from advisor.store.loader import load_knowledge


def _plan(name: str, weight_format: str | None = None) -> WeightPlan:
    formats = load_knowledge().formats
    chosen, build = choose_build(model(name), weight_format, None)
    group = build.group_size if build else None
    return weight_plan(model(name), chosen, weight_bytes(formats[chosen], group), build, formats)


def _whole(name: str, layout: Layout, weight_format: str | None = None) -> float:
    return sum(stage_weights_bytes(model(name), _plan(name, weight_format), layout))


def test_parts_add_up_to_the_parameters() -> None:
    for name in ("llama-3.3-70b", "deepseek-v3", "qwen3.6-27b", "gpt-oss-120b", "kimi-k3"):
        parts = parts_of(model(name))
        assert sum(part.parameters for part in parts) == pytest.approx(
            model(name).parameters_b * 1e9, rel=0.03
        )


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_shards_of_a_dense_model_add_up(ranks: int) -> None:
    whole = _whole("llama-3.3-70b", Layout())
    assert whole == pytest.approx(70.55e9 * 2, rel=0.002)
    assert _whole("llama-3.3-70b", tensor(ranks)) * ranks == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("stages", [2, 3, 4, 7])
def test_stages_of_a_dense_model_add_up(stages: int) -> None:
    whole = _whole("llama-3.3-70b", Layout())
    assert _whole("llama-3.3-70b", Layout(pipeline_parallel=stages)) == pytest.approx(whole)


def test_a_tied_table_is_held_by_the_first_and_the_last_stage() -> None:
    table = 128_256 * 3072 * 2
    whole = _whole("llama-3.2-3b", Layout())
    assert _whole("llama-3.2-3b", Layout(pipeline_parallel=2)) - whole == pytest.approx(table)


def test_remainder_layers_go_before_the_last_stage() -> None:
    assert stage_layers(126, 4) == (31, 32, 32, 31)
    assert stage_layers(7, 2) == (4, 3)
    assert stage_layers(5, 5) == (1, 1, 1, 1, 1)


def test_four_heads_over_eight_ranks_are_held_twice() -> None:
    # what TP8 holds beyond the whole: every key and value projection once more, the router and
    # nothing else
    qwen = model("qwen3-235b-a22b")
    extra = 0.0
    for part in parts_of(qwen):
        if part.sharding == "kv_heads":
            extra += part.parameters * 2
        if part.sharding == "replicated":
            extra += 7 * part.parameters * 2
    whole = _whole(qwen.id, Layout())
    assert 8 * _whole(qwen.id, tensor(8)) == pytest.approx(whole + extra)


def test_expert_ranks_hold_the_experts_once_between_them() -> None:
    slices = _whole("qwen3-30b-a3b", tensor(4))
    experts = _whole("qwen3-30b-a3b", tensor(4, expert_parallel=True))
    assert experts == pytest.approx(slices)


def test_data_parallel_attention_repeats_all_but_the_experts() -> None:
    name = "deepseek-v3"
    alone = _whole(name, Layout())
    spread = _whole(name, Layout(data_parallel=8, expert_parallel=True))
    routed = sum(p.parameters for p in parts_of(model(name)) if p.group == "experts")
    routed_bytes = routed * _plan(name).bytes_per_weight
    assert spread == pytest.approx(alone - routed_bytes * 7 / 8)
    # about 19 GB that are not experts, and the 1.9 GB of latent projections kept twice
    assert (spread - routed_bytes / 8) / 1e9 == pytest.approx(20, abs=2)


@pytest.mark.parametrize(
    ("name", "weight_format", "gib"),
    [
        ("llama-3.3-70b", "fp8", 67.7),  # printed 67.72
        ("llama-3.3-70b", "gptq_int4", 37.1),  # printed 37.10
        ("qwen3-8b", "awq_int4", 5.68),  # on disk
        ("qwen2.5-7b", "awq_int4", 5.2),  # 1.09B of embeddings stay wide
    ],
)
def test_narrow_builds_keep_their_tables_wide(name: str, weight_format: str, gib: float) -> None:
    assert _whole(name, Layout(), weight_format) / GIB == pytest.approx(gib, rel=0.01)


def test_a_padded_build_is_larger_by_its_padding() -> None:
    padded = _plan("qwen2.5-72b", "awq_int4")
    assert padded.intermediate_scale == pytest.approx(29_696 / 29_568)


def test_four_bit_names_mean_the_experts_of_a_mixture() -> None:
    nvfp4 = _plan("glm-4.5-air", "nvfp4")
    assert "experts" not in nvfp4.wide
    dense = _plan("llama-3.3-70b", "int4")
    assert not dense.wide


def test_the_answer_says_what_stays_wide() -> None:
    result = ask("gpt-oss-120b", "h100-sxm")
    assert "attention" in text_of(result, "stays_wide")
    assert "stays_wide" not in codes(ask("llama-3.3-70b", "h100-sxm", weight_format="awq_int4"))


def test_a_mixed_build_stores_parts_in_formats_of_their_own() -> None:
    mixed = _plan("minimax-m3", "nvfp4")
    widths = {
        part.group: mixed.part_bytes(part) for part in parts_of(model("minimax-m3")) if part.linear
    }
    assert widths["experts"] == pytest.approx(0.5625)
    assert widths["attention"] == pytest.approx(1 + 1 / 32)
    assert widths["attention"] == widths["shared_experts"] == widths["dense_ffn"]


def test_vendor_fp8_keeps_what_the_vendor_kept_wide() -> None:
    # Meta's 405B: attention stays in 16 bit, 57.75 GiB printed on each of eight GPUs
    result = ask("meta-llama/Meta-Llama-3.1-405B-Instruct-FP8", "h100-sxm", tensor_parallel=8)
    assert result.weights_gib_per_gpu == pytest.approx(57.75, rel=0.02)


def test_draft_layers_are_loaded_only_when_used() -> None:
    off = ask("deepseek-v3", "b300", tensor_parallel=8)
    on = ask("deepseek-v3", "b300", tensor_parallel=8, speculative_tokens=1)
    assert off.weights_gib_per_gpu is not None
    assert on.weights_gib_per_gpu is not None
    extra = 12.5e9 * _plan("deepseek-v3").bytes_per_weight / 8 / GIB
    assert on.weights_gib_per_gpu - off.weights_gib_per_gpu == pytest.approx(extra, abs=1e-3)
    assert "draft_unknown" not in codes(on)


def test_a_draft_that_is_not_part_of_the_model_is_not_guessed() -> None:
    off = ask("llama-3.3-70b", "h200-sxm", tensor_parallel=2)
    on = ask("llama-3.3-70b", "h200-sxm", tensor_parallel=2, speculative_tokens=3)
    assert on.weights_gib_per_gpu == off.weights_gib_per_gpu
    assert "draft_unknown" in codes(on)


def test_fp32_checkpoints_are_loaded_in_sixteen_bit() -> None:
    published = ask("bge-m3", "l4")
    wide = ask("bge-m3", "l4", weight_format="fp32")
    assert published.weight_format in {"fp16", "bf16"}
    assert wide.weights_gib_per_gpu == pytest.approx(2 * (published.weights_gib_per_gpu or 0))


def test_an_nvfp4_build_keeps_its_draft_layer_wide() -> None:
    # printed with and without: 75.17 and 70.47 GiB, 2.5B parameters of 2 B between them
    off, on = (
        ask("qwen3.5-122b-a10b", "b300", weight_format="nvfp4", speculative_tokens=n)
        for n in (0, 1)
    )
    assert off.weights_gib_per_gpu is not None
    assert on.weights_gib_per_gpu is not None
    printed = 75.17 - 70.47
    assert on.weights_gib_per_gpu - off.weights_gib_per_gpu == pytest.approx(printed, rel=0.02)


def test_a_format_with_builds_of_several_sizes_names_the_one_that_was_taken() -> None:
    several = ask("glm-5.1", "b300", weight_format="nvfp4", tensor_parallel=4)
    assert "nvidia/GLM-5.1-NVFP4" in text_of(several, "assumption")
    named = ask("nvidia/GLM-5.1-NVFP4", "b300", weight_format="nvfp4", tensor_parallel=4)
    assert "assumption" not in codes(named)


def test_a_named_build_counts_only_while_no_other_format_is_asked_for() -> None:
    knowledge = load_knowledge()
    meant = {"fp8_block": "fp8"}  # what fp8 means where nothing else was published
    for record in knowledge.models.values():
        for build in record.builds:
            if build.hf_id is None:
                continue
            named = choose_build(record, None, build.hf_id)
            if build.format == "fp32":  # loaded in the 16-bit type that the model computes in
                assert named == choose_build(record, None, None), build.hf_id
            else:
                assert named[0] == build.format, build.hf_id
            for other in {"bf16", "fp8", "awq_int4"} - {build.format, meant.get(build.format)}:
                chosen = choose_build(record, other, build.hf_id)
                assert chosen == choose_build(record, other, None), (build.hf_id, other)
