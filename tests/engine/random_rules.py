"""Seeded random rule bases and fact sets for the differential tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from advisor.rules import Fact, FieldSpec, RuleBase, Vocabulary, check_rules, load_rules

FORMATS = ("bf16", "fp8", "int4")
KINDS = ("serving", "training", "batch")
VENDORS = ("nvidia", "amd", "intel")
NAMES = ("h100", "l4", 'quo"te', "ümlaut\n", "")

VOCABULARY = Vocabulary.of(
    {
        "answers": {
            "workload.kind": KINDS,
            "workload.model": "str",
            "hardware.nodes": "int",
            "objectives.price": "number",
            "tenancy.shared": "bool",
            "hardware.vendors": FieldSpec("list", VENDORS),
        },
        "candidate": {
            "gpu": "str",
            "format": FORMATS,
            "price": "number",
            "count": "int",
            "fits": "bool",
        },
        "gpu": {"id": "str", "memory": "float", "native": "bool", "count": "int"},
        "need": {"count": "number", "gpu": "str", "flag": "bool"},
        "plan": {"format": FORMATS, "count": "number", "gpu": "str"},
    }
)
GIVEN = ("candidate", "gpu")
DERIVED = ("need", "plan")
TEXT_FIELDS = {
    "candidate": ["gpu"],
    "gpu": ["id"],
    "need": ["gpu"],
    "plan": ["gpu"],
    "item": ["value"],
}
NUMBER_FIELDS = {
    "candidate": ["price", "count"],
    "gpu": ["memory", "count"],
    "need": ["count"],
    "plan": ["count"],
    "item": [],
}
BOOL_FIELDS = {"candidate": ["fits"], "gpu": ["native"], "need": ["flag"], "plan": [], "item": []}
NUMBERS = (0, 1, 2, 3, 2.0, 0.5, 1e-05, 1e16, -1, 2.5, 0.1)


def seeded(seed: int) -> random.Random:
    """Return a generator whose numbers are the same in every run."""
    return random.Random(seed)  # noqa: S311 - test data, not secrets


def random_base(rng: random.Random, size: int) -> tuple[RuleBase, list[dict[str, Any]]]:
    """Return a rule base of up to ``size`` valid rules, and its records."""
    records: list[dict[str, Any]] = []
    while len(records) < size:
        record = _rule(rng, f"r{len(records)}")
        if not check_rules([record], VOCABULARY):
            records.append(record)
    while problems := check_rules(records, VOCABULARY):
        unstratified = {problem.key.split("]")[0] + "]" for problem in problems if problem.key}
        assert {problem.code for problem in problems} == {"unstratified_negation"}
        records = [record for record in records if f"rules[{record['id']}]" not in unstratified]
    return load_rules(records, VOCABULARY), records


def random_facts(rng: random.Random, most: int = 5) -> list[Fact]:
    """Return answers, list elements, candidates, GPUs and the odd given ``need``."""
    facts: list[Fact] = []
    if rng.random() < 0.95:
        facts.append(Fact("answers", "answers", _some(rng, _answers(rng))))
    vendors = rng.sample(VENDORS, rng.randrange(3))
    facts += [
        Fact("item", f"i{n}", {"key": "hardware.vendors", "value": vendor})
        for n, vendor in enumerate(vendors)
    ]
    if rng.random() < 0.5:
        facts.append(Fact("item", "model", {"key": "hardware.gpu", "value": rng.choice(NAMES)}))
    facts += [
        Fact("candidate", f"c{n}", _some(rng, _candidate(rng))) for n in range(rng.randint(1, most))
    ]
    facts += [Fact("gpu", f"g{n}", _some(rng, _gpu(rng))) for n in range(rng.randint(0, most // 2))]
    if rng.random() < 0.3:
        facts.append(
            Fact("need", "given", _some(rng, {"count": rng.choice(NUMBERS), "flag": True}))
        )
    rng.shuffle(facts)
    return facts


def _some(rng: random.Random, fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if rng.random() < 0.85}


def _answers(rng: random.Random) -> dict[str, Any]:
    return {
        "workload.kind": rng.choice(KINDS),
        "workload.model": rng.choice(NAMES),
        "hardware.nodes": rng.randrange(4),
        "objectives.price": rng.choice(NUMBERS),
        "tenancy.shared": rng.random() < 0.5,
    }


def _candidate(rng: random.Random) -> dict[str, Any]:
    return {
        "gpu": rng.choice(NAMES),
        "format": rng.choice(FORMATS),
        "price": rng.choice((*NUMBERS, rng.uniform(0, 3))),
        "count": rng.choice((0, 1, 2, 3, 2.0)),
        "fits": rng.random() < 0.5,
    }


def _gpu(rng: random.Random) -> dict[str, Any]:
    return {
        "id": rng.choice(NAMES),
        "memory": rng.choice(NUMBERS),
        "native": rng.random() < 0.5,
        "count": rng.randrange(4),
    }


def _rule(rng: random.Random, name: str) -> dict[str, Any]:
    count = rng.choice((0, 1, 1, 1, 2, 2, 3))
    kinds = [rng.choice((*GIVEN, *GIVEN, *DERIVED, "item")) for _ in range(count)]
    aliases = dict(zip("abc", kinds, strict=False))
    record: dict[str, Any] = {
        "id": name,
        "decision": "facts",
        "for": aliases,
        "when": _condition(rng, aliases, 2),
        "effect": "warn",
        "because": "why",
        "cite": ["1"],
    }
    if len(aliases) > 1:
        pairs = list(aliases)
        joins = [_join(rng, aliases, pairs[n], pairs[n + 1]) for n in range(len(pairs) - 1)]
        record["when"] = " and ".join([*joins, f"({record['when']})"])
    if rng.random() < 0.3:
        record["none"] = [_negated(rng, aliases) for _ in range(rng.choice((1, 1, 2)))]
    if rng.random() < 0.4:
        record["effect"] = "derive"
        record["set"] = _derivation(rng, aliases)
    return record


def _negated(rng: random.Random, aliases: dict[str, str]) -> dict[str, str]:
    kind = rng.choice((*GIVEN, *DERIVED, "item"))
    inner = {**aliases, "o": kind}
    where = _condition(rng, inner, 1)
    if aliases:
        where = f"{_join(rng, inner, 'o', rng.choice(list(aliases)))} and ({where})"
    return {"o": kind, "where": where}


def _derivation(rng: random.Random, aliases: dict[str, str]) -> dict[str, Any]:
    kind = rng.choice(DERIVED)
    # Arithmetic on derived facts could count up for ever; plain values cannot.
    finite = all(bound not in DERIVED for bound in aliases.values())
    fields: dict[str, Any] = {"count": rng.choice((1, 2.0, 3))}
    numbers = _fields(aliases, NUMBER_FIELDS)
    if numbers and rng.random() < 0.6:
        fields["count"] = rng.choice(numbers) + (rng.choice((" * 2", " + 1", "")) if finite else "")
    texts = _fields(aliases, TEXT_FIELDS)
    if rng.random() < 0.6:
        fields["gpu"] = rng.choice(texts) if texts else "'h100'"
    if kind == "plan":
        fields["format"] = f"'{rng.choice(FORMATS)}'"
    return {"kind": kind, "fields": fields}


def _fields(aliases: dict[str, str], table: dict[str, list[str]]) -> list[str]:
    return [f"{alias}.{name}" for alias, kind in aliases.items() for name in table[kind]]


def _condition(rng: random.Random, aliases: dict[str, str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.3:
        return _atom(rng, aliases)
    if rng.random() < 0.2:
        return f"not ({_condition(rng, aliases, depth - 1)})"
    word = rng.choice((" and ", " or "))
    parts = [_condition(rng, aliases, depth - 1) for _ in range(rng.choice((1, 2, 2, 3)))]
    return f"({word.join(parts)})"


def _atom(rng: random.Random, aliases: dict[str, str]) -> str:
    makers = [_answer_atom, _answer_atom, _field_atom, _field_atom, _field_atom, _numeric_join]
    made = rng.choice(makers)(rng, aliases)
    return made or _answer_atom(rng, aliases)


def _answer_atom(rng: random.Random, _aliases: dict[str, str]) -> str:
    return rng.choice(
        (
            f"workload.kind {rng.choice(('==', '!='))} '{rng.choice(KINDS)}'",
            f"workload.kind {rng.choice(('in', 'not in'))} ['serving', '{rng.choice(KINDS)}']",
            f"workload.model == {rng.choice(NAMES)!r}",
            f"hardware.nodes {_order(rng)} {rng.randrange(4)}",
            f"objectives.price {_order(rng)} {rng.choice(NUMBERS)!r}",
            f"hardware.nodes {_order(rng)} objectives.price",
            "tenancy.shared",
            f"{rng.choice(('known', 'missing'))}(tenancy.shared)",
            f"'{rng.choice(VENDORS)}' {rng.choice(('in', 'not in'))} hardware.vendors",
            f"{rng.choice(('known', 'missing'))}(hardware.vendors)",
        )
    )


def _field_atom(rng: random.Random, aliases: dict[str, str]) -> str | None:
    numbers, texts = _fields(aliases, NUMBER_FIELDS), _fields(aliases, TEXT_FIELDS)
    bools = _fields(aliases, BOOL_FIELDS)
    made: list[str] = []
    if numbers:
        name = rng.choice(numbers)
        made.append(f"{name} {_order(rng)} {rng.choice(NUMBERS)!r}")
        made.append(f"{name} * 2 + 1 {_order(rng)} {rng.choice(NUMBERS)!r}")
        made.append(f"{rng.choice(('known', 'missing'))}({name})")
        made.append(f"0 <= {name} < {rng.choice((1, 2, 3))}")
    if texts:
        name = rng.choice(texts)
        made.append(f"{name} {rng.choice(('==', '!='))} {rng.choice(NAMES)!r}")
        made.append(f"{name} {rng.choice(('in', 'not in'))} {list(rng.sample(NAMES, 2))!r}")
        made.append(f"{rng.choice(('known', 'missing'))}({name})")
    if bools:
        made.append(rng.choice(bools))
        made.append(
            f"{rng.choice(bools)} {rng.choice(('==', '!='))} {rng.choice(('true', 'False'))}"
        )
    return rng.choice(made) if made else None


def _numeric_join(rng: random.Random, aliases: dict[str, str]) -> str | None:
    numbers = [*_fields(aliases, NUMBER_FIELDS), "hardware.nodes", "objectives.price"]
    left, right = rng.sample(numbers, 2)
    shape = rng.choice(("{}", "{} * 1.5", "{} * 2 + 0.25", "-{}", "{} + {}"))
    return f"{left} {_order(rng)} {shape.format(right, rng.choice(numbers))}"


def _join(rng: random.Random, aliases: dict[str, str], one: str, other: str) -> str:
    pair = {one: aliases[one], other: aliases[other]}
    tables: Sequence[dict[str, list[str]]] = (TEXT_FIELDS, TEXT_FIELDS, NUMBER_FIELDS, BOOL_FIELDS)
    table = rng.choice(tables)
    left, right = _fields({one: pair[one]}, table), _fields({other: pair[other]}, table)
    if not left or not right:
        left = _fields({one: pair[one]}, TEXT_FIELDS)
        right, table = _fields({other: pair[other]}, TEXT_FIELDS), TEXT_FIELDS
    symbol = _order(rng) if table is NUMBER_FIELDS else rng.choice(("==", "==", "!="))
    return f"{rng.choice(left)} {symbol} {rng.choice(right)}"


def _order(rng: random.Random) -> str:
    return rng.choice(("==", "!=", "<", "<=", ">", ">="))
