"""The program as a process: its cache, its end, and that neither changes an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main
from advisor.cli.main import COMMANDS, build_parser
from advisor.store import loader_cache

SIZE = ("size", "--model", "llama-3.3-70b", "--gpu", "h100-sxm", "--gpu-count", "4")


def started(
    *words: str, cache: str, before: tuple[str, ...] = ("-m", "advisor")
) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    environment = {**os.environ, loader_cache.VARIABLE: cache}
    return subprocess.run(
        [sys.executable, *before, *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_an_answer_is_the_same_without_with_a_new_and_with_a_full_cache(tmp_path: Path) -> None:
    place = tmp_path / "cache"
    without = started(*SIZE, cache="off")
    assert not place.exists()
    cold = started(*SIZE, cache=str(place))
    assert (place / loader_cache.FILE).is_file()
    warm = started(*SIZE, cache=str(place))

    assert (without.returncode, without.stderr) == (0, "")
    assert "llama" in without.stdout.lower()
    assert (cold.stdout, cold.stderr, cold.returncode) == (without.stdout, "", 0)
    assert (warm.stdout, warm.stderr, warm.returncode) == (without.stdout, "", 0)


def test_looking_after_the_knowledge_leaves_no_cache(tmp_path: Path) -> None:
    place = tmp_path / "cache"
    ran = started("kb", "show", "gpus", "h100-sxm", cache=str(place))

    assert ran.returncode == 0
    assert not place.exists()


def test_the_exit_code_and_all_output_survive_the_quick_end() -> None:
    bad = started("siez", cache="off")
    long = started("schema", "answers", cache="off")

    assert bad.returncode == 2
    assert "Did you mean size?" in bad.stderr
    assert long.returncode == 0
    assert len(long.stdout) > 20_000
    assert long.stdout.endswith("}\n")


def test_a_profiler_gets_its_orderly_end() -> None:
    ran = started("--help", cache="off", before=("-m", "cProfile", "-m", "advisor"))

    assert "function calls" in ran.stdout


def test_a_caller_with_words_of_its_own_gets_the_code_back() -> None:
    assert main(["--help"]) == 0
    assert loader_cache.active() is None


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_its_words_alike_when_it_is_built_alone(name: str) -> None:
    alone, among_all = build_parser(name), build_parser()

    assert f"gpu-advisor {name}" in _help_of(alone, name)
    assert _help_of(alone, name) == _help_of(among_all, name)


def _help_of(parser: object, name: str) -> str:
    for action in parser._actions:  # type: ignore[attr-defined]
        if action.dest == "command":
            return str(action.choices[name].format_help())
    raise AssertionError(name)
