"""Answers as understood: the frozen value that everything downstream reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from advisor.answers.plain import thawed

__all__ = ["Answers", "Origin"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one answer came from."""

    file: str
    """The file, ``standard input``, ``--set``, or the name the caller gave."""
    line: int | None
    text: str
    """What was written there."""
    understood: str | None = None
    """How it was read, when a synonym or a unit was converted; None: as written."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What is known and what is known to be unknown; equal when both are equal."""

    values: Mapping[str, object]
    """Dotted key -> normalised value: enum id, bool, int, float, text, tuple, mapping.

    Keys whose answer may be a list always hold a tuple. Absent: not given, or unknown.
    """
    unknown: frozenset[str]
    """Keys answered with "I don't know"; inside records as ``workloads[0].model``."""
    origin: Mapping[str, Origin] = field(compare=False, repr=False)
    """By key, and by ``workloads[0].model`` inside records; unknown ones included."""
    name: str = field(default="answers", compare=False)
    """The file or source, for reports."""

    def get(self, key: str, default: object = None) -> object:
        """Return the value of ``key``, or ``default`` when it is missing or unknown."""
        return self.values.get(key, default)

    def is_given(self, key: str) -> bool:
        """Return whether ``key`` has a value; ``unknown`` is none."""
        return key in self.values

    def as_dict(self) -> dict[str, object]:
        """Return nested dicts and lists that :func:`read_answers` reads back to the same."""
        nested: dict[str, object] = {}
        for key, value in self.values.items():
            self._put(nested, key, self._with_unknown(key, thawed(value)))
        for key in sorted(self.unknown):
            if "[" not in key:
                self._put(nested, key, "unknown")
        return nested

    @staticmethod
    def _put(nested: dict[str, object], key: str, value: object) -> None:
        group, _, name = key.rpartition(".")
        inner = nested.setdefault(group, {}) if group else nested
        if isinstance(inner, dict):
            inner[name] = value

    def _with_unknown(self, key: str, value: object) -> object:
        """Return the records of ``key`` with their unknown keys written out again."""
        if not isinstance(value, list):
            return value
        for index, record in enumerate(value):
            start = f"{key}[{index}]."
            for name in sorted(path for path in self.unknown if path.startswith(start)):
                record[name.removeprefix(start)] = "unknown"
        return value
