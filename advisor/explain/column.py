"""What a comparison sets side by side: the best of a kind under the same answers and rules.

Naming a card is more than picking it out: what is left out where others do better is sized then.
So the best layout of a kind is picked out of the open comparison, where it stands in it, and only
what stands in none is asked for by name. Where both lead to different advice, that is said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.consult.advise import consult_at
from advisor.consult.attempt import Attempt, Desk
from advisor.consult.cards import market
from advisor.consult.understand import Assumptions
from advisor.engine.select import select_engine
from advisor.errors import InputError
from advisor.explain.change import changes
from advisor.explain.failures import layouts_of
from advisor.explain.recording import Recording, recorded
from advisor.explain.wanted import wanted_words
from advisor.explain.words import decided
from advisor.store.in_use import using

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation
    from advisor.consult.situation import Situation
    from advisor.explain.adviser import Adviser
    from advisor.explain.target import Target

__all__ = [
    "Column",
    "best_layout",
    "by_name_words",
    "column_of",
    "left_out_cards",
    "near_the_choice",
    "set_words",
]


@dataclass(frozen=True, slots=True)
class Column:
    """What one side of a comparison leads to."""

    told: Consultation
    by_name: bool
    """It stands nowhere in the open comparison: this comes out where it is asked for."""


@dataclass(frozen=True, slots=True)
class _Picking(Desk):
    """A desk at which one layout is chosen wherever it stands among those that carry the load."""

    wanted: str = ""

    def attempt(self, situation: Situation) -> Attempt:
        found = Desk.attempt(self, situation)
        picked = tuple(one for one in found.ranked if one.id == self.wanted)
        return replace(found, ranked=picked or found.ranked)


def column_of(adviser: Adviser, answers: Answers, target: Target) -> Column:
    """Return what a target is in the comparison: the choice itself where it is the choice.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        target: A GPU, a format or sizes.

    Raises:
        InputError: it stands nowhere, and asked for by name it leads to an error.
    """
    told = adviser.consult(answers)
    if target.holds(told):
        return Column(told, by_name=False)
    place = best_layout(recorded(adviser, answers), target)
    if place is None:
        return Column(adviser.consult_with(answers, target.sets()), by_name=True)
    engine = select_engine(adviser.engine)
    desk = _Picking(adviser.knowledge, adviser.rules, engine, adviser.prices, wanted=place)
    return Column(consult_at(desk, answers), by_name=False)


def best_layout(recording: Recording, target: Target) -> str | None:
    """Return the id of the first layout of the target among those that carry the load.

    Args:
        recording: The consultation.
        target: What is asked about; sizes are looked for on the chosen GPU first.
    """
    counts = recording.told.candidates
    shown = () if counts is None else counts.shown
    for wanted in (near_the_choice(recording, target), target):
        ids = set(layouts_of(recording, wanted))
        found = next((str(one["id"]) for one in shown if one["id"] in ids), None)
        if found is not None:
            return found
    return None


def near_the_choice(recording: Recording, target: Target) -> Target:
    """Return the target on the chosen GPU, where sizes are meant and it has layouts of them.

    Args:
        recording: The consultation.
        target: What is asked about.
    """
    decision = recording.told.decisions.get("gpu")
    chosen = None if decision is None or decision.choice is None else decision.choice.model_dump()
    if target.decision != "parallelism" or not chosen or not chosen.get("gpu"):
        return target
    near = replace(target, gpus=(chosen["gpu"],))
    return near if layouts_of(recording, near) else target


def by_name_words(
    adviser: Adviser, answers: Answers, target: Target, *, differing: bool = False
) -> str:
    """Return what comes out where a target is asked for, and how that differs; may be empty.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        target: A GPU, a format or sizes.
        differing: Only where it is something else than in the open comparison.
    """
    sets = target.sets()
    said = " and ".join(set_words(text) for text in sets)
    try:
        named = adviser.consult_with(answers, sets)
        column = column_of(adviser, answers, target)
    except InputError as error:
        return "" if differing else f"Asked for by {said}: {error.problems[0].message}"
    decision = named.decisions.get(target.decision)  # type: ignore[call-overload]
    text = f"Asked for by {said}: {decided(decision)}"
    if column.by_name:
        text = f"Not in the open comparison. {text}" if differing else text
        return f"{text}{_unmet(named)}"
    others = [*_differences(column.told, named)]
    if not others:
        return "" if differing else f"{text}, as in the open comparison"
    return f"{text}. Other than in the open comparison: {'; '.join(others)}{_unmet(named)}"


def _unmet(told: Consultation) -> str:
    """Return what is not known of it: a speed that is asked for, a price."""
    unknown = [*wanted_words(told, unmet=True)]
    decision = told.decisions.get("gpu")
    if decision is not None and decision.choice is not None:
        values = decision.choice.model_dump()
        bought = values.get("acquisition") == "buy"
        known = values.get("purchase_usd" if bought else "usd_per_hour")
        if values["option"] == "buy_or_rent" and not known:
            unknown.append("this knowledge has no price of it: advise --prices takes one")
    return f"; {'; '.join(unknown)}" if unknown else ""


def left_out_cards(adviser: Adviser, answers: Answers) -> tuple[tuple[str, str], ...]:
    """Return the GPUs that are compared only where they are named, each with the reason.

    Args:
        adviser: Knows the catalogue.
        answers: As given.
    """
    with using(adviser.knowledge):
        return market(answers, adviser.knowledge, Assumptions(answers))[1]


def _differences(column: Consultation, named: Consultation) -> Iterator[str]:
    for change in changes(column, named):
        if change.decision in {"gpu", "parallelism"} and change.reworded:
            if change.moved and change.before != change.after:
                was = decided(column.decisions[change.decision], brief=True)
                yield f"{decided(named.decisions[change.decision], brief=True)} instead of {was}"
            prices = [text for text in change.numbers if "USD" in text or not change.moved]
            yield from prices


def set_words(text: str) -> str:
    """Return an answer of ``--set`` in words."""
    key, _, value = text.partition("=")
    return f"{key} = {value}" if value else f"{key} not given"
