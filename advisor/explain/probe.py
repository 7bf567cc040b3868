"""One answer at many values: does the advice stay what it is?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation, DecisionName
from advisor.errors import InputError
from advisor.explain.change import Change, built, changes, core
from advisor.explain.words import decided

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["Probe", "build_of", "kind_of"]


def kind_of(told: Consultation) -> tuple[object, ...]:
    """Return the kinds of the choices of all decisions that were asked for, without numbers."""
    return tuple((name, core(decision, name)) for name, decision in told.decisions.items())


def build_of(told: Consultation) -> tuple[object, ...]:
    """Return what one would build or buy for all decisions that were asked for."""
    return tuple((name, built(decision, name)) for name, decision in told.decisions.items())


class Probe:
    """Consults with one answer replaced, and counts.

    What the answers as given lead to stands for their value, given or assumed.

    Attributes:
        spent: Values that were consulted.
    """

    def __init__(self, adviser: Adviser, answers: Answers, key: str, start: float) -> None:
        self._adviser, self._answers, self._key = adviser, answers, key
        self._told = adviser.consult(answers)
        self._known: dict[float, Consultation | InputError] = {start: self._told}
        self._kind, self._built = kind_of(self._told), build_of(self._told)
        self.spent = 0

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

    def same_kind(self, value: float) -> bool:
        """Tell whether the choices at a value are of the kind of those on the answers as given."""
        found = self.at(value)
        return not isinstance(found, InputError) and kind_of(found) == self._kind

    def same_built(self, value: float) -> bool:
        """Tell whether at a value one would build or buy what one would on the given answers."""
        found = self.at(value)
        return not isinstance(found, InputError) and build_of(found) == self._built

    def size(self, value: float) -> object:
        """Return what of the GPU choice does not count as another kind: how many, and where."""
        found = self.at(value)
        decision = None if isinstance(found, InputError) else found.decisions.get("gpu")
        if decision is None or decision.choice is None:
            return None
        values = decision.choice.model_dump()
        return tuple(values.get(key) for key in ("total_gpus", "replicas", "instance_type"))

    def refused(self, value: float | None) -> str | None:
        """Return what is wrong with the answers at a value, else ``None``."""
        found = None if value is None else self.at(value)
        return found.problems[0].message if isinstance(found, InputError) else None

    def words(self, name: DecisionName, *values: float | None) -> tuple[str, ...]:
        """Return a decision at some values in few words."""
        told = (self.at(value) for value in values if value is not None)
        return tuple(
            "refused"
            if isinstance(one, InputError)
            else decided(one.decisions.get(name), brief=True)
            for one in told
        )

    def moves(self, before: float, after: float) -> tuple[Change, ...]:
        """Return the decisions that differ between two values, in kind, number or words."""
        first, then = self.at(before), self.at(after)
        if isinstance(first, InputError) or isinstance(then, InputError):
            return ()
        return tuple(change for change in changes(first, then) if change.reworded)
