"""Rules that could speak for an option and do not, and why; rules that speak against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from advisor.explain.target import Target
from advisor.rules.conditions import Atom, ListAny, ListHas, atoms_of, refs_of
from advisor.rules.facts import ANSWERS, Fact, Scalar
from advisor.rules.three_valued import evaluate
from advisor.rules.verdict import Failure, Truth

if TYPE_CHECKING:
    from advisor.explain.recording import Fired, Recording, Stage
    from advisor.rules.model import Rule

__all__ = ["Against", "Miss", "against", "keys_of_atom", "keys_of_rule", "layouts_of", "misses"]

_JUDGED = frozenset({"candidate", "fleet", "way", "pool"})
_MOST_BINDINGS = 60


@dataclass(frozen=True, slots=True)
class Miss:
    """A rule that recommends the option, as near as it comes."""

    rule: Rule
    failed: tuple[Failure, ...]
    """Tests that are false; empty: it fires, and something else goes before it."""
    layout: str | None = None
    """Id of the sized layout that it speaks for, where it is one."""

    @property
    def keys(self) -> dict[str, list[Atom]]:
        """The answers behind the failed tests."""
        found: dict[str, list[Atom]] = {}
        for failure in self.failed:
            for key in () if failure.atom is None else keys_of_atom(failure.atom, self.rule):
                if failure.atom is not None:
                    found.setdefault(key, []).append(failure.atom)
        return found


@dataclass(frozen=True, slots=True)
class Against:
    """A rule that fired against the option."""

    fired: Fired
    must: bool


def keys_of_atom(atom: Atom, rule: Rule) -> tuple[str, ...]:
    """Return the answers that a test reads."""
    if isinstance(atom, ListHas | ListAny):
        return (atom.key,)
    kinds = dict(rule.aliases)
    return tuple(ref.field for ref in refs_of(atom) if kinds.get(ref.alias, ANSWERS) == ANSWERS)


def keys_of_rule(rule: Rule) -> tuple[str, ...]:
    """Return the answers that a rule reads, in the order of its condition."""
    atoms = [*atoms_of(rule.condition)]
    for negation in rule.negations:
        atoms += atoms_of(negation.condition)
    return tuple(dict.fromkeys(key for atom in atoms for key in keys_of_atom(atom, rule)))


def misses(recording: Recording, target: Target) -> tuple[Miss, ...]:
    """Return the rules that recommend the option, the fewest failed tests first."""
    found = []
    for stage in recording.stages:
        for rule in stage.base.rules:
            if _recommends(rule, target):
                miss = _nearest(stage, rule, target)
                if miss is not None:
                    found.append(miss)
    unique = {miss.rule.id: miss for miss in found}
    return tuple(sorted(unique.values(), key=lambda miss: (len(miss.failed), miss.rule.order)))


def _recommends(rule: Rule, target: Target) -> bool:
    if rule.effect != "recommend" or rule.decision != target.decision:
        return False
    payload = rule.payload
    if target.option is not None and payload.get("option") == target.option:
        return True
    return target.option is None and any(
        payload.get(key) == value for key, value in target.parameters
    )


def _nearest(stage: Stage, rule: Rule, target: Target) -> Miss | None:
    world = stage.world()
    choices = [_facts(stage, kind, target) for _, kind in rule.aliases if kind != ANSWERS]
    aliases = [alias for alias, kind in rule.aliases if kind != ANSWERS]
    best: Miss | None = None
    for facts in islice(product(*choices), _MOST_BINDINGS):
        if len({fact.id for fact in facts}) < len(facts):
            continue
        verdict = evaluate(rule, dict(zip(aliases, facts, strict=True)), world)
        failed = verdict.failed if verdict.value is Truth.FALSE else ()
        if best is None or len(failed) < len(best.failed):
            sized = next((fact.id for fact in facts if fact.kind == "candidate"), None)
            best = Miss(rule, failed, sized)
        if not failed:
            break
    return best


def _facts(stage: Stage, kind: str, target: Target) -> tuple[Fact, ...]:
    facts = tuple(fact for fact in stage.outcome.facts if fact.kind == kind)
    if kind not in _JUDGED:
        return facts
    return tuple(fact for fact in facts if is_target(fact, target))


def is_target(fact: Fact, target: Target) -> bool:
    """Tell whether a fact that rules judge is the option, or a layout of the sizes, GPU, format."""
    fields = fact.fields
    if fact.kind in {"way", "pool"}:
        return target.option in {None, fields.get("option")}
    if not target.is_kind(str(fields.get("gpu")), str(fields.get("weight_format"))):
        return False
    if target.option is not None and not _is_layout(fields, target.option):
        return False
    return all(fields.get(key, value) == value for key, value in target.parameters)


def layouts_of(recording: Recording, target: Target) -> tuple[str, ...]:
    """Return the ids of the layouts that carry the load and are what is meant."""
    found = recording.of_kind("candidate")
    return tuple(fact.id for _, fact in found if is_target(fact, target))


def _is_layout(fields: Mapping[str, Scalar], option: str) -> bool:
    """Tell whether a sized layout is of a pattern; only the plain ones can be told by sizes."""
    tensor, stages = fields.get("tensor_parallel", 1), fields.get("pipeline_parallel", 1)
    split = (tensor != 1, stages != 1)
    wanted = _SPLITS.get(option)
    one = fields.get("gpus_per_replica", 1) == 1
    return wanted == split and (one or split != (False, False))


_SPLITS = {
    "single": (False, False),
    "replicas": (False, False),
    "tensor": (True, False),
    "pipeline": (False, True),
    "tensor_pipeline": (True, True),
}
"""By pattern: whether layers are split, and whether there are stages."""


def against(recording: Recording, target: Target) -> tuple[Against, ...]:
    """Return the rules that fired against the option, each once, those that forbid it first."""
    found: dict[str, Against] = {}
    for stage in recording.stages:
        ids = dict.fromkeys(
            firing.rule
            for firing in stage.outcome.firings
            if stage.base.rule(firing.rule).effect == "reject"
        )
        for name in ids:
            own = (one for one in stage.fired(name) if _judges(one, target))
            first = next(own, None)
            if first is not None and _is_filled(first):
                found.setdefault(name, Against(first, first.rule.strength == "must"))
    return tuple(sorted(found.values(), key=lambda one: (not one.must, one.fired.rule.order)))


def _judges(fired: Fired, target: Target) -> bool:
    """Tell whether a firing is about the target and nothing else."""
    judged = [fact for fact in fired.binding.values() if fact.kind in _JUDGED]
    if not judged:
        return False
    about = {"way": ("sharing",), "pool": ("provisioning",)}.get(judged[0].kind, _SIZED)
    return target.decision in about and all(is_target(fact, target) for fact in judged)


def _is_filled(fired: Fired) -> bool:
    """Tell whether every slot of the reason has a value here."""
    return fired.because.count("unknown") == fired.rule.because.count("unknown")


_SIZED = ("gpu", "parallelism")
