"""Rules as data: the condition language, the frozen rule model and its validator.

A rule file is YAML that an engineer can read. :func:`load_rules` turns its plain mappings
into a frozen :class:`RuleBase`, or raises one ``KnowledgeError`` that lists every problem.
The engines (``advisor.engine``) and the three-valued evaluator
(:mod:`advisor.rules.three_valued`) all work on that one compiled form.

What a condition means (all evaluators agree on exactly this):

* **Facts.** A fact has a kind, an id and scalar fields (text, number, yes/no). A field that
  is missing (or null) is *unknown*. The answers are one fact of kind ``answers``; answers
  that are lists are facts of kind ``item`` (``key``, ``value``), one per element.
* **Patterns.** Each alias in ``for`` binds one fact of its kind; a rule that mentions an
  answer also binds the answers fact. Two patterns of one rule, negated ones included, never
  bind the same fact.
* **Unknown makes every test false**, also ``!=`` and ``not in``; only ``missing(x)`` is true
  of an unknown field. ``not`` is pushed down to the tests, so ``not (a < b)`` is ``a >= b``
  and is false when either is unknown.
* **Types never mix.** Numbers, text and yes/no are never equal across types, and only
  numbers have an order. The validator refuses a comparison that mixes them.
* **Arithmetic** is adding, subtracting and multiplying by constants, in double precision,
  left to right. There is no division.
* **Lists.** ``'amd' in hardware.vendors`` is true when an item with that key and value
  exists, ``'amd' not in hardware.vendors`` when none does: also when the list was never
  given. ``known`` and ``missing`` of a list ask whether it has any item.
* **Negated patterns** (``none``) hold when no other fact of that kind satisfies ``where``.
  A field of the rule's own facts that ``where`` compares with must be known, otherwise the
  rule does not match: a candidate without a price cannot be the cheapest.
* **Or.** ``when`` is brought to disjunctive normal form; two disjuncts that match the same
  facts give one firing.
* **Derived facts** are identified by kind and content; deriving what already exists adds
  nothing. A field whose expression is unknown is left out of the derived fact. Negation is
  stratified: no rule may depend on the absence of what it helps to derive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.rules.facts import Fact as Fact
    from advisor.rules.facts import Scalar as Scalar
    from advisor.rules.load import check_rules as check_rules
    from advisor.rules.load import load_rules as load_rules
    from advisor.rules.model import Rule as Rule
    from advisor.rules.model import RuleBase as RuleBase
    from advisor.rules.record import rule_schema as rule_schema
    from advisor.rules.slots import fill_payload as fill_payload
    from advisor.rules.slots import fill_text as fill_text
    from advisor.rules.three_valued import evaluate as evaluate
    from advisor.rules.three_valued import matches as matches
    from advisor.rules.three_valued import overall as overall
    from advisor.rules.verdict import Failure as Failure
    from advisor.rules.verdict import Truth as Truth
    from advisor.rules.verdict import Verdict as Verdict
    from advisor.rules.vocabulary import FieldSpec as FieldSpec
    from advisor.rules.vocabulary import Vocabulary as Vocabulary
    from advisor.rules.world import World as World

_HOMES = {
    "Fact": "facts",
    "Failure": "verdict",
    "FieldSpec": "vocabulary",
    "Rule": "model",
    "RuleBase": "model",
    "Scalar": "facts",
    "Truth": "verdict",
    "Verdict": "verdict",
    "Vocabulary": "vocabulary",
    "World": "world",
    "check_rules": "load",
    "evaluate": "three_valued",
    "matches": "three_valued",
    "overall": "three_valued",
    "fill_payload": "slots",
    "fill_text": "slots",
    "load_rules": "load",
    "rule_schema": "record",
}

__all__ = [  # noqa: PLE0604 - every name is a key of the table above
    *sorted(_HOMES),
]


def __getattr__(name: str) -> object:
    """Import the module of a public name on first use: importing this package is free."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found
