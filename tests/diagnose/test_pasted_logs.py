"""Whole logs: the root goes before what follows from it, and the evidence is its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from diagnose_support import told

_FILE = Path(__file__).parents[1] / "cases" / "logs.yaml"
LOGS: list[dict[str, Any]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))["logs"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log['symptom']}-{log['cause']}")
def test_the_root_of_a_log_comes_first(log: dict[str, Any]) -> None:
    first = told(log["text"]).matches[0]

    assert (first.id, first.causes[0].id) == (log["symptom"], log["cause"])
    assert first.evidence.line == log["line"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log['symptom']}-{log['cause']}")
def test_a_log_is_told_the_same_after_much_that_went_well(log: dict[str, Any]) -> None:
    before = [f"10:00:{n:02} request {n} served in 0.{n} s" for n in range(30)]

    first = told("\n".join([*before, log["text"]])).matches[0]

    assert (first.id, first.evidence.line) == (log["symptom"], log["line"] + len(before))
