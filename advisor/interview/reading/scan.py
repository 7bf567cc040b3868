"""A text under reading: its words, which of them are spoken for, and what was found so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.questions import Question
from advisor.errors import Problem
from advisor.interview.reading.answer import understood
from advisor.interview.reading.lexicon import Lexicon, Said
from advisor.interview.reading.model import Understood
from advisor.interview.reading.words import Word

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Hit", "Scan"]


@dataclass(frozen=True, slots=True)
class Hit:
    """Words that say something."""

    start: int
    end: int
    """Indexes of words, the end not included."""
    gives: tuple[Understood, ...] = ()
    either: tuple[Understood, ...] = ()
    """Several meanings: offered."""
    implies: tuple[Understood, ...] = ()
    denied: tuple[Understood, ...] = ()
    """What it says when it is denied; nothing: it cannot be turned round."""
    counts: bool = False
    """It is a number with what it counts."""
    names: bool = False
    """It is the name of a model, a GPU, a region."""


@dataclass
class Scan:
    """The state of reading one text; every step claims the words that it has understood."""

    text: str
    words: tuple[Word, ...]
    lexicon: Lexicon
    knowledge: Knowledge
    known: Answers | None = None
    focus: Question | None = None
    """The question that is open, whose words and units count first."""
    own: Mapping[str, tuple[Said, ...]] = field(default_factory=dict)
    """Words of the open question's options -> the options."""
    hits: list[Hit] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    claimed: list[bool] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was said and no answer can hold, with the nearest way to say it."""
    denied: list[tuple[Hit, tuple[int, int]]] = field(default_factory=list)
    """What the text rules out and no answer of its own says, with the words that do so."""

    def __post_init__(self) -> None:
        """Start with every word free."""
        self.claimed = [False] * len(self.words)

    def free(self, index: int) -> bool:
        """Tell whether a word is not yet spoken for."""
        return not self.claimed[index]

    def claim(self, start: int, end: int) -> None:
        """Take words, so that no later step reads them again."""
        self.claimed[start:end] = [True] * (end - start)

    def add(self, hit: Hit) -> None:
        """Note what words say, and claim them."""
        self.hits.append(hit)
        self.claim(hit.start, hit.end)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where words stand in the text."""
        return self.words[start].start, self.words[end - 1].end

    def slice(self, start: int, end: int) -> str:
        """Return words as they were typed."""
        first, last = self.span(start, end)
        return self.text[first:last]

    def answer(
        self, key: str, written: object, start: int, end: int, *, shown: str = "", note: str = ""
    ) -> Understood | None:
        """Return an answer that words give, or None where it is not legal."""
        return understood(
            self.lexicon.questions[key],
            written,
            self.slice(start, end),
            self.span(start, end),
            self.knowledge,
            shown=shown,
            note=note,
        )

    def answers(self, said: Iterable[Said], start: int, end: int) -> tuple[Understood, ...]:
        """Return all legal answers of a phrase."""
        found: list[Understood] = []
        for one in said:
            read = self.answer(one.key, one.value, start, end)
            if read is not None:
                found.append(replace(read, beside=self.answers(one.beside, start, end)))
        return tuple(found)

    def respell(self, index: int, text: str) -> None:
        """Put the right spelling in place of a word."""
        words = list(self.words)
        words[index] = replace(words[index], text=text)
        self.words = tuple(words)
