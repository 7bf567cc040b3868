"""A wrong word on the command line is answered with the place, what is meant and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from running_commands import Command

ANSWERS = str(Path(__file__).parents[2] / "examples" / "cases" / "b02.yaml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diagnose", "--answer", "x"), ("diagnose --help", "Did you mean --answers?")),
        (("kb", "check", "/nope"), ("kb check --help",)),
        (("advise", "--fromat", "json"), ("--fromat", "Did you mean --format?")),
        (("advise", "-x"), ("Unrecognized arguments: -x",)),
        (("size", "--expert-parallel", "4"), ("--expert-parallel takes no value",)),
        (("advise", ""), ("There is no such file",)),
        (("limits", ANSWERS, "workload.concurrency=3"), ("without a value", "Did you mean")),
        (("kb", "show", "h100-sxm"), ("kb show gpus h100-sxm",)),
        (("kb", "show", "two-allocators"), ("kb show gotchas two-allocators",)),
        (
            ("size", "--model", "llama-3-8b", "--gpu", "l4", "--kv-format", "fp9"),
            ("Did you mean fp8",),
        ),
    ],
)
def test_a_wrong_word_is_answered_with_what_is_meant(
    command: Command, words: tuple[str, ...], said: tuple[str, ...]
) -> None:
    result = command(*words)

    assert result.code == 2
    assert result.out == ""
    for part in said:
        assert part in result.err


def test_flags_of_another_command_are_not_offered(command: Command) -> None:
    assert command("diagnose", "--casess", "x").err.endswith("Did you mean --answers?\n")


def test_what_is_required_is_told_where_every_flag_is_known(command: Command) -> None:
    assert "required: FILE" in command("advise", "--strict").err


def test_a_number_before_the_name_of_a_gpu_is_told_where_it_belongs(command: Command) -> None:
    result = command("advise", ANSWERS, "--set", "hardware.gpu=4x h100")

    assert "give hardware.gpus_per_node 4" in result.err
    assert "gpus_per_node" not in command("advise", ANSWERS, "--set", "hardware.gpu=h1oo").err


def test_size_tells_every_unknown_name_and_what_does_instead(command: Command) -> None:
    result = command("size", "--model", "lama-3-70b", "--gpu", "h10-sxm")

    assert result.code == 2
    assert "--config FILE. Did you mean llama-3-70b" in result.err
    assert "--gpu-memory-gib. Did you mean h100-sxm" in result.err


def test_size_tells_where_a_number_before_the_gpu_belongs(command: Command) -> None:
    result = command("size", "--model", "llama-3-8b", "--gpu", "2xh100-sxm")

    assert "--gpu-count 2" in result.err
    assert "not in the catalogue" in result.err


def test_an_error_that_has_no_nearest_key_says_where_they_are_listed(command: Command) -> None:
    assert "kb show questions" in command("limits", ANSWERS, "xyzzy").err
    assert "kb show questions" not in command("limits", ANSWERS, "concurency").err


def test_a_split_into_no_parts_is_nothing_that_could_be_chosen(command: Command) -> None:
    assert "'tp0' is nothing that could be chosen" in command("whynot", ANSWERS, "tp0").err
