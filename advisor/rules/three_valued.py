"""True, false or open: the rules' conditions when some answers are not settled.

A field is *open* when its answer is not settled: it may take any value, or stay unknown.
An atom with an open field is open, unless another field of it is settled as unknown, which
makes it false whatever comes. ``and``, ``or`` and negated patterns combine by Kleene's rules.
Where nothing is open the result equals that of the engines: a binding is true exactly when
the rule fires on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.rules.conditions import (
    And,
    Atom,
    Compare,
    ListAny,
    ListHas,
    Member,
    Node,
    Or,
    Presence,
    Ref,
    aliases_of,
    refs_of,
)
from advisor.rules.facts import ANSWERS, ITEM, Fact
from advisor.rules.model import Negation, Rule
from advisor.rules.truth import FALSE, TRUE, Condition, compile_condition
from advisor.rules.values import OPERATORS, value_of
from advisor.rules.verdict import Failure, Truth, Verdict
from advisor.rules.world import World

__all__ = ["Failure", "Truth", "Verdict", "evaluate", "matches", "may_gain", "overall"]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """The closures of one rule."""

    condition: Condition
    negations: tuple[Condition, ...]


_TRUE = Verdict(Truth.TRUE)
_FALSE = Verdict(Truth.FALSE)
_UNDECIDED = Verdict(Truth.OPEN)


_closures: WeakKeyDictionary[Rule, _Compiled] = WeakKeyDictionary()


def _compiled(rule: Rule) -> _Compiled:
    found = _closures.get(rule)
    if found is None:
        negations = tuple(compile_condition(negation.condition) for negation in rule.negations)
        found = _closures[rule] = _Compiled(compile_condition(rule.condition), negations)
    return found


def evaluate(rule: Rule, binding: Mapping[str, Fact], world: World) -> Verdict:
    """Return the verdict of ``rule`` on ``binding``.

    Args:
        rule: A rule of a loaded rule base.
        binding: Alias -> fact for every alias of the rule; ``answers`` may be left out.
        world: All facts and what is open.
    """
    bound = _with_answers(rule, binding, world)
    if bound is None:
        return Verdict(Truth.FALSE, failed=(Failure("no answers were given", ()),))
    own = _all(
        [
            _condition(rule.condition, bound, world),
            *_required(rule, bound, world),
            *_doubts(bound, world),
        ]
    )
    if own.value is Truth.FALSE:
        return own
    pairs = zip(rule.negations, _compiled(rule).negations, strict=True)
    return _all([own, *(_negation(negation, test, bound, world) for negation, test in pairs)])


def matches(rule: Rule, world: World) -> Iterator[tuple[dict[str, Fact], Verdict]]:
    """Yield every binding on which the rule is true or open, with its verdict."""
    return _search(rule, dict[str, Fact](), world)


def overall(rule: Rule, world: World) -> Verdict:
    """Return whether the rule matches anything: now, possibly later, or never.

    Open kinds count: a fact that may still appear may satisfy the rule.
    """
    found = list(matches(rule, world))
    if any(verdict.value is Truth.TRUE for _, verdict in found):
        return _TRUE
    return _may_gain([verdict for _, verdict in found], rule, world)


def may_gain(rule: Rule, world: World) -> Verdict:
    """Return open when the rule may yet match what it does not match now, else false."""
    return _may_gain([verdict for _, verdict in matches(rule, world)], rule, world)


def _may_gain(verdicts: list[Verdict], rule: Rule, world: World) -> Verdict:
    kinds = [kind for _, kind in rule.aliases if kind in world.open_kinds]
    if kinds and _could_match_later(rule, world):
        verdicts += [Verdict(Truth.OPEN, world.open_kinds[kind]) for kind in kinds]
    return _open_of(verdicts) or Verdict(Truth.FALSE)


def _could_match_later(rule: Rule, world: World) -> bool:
    """Return whether what is bound for sure (the answers) leaves the rule possible."""
    bound = _with_answers(rule, {}, world)
    return bound is not None and _compiled(rule).condition(bound, world) != FALSE


def _with_answers(
    rule: Rule, binding: Mapping[str, Fact], world: World
) -> Mapping[str, Fact] | None:
    if not rule.aliases or rule.aliases[0][0] != ANSWERS or ANSWERS in binding:
        return binding
    answers = world.answers
    return None if answers is None else {**binding, ANSWERS: answers}


def _search(
    rule: Rule, bound: dict[str, Fact], world: World
) -> Iterator[tuple[dict[str, Fact], Verdict]]:
    if len(bound) == len(rule.aliases):
        verdict = _quick(rule, bound, world)
        if verdict.value is not Truth.FALSE:
            yield dict(bound), verdict
        return
    # Tests on aliases not bound yet count as open, so false here is false for good.
    if _compiled(rule).condition(bound, world) == FALSE:
        return
    alias, kind = rule.aliases[len(bound)]
    taken = _taken(bound, world)
    for fact in world.possible(kind):
        if id(fact) not in taken:
            yield from _search(rule, {**bound, alias: fact}, world)


def _taken(bound: Mapping[str, Fact], world: World) -> set[int]:
    """Return the facts that no other alias may bind; one that stands for many is free."""
    return {id(fact) for fact in bound.values() if world.doubt(fact) is None}


def _quick(rule: Rule, bound: dict[str, Fact], world: World) -> Verdict:
    """Return the verdict without saying why a false one is false."""
    value = _compiled(rule).condition(bound, world)
    if value == FALSE:
        return _FALSE
    if value == TRUE and not rule.negations and not _doubts(bound, world):
        return _TRUE
    return evaluate(rule, bound, world)


def _doubts(bound: Mapping[str, Fact], world: World) -> list[Verdict]:
    """Return an open verdict for every bound element of an open list."""
    if not world.open_keys:
        return []
    keys = [world.doubt(fact) for fact in bound.values()]
    return [Verdict(Truth.OPEN, frozenset([key])) for key in keys if key is not None]


def _required(rule: Rule, bound: Mapping[str, Fact], world: World) -> list[Verdict]:
    return [_atom(Presence(ref, known=True), bound, world) for ref in rule.required]


def _negation(
    negation: Negation, compiled: Condition, bound: Mapping[str, Fact], world: World
) -> Verdict:
    taken = _taken(bound, world)
    keys: frozenset[str] = frozenset()
    undecided = negation.kind in world.open_kinds
    if undecided:
        keys = world.open_kinds[negation.kind]
    extended = dict(bound)
    for fact in world.possible(negation.kind):
        if id(fact) in taken:
            continue
        extended[negation.alias] = fact
        value = compiled(extended, world)
        doubt = world.doubt(fact)
        if value == TRUE and doubt is None:
            text = f"no {negation.kind} where {negation.where}"
            return Verdict(Truth.FALSE, failed=(Failure(text, (), blocker=fact.id),))
        if value != FALSE:
            undecided = True
            keys |= _condition(negation.condition, extended, world).open_keys
            keys |= frozenset([doubt] if doubt else [])
    return Verdict(Truth.OPEN, keys) if undecided else _TRUE


def _condition(node: Node, bound: Mapping[str, Fact], world: World) -> Verdict:
    if isinstance(node, And):
        return _all([_condition(part, bound, world) for part in node.parts])
    if isinstance(node, Or):
        return _any([_condition(part, bound, world) for part in node.parts])
    return _atom(node, bound, world)


def _all(parts: list[Verdict]) -> Verdict:
    failed = tuple(f for part in parts if part.value is Truth.FALSE for f in part.failed)
    if any(part.value is Truth.FALSE for part in parts):
        return Verdict(Truth.FALSE, failed=failed)
    return _open_of(parts) or _TRUE


def _any(parts: list[Verdict]) -> Verdict:
    if any(part.value is Truth.TRUE for part in parts):
        return _TRUE
    failed = tuple(failure for part in parts for failure in part.failed)
    return _open_of(parts) or Verdict(Truth.FALSE, failed=failed)


def _open_of(parts: list[Verdict]) -> Verdict | None:
    undecided = [part.open_keys for part in parts if part.value is Truth.OPEN]
    return Verdict(Truth.OPEN, frozenset().union(*undecided)) if undecided else None


def _atom(atom: Atom, bound: Mapping[str, Fact], world: World) -> Verdict:
    if isinstance(atom, ListHas | ListAny):
        return _list_test(atom, world)
    if not aliases_of(atom) <= bound.keys():
        return _UNDECIDED
    refs = refs_of(atom)
    open_refs = [ref for ref in refs if world.is_open(bound[ref.alias], ref.field)]
    if not isinstance(atom, Presence) and any(
        bound[ref.alias].fields.get(ref.field) is None for ref in refs if ref not in open_refs
    ):
        return _false(atom, refs, bound)
    if open_refs:
        return Verdict(Truth.OPEN, frozenset(_key(ref, bound) for ref in open_refs))
    return _TRUE if _holds(atom, bound) else _false(atom, refs, bound)


def _holds(atom: Compare | Member | Presence, bound: Mapping[str, Fact]) -> bool:
    fields = {alias: fact.fields for alias, fact in bound.items()}
    if isinstance(atom, Presence):
        return (value_of(atom.ref, fields) is not None) == atom.known
    if isinstance(atom, Member):
        return (value_of(atom.ref, fields) in atom.values) != atom.negated
    return OPERATORS[atom.op](value_of(atom.left, fields), value_of(atom.right, fields))


def _list_test(atom: ListHas | ListAny, world: World) -> Verdict:
    if atom.key in world.open_keys:
        return Verdict(Truth.OPEN, frozenset([atom.key]))
    elements = world.lists.get(atom.key, ())
    if isinstance(atom, ListHas):
        holds = (atom.value in elements) != atom.negated
    else:
        holds = bool(elements) == atom.known
    if holds:
        return _TRUE
    shown = ", ".join(elements) or None
    return Verdict(Truth.FALSE, failed=(Failure(str(atom), ((atom.key, shown),), atom),))


def _false(atom: Atom, refs: tuple[Ref, ...], bound: Mapping[str, Fact]) -> Verdict:
    values = tuple((str(ref), bound[ref.alias].fields.get(ref.field)) for ref in refs)
    return Verdict(Truth.FALSE, failed=(Failure(str(atom), values, atom),))


def _key(ref: Ref, bound: Mapping[str, Fact]) -> str:
    fact = bound[ref.alias]
    if fact.kind == ITEM:
        return str(fact.fields.get("key"))
    return ref.field if ref.alias == ANSWERS else f"{fact.kind}.{ref.field}"
