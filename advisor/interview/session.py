"""The state of an interview: what was answered, turn by turn. Immutable; every change is a new one.

Owns the turns and how they fold into answers. Nothing else is state: consultation, next question
and view follow from the answers, so that taking back, editing and resuming cannot leave anything
stale behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from advisor.answers.model import Answers, Origin
from advisor.answers.plain import FrozenMapping
from advisor.answers.questions import UNKNOWN, load_questions
from advisor.answers.validate import read_answers

__all__ = ["Session", "Turn", "turn"]

_NONE = read_answers({}, name="interview")


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said: a reply, or a sentence that answers several questions."""

    text: str
    """As typed."""
    values: tuple[tuple[str, object], ...]
    """Key and normalised value; :data:`UNKNOWN` for "I don't know"."""
    asked: str = ""
    """Key of the question that stood open, empty where none did."""
    understood: tuple[tuple[str, str], ...] = ()
    """How each key was read, where that is not plain."""
    topic: str = ""
    """Topic of the question that stood open."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that were answered."""
        return tuple(key for key, _ in self.values)


def turn(
    text: str,
    values: Mapping[str, object],
    *,
    asked: str = "",
    understood: Mapping[str, str] | None = None,
    topic: str = "",
) -> Turn:
    """Return a turn with its values as an answers file would give them.

    Raises:
        InputError: a key or value that is not legal.
    """
    read = read_answers(dict(values), name=text or "interview")
    plain = {key: UNKNOWN if key in read.unknown else read.values[key] for key in values}
    return Turn(text, tuple(plain.items()), asked, tuple((understood or {}).items()), topic)


@dataclass(frozen=True)
class Session:
    """An interview under way."""

    start: Answers = field(default=_NONE)
    """What was known before the first question, from a file."""
    turns: tuple[Turn, ...] = ()
    undone: tuple[Turn, ...] = ()
    """Turns that were taken back, in the order of the interview; a new answer forgets them."""
    skipped: tuple[str, ...] = ()
    """Questions that were put off."""

    @cached_property
    def answers(self) -> Answers:
        """What is known now: later turns win."""
        values, unknown = dict(self.start.values), set(self.start.unknown)
        origin = dict(self.start.origin)
        for number, said in enumerate(self.turns, 1):
            understood = dict(said.understood)
            for key, value in said.values:
                values.pop(key, None)
                unknown = {one for one in unknown if one.partition("[")[0] != key}
                if value == UNKNOWN:
                    unknown.add(key)
                else:
                    values[key] = value
                origin[key] = Origin(f"answer {number}", None, said.text, understood.get(key))
        order = {key: place for place, key in enumerate(load_questions())}
        ordered = dict(sorted(values.items(), key=lambda item: order.get(item[0], len(order))))
        return Answers(
            FrozenMapping(ordered), frozenset(unknown), FrozenMapping(origin), "interview"
        )

    @property
    def topic(self) -> str | None:
        """Topic of the last question that was answered; it is finished before the next."""
        return next((said.topic for said in reversed(self.turns) if said.topic), None)

    def answered(self, said: Turn) -> Session:
        """Return the session after one more turn."""
        skipped = tuple(key for key in self.skipped if key not in said.keys)
        return replace(self, turns=(*self.turns, said), undone=(), skipped=skipped)

    def skip(self, key: str) -> Session:
        """Return the session with a question put off."""
        return replace(self, skipped=tuple(dict.fromkeys((*self.skipped, key))))

    def back(self, count: int = 1) -> Session:
        """Return the session without its last turns; fewer where there are fewer."""
        kept = max(0, len(self.turns) - count)
        return replace(self, turns=self.turns[:kept], undone=(*self.turns[kept:], *self.undone))

    def redo(self, count: int = 1) -> Session:
        """Return the session with turns that were taken back put on again."""
        again, left = self.undone[:count], self.undone[count:]
        return replace(self, turns=(*self.turns, *again), undone=left)

    def edited(self, number: int, said: Turn) -> Session:
        """Return the session with turn ``number`` (from 1) replaced and all later ones kept.

        Raises:
            IndexError: there is no such turn.
        """
        if not 1 <= number <= len(self.turns):
            raise IndexError(number)
        turns = (*self.turns[: number - 1], said, *self.turns[number:])
        return replace(self, turns=turns, undone=())

    def restarted(self) -> Session:
        """Return an empty session."""
        return Session()

    def number_of(self, key: str) -> int | None:
        """Return the number of the turn whose answer to ``key`` counts."""
        found = [n for n, said in enumerate(self.turns, 1) if key in said.keys]
        return found[-1] if found else None
