"""``kb show rule``: one rule with its file and line, in words and as it stands in the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from advisor.cli.kb_tables import labelled, rule_block, rule_record
from advisor.errors import Problem, UnknownNameError

if TYPE_CHECKING:
    from advisor.rules.model import Rule
    from advisor.store.loader import Knowledge

__all__ = ["rule_document", "rule_ids", "rule_text"]

_WIDTH = 100
_SHOWN_ABOVE = frozenset({"id", "option", "severity", "told_by"})
"""Parts of what a rule sets that its advice names already, or that are for the machine."""


def rule_ids(knowledge: Knowledge) -> dict[str, str]:
    """Return id to title of every rule, those made of gotchas included, in the order of files."""
    return {rule.id: rule.title or "" for rule in _rules(knowledge).values()}


def rule_document(knowledge: Knowledge, name: str) -> dict[str, Any]:
    """Return a rule for JSON: file, line and record.

    Raises:
        UnknownNameError: There is none of that id; carries the nearest.
    """
    from advisor.consult.vocabulary import rule_vocabulary

    rule = _rule(knowledge, name)
    file, line = _place(knowledge, rule.id)
    return {"file": file, "line": line, "record": rule_record(rule, rule_vocabulary())}


def rule_text(knowledge: Knowledge, name: str) -> str:
    """Return a rule for a terminal, without the final newline.

    Raises:
        UnknownNameError: There is none of that id; carries the nearest.
    """
    document = rule_document(knowledge, name)
    record, rule = document["record"], _rule(knowledge, name)
    head, *block = rule_block(record, _WIDTH)
    lines = [head, f"in {document['file']}:{document['line']}", ""]
    lines += labelled("effect", f"{rule.effect} ({rule.decision}, {rule.strength})", _WIDTH)
    lines += block
    lines += labelled("exact", record["when"] or "always", _WIDTH)
    for key, value in _told(record["set"]):
        lines += labelled(key, value, _WIDTH)
    return "\n".join(lines)


def _told(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(key, _plain(value)) for key, value in payload.items() if key not in _SHOWN_ABOVE]


def _plain(value: object) -> str:
    # braces that are meant literally stand twice, beside those of slots
    return str(value).replace("{{", "{").replace("}}", "}")


def _rule(knowledge: Knowledge, name: str) -> Rule:
    from advisor.store.loader_errors import nearest_names

    rules = _rules(knowledge)
    wanted = name.strip().lower()
    if wanted in rules:
        return rules[wanted]
    nearest = nearest_names(wanted, tuple(rules))
    message = f"There is no {name!r} in rules."
    raise UnknownNameError(Problem("unknown_record", message, key=name, nearest=nearest))


def _rules(knowledge: Knowledge) -> dict[str, Rule]:
    from advisor.store.rules import load_rule_base

    return {rule.id: rule for rule in load_rule_base(knowledge).rules}


def _place(knowledge: Knowledge, rule_id: str) -> tuple[str | None, int | None]:
    from advisor.store.rules import read_rule_files

    _, places = read_rule_files(knowledge.path, overlays=knowledge.overlays)
    return places.with_gotchas(knowledge)(f"rules[{rule_id}]")
