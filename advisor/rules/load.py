"""Plain mappings -> checked :class:`RuleBase`; every problem is reported, not the first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError, Problem
from advisor.rules.compile import compile_rule
from advisor.rules.conditions import Ref, refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.limits import limit_faults
from advisor.rules.model import Rule, RuleBase
from advisor.rules.scope import Fault
from advisor.rules.strata import Strata, stratify
from advisor.rules.vocabulary import TypeClass, Vocabulary, nearest

if TYPE_CHECKING:
    from pydantic import ValidationError

    from advisor.rules.record import RuleRecord

__all__ = ["Locate", "check_rules", "load_rules"]

_UNION_TAGS = frozenset(
    ["str", "constrained-str", "bool", "int", "float", "list[any]", "dict[str,any]", "none"]
)
"""What pydantic adds to a place to say which member of a union it tried."""

Locate = Callable[[str], tuple[str | None, int | None]]
"""Key such as ``rules[my-rule].when`` -> (file, 1-based line), either unknown as None."""


def load_rules(
    records: Sequence[Mapping[str, Any]], vocabulary: Vocabulary, locate: Locate | None = None
) -> RuleBase:
    """Return the compiled rules of ``records``, in their order.

    Args:
        records: The entries of ``rules:`` of all rule files, as read.
        vocabulary: Fact kinds and fields that conditions may use.
        locate: Finds the place of a key for error messages.

    Raises:
        KnowledgeError: Anything is wrong; it lists every problem found.
    """
    base, problems = _load(records, vocabulary, locate or _nowhere)
    if base is None:
        raise KnowledgeError(problems)
    return base


def check_rules(
    records: Sequence[Mapping[str, Any]], vocabulary: Vocabulary, locate: Locate | None = None
) -> list[Problem]:
    """Return every problem of ``records``, in reading order; empty when all is well."""
    return _load(records, vocabulary, locate or _nowhere)[1]


def _nowhere(_key: str) -> tuple[str | None, int | None]:
    return None, None


def _load(
    records: Sequence[Mapping[str, Any]], vocabulary: Vocabulary, locate: Locate
) -> tuple[RuleBase | None, list[Problem]]:
    problems: list[Problem] = []

    def report(key: str, fault: Fault) -> None:
        file, line = locate(key)
        problems.append(
            Problem(fault.code, fault.message, file, line, key, fault.allowed, fault.nearest)
        )

    rules: list[Rule] = []
    names: set[str] = set()
    for position, record in enumerate(records):
        parsed = _parsed(record, position, report)
        if parsed is None:
            continue
        if parsed.id in names:
            report(
                f"rules[{parsed.id}].id",
                Fault("duplicate_id", f"another rule is called {parsed.id!r} already."),
            )
            continue
        names.add(parsed.id)
        rule = compile_rule(parsed, len(rules), vocabulary, report)
        if rule is not None:
            rules.append(rule)
    strata = stratify(rules)
    for number, kind in strata.unstratified:
        report(f"rules[{rules[number].id}].none", _unstratified(rules, number, kind))
    for number, fault in limit_faults(rules):
        report(f"rules[{rules[number].id}].when", fault)
    if problems:
        return None, problems
    return _base(rules, strata, vocabulary), []


def _unstratified(rules: Sequence[Rule], number: int, kind: str) -> Fault:
    rule = rules[number]
    makers = [r.id for r in rules if r.derivation and r.derivation.kind == kind]
    derived = rule.derivation.kind if rule.derivation else ""
    return Fault(
        "unstratified_negation",
        f"derives {derived!r} from the absence of {kind!r}, which depends on {derived!r} again "
        f"(through {', '.join(makers)}): no well-defined meaning.",
    )


def _base(rules: Sequence[Rule], strata: Strata, vocabulary: Vocabulary) -> RuleBase:
    from dataclasses import replace

    placed = tuple(
        replace(rule, stratum=level) for rule, level in zip(rules, strata.levels, strict=True)
    )
    return RuleBase(
        rules=placed,
        reads=_reads(placed, vocabulary),
        phases=strata.phases,
        recursive=strata.recursive,
        by_id={rule.id: rule for rule in placed},
        list_keys=frozenset(
            key for key, spec in vocabulary.kinds[ANSWERS].items() if spec.type == "list"
        ),
    )


def _reads(rules: Sequence[Rule], vocabulary: Vocabulary) -> dict[str, dict[str, TypeClass]]:
    found: dict[str, dict[str, TypeClass]] = {}
    for rule in rules:
        kinds = dict(rule.aliases)
        for kind in rule.kinds:
            found.setdefault(kind, {})
        for kind, name in _fields_read(rule, kinds):
            spec = vocabulary.field(kind, name)
            if spec is not None and spec.type != "list":
                found.setdefault(kind, {})[name] = spec.type_class
    return found


def _fields_read(rule: Rule, kinds: Mapping[str, str]) -> list[tuple[str, str]]:
    refs: list[tuple[Ref, Mapping[str, str]]] = []
    for conjunction in rule.disjuncts:
        refs += [(ref, kinds) for atom in conjunction for ref in refs_of(atom)]
    for negation in rule.negations:
        scope = {**kinds, negation.alias: negation.kind}
        for conjunction in negation.disjuncts:
            refs += [(ref, scope) for atom in conjunction for ref in refs_of(atom)]
    if rule.derivation:
        refs += [(ref, kinds) for _, value in rule.derivation.fields for ref in refs_of(value)]
    return [(scope.get(ref.alias, ANSWERS), ref.field) for ref, scope in refs]


def _parsed(
    record: Mapping[str, Any], position: int, report: Callable[[str, Fault], None]
) -> RuleRecord | None:
    from pydantic import ValidationError

    from advisor.rules.record import RuleRecord

    name = record.get("id") if isinstance(record, Mapping) else None
    key = f"rules[{name if isinstance(name, str) and name else position}]"
    try:
        return RuleRecord.model_validate(record)
    except ValidationError as error:
        for place, fault in _faults(error):
            report(f"{key}{place}", fault)
    return None


def _faults(error: ValidationError) -> list[tuple[str, Fault]]:
    from advisor.rules.record import RuleRecord

    known = [field.alias or name for name, field in RuleRecord.model_fields.items()]
    found: dict[str, Fault] = {}
    for detail in error.errors(include_url=False):
        loc = [part for part in detail["loc"] if str(part) not in _UNION_TAGS]
        place = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in loc)
        last = str(loc[-1]) if loc else ""
        kind = detail["type"]
        if loc == ["cite"] and kind in ("missing", "too_short"):
            fault = Fault("missing_cite", "no citation: name the handbook section that says so.")
        elif loc == ["because"] and kind in ("missing", "string_too_short"):
            fault = Fault("missing_because", "no reason: say in one sentence why the rule holds.")
        elif loc[:1] == ["cite"] and kind == "string_type":
            fault = Fault("invalid_type", f"a section is text: quote it, '{detail['input']}'.")
        elif kind == "missing":
            fault = Fault("missing_field", f"{last!r} is missing.")
        elif kind == "extra_forbidden":
            fault = Fault(
                "unknown_key", f"a rule has no key {last!r}.", tuple(known), nearest(last, known)
            )
        elif kind == "literal_error":
            fault = _not_one_of(last, detail["input"], detail.get("ctx", {}))
        else:
            fault = Fault("invalid_type", f"{detail['msg']}; got {detail['input']!r}.")
        found.setdefault(place, fault)
    if any(place.startswith(".cite[") for place in found):
        found.pop(".cite", None)  # what was refused is not missing beside
    return list(found.items())


def _not_one_of(name: str, value: object, context: Mapping[str, Any]) -> Fault:
    expected = str(context.get("expected", "")).replace(" or ", ", ")
    allowed = tuple(word.strip("' ") for word in expected.split(","))
    return Fault(
        "impossible_value", f"{name} cannot be {value!r}.", allowed, nearest(str(value), allowed)
    )
