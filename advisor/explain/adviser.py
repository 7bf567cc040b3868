"""Consultations by answers, remembered: one question asked many times costs once.

What-if, limits, why-not and the choice of the next question consult with many variants of the same
answers. Consulting is deterministic, so what was found once holds.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.validate import override
from advisor.consult.advise import advise, given_answers
from advisor.consult.consultation import Consultation
from advisor.errors import InputError

if TYPE_CHECKING:
    from advisor.answers.questions import Vocabulary
    from advisor.rules.model import RuleBase
    from advisor.store.loader import Knowledge
    from advisor.store.prices import Price

__all__ = ["Adviser"]

_MOST_REMEMBERED = 1024


class Adviser:
    """Advises under one knowledge base, one engine and one set of prices.

    Attributes:
        knowledge: The knowledge base.
        engine: Its name, or None for the best that works here.
        prices: What the user brought.
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
        self._most = most
        self._known: OrderedDict[object, Consultation | InputError] = OrderedDict()

    @property
    def questions(self) -> Vocabulary:
        """All questions by key."""
        from advisor.answers.questions import load_questions

        return load_questions()

    @property
    def rules(self) -> RuleBase:
        """The rules."""
        from advisor.store.rules import load_rule_base

        return load_rule_base(self.knowledge)

    def consult(self, answers: Answers) -> Consultation:
        """Return what ``answers`` lead to; the same answers are worked out once.

        Raises:
            InputError: a model, GPU or engine that is neither known nor described.
        """
        key = _key(answers)
        found = self._known.get(key)
        if found is None:
            try:
                found = advise(answers, self.knowledge, engine=self.engine, prices=self.prices)
            except InputError as error:
                found = error
            self._known[key] = found
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
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
        return self.consult(override(answers, tuple(changed)))


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
