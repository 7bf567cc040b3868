"""Choosing a back end: ``durable``, ``reference`` or ``both``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from advisor.engine.outcome import DEFAULT_LIMIT, Outcome
from advisor.errors import EngineMismatchError, InputError, Problem
from advisor.rules.facts import Fact
from advisor.rules.model import RuleBase
from advisor.rules.vocabulary import nearest

__all__ = [
    "ENGINE_NAMES",
    "Engine",
    "engine_from_environment",
    "engine_name",
    "fire",
    "select_engine",
]

VARIABLE = "GPU_ADVISOR_ENGINE"
ENGINE_NAMES = ("durable", "reference", "both")
"""Values of the environment variable; unset: ``durable`` where it works."""

Fire = Callable[[RuleBase, Sequence[Fact], int], Outcome]


@dataclass(frozen=True, slots=True)
class Engine:
    """A back end, ready to run."""

    name: str
    """``durable``, ``reference`` or ``both``."""
    note: str
    """Why this one; one sentence for ``--version``."""
    run: Fire

    def fire(self, base: RuleBase, facts: Sequence[Fact], limit: int = DEFAULT_LIMIT) -> Outcome:
        """Run all rules over ``facts`` until nothing new follows.

        Raises:
            FiringLimitError: More than ``limit`` firings.
            EngineMismatchError: Under ``both``, the back ends differ.
            EngineError: A fact does not suit the rules' declarations.
        """
        return self.run(base, facts, limit)


def engine_from_environment() -> str | None:
    """Return the engine that the environment asks for, for shells to pass on.

    Raises:
        InputError: The variable names no engine.
    """
    wanted = os.environ.get(VARIABLE, "").strip()
    if wanted and wanted not in ENGINE_NAMES:
        raise _unknown(wanted)
    return wanted or None


def select_engine(wanted: str | None = None) -> Engine:
    """Return the back end called ``wanted``, or the best one that works here.

    Raises:
        InputError: No such engine, or ``durable`` or ``both`` where the library is missing
            or failed its self-test.
    """
    if wanted is not None and wanted not in ENGINE_NAMES:
        raise _unknown(wanted)
    if wanted == "reference":
        return _reference("chosen")
    trouble = _durable_trouble()
    if trouble is None:
        return _durable() if wanted != "both" else _both()
    if wanted is None:
        return _reference(trouble)
    raise InputError(
        Problem(
            "engine_unavailable",
            f"the rule engine {wanted!r} cannot run here: {trouble}. Use 'reference'.",
            key=VARIABLE,
            allowed=("reference",),
        )
    )


def engine_name(wanted: str | None = None) -> str:
    """Return the name and reason of the engine that would run, for ``--version``."""
    engine = select_engine(wanted)
    return f"{engine.name} ({engine.note})"


def fire(base: RuleBase, facts: Sequence[Fact], limit: int = DEFAULT_LIMIT) -> Outcome:
    """Run the rules on the default engine; see :meth:`Engine.fire`."""
    return select_engine().fire(base, facts, limit)


def first_difference(durable: Outcome, reference: Outcome) -> str | None:
    """Return the first thing in which two outcomes differ, or None."""
    for name in ("firings", "facts", "blocked"):
        left = cast("tuple[object, ...]", getattr(durable, name))
        right = cast("tuple[object, ...]", getattr(reference, name))
        if left == right:
            continue
        for number in range(max(len(left), len(right))):
            one = left[number] if number < len(left) else None
            other = right[number] if number < len(right) else None
            if one != other:
                return f"{name}[{number}]: durable has {one}, reference has {other}"
    return None


@lru_cache(maxsize=1)
def _durable_trouble() -> str | None:
    """Return why the durable back end cannot be used, or None; looked at once a process."""
    from advisor.engine.selftest import durable_trouble

    return durable_trouble()


def _reference(note: str) -> Engine:
    from advisor.engine import reference

    return Engine("reference", note, reference.fire)


def _durable() -> Engine:
    from advisor.engine import durable

    return Engine("durable", "durable-rules, self-test passed", durable.fire)


def _both() -> Engine:
    return Engine("both", "durable and reference, compared", _fire_both)


def _fire_both(base: RuleBase, facts: Sequence[Fact], limit: int) -> Outcome:
    from dataclasses import replace

    from advisor.engine import durable, reference

    ours = reference.fire(base, facts, limit)
    theirs = durable.fire(base, facts, limit)
    difference = first_difference(theirs, ours)
    if difference is not None:
        raise EngineMismatchError(
            Problem("engine_mismatch", f"the engines differ in {difference}.")
        )
    return replace(ours, engine="both")


def _unknown(wanted: str) -> InputError:
    return InputError(
        Problem(
            "unknown_engine",
            f"there is no rule engine {wanted!r}.",
            key=VARIABLE,
            allowed=ENGINE_NAMES,
            nearest=nearest(wanted, ENGINE_NAMES),
        )
    )
