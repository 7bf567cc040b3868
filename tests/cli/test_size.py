"""``gpu-advisor size``: every flag, every refusal, both forms of the answer."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from running_commands import Command

QUICK = ("size", "--model", "llama-3.1-8b", "--gpu", "l40s", "--max-model-len", "8k")

SERVING_FLAGS = [
    ("--gpu-count", "2"),
    ("--tensor-parallel", "2"),
    ("--pipeline-parallel", "2"),
    ("--data-parallel", "2"),
    ("--expert-parallel",),
    ("--tensor-parallel", "16", "--decode-context-parallel", "2"),
    ("--weight-format", "fp8"),
    ("--kv-format", "fp8"),
    ("--max-model-len", "16384"),
    ("--typical-context-tokens", "2000"),
    ("--prompt-tokens", "4k"),
    ("--gpu-memory-gib", "40"),
    ("--gpu-memory-bandwidth-gbs", "900"),
    ("--gpu-compute-capability", "8.9"),
    ("--concurrency", "4"),
    ("--engine", "sglang"),
    ("--engine-version", "0.20.1"),
    ("--gpu-memory-utilization", "0.85"),
    ("--gpu-memory-utilization", "85%"),
    ("--max-num-seqs", "32"),
    ("--max-num-batched-tokens", "4096"),
    ("--block-size", "32"),
    ("--kv-cache-gib", "20.5"),
    ("--weights-gib", "15.2"),
    ("--speculative-tokens", "2"),
    ("--no-prefix-caching",),
    ("--enforce-eager",),
    ("--no-hybrid-kv-manager",),
    ("--strict",),
]


@pytest.mark.parametrize("flags", SERVING_FLAGS, ids=" ".join)
def test_every_serving_flag_is_taken(command: Command, flags: tuple[str, ...]) -> None:
    ran = command(*QUICK, *flags, "--format", "json")
    assert ran.err == ""
    assert ran.code == (1 if "--strict" in flags and not ran.json["fits"] else 0)
    assert ran.json["model"] == "llama-3.1-8b"


TRAINING_FLAGS = [
    ("--method", "full"),
    ("--method", "lora", "--lora-rank", "8"),
    ("--method", "qlora"),
    ("--method", "full", "--micro-batch", "2"),
    ("--method", "full", "--optimizer", "adamw_8bit"),
    ("--method", "full", "--gpu-count", "8", "--sharding", "zero2"),
    ("--method", "full", "--gpu-count", "8", "--sharding", "fsdp", "--recompute", "full"),
    ("--method", "full", "--offload", "cpu"),
    ("--method", "full", "--master-weights", "none"),
]


@pytest.mark.parametrize("flags", TRAINING_FLAGS, ids=" ".join)
def test_every_training_flag_is_taken(command: Command, flags: tuple[str, ...]) -> None:
    ran = command(*QUICK[:5], "--sequence-tokens", "2048", *flags, "--format", "json")
    assert ran.err == ""
    assert ran.code == 0
    assert ran.json["training_states_gib_per_gpu"] > 0
    assert ran.json["activations_gib_per_gpu"] > 0
    assert ran.json["kv_cache_tokens"] is None


def test_the_json_form_has_every_promised_key(command: Command) -> None:
    answer = command(*QUICK, "--format", "json").json
    assert {
        "status", "fits", "holds_concurrency", "layout", "weights_gib_per_gpu",
        "kv_bytes_per_token_per_gpu", "state_bytes_per_sequence_per_gpu",
        "kv_fixed_bytes_per_sequence_per_gpu", "kv_gib_per_request_per_gpu",
        "kv_cache_gib_per_gpu", "kv_cache_tokens", "kv_replication", "max_concurrency",
        "largest_max_model_len", "largest_max_num_seqs", "max_num_seqs", "gpu_memory_gib",
        "overheads", "problems", "training_states_gib_per_gpu", "activations_gib_per_gpu",
        "host_ram_gib", "decode_tokens_per_second", "total_output_tokens_per_second", "ttft_ms",
        "engine", "engine_version",
    } <= answer.keys()  # fmt: skip
    for span in ("kv_cache_gib_per_gpu", "kv_cache_tokens", "max_concurrency"):
        assert answer[span].keys() == {"low", "expected", "high"}
    assert answer["decode_tokens_per_second"].keys() == {"low", "high", "assumes"}
    assert {"non_torch_gib", "activation_peak_gib", "cuda_graphs_gib"} <= answer["overheads"].keys()


def test_problems_carry_code_text_and_section(command: Command) -> None:
    ran = command("size", "--model", "llama-3.3-70b", "--gpu", "l4", "--format", "json")
    (problem,) = [p for p in ran.json["problems"] if p["blocking"]]
    assert problem["code"] == "weights_exceed_memory"
    assert problem["section"]
    assert "GiB" in problem["text"]


# ---- exit codes ----


@pytest.mark.parametrize(("strict", "code"), [((), 0), (("--strict",), 1)])
def test_what_does_not_fit_is_data_unless_strict(
    command: Command, strict: tuple[str, ...], code: int
) -> None:
    ran = command("size", "--model", "llama-3.3-70b", "--gpu", "l4", *strict, "--format", "json")
    assert ran.code == code
    assert ran.json["status"] == "does_not_fit"
    assert ran.err == ""


def test_strict_is_content_with_what_fits(command: Command) -> None:
    assert command(*QUICK, "--strict").code == 0


TRAINING = (*QUICK[1:5], "--method", "full", "--sequence-tokens", "2k")
BAD = [
    (("--model", "llama-3.1-8x", "--gpu", "l40s"), "llama-3.1-8b"),
    (("--model", "llama-3.1-8b", "--gpu", "l40z"), "l40s"),
    (("--gpu", "l40s"), "--model"),
    (("--model", "llama-3.1-8b"), "--gpu-memory-gib"),
    (("--model", "llama-3.1-8b", "--config", "config.json", "--gpu", "l40s"), "--config"),
    (("--config", "nowhere.json", "--gpu", "l40s"), "nowhere.json"),
    ((*QUICK[1:5], "--max-model-len", "-5"), "--max-model-len"),
    ((*QUICK[1:5], "--max-model-len", "0"), "--max-model-len"),
    ((*QUICK[1:5], "--max-model-len", "abc"), "'abc'"),
    ((*QUICK[1:5], "--max-model-len", "NaN"), "finite"),
    ((*QUICK[1:5], "--max-model-len", "1.5"), "whole"),
    ((*QUICK[1:5], "--gpu-memory-gib", "inf"), "finite"),
    ((*QUICK[1:5], "--gpu-memory-utilization", "1.5"), "--gpu-memory-utilization"),
    ((*QUICK[1:5], "--weights-gib", "0"), "--weights-gib"),
    ((*QUICK[1:5], "--gpu-count", "0"), "--gpu-count"),
    ((*QUICK[1:5], "--gpu-count", "2", "--tensor-parallel", "4"), "gpu_count"),
    ((*QUICK[1:5], "--gpu-compute-capability", "new"), "gpu_compute_capability"),
    ((*QUICK[1:5], "--weight-format", "fp7"), "weight_format"),
    ((*QUICK[1:5], "--kv-format", "fp7"), "kv_format"),
    ((*QUICK[1:5], "--engine", "vlm"), "vllm"),
    ((*QUICK[1:5], "--method", "partial"), "--method"),
    ((*QUICK[1:5], "--method", "full"), "--sequence-tokens"),
    ((*TRAINING, "--gpu-count", "2", "--tensor-parallel", "4"), "4 GPUs"),
    ((*QUICK[1:5], "--tensor-paralel", "2"), "--tensor-parallel"),
]


@pytest.mark.parametrize(("words", "named"), BAD, ids=lambda value: str(value)[-60:])
def test_bad_input_is_one_paragraph_that_names_it(
    command: Command, words: tuple[str, ...], named: str
) -> None:
    ran = command("size", *words)
    assert ran.code == 2
    assert ran.out == ""
    assert named in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("words", "named"), BAD, ids=lambda value: str(value)[-60:])
def test_bad_input_is_an_error_object_under_json(
    command: Command, words: tuple[str, ...], named: str
) -> None:
    ran = command("size", *words, "--format", "json")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.error.keys() == {"code", "message", "file", "line", "key", "allowed", "nearest"}
    assert named in json.dumps(ran.error)


# ---- configs ----

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
    "tie_word_embeddings": False,
}


def test_a_config_is_sized_like_the_model_it_describes(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    ran = command("size", "--config", str(path), *QUICK[3:], "--format", "json")
    known = command(*QUICK, "--format", "json")
    assert ran.code == 0
    for name in ("weights_gib_per_gpu", "kv_bytes_per_token_per_gpu", "kv_gib_per_request_per_gpu"):
        assert ran.json[name] == pytest.approx(known.json[name], rel=0.002)


def test_a_config_comes_from_standard_input_too(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(LLAMA)))
    ran = command("size", "--config", "-", *QUICK[3:], "--format", "json")
    assert ran.code == 0
    assert ran.json["kv_bytes_per_token_per_gpu"] == 131_072


IMAGE = {
    "architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": 768,
    "num_hidden_layers": 12, "num_attention_heads": 12, "image_size": 224, "patch_size": 16,
}  # fmt: skip

SPOILT = {
    "image model": json.dumps(IMAGE).encode(),
    "truncated": json.dumps(LLAMA).encode()[:80],
    "empty": b"",
    "a list": b"[1, 2]",
    "binary": bytes(range(256)),
    "huge": b" " * 50_000_000,
}


@pytest.mark.parametrize("what", SPOILT)
def test_a_file_that_is_no_config_is_refused_by_name(
    command: Command, tmp_path: Path, what: str
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(SPOILT[what])
    ran = command("size", "--config", str(path), "--gpu", "l40s")
    assert ran.code == 2
    assert ran.out == ""
    assert "config.json" in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    under_json = command("size", "--config", str(path), "--gpu", "l40s", "--format", "json")
    assert under_json.error["file"] == str(path)


def test_a_directory_is_no_config(command: Command, tmp_path: Path) -> None:
    ran = command("size", "--config", str(tmp_path), "--gpu", "l40s")
    assert ran.code == 2
    assert "directory" in ran.err


def test_what_reading_a_config_took_for_granted_is_said(command: Command, tmp_path: Path) -> None:
    config = {
        "architectures": ["SomethingNewForCausalLM"], "model_type": "something_new",
        "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16,
        "num_key_value_heads": 4, "intermediate_size": 8192, "vocab_size": 50000,
        "max_position_embeddings": 8192, "torch_dtype": "bfloat16",
    }  # fmt: skip
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    ran = command("size", "--config", str(file), "--gpu", "l4", "--format", "json")
    said = [problem["text"] for problem in ran.json["problems"]]
    assert any("'something_new' is not known" in text for text in said)
    file.write_text(json.dumps({**config, "model_type": "llama"}), encoding="utf-8")
    ran = command("size", "--config", str(file), "--gpu", "l4", "--format", "json")
    assert not any("is not known" in problem["text"] for problem in ran.json["problems"])


@pytest.mark.parametrize(
    ("flags", "key"),
    [
        (("--sequence-tokens", "4096"), "sequence_tokens"),
        (("--typical-context-tokens", "9k"), "typical_context_tokens"),
        (("--prompt-tokens", "9k"), "prompt_tokens"),
    ],
)
def test_flags_that_contradict_are_refused(
    command: Command, flags: tuple[str, ...], key: str
) -> None:
    ran = command(*QUICK, *flags, "--format", "json")
    assert ran.code == 2
    assert ran.error["key"] == key


@pytest.mark.parametrize(
    ("written", "meant"), [("awq", "awq_int4"), ("Q4_K_M", "gguf_q4"), ("FP8-block", "fp8_block")]
)
def test_a_format_may_be_written_in_the_usual_ways(
    command: Command, written: str, meant: str
) -> None:
    ran = command(*QUICK, "--weight-format", written, "--format", "json")
    assert ran.code == 0
    assert ran.json["weight_format"] == meant


def test_an_encoder_takes_no_more_than_its_positions(command: Command) -> None:
    beyond = command("size", "--model", "bge-m3", "--gpu", "l4", "--max-model-len", "32k",
                     "--format", "json")  # fmt: skip
    assert not beyond.json["fits"]
    within = command("size", "--model", "bge-m3", "--gpu", "l4", "--max-model-len", "8k",
                     "--format", "json")  # fmt: skip
    assert within.json["fits"]
