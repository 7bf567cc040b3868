"""Whether the durable back end can be trusted on this machine.

Five small rules over four facts, run on both back ends: a literal, a fractional comparison
(false under a locale with a decimal comma), joins of whole and fractional numbers, chaining,
and negation. Built without the YAML reader so that ``--version`` stays quick.
"""

from __future__ import annotations

from importlib.util import find_spec

from advisor.errors import GpuAdvisorError
from advisor.rules.conditions import And, Atom, Compare, Const, Node, Ref
from advisor.rules.facts import Fact
from advisor.rules.model import Derivation, Negation, Rule, RuleBase
from advisor.rules.strata import stratify

__all__ = ["durable_trouble", "self_test_base", "self_test_facts"]

LIBRARY = "durable_rules_engine"
EXPECTED = ("literal", "fraction", "join", "chain", "alone")


def durable_trouble() -> str | None:
    """Return why the durable back end cannot be used here, or None."""
    if find_spec(LIBRARY) is None:
        return "durable-rules is not installed"
    from advisor.engine import durable, reference

    try:
        durable.library()
    except ImportError as error:  # a build for another Python, say
        return f"durable-rules does not import ({error})"
    base, facts = self_test_base(), self_test_facts()
    try:
        found = durable.fire(base, facts, 100)
    except GpuAdvisorError as error:
        return f"durable-rules failed its self-test ({error})"
    wanted = reference.fire(base, facts, 100)
    fired = {firing.rule for firing in found.firings}
    if found.firings != wanted.firings or found.blocked != wanted.blocked:
        return "durable-rules failed its self-test (wrong firings)"
    if fired != set(EXPECTED):
        return "the self-test fired the wrong rules"
    return None


def self_test_facts() -> list[Fact]:
    """Return the facts of the self-test."""
    return [
        Fact("card", "small", {"id": "small", "size": 1.2, "count": 4}),
        Fact("card", "large", {"id": "large", "size": 1.5, "count": 2}),
        Fact("load", "load", {"card": "large", "count": 4.0, "size": 1.25}),
    ]


def self_test_base() -> RuleBase:
    """Return the five rules of the self-test."""
    card, load, need = ("c", "card"), ("w", "load"), ("n", "need")
    larger: Atom = Compare(Ref("o", "size"), ">", Ref("c", "size"))
    rules = [
        _rule("literal", (load,), Compare(Ref("w", "card"), "==", Const("large"))),
        _rule("fraction", (card,), Compare(Ref("c", "size"), ">", Const(1.45))),
        _rule(
            "join",
            (load, card),
            Compare(Ref("c", "count"), "==", Ref("w", "count")),
            derives=Derivation("need", (("count", Ref("c", "count")),)),
        ),
        _rule("chain", (need,), Compare(Ref("n", "count"), "==", Const(4))),
        _rule(
            "alone",
            (card,),
            And(()),
            negations=(Negation("o", "card", "o.size > c.size", larger, ((larger,),)),),
            required=(Ref("c", "size"),),
        ),
    ]
    placed = tuple(_placed(rule, order) for order, rule in enumerate(rules))
    strata = stratify(placed)
    return RuleBase(
        rules=placed,
        reads={
            "card": {"size": "number", "count": "number"},
            "load": {"card": "text", "count": "number"},
            "need": {"count": "number"},
        },
        phases=strata.phases,
        recursive=strata.recursive,
        by_id={rule.id: rule for rule in placed},
    )


def _placed(rule: Rule, order: int) -> Rule:
    from dataclasses import replace

    return replace(rule, order=order)


def _rule(
    name: str,
    aliases: tuple[tuple[str, str], ...],
    condition: Node,
    *,
    derives: Derivation | None = None,
    negations: tuple[Negation, ...] = (),
    required: tuple[Ref, ...] = (),
) -> Rule:
    atoms: tuple[Atom, ...] = () if isinstance(condition, And) else (condition,)  # type: ignore[assignment]
    return Rule(
        id=name,
        order=0,
        decision="facts",
        aliases=aliases,
        when=str(condition),
        condition=condition,
        disjuncts=(atoms,),
        negations=negations,
        required=required,
        effect="derive" if derives else "warn",
        strength="should",
        payload={},
        derivation=derives,
        because="self-test",
        cite=("0",),
    )
