"""Schemas of gotchas and of the error texts by which they are met."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator, model_validator

from advisor.store.cited import Applies, Cited, Hint, Resolution, Severity, VersionRange
from advisor.store.records import Strict

__all__ = ["Cause", "Gotcha", "Quote", "Symptom", "WithoutKubernetes"]

_WORD = r"^[a-z0-9]+(-[a-z0-9]+)*$"


class WithoutKubernetes(Strict):
    """What a gotcha says in place of its own words where no Kubernetes starts the work."""

    symptom: str | None = None
    cause: str | None = None
    check: str | None = None
    fix: str | None = None


class Gotcha(Cited, Resolution):
    """Something that bites in situations that a choice brings about."""

    id: str = Field(pattern=_WORD)
    title: str
    severity: Severity
    decision: Literal["gpu", "sharing", "parallelism", "provisioning"]
    """The decision that brings it."""
    applies: Applies
    symptom: str
    cause: str
    told_by: tuple[str, ...] = ()
    """Rules that say the same with the particulars of the case: where one fires, this is silent."""
    without_kubernetes: WithoutKubernetes | None = None
    told_always: bool = False
    """Wherever it holds one of ``told_by`` fires, so that no rule is made of it."""

    @model_validator(mode="after")
    def _is_told(self) -> Gotcha:
        if self.told_always and not self.told_by:
            message = "told_always needs the rules that tell it, under told_by"
            raise ValueError(message)
        return self


def _regular(patterns: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            message = f"{pattern!r} is no regular expression: {error}"
            raise ValueError(message) from None
    return patterns


class Cause(Strict):
    """One reason for a symptom. Causes stand in the order of likelihood when nothing is known.

    Where a gotcha tells the story, the cause names it and leaves out what the gotcha says;
    :meth:`told` puts the two together.
    """

    id: str = Field(pattern=_WORD)
    evidence: str
    """What in the log or the situation speaks for it."""
    gotcha: str | None = None
    cause: str | None = None
    check: str | None = None
    fix: str | None = None
    sections: tuple[str, ...] = ()
    likelier_when: tuple[Hint, ...] = ()
    """Any of these moves it up."""
    versions: tuple[VersionRange, ...] = ()
    """A version inside moves it up, one outside all of them down."""
    unlikely_if_it_fits: bool = False
    """Where the layout that is stated was found to hold the model's weights, it moves down."""
    shown_by: tuple[str, ...] = ()
    """Regular expressions, case apart: a text that holds one speaks for this cause."""

    @field_validator("shown_by")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        return _regular(patterns)

    @model_validator(mode="after")
    def _is_whole(self) -> Cause:
        if self.gotcha is None and not (self.cause and self.check and self.fix and self.sections):
            message = "give cause, check, fix and sections, or a gotcha that has them"
            raise ValueError(message)
        return self

    def told(self, gotchas: Mapping[str, Gotcha]) -> Cause:
        """Return the cause with everything that its gotcha says filled in.

        Raises:
            KeyError: The gotcha is not among ``gotchas``.
        """
        if self.gotcha is None:
            return self
        source = gotchas[self.gotcha]
        told = {
            name: getattr(self, name) or getattr(source, name)
            for name in ("cause", "check", "fix", "sections")
        }
        return self.model_copy(update=told)


class Quote(Strict):
    """A place in the sentences of the causes that is filled from the pasted text."""

    slot: str = Field(pattern=r"^<[a-z]+>$")
    """Stands in check and fix as it is written here, ``<taint>``."""
    pattern: str
    """Regular expression, case apart, whose first group is quoted."""
    otherwise: str
    """What stands there when the text does not say it."""

    @field_validator("pattern")
    @classmethod
    def _compile(cls, pattern: str) -> str:
        _regular((pattern,))
        if re.compile(pattern).groups < 1:
            message = f"{pattern!r} has no group to quote"
            raise ValueError(message)
        return pattern

    def fill(self, sentence: str, text: str) -> str:
        """Return ``sentence`` with the place filled from ``text``."""
        if self.slot not in sentence:
            return sentence
        found = re.search(self.pattern, " ".join(text.split()), re.IGNORECASE)
        return sentence.replace(self.slot, found[1].strip() if found else self.otherwise)


class Symptom(Cited):
    """An error text as people paste it, and what it can mean."""

    id: str = Field(pattern=_WORD)
    title: str
    fragments: tuple[str, ...] = ()
    """Literal pieces without names and numbers; any one is a match, case apart."""
    together: tuple[tuple[str, ...], ...] = ()
    """Sets of pieces that mean something only in the same text."""
    patterns: tuple[str, ...] = ()
    """Regular expressions, case apart, for texts whose numbers matter."""
    said: tuple[str, ...] = ()
    """How people put it who do not paste the text."""
    foreign: tuple[str, ...] = ()
    """Regular expressions, case apart, of what near it shows that it is about something else, such
    as the name of another container; a text that also shows a GPU or a model keeps the symptom."""
    quotes: tuple[Quote, ...] = ()
    """What causes repeat of the text."""
    echo: bool = False
    """The text only follows from another failure; whatever else is there goes before it."""
    example: str
    """A text that must be recognised; where it was seen, as it was seen."""
    wording: Literal["seen", "recalled"]
    """``recalled``: the text was not compared with a source."""
    causes: tuple[Cause, ...] = Field(min_length=1)

    @field_validator("patterns", "foreign")
    @classmethod
    def _compile(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        return _regular(patterns)

    def recognises(self, text: str) -> bool:
        """Tell whether ``text`` holds a fragment, a whole set, or a pattern."""
        lower = " ".join(text.lower().split())
        return (
            any(fragment.lower() in lower for fragment in self.fragments)
            or any(all(part.lower() in lower for part in parts) for parts in self.together)
            or any(re.search(pattern, text, re.IGNORECASE) for pattern in self.patterns)
        )
