"""The phrases and the vocabulary compiled into tables that a text is looked up in.

Built once for a knowledge base. A table maps the joined form of a phrase
(:func:`advisor.interview.reading.words.phrase_key`) to what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from advisor.answers.questions import Choice, Vocabulary, load_questions
from advisor.interview.reading.numbers import UnitTable
from advisor.interview.reading.phrases import LISTS, AmountWords, Phrase, PhraseBook, load_phrases
from advisor.interview.reading.words import phrase_key, words_of

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Lexicon", "Meaning", "Said", "backwards", "lexicon_of", "option_words", "short_label"]

_T = TypeVar("_T")
_EMPTY_LABELS = frozenset(
    {"nothing", "another", "something", "none", "no", "not", "nobody", "yes", "it", "by", "in"}
)
"""First words of labels that mean nothing without their question: "Nothing, plain pods"."""
_BEFORE_NUMBERS = ("about", "at_most", "at_least")


@dataclass(frozen=True, slots=True)
class Said:
    """One answer that a phrase gives, still as text."""

    key: str
    value: object
    beside: tuple[Said, ...] = ()
    """What it says as well, where it is one of several readings."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What one phrase says."""

    gives: tuple[Said, ...] = ()
    implies: tuple[Said, ...] = ()
    denied: tuple[Said, ...] = ()
    either: tuple[Said, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """All tables for reading sentences."""

    questions: Vocabulary
    book: PhraseBook
    phrases: Mapping[str, Meaning]
    units: UnitTable
    alone: Mapping[str, tuple[str, ...]]
    """Unit -> keys that an amount of it may mean by itself."""
    behind: Mapping[str, tuple[AmountWords, ...]]
    before: Mapping[str, tuple[AmountWords, ...]]
    """Keyed by the phrase spelt backwards, word by word: it is looked up from the number."""
    versions: Mapping[str, tuple[str, ...]]
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    lists: Mapping[str, Mapping[str, bool]]
    """Word lists as tables; words with spaces between."""
    before_numbers: Mapping[str, Mapping[str, bool]]
    """The lists that stand before numbers, spelt backwards."""
    known_words: frozenset[str]
    """Every single word of phrases, amounts, units and options."""
    small_words: frozenset[str]
    """Every single word of the lists: never misspelt, and no misspelling is one of them."""


@lru_cache(maxsize=4)
def lexicon_of(knowledge: Knowledge) -> Lexicon:
    """Return the tables of a knowledge base.

    Raises:
        KnowledgeError: the files of phrases cannot be read.
    """
    book = load_phrases(knowledge)
    questions = load_questions(knowledge)
    exact = {say: unit.unit for unit in book.units for say in _spellings(unit.say) if unit.exact}
    loose = {
        say.casefold(): unit.unit
        for unit in book.units
        for say in _spellings(unit.say)
        if not unit.exact
    }
    return Lexicon(
        questions=questions,
        book=book,
        phrases=_phrases(book, questions),
        units=UnitTable(exact, loose),
        alone={unit.unit: unit.alone for unit in book.units if unit.alone},
        behind=_gathered(
            (phrase_key(say), entry) for entry in book.amounts for say in entry.behind
        ),
        before=_gathered((backwards(say), entry) for entry in book.amounts for say in entry.before),
        versions=_gathered(
            (phrase_key(s), entry.key) for entry in book.versions for s in entry.behind
        ),
        patterns=tuple((p.key, re.compile(p.match, re.IGNORECASE)) for p in book.patterns),
        lists={name: dict.fromkeys(map(_spaced, book.words(name)), True) for name in LISTS},
        before_numbers={
            name: dict.fromkeys(map(backwards, book.words(name)), True) for name in _BEFORE_NUMBERS
        },
        small_words=frozenset(
            word.text
            for words in book.lists.values()
            for say in words.words
            for word in words_of(say)
        ),
        known_words=_known_words(book, questions),
    )


def _spellings(say: Iterable[str]) -> Iterator[str]:
    """Yield units as the words of a text join: without spaces."""
    for spelling in say:
        yield re.sub(r"\s+", "", spelling)


def _spaced(phrase: str) -> str:
    return " ".join(word.text for word in words_of(phrase))


def backwards(phrase: str) -> str:
    """Return the joined words of a phrase, the last one first."""
    return "".join(word.text for word in reversed(words_of(phrase)))


def _gathered(pairs: Iterable[tuple[str, _T]]) -> dict[str, tuple[_T, ...]]:
    found: dict[str, tuple[_T, ...]] = {}
    for key, entry in pairs:
        found[key] = (*found.get(key, ()), entry)
    return found


def short_label(label: str) -> str:
    """Return a label without what explains it: ``Serving``, ``BF16``."""
    return re.split(r"[:(,]", label)[0].strip()


def option_words(choice: Choice) -> Iterator[str]:
    """Yield every way in which one option is named."""
    yield choice.id
    yield choice.label
    yield short_label(choice.label)
    yield from choice.synonyms


def _phrases(book: PhraseBook, questions: Vocabulary) -> dict[str, Meaning]:
    """Return the table of phrases; what the files word themselves counts before options."""
    found: dict[str, Meaning] = {}
    for options in book.options:
        question = questions.get(options.key)
        left_out = {phrase_key(word) for word in options.except_}
        for choice in question.values if question else ():
            label = short_label(choice.label)
            label = choice.id if label.split()[0].casefold() in _EMPTY_LABELS else label
            for word in (choice.id, label, *choice.synonyms):
                if (key := phrase_key(word)) and key not in left_out:
                    found.setdefault(key, Meaning(gives=(Said(options.key, choice.id),)))
    for phrase in book.phrases:
        for say in phrase.say:
            found[phrase_key(say)] = _meaning(phrase)
    return found


def _meaning(phrase: Phrase) -> Meaning:
    def said(pairs: Mapping[str, object]) -> tuple[Said, ...]:
        return tuple(Said(key, value) for key, value in pairs.items())

    readings = (said(pairs) for pairs in phrase.either)
    either = tuple(replace(first, beside=tuple(more)) for first, *more in readings)
    return Meaning(said(phrase.gives), said(phrase.implies), said(phrase.denied), either)


def _known_words(book: PhraseBook, questions: Vocabulary) -> frozenset[str]:
    texts: list[str] = [say for phrase in book.phrases for say in phrase.say]
    texts += [say for amount in book.amounts for say in (*amount.behind, *amount.before)]
    texts += [say for version in book.versions for say in version.behind]
    texts += [say for unit in book.units for say in unit.say]
    for options in book.options:
        question = questions.get(options.key)
        for choice in question.values if question else ():
            texts += [choice.id, short_label(choice.label), *choice.synonyms]
    return frozenset(word.text for text in texts for word in words_of(text))
