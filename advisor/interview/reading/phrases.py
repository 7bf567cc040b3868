"""The wording that sentences are read by: schema and loading of ``knowledge/phrases``.

Phrases are data, so that somebody who knows how engineers speak can add to them. Owns the form
of the files; what the wording leads to is compiled in ``lexicon`` and checked in ``check``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field, model_validator

from advisor.store.loader_files import Loaded
from advisor.store.loader_layout import Catalogue
from advisor.store.records import Strict

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = [
    "CATALOGUE",
    "LISTS",
    "AmountWords",
    "Denial",
    "Hint",
    "LoneWords",
    "OptionWords",
    "PatternWords",
    "Period",
    "Phrase",
    "PhraseBook",
    "UnitWords",
    "VersionWords",
    "WordList",
    "load_phrases",
    "read_phrases",
]

LISTS = (
    "about", "at_most", "at_least", "negations", "doubts", "denied_behind", "doubted_behind",
    "verbs", "turns", "alternatives", "excludes", "variants", "possession", "possession_behind",
    "each", "sharers", "links", "places", "unknown", "yes", "no", "polite", "filler",
    "ordinary", "ignored", "skills",
)  # fmt: skip
"""The word lists that reading needs."""

_Words = tuple[str, ...]
_Value = str | int | tuple[str, ...]


class WordList(Strict):
    """Words that steer the reading of what stands around them."""

    id: str
    text: str
    """What the words do, for the reader of the file."""
    words: _Words = Field(min_length=1)


class UnitWords(Strict):
    """How people write one unit."""

    unit: str
    """The spelling that ``advisor.answers.units`` reads; ``x`` counts GPUs."""
    say: _Words = Field(min_length=1)
    exact: bool = False
    """Capitals count: they tell bits from bytes."""
    alone: _Words = ()
    """Keys that an amount of this unit may mean where no other word tells."""


class AmountWords(Strict):
    """Words beside a number that say what it counts."""

    key: str
    behind: _Words = ()
    before: _Words = ()
    range: Literal["upper"] | None = None
    """``upper``: of "100 to 200" the upper end is taken, and said so."""
    limit: Literal["at_most", "at_least"] | None = None
    """What the answer limits; a number worded as the opposite limit is not read."""
    needs: Literal["scale"] | None = None
    """``scale``: only numbers with k, M or B, or of tokens."""
    asked: bool = False
    """Only in reply to the question itself."""
    note: str = ""
    """What is taken for granted, as a clause to show."""


class VersionWords(Strict):
    """Products whose version number stands behind their name."""

    key: str
    behind: _Words = Field(min_length=1)


class PatternWords(Strict):
    """Names that follow a pattern, such as regions."""

    key: str
    text: str
    match: str
    """Regular expression; letters in any case."""


class LoneWords(Strict):
    """What a number may mean where nothing else tells."""

    text: str
    keys: _Words = Field(min_length=1)
    needs: Literal["billions"] | None = None
    """``billions``: only numbers with B or T; the other entries only without."""


class OptionWords(Strict):
    """A question whose own words are read in any sentence."""

    key: str
    except_: _Words = Field(default=(), alias="except")
    """Words of its options that mean too much to be read without the question."""


class Phrase(Strict):
    """Wording that gives one answer, or one of several."""

    say: _Words = Field(min_length=1)
    gives: Mapping[str, _Value] = Field(default_factory=dict)
    implies: Mapping[str, _Value] = Field(default_factory=dict)
    """What goes without saying; anything said counts more."""
    denied: Mapping[str, _Value] = Field(default_factory=dict)
    either: tuple[Mapping[str, _Value], ...] = ()
    """Readings to choose from; what stands behind the first key of one comes with it."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        """Refuse a phrase without an answer, and one with certain and open answers."""
        if not (self.gives or self.either or self.denied):
            raise ValueError("one of `gives`, `either` and `denied` is needed")
        if self.gives and self.either:
            raise ValueError("`gives` and `either` exclude each other")
        if self.either and (len(self.either) < 2 or not all(self.either)):
            raise ValueError("`either` lists two or more answers")
        return self


class Denial(Strict):
    """What to make of an answer that a text rules out: "not vLLM", "no AMD"."""

    key: str
    values: _Words = ()
    """The answers that are meant; empty: all of the question."""
    take: Literal["others", "ask"] | None = None
    """``others``: the rest of a list stays; ``ask``: which of the rest it is is asked."""
    either: tuple[Mapping[str, _Value], ...] = ()
    """What it may mean; asked."""
    text: str = ""
    """What to say where no answer can hold it: a sentence with the nearest way to say it."""

    @model_validator(mode="after")
    def _leads_somewhere(self) -> Self:
        """Refuse a record that says nothing, and one that says two things."""
        if sum(map(bool, (self.take, self.either, self.text))) != 1:
            raise ValueError("one of `take`, `either` and `text` is needed")
        return self


class Period(Strict):
    """Words for a time that rates and budgets are stated for: "a month"."""

    say: _Words = Field(min_length=1)
    before: _Words = ()
    """Words before an amount of money that say the same: "monthly budget"."""
    named: str
    """As it is said: ``a month``."""
    hours: float = Field(gt=0)


class Hint(Strict):
    """Words behind a number that no answer holds, and what to say about them."""

    behind: _Words = Field(min_length=1)
    text: str
    """A sentence with the nearest way to say it."""


CATALOGUE = Catalogue(
    "phrases",
    "phrases/*.yaml",
    {
        name: ("advisor.interview.reading.phrases", kind)
        for name, kind in (
            ("word_lists", "WordList"),
            ("unit_words", "UnitWords"),
            ("amounts", "AmountWords"),
            ("versions", "VersionWords"),
            ("patterns", "PatternWords"),
            ("lone", "LoneWords"),
            ("options", "OptionWords"),
            ("phrases", "Phrase"),
            ("denials", "Denial"),
            ("periods", "Period"),
            ("hints", "Hint"),
        )
    },
)


@dataclass(frozen=True)
class PhraseBook:
    """Everything in ``knowledge/phrases``."""

    lists: Mapping[str, WordList]
    units: tuple[UnitWords, ...]
    amounts: tuple[AmountWords, ...]
    versions: tuple[VersionWords, ...]
    patterns: tuple[PatternWords, ...]
    lone: tuple[LoneWords, ...]
    options: tuple[OptionWords, ...]
    phrases: tuple[Phrase, ...]
    denials: tuple[Denial, ...] = ()
    periods: tuple[Period, ...] = ()
    hints: tuple[Hint, ...] = ()

    def denial_of(self, key: str, value: str) -> Denial | None:
        """Return what to make of a denied answer; an entry that names it counts first."""
        named = [one for one in self.denials if one.key == key and value in one.values]
        whole = [one for one in self.denials if one.key == key and not one.values]
        return next(iter((*named, *whole)), None)

    def words(self, name: str) -> tuple[str, ...]:
        """Return the words of a list; none where the list is missing, which the check reports."""
        return self.lists[name].words if name in self.lists else ()


def read_phrases(knowledge: Knowledge) -> tuple[PhraseBook, Loaded]:
    """Return the phrases of a knowledge folder, and the records with their files.

    Raises:
        KnowledgeError: with every problem of every file.
    """
    loaded = knowledge.read(CATALOGUE)
    names = (
        "unit_words", "amounts", "versions", "patterns", "lone", "options", "phrases", "denials",
        "periods", "hints",
    )  # fmt: skip
    return PhraseBook(loaded.by_id("word_lists"), *map(loaded.records, names)), loaded


@lru_cache(maxsize=4)
def load_phrases(knowledge: Knowledge) -> PhraseBook:
    """Return the phrases of a knowledge base, read once."""
    return read_phrases(knowledge)[0]
