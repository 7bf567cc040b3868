"""The text that ``gpu-advisor size`` prints: what an engineer reads first, and what is left out."""

from __future__ import annotations

from running_commands import Command

QUICK = ("size", "--model", "llama-3.1-8b", "--gpu", "l40s", "--max-model-len", "8k")


def test_the_first_line_is_the_verdict(command: Command) -> None:
    fits = command(*QUICK).out.splitlines()[0]
    assert fits == "FITS: llama-3.1-8b (bf16) on 1 x l40s, TP1, vllm 0.33.0"
    short = command("size", "--model", "llama-3.3-70b", "--gpu", "l4").out.splitlines()[0]
    assert short.startswith("DOES NOT FIT: ")
    close = command("size", "--model", "gpt-oss-120b", "--gpu", "h100-sxm").out.splitlines()[0]
    assert close.startswith("FITS (borderline): ")


def test_reasons_come_right_after_the_verdict(command: Command) -> None:
    lines = command("size", "--model", "llama-3.3-70b", "--gpu", "l4").out.splitlines()
    assert lines[1] == ""
    assert lines[2].startswith("  ! weights take 131.4 GiB per GPU")


def test_what_cannot_run_gets_no_figures(command: Command) -> None:
    out = command(*QUICK, "--tensor-parallel", "3").out
    assert out.startswith("CANNOT RUN: ")
    assert "heads_not_divisible" in out
    assert "tok/s" not in out
    assert "left for the cache" not in out


def test_the_assumptions_of_a_speed_are_printed_once(command: Command) -> None:
    out = command(*QUICK, "--concurrency", "8").out
    assert "decode, per user" in out
    assert "decode, all users" in out
    assert out.count("live tokens") == 1
    assert "8 streams of" in out
    alone = command(*QUICK).out
    assert "1 stream of" in alone
    assert "all users" not in alone


def test_a_load_is_held_or_not_in_so_many_words(command: Command) -> None:
    assert " held  4 requests" in command(*QUICK, "--concurrency", "4").out
    many = command(*QUICK, "--concurrency", "400").out
    assert " NOT HELD  400 requests" in many
    # 23 whole ones fit one card
    assert "18 such instances would hold them" in " ".join(many.split())


def test_spans_are_printed_from_low_to_high(command: Command) -> None:
    answer = command(*QUICK, "--format", "json").json["kv_cache_tokens"]
    assert f"{answer['low']:,} to {answer['high']:,}" in command(*QUICK).out


def test_a_stated_cache_is_called_that(command: Command) -> None:
    out = command(*QUICK, "--kv-cache-gib", "20").out
    assert "20.00 GiB  as stated" in out
    assert "cache as stated: 20 GiB per GPU" in out


def test_training_shows_states_and_the_whole_need(command: Command) -> None:
    words = ("--method", "full", "--sequence-tokens", "2k", "--gpu-count", "8")
    ran = command("size", "--model", "llama-3.1-8b", "--gpu", "h100-sxm", *words)
    assert "training memory per GPU" in ran.out
    assert "optimizer states" in ran.out
    assert "needed" in ran.out
    assert "0.00 GiB" not in ran.out


def test_no_line_is_wider_than_a_terminal(command: Command) -> None:
    for words in (QUICK, ("size", "--model", "kimi-k3", "--gpu", "h200-sxm", "--gpu-count", "8")):
        assert max(map(len, command(*words).out.splitlines())) <= 98
