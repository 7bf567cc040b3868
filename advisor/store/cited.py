"""What records of the Kubernetes layer share: handbook sections, dates of truth, version ranges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict, Field, model_validator

from advisor.store.records import DATE, VERSION, Record, Strict

__all__ = [
    "DATE", "VERSION", "Applies", "Cited", "Hint", "Resolution", "Severity", "VersionRange",
    "version_key",
]  # fmt: skip

Severity = Literal["critical", "warning", "info"]

_NUMBERS = re.compile(r"^[^0-9]*(\d+(?:\.\d+)*)")
_ENDLESS = 1_000_000
_PARTS = 5


class Cited(Record):
    """A record that the handbook treats and that may be true for a time only."""

    sections: tuple[str, ...] = Field(min_length=1)
    """Handbook sections, plain: ``5.3``."""
    since: str | None = Field(None, pattern=DATE)
    """First day on which the record is true, where that matters."""
    until: str | None = Field(None, pattern=DATE)
    """Last day on which the record is true; what has ended stays, so that it can be named."""

    def holds_on(self, day: str) -> bool:
        """Tell whether the record is true on ``day`` (ISO 8601)."""
        begun = self.since is None or day[: len(self.since)] >= self.since
        return begun and (self.until is None or day[: len(self.until)] <= self.until)


def version_key(text: str) -> tuple[int, ...] | None:
    """Return the numbers of a version, or ``None`` when ``text`` starts with none.

    >>> version_key("v1.36.2-eks-1"), version_key("latest")
    ((1, 36, 2), None)
    """
    match = _NUMBERS.match(text.strip())
    return tuple(int(part) for part in match[1].split(".")) if match else None


class VersionRange(Strict):
    """Versions of one component, from one inclusive to another exclusive."""

    component: str
    """Id in the catalogue of components."""
    from_version: str | None = Field(None, pattern=VERSION)
    before_version: str | None = Field(None, pattern=VERSION)
    """First version to which it does not apply any more."""

    def covers(self, version: str) -> bool | None:
        """Tell whether ``version`` lies inside; ``None`` when it is too short to say.

        ``1.36`` may be any patch of 1.36, so a range that ends at 1.36.3 leaves it open.
        """
        given = version_key(version)
        if given is None:
            return None
        lowest, highest = _padded(given, 0), _padded(given, _ENDLESS)
        start = _padded(version_key(self.from_version or "0") or (), 0)
        end = _padded(version_key(self.before_version or "") or (_ENDLESS,), 0)
        if highest < start or lowest >= end:
            return False
        return True if lowest >= start and highest < end else None


def _padded(numbers: tuple[int, ...], by: int) -> tuple[int, ...]:
    return (*numbers[:_PARTS], *(by,) * (_PARTS - len(numbers)))


class Hint(Strict):
    """One fact that brings a record into play: a key has one of some values, or a size."""

    model_config = ConfigDict(populate_by_name=True)

    key: str
    """A key of the questions (``platform.dra``), a parameter of a decision
    (``choice.sharing.option``; what runs now counts too, see :data:`advisor.store.choices.NOW`),
    what follows from the decisions (``chosen.crosses_nodes``), a field of the chosen GPU
    (``gpu.architecture``) or of the place (``cluster.operator_installed``)."""
    values: tuple[str, ...] = ()
    """Any of these; yes/no keys take ``yes`` and ``no``."""
    at_least: float | None = None
    """Of a number: this or more."""
    below: float | None = None
    """Of a number: less than this."""
    answered: bool | None = None
    """Whether anything is known of it at all."""
    together: tuple[Hint, ...] = Field((), alias="and")
    """What must hold beside it."""

    @model_validator(mode="after")
    def _says_what(self) -> Hint:
        sizes = self.at_least is not None or self.below is not None
        if (bool(self.values), sizes, self.answered is not None).count(True) != 1:
            message = "give one of values, a size (at_least, below) and answered"
            raise ValueError(message)
        return self

    def admits(self, number: float) -> bool:
        """Tell whether a number has the size asked for."""
        big = self.at_least is None or number >= self.at_least
        return big and (self.below is None or number < self.below)


class Applies(Strict):
    """When a record is about somebody's situation, in words and for rules.

    It applies when every hint of ``all_of`` holds, one of ``any_of`` if there are any, none of
    ``unless``, and :meth:`in_versions` if there are any. What is not known leaves it open, never
    false; in ``unless`` it does no harm. A field of a GPU in ``unless`` means that there is none
    such.
    """

    words: str
    vendor: Literal["nvidia"] | None = None
    """Of GPUs that all come from this maker, as far as they are known."""
    all_of: tuple[Hint, ...] = ()
    any_of: tuple[Hint, ...] = ()
    unless: tuple[Hint, ...] = ()
    versions: tuple[VersionRange, ...] = ()
    versions_of_each: bool = False
    """Every component named must be inside, not the first one known."""
    versions_suffice: bool = False
    """A version inside counts as one more of ``any_of``, not as a condition beside it."""

    @model_validator(mode="after")
    def _says_when(self) -> Applies:
        if not (self.all_of or self.any_of or self.versions):
            message = "give at least one hint or version"
            raise ValueError(message)
        if self.versions_suffice and not (self.versions and self.any_of):
            message = "versions_suffice needs versions and any_of"
            raise ValueError(message)
        return self

    def in_versions(self, known: Mapping[str, str]) -> bool | None:
        """Tell whether the versions that are known lie inside; ``None`` when that is open.

        The first component named whose version is known decides: an operator's version only
        stands in for that of the driver it would install.

        Args:
            known: Component id to version.
        """
        named = tuple(dict.fromkeys(r.component for r in self.versions))
        if self.versions_of_each:
            verdicts = [self._inside(component, known) for component in named]
            return False if False in verdicts else (None if None in verdicts else True)
        first = next((component for component in named if component in known), None)
        if first is None:
            return None if self.versions else True
        return self._inside(first, known)

    def _inside(self, component: str, known: Mapping[str, str]) -> bool | None:
        if component not in known:
            return None
        verdicts = [r.covers(known[component]) for r in self.versions if r.component == component]
        return True if True in verdicts else (None if None in verdicts else False)

    @property
    def hints(self) -> tuple[Hint, ...]:
        """All hints: those that must hold, those of which one must, those that must not."""
        return (*self.all_of, *self.any_of, *self.unless)


class Resolution(Strict):
    """How to find out, and what to do then."""

    check: str
    """A command, and what in its output tells."""
    fix: str
