"""One answer at many values: does the advice stay what it is?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation
from advisor.errors import InputError
from advisor.explain.change import core
from advisor.explain.words import decided

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["Probe", "signature"]


def signature(told: Consultation) -> tuple[object, ...]:
    """Return what counts as the advice: the choices of all decisions that were asked for."""
    return tuple((name, core(decision, name)) for name, decision in told.decisions.items())


class Probe:
    """Consults with one answer replaced, and counts.

    Attributes:
        spent: Values that were consulted.
    """

    def __init__(self, adviser: Adviser, answers: Answers, key: str, most: int) -> None:
        self._adviser, self._answers, self._key, self._most = adviser, answers, key, most
        self._known: dict[float, Consultation | InputError] = {}
        self._wanted = signature(adviser.consult(answers))
        self.spent = 0

    @property
    def exhausted(self) -> bool:
        """Whether no more values may be consulted."""
        return self.spent >= self._most

    def at(self, value: float) -> Consultation | InputError:
        """Return what the value leads to."""
        if value not in self._known:
            self.spent += 1
            text = f"{value:d}" if isinstance(value, int) else f"{value:.12g}"
            try:
                found: Consultation | InputError = self._adviser.consult_with(
                    self._answers, [f"{self._key}={text}"]
                )
            except InputError as error:
                found = error
            self._known[value] = found
        return self._known[value]

    def keeps(self, value: float) -> bool:
        """Tell whether the advice at a value is that of the answers as given."""
        found = self.at(value)
        return not isinstance(found, InputError) and signature(found) == self._wanted

    def size(self, value: float) -> object:
        """Return what of the GPU choice does not count as another choice: how many, and where."""
        found = self.at(value)
        decision = None if isinstance(found, InputError) else found.decisions.get("gpu")
        if decision is None or decision.choice is None:
            return None
        values = decision.choice.model_dump()
        return tuple(values.get(key) for key in ("total_gpus", "replicas", "instance_type"))

    def refused(self, value: float) -> str | None:
        """Return what is wrong with the answers at a value, else ``None``."""
        found = self.at(value)
        return found.problems[0].message if isinstance(found, InputError) else None

    def moves(self, before: float, after: float) -> tuple[tuple[str, str, str], ...]:
        """Return the decisions that differ between two values: name, before, after."""
        first, then = self.at(before), self.at(after)
        if isinstance(first, InputError) or isinstance(then, InputError):
            return ()
        return tuple(
            (name, decided(first.decisions.get(name), brief=True), decided(decision, brief=True))
            for name, decision in then.decisions.items()
            if core(first.decisions.get(name), name) != core(decision, name)
        )
