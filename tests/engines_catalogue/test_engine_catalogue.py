"""The catalogue of engines: complete, ordered, and right at the releases where it changes."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from advisor.store.engine_behaviour import (
    Behaviour,
    BehaviourValue,
    Circumstances,
    EngineBehaviours,
    When,
    parse_version,
)

VLLM_KEYS = {
    "accounting",
    "async_scheduling_default",
    "batched_tokens_cap",
    "batched_tokens_without_chunks",
    "block_tokens",
    "checks_state_blocks",
    "checks_whole_model_per_stage",
    "chunked_local_hybrid",
    "chunked_prefill_default",
    "cuda_graphs_gib",
    "decode_context_parallel",
    "enforce_eager",
    "fit_check",
    "fp8_block_divisibility",
    "fp8_kv_min_capability",
    "free_memory_check",
    "generation_default",
    "graphs_in_budget",
    "group_ratio",
    "hybrid_kv_manager",
    "inflight_batches",
    "interleaved_windows",
    "kv_formats",
    "kv_size_log",
    "marlin_tile_mismatch",
    "max_num_batched_tokens_default",
    "max_num_seqs_default",
    "memory_log",
    "min_capability",
    "mla_fp8_row",
    "mla_latent_cache",
    "moe_marlin_shape",
    "mxfp4_padding",
    "non_torch_gib",
    "null_blocks",
    "null_blocks_in_fit_check",
    "nvfp4_kv_capabilities",
    "prefix_caching_default",
    "profiled_tokens",
    "quant_group_mismatch",
    "sampler_bytes_per_logit",
    "sampler_state_bytes_per_logit",
    "state_block_multiple",
    "state_blocks",
    "state_pool",
    "uneven_pages",
    "utilization_default",
    "utilization_of",
    "window_need",
}

H100 = Circumstances(gpu_gib=79.2, gpu_name="NVIDIA H100 80GB HBM3", capability=9.0)
A100 = Circumstances(gpu_gib=79.3, gpu_name="NVIDIA A100-SXM4-80GB", capability=8.0)
RTX_4090 = Circumstances(gpu_gib=23.6, gpu_name="NVIDIA GeForce RTX 4090", capability=8.9)
B200 = Circumstances(gpu_gib=179.1, gpu_name="NVIDIA B200", capability=10.0)
SPARK = Circumstances(gpu_gib=119.7, gpu_name="NVIDIA GB10", capability=12.1)


def test_every_engine_that_answers_may_name_is_there(
    engines: Mapping[str, EngineBehaviours],
) -> None:
    assert {"vllm", "sglang", "tensorrt_llm", "llama_cpp", "tgi"} == set(engines)


def test_each_behaviour_of_vllm_is_known_at_its_newest_release(vllm: EngineBehaviours) -> None:
    known = set(vllm.at(None, H100))

    assert set() == VLLM_KEYS - known


def test_values_stand_in_the_order_of_their_releases(
    engines: Mapping[str, EngineBehaviours],
) -> None:
    for engine in engines.values():
        for behaviour in engine.behaviours:
            begun = [parse_version(value.since).release for value in behaviour.values]
            assert begun == sorted(begun), f"{engine.id}: {behaviour.key}"


def test_no_value_begins_after_the_newest_release(engines: Mapping[str, EngineBehaviours]) -> None:
    for engine in engines.values():
        newest = parse_version(engine.newest_version).release
        for behaviour in engine.behaviours:
            last = parse_version(behaviour.values[-1].since).release
            assert last is not None
            assert newest is not None
            assert last <= newest, f"{engine.id}: {behaviour.key}"


def test_ranges_run_from_low_to_high(engines: Mapping[str, EngineBehaviours]) -> None:
    ranges = [
        value.value
        for engine in engines.values()
        for behaviour in engine.behaviours
        for value in behaviour.values
        if isinstance(value.value, dict) and "expected" in value.value
    ]

    assert ranges
    for span in ranges:
        assert list(span.values()) == sorted(span.values(), key=float), span  # type: ignore[arg-type]


def test_measurements_lie_inside_the_range_they_support(vllm: EngineBehaviours) -> None:
    """Except on unified memory, where other things are charged as well."""
    for key in ("cuda_graphs_gib", "non_torch_gib"):
        behaviour = vllm.behaviour(key)
        assert behaviour is not None
        for value in behaviour.values:
            assert isinstance(value.value, dict)
            for measured in value.measured:
                if "Spark" not in measured.what:
                    assert measured.value <= float(value.value["high"]) * 1.01  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "before", "old", "since", "new"),
    [
        ("utilization_default", "0.19.1", 0.9, "0.20.0", 0.92),
        ("graphs_in_budget", "0.19.1", False, "0.20.0", True),
        ("kv_size_log", "0.20.0", "blocks", "0.20.1", "concurrency"),
        ("checks_whole_model_per_stage", "0.13.0", False, "0.14.0", True),
        ("checks_whole_model_per_stage", "0.16.0", True, "0.17.0", False),
        ("null_blocks_in_fit_check", "0.28.0", 0, "0.29.0", 1),
        ("inflight_batches", "0.25.1", 1, "0.26.0", 2),
        ("async_scheduling_default", "0.13.0", False, "0.14.0", True),
        ("group_ratio", "0.11.2", 1.0, "0.12.0", 1.25),
        ("group_ratio", "0.17.1", 1.25, "0.18.0", 1.5),
        ("hybrid_kv_manager", "0.9.0.1", False, "0.9.1", True),
        ("chunked_local_hybrid", "0.10.0", True, "0.10.1", False),
        ("checks_state_blocks", "0.19.1", False, "0.20.0", True),
        ("mla_latent_cache", "0.7.0", False, "0.7.1", True),
        ("marlin_tile_mismatch", "0.7.2", "refused", "0.7.3", "fallback"),
        ("marlin_tile_mismatch", "0.23.0", "fallback", "0.24.0", "padded"),
        ("sampler_bytes_per_logit", "0.16.0", 38.5, "0.17.0", 14),
        ("decode_context_parallel", "0.10.1", "none", "0.10.2", "mla"),
        ("interleaved_windows", "0.6.4", "capped", "0.6.5", "full"),
        ("generation_default", "0.7.3", "v0", "0.8.0", "v1_else_v0"),
    ],
)
def test_a_behaviour_of_vllm_changes_at_its_release(
    vllm: EngineBehaviours, key: str, before: str, old: object, since: str, new: object
) -> None:
    assert (old, new) == (vllm.at(before)[key], vllm.at(since)[key])


@pytest.mark.parametrize(
    ("version", "where", "sequences", "tokens"),
    [
        ("0.5.4", H100, 256, 512),
        ("0.6.6", H100, 256, 2048),
        ("0.8.3", RTX_4090, 1024, 2048),
        ("0.8.3 (V0)", RTX_4090, 256, 2048),
        ("0.8.4", RTX_4090, 256, 2048),
        ("0.8.4", H100, 1024, 8192),
        ("0.8.5", A100, 1024, 8192),
        ("0.9.0", A100, 256, 2048),
        ("0.11.0", H100, 1024, 8192),
        ("0.27.1", B200, 1024, 8192),
        ("0.28.0", B200, 1024, 16384),
        ("0.32.0", SPARK, 1024, 8192),
        ("0.33.0", SPARK, 256, 2048),
        ("0.33.0", Circumstances(), 256, 2048),
    ],
)
def test_scheduler_defaults_of_vllm_follow_release_and_gpu(
    vllm: EngineBehaviours, version: str, where: Circumstances, sequences: int, tokens: int
) -> None:
    values = vllm.at(version, where)

    assert sequences == values["max_num_seqs_default"]
    assert tokens == values["max_num_batched_tokens_default"]


def test_the_offline_class_batches_more_tokens(vllm: EngineBehaviours) -> None:
    offline = Circumstances(gpu_gib=79.2, gpu_name="H100", usage="offline")

    assert vllm.at("0.11.0", offline)["max_num_batched_tokens_default"] == 16384


def test_hybrids_cache_prefixes_by_default_only_since_0_28(vllm: EngineBehaviours) -> None:
    hybrid = Circumstances(traits=frozenset({"hybrid", "gdn"}))

    assert vllm.at("0.27.1", hybrid)["prefix_caching_default"] is False
    assert vllm.at("0.28.0", hybrid)["prefix_caching_default"] is True
    assert vllm.at("0.27.1")["prefix_caching_default"] is True


def test_non_torch_memory_grows_with_tensor_parallelism(vllm: EngineBehaviours) -> None:
    one = vllm.at("0.11", H100)["non_torch_gib"]
    two = vllm.at("0.11", Circumstances(tensor_parallel=2))["non_torch_gib"]

    assert isinstance(one, dict)
    assert isinstance(two, dict)
    assert (one["expected"], two["expected"]) == (0.13, 0.54)


def test_the_sampling_peak_follows_the_model_runner(vllm: EngineBehaviours) -> None:
    hybrid = Circumstances(traits=frozenset({"hybrid"}))

    assert vllm.at("0.25.1")["sampler_bytes_per_logit"] == 6
    assert vllm.at("0.28.0")["sampler_bytes_per_logit"] == 2
    assert vllm.at("0.28.0", hybrid)["sampler_bytes_per_logit"] == 14
    assert vllm.at("0.29.0", hybrid)["sampler_bytes_per_logit"] == 2
    assert vllm.at("0.33.0", hybrid)["sampler_bytes_per_logit"] == 14
    assert vllm.at("0.28.0", hybrid)["sampler_state_bytes_per_logit"] == 0
    assert vllm.at("0.33.0", hybrid)["sampler_state_bytes_per_logit"] == 4.125


def test_a_chunked_prefill_of_v0_depends_on_the_context(vllm: EngineBehaviours) -> None:
    long = Circumstances(max_model_len=131072)

    assert vllm.at("0.6.5", long)["chunked_prefill_default"] is True
    assert vllm.at("0.6.5", Circumstances(max_model_len=32768))["chunked_prefill_default"] is False
    assert vllm.at("0.8.0")["chunked_prefill_default"] is True


def test_a_version_older_than_the_oldest_behaves_as_the_oldest(vllm: EngineBehaviours) -> None:
    version = vllm.resolve("0.0.1")

    assert version.release == (0, 1, 7)
    assert version.note is not None
    assert "older" in version.note
    assert vllm.at("0.0.1") == vllm.at("0.1.7")


@pytest.mark.parametrize("text", ["0.99.0", "1.0", "nightly", "kaito", None])
def test_a_version_past_the_newest_behaves_as_the_newest(
    vllm: EngineBehaviours, text: str | None
) -> None:
    version = vllm.resolve(text)

    assert version.release == (0, 33, 0)
    assert (text is None) == (version.note is None)
    assert vllm.at(text) == vllm.at("0.33.0")


def test_sglang_gives_shares_up_to_0_4_7_and_a_reserve_afterwards(
    engines: Mapping[str, EngineBehaviours],
) -> None:
    sglang, four = engines["sglang"], Circumstances(gpu_gib=80.0, tensor_parallel=4)

    assert sglang.at("0.4.5", four)["utilization_default"] == 0.85
    assert "reserve_mib" not in sglang.at("0.4.5", four)
    assert "utilization_default" not in sglang.at("0.4.8", four)
    reserve = sglang.at("0.5.3", four)["reserve_mib"]
    assert isinstance(reserve, dict)
    assert reserve["floor"] == 10240


def _behaviour(*values: BehaviourValue) -> Behaviour:
    return Behaviour(key="k", unit="switch", meaning="m", section="7.3", values=values)


def _value(since: str, value: bool, when: When | None = None) -> BehaviourValue:
    return BehaviourValue(since=since, value=value, when=when, source="s")


def test_values_out_of_order_are_refused() -> None:
    with pytest.raises(ValidationError, match="in order of since"):
        _behaviour(_value("0.10.0", True), _value("0.9.0", False))


@pytest.mark.parametrize(
    "rules",
    [
        (_value("0.9.0", True, When(tp_min=2)),),
        (_value("0.9.0", True), _value("0.9.0", False)),
        (_value("0.9.0", True), _value("0.9.0", False, When(tp_min=2))),
    ],
)
def test_rules_of_one_release_need_exactly_one_last_default(
    rules: tuple[BehaviourValue, ...],
) -> None:
    with pytest.raises(ValidationError, match="only the last has no when"):
        _behaviour(*rules)


def test_a_version_that_yaml_made_a_number_is_refused() -> None:
    with pytest.raises(ValidationError, match="valid string"):
        BehaviourValue.model_validate({"since": 0.1, "value": True, "source": "s"})


def test_a_rule_on_something_unknown_does_not_hold() -> None:
    behaviour = _behaviour(_value("0.9.0", True, When(min_gpu_gib=70)), _value("0.9.0", False))
    version = parse_version("0.9.0")

    rule = behaviour.rule_at(version, Circumstances())
    assert rule is not None
    assert rule.value is False
    rule = behaviour.rule_at(version, Circumstances(gpu_gib=70.0))
    assert rule is not None
    assert rule.value is True
