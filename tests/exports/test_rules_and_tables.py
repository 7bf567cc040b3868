"""Rules, tables and diagrams outside the program say what the rules say."""

from __future__ import annotations

import re

import pytest

from advisor.consult.vocabulary import rule_vocabulary
from advisor.errors import UnknownNameError
from advisor.exports.decision_tables import decision_tables_html, decision_tables_markdown
from advisor.exports.diagram import decision_diagram, decision_diagrams
from advisor.exports.rule_catalogue import rule_catalogue
from advisor.rules import load_rules
from advisor.rules.record import RuleFile
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

_LINE = re.compile(
    r'(?:\w+(?:\[".*"\]|\{".*"\}|\(\[".*"\]\))|\w+ -->(?:\|\w+\|)? \w+|subgraph \w+\[".*"\]|end)'
)


def test_the_catalogue_is_a_rule_file_that_gives_the_same_rules() -> None:
    document = rule_catalogue(load_knowledge())
    base = load_rule_base(load_knowledge())

    RuleFile.model_validate(document)
    again = load_rules(document["rules"], rule_vocabulary(), lambda _: (None, None))

    assert [rule.id for rule in again.rules] == [rule.id for rule in base.rules]
    assert [rule.when for rule in again.rules] == [rule.when for rule in base.rules]
    assert [rule.payload for rule in again.rules] == [rule.payload for rule in base.rules]


def test_tables_hold_every_rule_of_a_decision() -> None:
    rules = [r.id for r in load_rule_base(load_knowledge()).rules if r.decision == "parallelism"]
    markdown = decision_tables_markdown(load_knowledge(), ["parallelism"])
    page = decision_tables_html(load_knowledge(), ["parallelism"])

    assert len(rules) > 30
    assert all(name in markdown and name in page for name in rules)
    assert 'id="parallelism"' in page
    assert 'id="gpu"' not in page


def test_a_decision_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        decision_diagrams(load_knowledge(), ["shering"])

    assert caught.value.problems[0].nearest == ("sharing",)


@pytest.mark.parametrize("decision", ["gpu", "sharing", "parallelism", "provisioning"])
def test_a_diagram_is_made_of_boxes_and_arrows_between_them(decision: str) -> None:
    first, *lines = decision_diagram(load_knowledge(), decision).splitlines()
    boxes = {re.match(r"\w+", line.strip())[0] for line in lines if "-->" not in line}  # type: ignore[index]
    boxes |= set(re.findall(r"subgraph (\w+)", "\n".join(lines)))
    ends = {
        name
        for line in lines
        if "-->" in line
        for name in re.fullmatch(r"(\w+) -->(?:\|\w+\|)? (\w+)", line.strip()).groups()  # type: ignore[union-attr]
    }

    assert first == "flowchart TD"
    assert all(_LINE.fullmatch(line.strip()) for line in lines)
    assert ends <= boxes
    assert "end" not in ends


@pytest.mark.parametrize("decision", ["sharing", "provisioning"])
def test_a_first_hit_diagram_keeps_the_order_in_which_rules_count(decision: str) -> None:
    text = " ".join(decision_diagram(load_knowledge(), decision).replace("<br/>", " ").split())
    rules = [
        rule
        for rule in load_rule_base(load_knowledge()).rules
        if (rule.decision, rule.effect) == (decision, "recommend")
        and rule.strength != "may"
        and "option" in rule.payload
    ]
    start = text.index("when1{")
    places = [text.index(f"{rule.title}"[:30], start) for rule in rules if rule.title]

    assert len(places) > 10
    first_seen = [place for n, place in enumerate(places) if place not in places[:n]]
    assert first_seen == sorted(first_seen)


def test_every_option_that_a_rule_recommends_is_in_the_diagram() -> None:
    for decision, text in decision_diagrams(load_knowledge()).items():
        options = {
            str(rule.payload["option"])
            for rule in load_rule_base(load_knowledge()).rules
            if (rule.decision, rule.effect) == (decision, "recommend")
            and rule.strength != "may"
            and "{" not in str(rule.payload.get("option", "{"))
        }
        assert all(f'option_{option}(["{option}"])' in text for option in options)
