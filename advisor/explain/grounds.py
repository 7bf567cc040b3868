"""On what one firing rests: the tests that held, the values that they saw, where these are from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.explain.words import Basis, basis_of, value_words
from advisor.rules.conditions import Atom, ListAny, ListHas, Presence, refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.truth import TRUE, compile_condition

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.explain.adviser import Adviser
    from advisor.explain.recording import Fired
    from advisor.rules.facts import Fact
    from advisor.rules.model import Conjunction

__all__ = ["Ground", "answer_grounds", "fact_grounds"]

_SOURCES = {
    "candidate": "sizing",
    "gpu": "GPU catalogue",
    "load": "the load",
    "way": "ways to share",
    "pool": "ways to provision",
    "chosen": "decided before",
    "cluster": "the cluster",
    "fleet": "sizing of all loads",
    "job": "sizing of the job",
}
"""Where facts of a kind come from."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One value that a rule matched on and that is no answer."""

    text: str
    kind: str
    fact: str
    name: str


def _held(fired: Fired) -> Conjunction:
    """Return the tests of the first way in which the rule held."""
    world = fired.stage.world()
    for conjunction in fired.rule.disjuncts:
        if all(compile_condition(atom)(fired.binding, world) == TRUE for atom in conjunction):
            return conjunction
    return ()


def answer_grounds(
    fired: Fired, answers: Answers, told: Consultation, adviser: Adviser
) -> tuple[Basis, ...]:
    """Return the answers and assumptions that the firing rests on, in the order of its tests."""
    keys = dict.fromkeys(key for atom in _held(fired) for key in _keys(atom, fired))
    return tuple(basis_of(key, answers, told, adviser) for key in keys)


def _keys(atom: Atom, fired: Fired) -> Iterator[str]:
    if isinstance(atom, ListHas | ListAny):
        yield atom.key
        return
    for ref in refs_of(atom):
        bound = fired.binding.get(ref.alias)
        if ref.alias == ANSWERS or (bound is not None and bound.kind == ANSWERS):
            yield ref.field


def fact_grounds(fired: Fired) -> tuple[Ground, ...]:
    """Return what else it matched on: sizes, catalogue entries, what was decided before."""
    found: dict[str, Ground] = {}
    for atom in _held(fired):
        for ref in () if isinstance(atom, ListHas | ListAny) else refs_of(atom):
            fact = fired.binding.get(ref.alias)
            if fact is None or fact.kind == ANSWERS:
                continue
            ground = _ground(fact, ref.field, atom)
            found.setdefault(ground.text, ground)
    return tuple(found.values())


def _ground(fact: Fact, name: str, atom: Atom) -> Ground:
    value = fact.fields.get(name)
    words = "not known" if value is None else value_words(value)
    if isinstance(atom, Presence) and value is None:
        words = "none"
    source = _SOURCES.get(fact.kind, fact.kind.replace("_", " "))
    text = f"{name.replace('_', ' ')}: {words} ({source}: {fact.id})"
    return Ground(text, fact.kind, fact.id, name)
