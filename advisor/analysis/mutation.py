"""Are faults in rules noticed? Each mutant of a rule must change some consultation of a corpus.

One pass over the corpus records, for every mutant, in which consultations it would match other
facts than the rule it was made of: while the rules fire, all mutants fire beside them on the same
facts. Only those consultations are worked out again with the mutant in the rule's place, and the
first that differs in structure (``mutation_summary``) settles it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from advisor.analysis.mutation_corpus import Half, consulted
from advisor.analysis.mutation_mutants import Mutant
from advisor.analysis.mutation_screen import Instead, Screen
from advisor.analysis.mutation_summary import Summary, rules_in
from advisor.answers.model import Answers
from advisor.consult.platform.stages import stages_of
from advisor.engine import reference
from advisor.engine.select import Engine
from advisor.rules.model import RuleBase
from advisor.store.loader import Knowledge

__all__ = ["Corpus", "Verdict", "judge", "screened", "with_rule"]

NOTED = 60
"""Consultations that are noted for one mutant."""
TRIED = 24
"""Consultations of which the second half is tried for one mutant."""
TRIED_WHOLE = 6
"""Whole consultations that are tried for one mutant: sizing takes its time."""

_REFERENCE = Engine("reference", "mutants", reference.fire)

State = Literal["noticed", "unnoticed"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one mutant."""

    mutant: Mutant
    state: State
    by: str | None = None
    """The consultation that noticed it."""
    tried: tuple[str, ...] = ()
    """Where it matches other facts, and yet says the same."""
    near: str | None = None
    """Where the unchanged rule fires, if anywhere."""


@dataclass
class Corpus:
    """Answers, and what they lead to under the rules as they are."""

    answers: Mapping[str, Answers]
    knowledge: Knowledge
    base: RuleBase
    summaries: dict[str, Summary] = field(default_factory=dict)
    fired: dict[str, list[str]] = field(default_factory=dict)
    """Rule id to the consultations in which it fires."""
    told: dict[str, set[str]] = field(default_factory=dict)
    """Rule id to the consultations whose decisions name the rule: these are tried first."""
    weights: dict[str, int] = field(default_factory=dict)
    """How many facts each consultation has: the light ones are tried first."""

    halves: dict[str, Half] = field(default_factory=dict)
    """What the second half of each consultation starts from."""
    _seconds: dict[str, Summary] = field(default_factory=dict)

    def add(self, name: str, engine: Engine) -> None:
        """Work out what the answers called ``name`` lead to under the rules as they are."""
        halves: list[Half] = []
        answers = self.answers[name]
        self.summaries[name] = consulted(answers, self.knowledge, self.base, engine, halves)
        if halves:
            self.halves[name] = halves[-1]
        for rule in rules_in(self.summaries[name]):
            self.told.setdefault(rule, set()).add(name)

    def notices(self, name: str, mutant: Mutant) -> bool:
        """Tell whether the advice for the answers called ``name`` differs with a faulty rule.

        A rule that fires after GPU and pattern are chosen cannot change them: then only what
        follows is worked out again.
        """
        if name not in self.summaries:
            self.add(name, _REFERENCE)
        faulty = with_rule(self.base, mutant)
        engine = Engine("reference", "mutants", Instead(self.base, mutant, faulty).fire)
        half = self.halves.get(name)
        try:
            if half is None or mutant.original.id in stages_of(self.base).fit.by_id:
                theirs = consulted(self.answers[name], self.knowledge, faulty, engine)
                return theirs != self.summaries[name]
            if name not in self._seconds:
                self._seconds[name] = half.summary(self.base, _REFERENCE)
            return half.summary(faulty, engine) != self._seconds[name]
        except Exception:  # noqa: BLE001 - whatever a faulty rule breaks, it does not go unnoticed
            return True


def screened(corpus: Corpus, mutants: Sequence[Mutant]) -> dict[str, list[str]]:
    """Return, by mutant id, consultations in which it matches other facts than its rule.

    A mutant with other effects counts wherever its rule fires. Fills in what the corpus says of
    the rules as they are.
    """
    screen = Screen(corpus.base, mutants)
    engine = Engine("reference", "mutants", screen.fire)
    changed: dict[str, list[str]] = {mutant.id: [] for mutant in mutants}
    for name in corpus.answers:
        screen.start({mutant_id for mutant_id, names in changed.items() if len(names) >= NOTED})
        corpus.add(name, engine)
        corpus.weights[name] = screen.weight
        for rule in sorted(screen.fired):
            corpus.fired.setdefault(rule, []).append(name)
        for mutant_id in screen.changed:
            changed[mutant_id].append(name)
    for mutant in mutants:
        if mutant.same_matches:
            changed[mutant.id] = corpus.fired.get(mutant.original.id, [])
    return changed


def judge(corpus: Corpus, mutant: Mutant, changed: Sequence[str]) -> Verdict:
    """Return whether a consultation of ``changed`` differs with the mutant in its rule's place.

    Args:
        corpus: After :func:`screened`.
        mutant: A rule with a fault.
        changed: Where it matches other facts.
    """
    told = corpus.told.get(mutant.original.id, set())
    own = {name for name in corpus.answers if mutant.original.id in name}
    names = set(changed)
    if len(changed) >= NOTED:  # there are more than were noted: these are the likeliest
        names |= own | told
    early = mutant.original.id in stages_of(corpus.base).fit.by_id
    most = TRIED_WHOLE if early else TRIED
    tried = sorted(names, key=lambda n: (n not in own, n not in told, corpus.weights[n], n))[:most]
    for name in tried:
        if corpus.notices(name, mutant):
            return Verdict(mutant, "noticed", name)
    near = next(iter(corpus.fired.get(mutant.original.id, ())), None)
    return Verdict(mutant, "unnoticed", None, tuple(tried), near)


def with_rule(base: RuleBase, mutant: Mutant) -> RuleBase:
    """Return the rules with the mutant in the place of its rule."""
    changed = mutant.rule or replace(mutant.original, disjuncts=())
    rules = tuple(changed if rule.id == changed.id else rule for rule in base.rules)
    return replace(base, rules=rules, by_id={rule.id: rule for rule in rules}, _views={})
