"""The exceptions that callers may catch, and nothing else.

The tree::

    GpuAdvisorError
    ├── InputError            something the user gave is wrong           exit code 2
    │   └── UnknownNameError  a model, GPU, engine or key that is not known
    ├── KnowledgeError        the knowledge base itself is wrong          exit code 2
    └── EngineError           a rule engine broke its contract            exit code 3
        ├── FiringLimitError  the rules do not come to rest
        └── EngineMismatchError  the two back ends disagree

Every exception carries a :class:`Problem` (or several): what was wrong, where, and what
to do, so that a shell can print a paragraph or JSON from the same data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = [
    "EngineError",
    "EngineMismatchError",
    "FiringLimitError",
    "GpuAdvisorError",
    "InputError",
    "KnowledgeError",
    "Problem",
    "UnknownNameError",
]

_SHORT_LIST = 6
"""Names that are written again, however often."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, with everything a reader needs to mend it."""

    code: str
    """Stable machine name, such as ``unknown_key``."""
    message: str
    """One sentence: what is wrong and what to do."""
    file: str | None = None
    line: int | None = None
    """1-based line in ``file``."""
    key: str | None = None
    """Dotted path of the offending key, such as ``hardware.gpu``."""
    allowed: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    """Closest valid names, best first."""

    def as_dict(self) -> dict[str, Any]:
        """Return the ``error`` object that ``--format json`` prints."""
        return {
            "code": self.code,
            "message": self.message,
            "file": self.file,
            "line": self.line,
            "key": self.key,
            "allowed": list(self.allowed),
            "nearest": list(self.nearest),
        }

    def __str__(self) -> str:
        """Return one paragraph: place, message, nearest names, allowed values."""
        place = self.file or ""
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        parts = [part for part in (place, self.key) if part]
        text = ": ".join([*parts, self.message])
        if self.nearest:
            text += f" Did you mean {' or '.join(self.nearest)}?"
        if self.allowed:
            text += f" Allowed: {', '.join(self.allowed)}."
        return text


class GpuAdvisorError(Exception):
    """Root of all errors raised on purpose."""

    problems: tuple[Problem, ...]
    """Everything that was wrong, in reading order; never empty."""

    def __init__(self, problems: Problem | list[Problem] | tuple[Problem, ...]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__(str(self))

    def __str__(self) -> str:
        """Return a paragraph for each problem; a list of names is written once."""
        said: set[tuple[str, ...]] = set()
        lines = []
        for problem in self.problems:
            # of a short list the words are read faster than the reference to them
            long = len(problem.allowed) > _SHORT_LIST
            again = replace(problem, allowed=("as above",)) if long else problem
            lines.append(str(again if problem.allowed in said else problem))
            said.add(problem.allowed)
        return "\n".join(lines)


class InputError(GpuAdvisorError):
    """What the user gave cannot be used as it stands."""


class UnknownNameError(InputError):
    """A name (model, GPU, engine, section, key) is not in the knowledge base."""


class KnowledgeError(GpuAdvisorError):
    """The knowledge base is inconsistent; carries every problem of every file."""


class EngineError(GpuAdvisorError):
    """A rule engine failed or broke its contract."""


class FiringLimitError(EngineError):
    """More firings than a consultation may have: the rules feed one another."""


class EngineMismatchError(EngineError):
    """The reference and durable back ends gave different firings."""
