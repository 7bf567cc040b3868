"""Hit policy *first*: of the options that no rule forbids, the first that a rule recommends.

Rules of sharing and provisioning stand in the order in which they count (section 8.2, 8.4). A rule
of strength ``may`` only names an alternative, with ``if``: what would make it the choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.consult.consultation import (
    Alternative,
    Choice,
    Decision,
    DecisionName,
    Dependency,
    Rejection,
)
from advisor.consult.rulings import Ruling, Rulings

__all__ = ["Judged", "judge"]

_ELSE = "what that reason says were so here"
_META = frozenset({"if"})
"""Not parameters of the choice. A rejection with ``quiet`` is not told: nobody thought of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules of one decision said of its options."""

    name: DecisionName
    rulings: Rulings
    options: Mapping[str, str]
    """Fact id to option."""
    first: Ruling | None
    """The rule that decides."""
    forbidden: Mapping[str, Ruling]
    """Fact id to the first rule that forbids it."""

    @property
    def chosen(self) -> str | None:
        """Fact id of the choice."""
        return None if self.first is None else self.first.candidate

    def reasons(self) -> tuple[Ruling, ...]:
        """Return the rule that decides, then those that add parameters."""
        if self.first is None:
            return ()
        return (self.first, *self.additions())

    def additions(self) -> tuple[Ruling, ...]:
        """Return rules that bind no option, or the chosen one, and add parameters.

        One whose parameters are all set by earlier rules says nothing of the choice, and one with
        ``if`` names an alternative.
        """
        told = set(_added(self.first)) if self.first is not None else set()
        found = []
        for ruling in self.rulings.of("recommend", self.name):
            if not _META.isdisjoint(ruling.payload) or "option" in ruling.payload:
                continue
            if ruling.candidate not in {None, self.chosen}:
                continue
            if not told.issuperset(_added(ruling)):
                told |= set(_added(ruling))
                found.append(ruling)
        return tuple(found)

    def parameters(self) -> dict[str, Any]:
        """Return what rules add to the choice; the first that names a parameter sets it."""
        found: dict[str, Any] = {}
        for ruling in self.reasons():
            for key, value in _added(ruling).items():
                found.setdefault(key, value)
        return found

    def decision(
        self,
        parameters: Mapping[str, Mapping[str, Any]],
        depends: tuple[Dependency, ...],
        status: str,
    ) -> Decision:
        """Write the decision.

        Args:
            parameters: Fact id to the parameters of that option.
            depends: Unanswered questions that could change it.
            status: ``firm`` or ``provisional``.
        """
        first = self.first
        if first is None or first.candidate is None:
            message = "no rule recommends an option"
            raise ValueError(message)
        reasons = self.reasons()
        own = dict(parameters.get(first.candidate, {}))
        fields = {**own, **self.parameters(), "option": self.options[first.candidate]}
        return Decision(
            status=status,
            choice=Choice(**fields),
            strength=first.rule.strength,
            because=" ".join(dict.fromkeys(reason.because for reason in reasons)),
            citations=self.rulings.cite(*[s for r in reasons for s in r.rule.cite]),
            rules=tuple(dict.fromkeys(reason.rule.id for reason in reasons)),
            alternatives=(*self._alternatives(parameters), *self.variants()),
            rejected=self.rejected(parameters),
            depends_on=depends,
        )

    def rejected(
        self, parameters: Mapping[str, Mapping[str, Any]] | None = None
    ) -> tuple[Rejection, ...]:
        """Return a line for each option that a rule forbids."""
        return tuple(self._rejected(parameters or {}))

    def _alternatives(self, parameters: Mapping[str, Mapping[str, Any]]) -> Iterator[Alternative]:
        told = {self.chosen}
        for ruling in self.rulings.of("recommend", self.name):
            fact = ruling.candidate
            if fact is None or fact in told or fact in self.forbidden:
                continue
            if ruling.rule.strength != "may" or "option" not in ruling.payload:
                continue
            told.add(fact)
            yield Alternative(
                choice=Choice(**{**parameters.get(fact, {}), "option": self.options[fact]}),
                because=ruling.because,
                would_be_chosen_if=f"The choice if {ruling.payload.get('if', _ELSE)}.",
                citations=self.rulings.cite(*ruling.rule.cite),
            )

    def variants(self) -> Iterator[Alternative]:
        """Yield the choice with other parameters, as rules with ``if`` and no option name them."""
        told = set()
        for ruling in self.rulings.of("recommend", self.name):
            if "if" not in ruling.payload or "option" in ruling.payload:
                continue
            if ruling.candidate != self.chosen or ruling.rule.id in told:
                continue
            told.add(ruling.rule.id)
            yield Alternative(
                choice=Choice(**{**_added(ruling), "option": self.options[str(self.chosen)]}),
                because=ruling.because,
                would_be_chosen_if=f"The choice if {ruling.payload.get('if', _ELSE)}.",
                citations=self.rulings.cite(*ruling.rule.cite),
            )

    def _rejected(self, parameters: Mapping[str, Mapping[str, Any]]) -> Iterator[Rejection]:
        for fact, ruling in self.forbidden.items():
            if ruling.payload.get("quiet"):
                continue
            gpu = parameters.get(fact, {}).get("gpu")
            yield Rejection(
                option=self.options[fact],
                gpu=None if gpu is None else str(gpu),
                because=ruling.because,
                citations=self.rulings.cite(*ruling.rule.cite),
                rule=ruling.rule.id,
            )


def _added(ruling: Ruling) -> dict[str, Any]:
    """Return the parameters that a rule adds; what is not known adds none."""
    payload = ruling.payload.items()
    return {k: _typed(v) for k, v in payload if k not in _META and v not in ("", "unknown")}


def _typed(value: object) -> object:
    """Return a number that a slot has made a text of as the number it was."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def judge(name: DecisionName, rulings: Rulings, options: Mapping[str, str]) -> Judged:
    """Return what the rules said of the options, in the order of the rules.

    Args:
        name: Whose rules.
        rulings: All that fired.
        options: Fact id to option.
    """
    forbidden = {
        fact: ruling for fact, ruling in rulings.rejections("must").items() if fact in options
    }
    first = next(
        (
            ruling
            for ruling in rulings.of("recommend", name)
            if ruling.candidate is not None
            and ruling.candidate not in forbidden
            and ruling.rule.strength != "may"
            and "option" in ruling.payload
        ),
        None,
    )
    return Judged(name, rulings, options, first, forbidden)
