"""Rules hold from ``since`` until ``until``, on the day of the knowledge and by no clock."""

from __future__ import annotations

import datetime as dt
import re
import shutil
from pathlib import Path

import pytest

from advisor.answers.validate import read_answers
from advisor.cli.kb_check import check_everything
from advisor.consult.advise import advise
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.rules import load_rule_base, rules_in_force

DOCKER = {"workload": {"kind": "platform"}, "platform": {"orchestrator": "docker"}}
RULE = """
  - id: qq-window
    decision: provisioning
    for: {k: cluster}
    when: k.orchestrator == 'docker'
    effect: warn
    set: {kind: risk, severity: info, text: A rule with a window.}
    because: A test.
    cite: ['8.4']
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(load_knowledge().path, tmp_path / "kb", ignore=ignored))


def planted(folder: Path, day: str, **window: str) -> Knowledge:
    """Return the knowledge of ``day`` with one rule more, that holds within ``window``."""
    version = folder / "version.yaml"
    text = re.sub(r"as_of: .*", f"as_of: '{day}'", version.read_text(encoding="utf-8"))
    version.write_text(text, encoding="utf-8")
    rules = folder / "rules/warnings.yaml"
    lines = "".join(f"    {key}: {value}\n" for key, value in window.items())
    rules.write_text(rules.read_text(encoding="utf-8") + RULE + lines, encoding="utf-8")
    return Knowledge(folder)


@pytest.mark.parametrize(
    ("day", "window", "holds"),
    [
        ("2026-11-30", {}, True),
        ("2026-11-30", {"since": "2026-11-30"}, True),
        ("2026-11-29", {"since": "2026-11-30"}, False),
        ("2026-11-30", {"until": "2026-11-30"}, False),
        ("2026-11-29", {"until": "2026-11-30"}, True),
        ("2030-01-01", {"since": "2026-01-01", "until": "2027-01-01"}, False),
        ("2026-06-01", {"since": "2026-01-01", "until": "2027-01-01"}, True),
    ],
)
def test_a_rule_fires_within_its_window_only(
    folder: Path, day: str, window: dict[str, str], holds: bool
) -> None:
    knowledge = planted(folder, day, **window)
    found = advise(read_answers(DOCKER), knowledge, engine="reference")

    assert found.knowledge.as_of == day
    assert ("qq-window" in {w.rule for w in found.warnings}) == holds
    assert ("qq-window" in {step.rule for step in found.trace}) == holds


def test_where_no_window_excludes_a_rule_all_are_in_force() -> None:
    knowledge = load_knowledge()

    assert rules_in_force(knowledge) is load_rule_base(knowledge)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("window", "code"),
    [
        ({"since": "2026-01-01"}, None),
        ({"since": "2027-01-01"}, "rule_waits"),
        ({"until": "2026-11-30"}, "stale_rule"),
    ],
)
def test_kb_check_takes_windows_and_tells_those_that_can_never_apply(
    folder: Path, window: dict[str, str], code: str | None
) -> None:
    knowledge = planted(folder, "2026-11-30", **window)
    found = check_everything(knowledge.path, dt.date(2026, 11, 30))

    told = {p.code for p in (*found.faults, *found.information) if "qq-window" in (p.key or "")}
    assert told == ({code} if code else set())
    assert ("qq-window" in str(found.faults)) == (code == "stale_rule")
