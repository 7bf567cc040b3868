"""``gpu-advisor kb tables``: the decision tables, made from the rules."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from advisor.errors import Problem, UnknownNameError
from advisor.exports.decision_tables import TITLES

if TYPE_CHECKING:
    from advisor.rules.model import Rule
    from advisor.rules.vocabulary import Vocabulary
    from advisor.store.loader import Knowledge

__all__ = [
    "labelled",
    "rule_block",
    "rule_record",
    "tables_document",
    "tables_markdown",
    "tables_text",
]

_COLUMNS = "situation,advice,because,rule,sections"
_WIDEST = 110
"""Longer lines are hard to read however wide the terminal is."""
_INDENT = " " * 10


def tables_document(knowledge: Knowledge, decisions: Sequence[str]) -> list[dict[str, Any]]:
    """Return one table for each decision that has rules, in the order of the tables.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: a decision has no rules; carries those that have.
    """
    from advisor.consult.vocabulary import rule_vocabulary

    return [
        {
            "decision": decision,
            "title": TITLES[decision],
            "rules": [rule_record(rule, rule_vocabulary()) for rule in rules],
        }
        for decision, rules in _grouped(knowledge, decisions)
    ]


def tables_markdown(knowledge: Knowledge, decisions: Sequence[str]) -> str:
    """Return the tables as the handbook prints them.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: a decision has no rules; carries those that have.
    """
    from advisor.store.handbook_tables import table_markdown
    from advisor.store.tables import catalogue_tables

    provide = catalogue_tables(knowledge)
    blocks = []
    for decision, _ in _grouped(knowledge, decisions):
        table = provide("rules", {"columns": _COLUMNS, "decision": decision})
        blocks.append(f"## {TITLES[decision]}\n\n{table_markdown(table)}\n")
    return "\n".join(blocks)


def tables_text(knowledge: Knowledge, decisions: Sequence[str], width: int | None = None) -> str:
    """Return the tables for a terminal, one short block for each rule.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: a decision has no rules; carries those that have.
    """
    room = min(width or shutil.get_terminal_size().columns, _WIDEST)
    blocks: list[str] = []
    for table in tables_document(knowledge, decisions):
        heading = f"{table['title']} ({table['decision']}, {len(table['rules'])} rules)"
        blocks.append(f"{heading}\n{'=' * len(heading)}")
        blocks += ["\n".join(rule_block(record, room)) for record in table["rules"]]
    return "\n\n".join(blocks) + "\n"


def _grouped(knowledge: Knowledge, decisions: Sequence[str]) -> Iterator[tuple[str, list[Rule]]]:
    from advisor.store.loader_errors import nearest_names
    from advisor.store.rules import load_rule_base
    from advisor.store.tables_rules import in_table_order

    rules = in_table_order(load_rule_base(knowledge).rules)
    tables = {name: [rule for rule in rules if rule.decision == name] for name in TITLES}
    tables = {name: found for name, found in tables.items() if found}
    for name in decisions:
        if name not in tables:
            message = f"There is no decision table {name!r}."
            known, near = tuple(tables), nearest_names(name, tuple(tables))
            problem = Problem("unknown_table", message, key=name, allowed=known, nearest=near)
            raise UnknownNameError(problem)
    for name, found in tables.items():
        if name in decisions or not decisions:
            yield name, found


def rule_record(rule: Rule, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return a rule as plain data: in words, and as it stands in its file."""
    from advisor.store.rule_words import advice_words, reason_pattern, situation_words

    return {
        "rule": rule.id,
        "title": rule.title,
        "situation": situation_words(rule),
        "when": rule.when,
        "advice": advice_words(rule),
        "effect": rule.effect,
        "strength": rule.strength,
        "set": dict(rule.payload),
        "because": reason_pattern(rule, vocabulary),
        "cite": list(rule.cite),
    }


def rule_block(record: dict[str, Any], width: int) -> Iterator[str]:
    """Yield the lines that show a rule in a table, its id and title first."""
    title = f"  {record['title']}" if record["title"] else ""
    yield f"{record['rule']}{title}"
    for label, text in (
        ("when", record["situation"]),
        ("advice", record["advice"]),
        ("because", record["because"]),
        ("says", ", ".join(f"§{section}" for section in record["cite"])),
    ):
        yield from labelled(label, text, width)


def labelled(label: str, text: str, width: int) -> list[str]:
    """Return a text with its label before it, wrapped to ``width``."""
    import textwrap

    first = f"  {label}".ljust(len(_INDENT) - 1) + " "
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=_INDENT)
