"""How each decision is made, as a Mermaid flowchart: rules by option, in the order they count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from advisor.exports.decision_tables import chosen_decisions

if TYPE_CHECKING:
    from advisor.rules.model import Rule
    from advisor.store.loader import Knowledge

__all__ = ["decision_diagram", "decision_diagrams"]

_FIRST_HIT = frozenset({"sharing", "provisioning"})
_START: Mapping[str, str] = {
    "gpu": "Layouts that sizing found to fit",
    "sharing": "Ways to share the chosen GPU",
    "parallelism": "The chosen layout",
    "provisioning": "Ways to get nodes",
}
_WRAP = 44
_SPECIAL = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}


def decision_diagrams(knowledge: Knowledge, decisions: Sequence[str] = ()) -> dict[str, str]:
    """Return decision to flowchart, in the order of the decisions.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
        UnknownNameError: There is no such decision.
    """
    return {name: decision_diagram(knowledge, name) for name in chosen_decisions(decisions)}


def decision_diagram(knowledge: Knowledge, decision: str) -> str:
    """Return one decision as a flowchart.

    Where the first rule that holds decides, boxes stand in that order, rules of one option that
    follow one another in one box. Else what rules out or makes dearer is shown before the order
    by which the cheapest is taken. Warnings choose nothing and are not shown.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
    """
    from advisor.store.rules import load_rule_base

    rules = [rule for rule in load_rule_base(knowledge).rules if rule.decision == decision]
    draw = _first_hit if decision in _FIRST_HIT else _matched
    if decision == "gpu":
        draw = _ranked
    lines = ["flowchart TD", f'  start(["{_words([_START[decision]])}"])', *draw(rules)]
    return "\n".join(lines) + "\n"


def _first_hit(rules: Sequence[Rule]) -> Iterator[str]:
    forbidding = [rule for rule in rules if rule.effect == "reject" and rule.strength == "must"]
    before, label = "start", ""
    if forbidding:
        words = [f"What one of {len(forbidding)} rules forbids is out:", *_by_rule(forbidding)]
        yield f'  out["{_words(words)}"]'
        yield "  start --> out"
        before = "out"
    deciding = [rule for rule in _advising(rules) if rule.strength != "may" and _option(rule)]
    options: dict[str, None] = {}
    for number, (option, group) in enumerate(groupby(deciding, key=_option), 1):
        yield f'  when{number}{{"{_words(_by_rule(group))}"}}'
        yield f"  {before} -->{label} when{number}"
        yield f"  when{number} -->|yes| {_id(option)}"
        before, label = f"when{number}", "|no|"
        options[option] = None
    yield from _option_nodes(options)
    yield '  none(["no rule: open"])'
    yield f"  {before} -->{label} none"


def _matched(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield one box of reasons for each option: the layout is settled, rules name it."""
    deciding = [rule for rule in _advising(rules) if _option(rule)]
    options = dict.fromkeys(map(_option, deciding))
    for number, option in enumerate(options, 1):
        words = _by_rule(rule for rule in deciding if _option(rule) == option)
        yield f'  when{number}["{_words(words)}"]'
        yield f"  start --> when{number}"
        yield f"  when{number} --> {_id(option)}"
    yield from _option_nodes(options)


def _ranked(rules: Sequence[Rule]) -> Iterator[str]:
    steps = (
        ("must", "Out", "removed by a rule that must hold"),
        ("should", "Dearer", "its cost is multiplied by the rule's surcharge"),
    )
    before = "start"
    for strength, title, meaning in steps:
        found = [r for r in rules if r.effect == "reject" and r.strength == strength]
        if not found:
            continue
        yield f'  subgraph {strength}["{_words([f"{title}: {meaning}"])}"]'
        reasons = dict.fromkeys(map(_option, found))
        for number, reason in enumerate(reasons, 1):
            words = _by_rule(rule for rule in found if _option(rule) == reason)
            about = reason.replace("_", " ") or "other"
            yield f'    {strength}{number}["{_words([f"{about}:", *words])}"]'
        yield "  end"
        yield f"  {before} --> {strength}"
        before = strength
    yield '  rank["By the priority: cost, latency, throughput or simplicity"]'
    yield f"  {before} --> rank"
    yield '  choice(["The first one"])'
    yield "  rank --> choice"


def _advising(rules: Iterable[Rule]) -> Iterator[Rule]:
    return (rule for rule in rules if rule.effect == "recommend")


def _option(rule: Rule) -> str:
    return str(rule.payload.get("option", ""))


def _option_nodes(options: Iterable[str]) -> Iterator[str]:
    for option in options:
        words = "the stated one" if "{" in option else option
        yield f'  {_id(option)}(["{_words([words])}"])'


def _id(option: str) -> str:
    return "option_" + "".join(c if c.isalnum() else "_" for c in option)


def _by_rule(rules: Iterable[Rule]) -> list[str]:
    """Return one line for each rule; rules of one title are told once."""
    return list(dict.fromkeys(rule.title or rule.id for rule in rules))


def _words(lines: Iterable[str]) -> str:
    """Return text as it stands between quotes in Mermaid, in lines of readable width."""
    import textwrap

    wrapped = [part for line in lines for part in textwrap.wrap(line, _WRAP) or [""]]
    return "<br/>".join("".join(_SPECIAL.get(c, c) for c in part) for part in wrapped)
