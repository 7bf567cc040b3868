"""Rules, facts and a recording library for the trap tests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from advisor.engine import Outcome, select_engine
from advisor.engine.durable_program import DurableProgram
from advisor.engine.reference import program_of
from advisor.rules import Fact, RuleBase, Vocabulary, load_rules

WORDS = Vocabulary.of(
    {
        "answers": {"workload.kind": "str", "hardware.nodes": "int"},
        "candidate": {"gpu": "str", "price": "number", "count": "number", "fits": "bool"},
        "gpu": {"id": "str", "price": "number", "p2039599": "number", "p2222382": "number"},
    }
)


def rule(name: str, when: str, binds: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "decision": "gpu",
        "for": binds or {},
        "when": when,
        "effect": "warn",
        "because": "why",
        "cite": ["1"],
        **more,
    }


def base_of(*records: dict[str, Any]) -> RuleBase:
    return load_rules(records, WORDS)


def candidate(name: str, **fields: Any) -> Fact:
    return Fact("candidate", name, fields)


def fire(base: RuleBase, *facts: Fact) -> Outcome:
    return select_engine("both").fire(base, facts)


def fired(outcome: Outcome) -> set[tuple[str, ...]]:
    return {(f.rule, *(fact_id for _, fact_id in f.facts)) for f in outcome.firings}


def patterns(base: RuleBase) -> Iterator[list[dict[str, Any]]]:
    """Yield the tests of every pattern that the library gets for the rules of ``base``."""
    ruleset = json.loads(DurableProgram(base, program_of(base)).text)
    for name, content in ruleset.items():
        for pattern in content["all"] if name not in ("prime", "float") else ():
            (condition,) = pattern.values()
            yield condition["$and"]


PAIR = {"c": "candidate", "d": "candidate"}
RICH = base_of(
    rule("joins", "c.price < d.price * 1.5 + 1 and c.gpu == d.gpu and c.count != d.count", PAIR),
    rule("or", "c.fits or c.gpu in ['a', 'b'] or missing(c.price)", {"c": "candidate"}),
    rule("answers", "workload.kind == 'serving' and hardware.nodes > 1"),
    rule("none", "c.fits", {"c": "candidate"}, none=[{"o": "gpu", "where": "o.price < c.price"}]),
)


def is_join(test: dict[str, Any]) -> bool:
    (value,) = test.values()
    inner = next(iter(value.values())) if isinstance(value, dict) else value
    return isinstance(inner, dict) or (isinstance(value, dict) and next(iter(value))[0] == "f")


class Recorder:
    """The library, with every call of a consultation noted; can be told to fail."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.fail = False

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> Any:
            if name not in ("create_ruleset", "delete_ruleset"):
                self.calls.append((name, args))
            if name == "assert_facts" and self.fail:
                self._library.assert_facts(*args)
                raise RuntimeError("half-filled")
            return getattr(self._library, name)(*args)

        return call

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]
