"""``gpu-advisor kb tables``: the decision tables in three forms."""

from __future__ import annotations

import pytest
from running_commands import Command

from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

RULES = load_rule_base(load_knowledge()).rules


def test_json_holds_every_rule_once_with_its_condition_and_sections(command: Command) -> None:
    ran = command("kb", "tables", "--format", "json")
    records = [record for table in ran.json["tables"] for record in table["rules"]]

    assert sorted(record["rule"] for record in records) == sorted(rule.id for rule in RULES)
    assert all(record["situation"] and record["when"] and record["cite"] for record in records)


def test_one_decision_may_be_asked_for(command: Command) -> None:
    ran = command("kb", "tables", "parallelism", "--format", "json")

    assert [table["decision"] for table in ran.json["tables"]] == ["parallelism"]


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_every_rule_is_printed(command: Command, form: str) -> None:
    ran = command("kb", "tables", "--format", form)

    assert ran.code == 0
    assert [rule.id for rule in RULES if rule.id not in ran.out] == []


def test_text_keeps_to_the_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    ran = command("kb", "tables")

    assert max(len(line) for line in ran.out.splitlines() if line.startswith("  ")) <= 72


def test_a_decision_without_a_table_names_those_that_have_one(command: Command) -> None:
    ran = command("kb", "tables", "gpus", "--format", "json")

    assert ran.code == 2
    assert ran.error["code"] == "unknown_table"
    assert "gpu" in ran.error["nearest"]
