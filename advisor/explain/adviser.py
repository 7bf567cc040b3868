"""Consultations by answers, remembered: one question asked many times costs once.

What-if, limits, why-not and the choice of the next question consult with many variants of the same
answers. Consulting is deterministic, so what was found once holds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from advisor.answers.model import Answers
from advisor.answers.validate import override
from advisor.consult.advise import Consultant, advise
from advisor.consult.attempt import Desk
from advisor.consult.consultation import Consultation, Decision, DecisionName
from advisor.consult.given import given_answers
from advisor.consult.places import placed
from advisor.consult.platform.consult import later_decisions
from advisor.consult.platform.settled import Settled
from advisor.consult.watched import watched
from advisor.errors import InputError
from advisor.store.in_use import using

if TYPE_CHECKING:
    from advisor.answers.questions import Vocabulary
    from advisor.rules.model import RuleBase
    from advisor.store.loader import Knowledge
    from advisor.store.prices import Price

__all__ = ["Adviser"]

_MOST_REMEMBERED = 1024


T = TypeVar("T")
_OF_THE_SECOND_HALF = ("platform.", "tenancy.", "workload.traffic")
"""Answers about machines and tenants: most of them say nothing about which GPU."""


@dataclass(frozen=True, slots=True)
class _Probe:
    """Decisions, and what one needs to change an answer of the second half."""

    decisions: Mapping[DecisionName, Decision]
    settled: Settled | None
    read: frozenset[str]


class _Recent(Generic[T]):
    """What was found last, by key; the least recently wanted goes first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[object, T] = OrderedDict()

    def get(self, key: object) -> T | None:
        found = self._found.get(key)
        if found is not None:
            self._found.move_to_end(key)
        return found

    def keep(self, key: object, value: T) -> None:
        self._found[key] = value
        if len(self._found) > self._most:
            self._found.popitem(last=False)


class Adviser:
    """Advises under one knowledge base, one engine and one set of prices.

    Attributes:
        knowledge: The knowledge base.
        engine: Its name, or None for the best that works here.
        prices: What the user brought.
        before_each: Called before every consultation that is not remembered; what it raises ends
            the search under way, and what was found so far stays remembered.
    """

    def __init__(
        self,
        knowledge: Knowledge | None = None,
        *,
        engine: str | None = None,
        prices: tuple[Price, ...] = (),
        most: int = _MOST_REMEMBERED,
    ) -> None:
        if knowledge is None:
            from advisor.store.loader import load_knowledge

            knowledge = load_knowledge()
        self.knowledge, self.engine, self.prices = knowledge, engine, prices
        self.before_each: Callable[[], object] = _nothing
        self._known = _Recent[Consultation | InputError](most)
        self._probes = _Recent[_Probe](most)

    @property
    def questions(self) -> Vocabulary:
        """All questions by key."""
        from advisor.answers.questions import load_questions

        return load_questions(self.knowledge)

    @property
    def rules(self) -> RuleBase:
        """The rules."""
        from advisor.store.rules import rules_in_force

        return rules_in_force(self.knowledge)

    def consult(self, answers: Answers) -> Consultation:
        """Return what ``answers`` lead to; the same answers are worked out once.

        Raises:
            InputError: a model, GPU or engine that is neither known nor described.
        """
        key = _key(answers)
        found = self._known.get(key)
        if found is None:
            self.before_each()
            try:
                found = advise(answers, self.knowledge, engine=self.engine, prices=self.prices)
            except InputError as error:
                found = error
            self._known.keep(key, found)
        if isinstance(found, InputError):
            raise found
        return found.model_copy(update={"answers": given_answers(answers)})

    def consult_with(self, answers: Answers, changed: Iterable[str]) -> Consultation:
        """Return what ``answers`` lead to with some of them replaced.

        Args:
            answers: As given.
            changed: ``key=value``; an empty value takes the answer away.

        Raises:
            InputError: a key or value that is not legal, or that leads to an error.
        """
        return self.consult(self.override(answers, changed))

    def override(self, answers: Answers, changed: Iterable[str]) -> Answers:
        """Return ``answers`` with some of them replaced, as the knowledge base understands them.

        Raises:
            InputError: with every problem of ``changed``.
        """
        return override(answers, tuple(changed), knowledge=self.knowledge)

    def probe(self, answers: Answers, changed: str = "") -> Mapping[DecisionName, Decision]:
        """Return the decisions that ``answers`` lead to with one of them replaced.

        Quicker than :meth:`consult_with` and the same: without warnings and trace, and where the
        first half of the consultation never looked at the changed answer, it is not done again.

        Args:
            answers: As given.
            changed: ``key=value``; empty: as given.

        Raises:
            InputError: a key or value that is not legal, or that leads to an error.
        """
        with using(self.knowledge):
            return self._probe(answers, changed)

    def _probe(self, answers: Answers, changed: str) -> Mapping[DecisionName, Decision]:
        base = self._probed(answers)
        key = changed.partition("=")[0].strip()
        if not key:
            return base.decisions
        replaced = override(answers, (changed,))
        if base.settled is None or key in base.read or not key.startswith(_OF_THE_SECOND_HALF):
            return self._probed(replaced).decisions
        memo = ("second half", _key(replaced))
        found = self._probes.get(memo)
        if found is None:
            self.before_each()
            with placed(replaced):
                later = later_decisions(replace(base.settled, answers=watched(replaced)))
            made = {**base.decisions, **later}
            found = _Probe({name: made[name] for name in base.decisions}, None, frozenset())
            self._probes.keep(memo, found)
        return found.decisions

    def _probed(self, answers: Answers) -> _Probe:
        from advisor.consult.live import live_rules
        from advisor.engine import select_engine

        key = _key(answers)
        found = self._probes.get(key)
        if found is None:
            self.before_each()
            # the plain engine: the other one takes its time whenever facts have a new shape
            desk = Desk(self.knowledge, self.rules, select_engine("reference"), self.prices)
            with placed(answers):
                consultant = Consultant(answers, desk)
                decisions = consultant.consult().decisions
            of_rules = (live_rules(self.rules, name).keys for name in ("gpu", "parallelism"))
            read = consultant.read.union(*of_rules)
            found = _Probe(decisions, consultant.settled, read)
            self._probes.keep(key, found)
        return found


def _nothing() -> None:
    """Do nothing before a consultation."""


def _key(answers: Answers) -> object:
    values = tuple((key, _frozen(value)) for key, value in answers.values.items())
    return values, answers.unknown


def _frozen(value: object) -> object:
    """Return a hashable value; 1, 1.0 and True stay apart, since answers may tell them apart."""
    if isinstance(value, Mapping):
        return tuple((key, _frozen(part)) for key, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(_frozen(part) for part in value)
    return type(value), value
