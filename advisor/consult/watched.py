"""Answers that remember which keys were read, so that *firm* can be proved."""

from __future__ import annotations

from dataclasses import dataclass, field

from advisor.answers.model import Answers

__all__ = ["WatchedAnswers", "watched"]


@dataclass(frozen=True, slots=True)
class WatchedAnswers(Answers):
    """The same answers; every look at a key is noted.

    What advises is deterministic. So when every key that it looked at has a value, no value of
    any other key can lead it elsewhere: it would look at the same keys and find the same.
    """

    read: set[str] = field(default_factory=set, compare=False, repr=False)

    def get(self, key: str, default: object = None) -> object:
        """Return the value of ``key`` and note that it was asked for."""
        self.read.add(key)
        return self.values.get(key, default)

    def is_given(self, key: str) -> bool:
        """Return whether ``key`` has a value and note that it was asked for."""
        self.read.add(key)
        return key in self.values


def watched(answers: Answers) -> WatchedAnswers:
    """Return ``answers`` with an empty notebook."""
    return WatchedAnswers(answers.values, answers.unknown, answers.origin, answers.name)
