"""Replies to a question with options: numbers, words, labels, beginnings, misspelt words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.nearest import nearest_choices
from advisor.answers.questions import UNKNOWN, Choice, Question, same_word
from advisor.errors import Problem
from advisor.interview.reading.answer import understood
from advisor.interview.reading.lexicon import Said, lexicon_of, option_words, short_label
from advisor.interview.reading.model import Ambiguous, Reading, Understood
from advisor.interview.reading.typos import Spelling
from advisor.interview.reading.words import phrase_key, words_of

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["option_problem", "own_words", "read_options"]

_NUMBER = re.compile(
    r"(?:option|number|no\.?|nr\.?|answer|choice|#|\()?\s*(\d{1,2})\s*[.):]?", re.IGNORECASE
)
_SPLIT = re.compile(r"\s*(?:[,;/&+]|\band\b|\bor\b|\bthen\b)\s*", re.IGNORECASE)
_NUMBERS_ONLY = re.compile(r"\s*\d{1,2}(?:[\s,;/&+]+(?:and\s+)?\d{1,2})+\s*")
_SHORTEST_START = 3
_MOST = 9
_ALL = frozenset({"all", "everything", "allofthem", "allfour", "both"})


@dataclass(frozen=True)
class _Words:
    """The words of one question's options."""

    owners: Mapping[str, tuple[str, ...]]
    spelling: Spelling


@lru_cache(maxsize=256)
def _words(values: tuple[Choice, ...]) -> _Words:
    owners: dict[str, dict[str, None]] = {}
    for choice in values:
        for word in (choice.id, choice.label, *choice.synonyms):
            owners.setdefault(same_word(word), {})[choice.id] = None
    short: dict[str, dict[str, None]] = {}
    for choice in values:
        short.setdefault(same_word(short_label(choice.label)), {})[choice.id] = None
    # a shortened label counts where no full word is spelt so
    plain = {word: tuple(ids) for word, ids in (short | owners).items() if word}
    return _Words(plain, Spelling(plain))


def own_words(question: Question) -> Mapping[str, tuple[Said, ...]]:
    """Return the joined words of a question's options, for reading them inside a sentence."""
    found: dict[str, dict[str, None]] = {}
    for choice in question.values:
        for word in option_words(choice):
            if (key := phrase_key(word)) and key not in {
                "no",
                "yes",
                "none",
                "off",
                "on",
                "true",
                "false",
            }:
                found.setdefault(key, {})[choice.id] = None
    return {key: tuple(Said(question.key, one) for one in ids) for key, ids in found.items()}


def read_options(text: str, start: int, question: Question, knowledge: Knowledge) -> Reading | None:
    """Return the reading of a whole reply as options, or None where it is something else.

    Args:
        text: the reply without space around it.
        start: where it stands in what was typed.
        question: an enum, or a question with extra words.
        knowledge: for the echo.
    """
    whole = _choices(text, question, knowledge)
    if whole is None and question.list and same_word(text.strip(" .!")) in _ALL:
        every = tuple(choice.id for choice in question.values)
        read = understood(question, every, text, (start, start + len(text)), knowledge)
        return Reading(found=(read,)) if read is not None and _is_all(text, every) else None
    if whole is None and question.list:
        return _read_list(text, start, question, knowledge)
    if whole is None:
        return None
    if isinstance(whole, Problem):
        return Reading(problem=whole)
    return _reading(whole, text, start, question, knowledge)


def _is_all(text: str, every: tuple[str, ...]) -> bool:
    """Tell whether "both" and "all four" are said of as many options as there are."""
    count = {"both": 2, "allfour": 4}.get(same_word(text.strip(" .!")))
    return count in {None, len(every)}


def _reading(
    ids: tuple[str, ...], text: str, start: int, question: Question, knowledge: Knowledge
) -> Reading | None:
    span = (start, start + len(text))
    read = [understood(question, one, text, span, knowledge) for one in ids[:_MOST]]
    answers: tuple[Understood, ...] = tuple(one for one in read if one is not None)
    if len(answers) == 1:
        return Reading(found=answers)
    return Reading(ambiguous=(Ambiguous(text, span, answers),)) if answers else None


def _read_list(text: str, start: int, question: Question, knowledge: Knowledge) -> Reading | None:
    """Return several options: "1,3", "spot; on demand", "ampere and hopper"."""
    separator = re.compile(r"\s*;\s*") if ";" in text else _SPLIT
    parts = [part for part in separator.split(text) if part]
    if _NUMBERS_ONLY.fullmatch(text):
        parts = re.findall(r"\d+", text)
    ids: dict[str, None] = {}
    for part in parts:
        found = _choices(part, question, knowledge)
        if isinstance(found, Problem):
            return Reading(problem=found)
        if found is None or len(found) > 1:
            return None
        ids[found[0]] = None
    if len(parts) < 2:
        return None
    span = (start, start + len(text))
    read = understood(question, tuple(ids), text, span, knowledge)
    return Reading(found=(read,)) if read is not None else None


def _choices(
    text: str, question: Question, knowledge: Knowledge
) -> tuple[str, ...] | Problem | None:
    """Return the ids that one word or number names."""
    number = _NUMBER.fullmatch(text)
    if number is not None and question.kind == "enum":
        return _numbered(int(number[1]), question)
    words = _words(question.values)
    word = same_word(text.strip(" .!\"'"))
    if word in words.owners:
        return words.owners[word]
    if _denies(text, knowledge):
        return None
    right = words.spelling.corrected(word)
    if right is not None:
        return words.owners[right]
    if len(word) < _SHORTEST_START:
        return None
    begun = {one for name, ids in words.owners.items() if name.startswith(word) for one in ids}
    return tuple(choice.id for choice in question.values if choice.id in begun) or None


def _denies(text: str, knowledge: Knowledge) -> bool:
    """Tell whether a reply has a word that denies: then it is no misspelt or shortened option."""
    denying = lexicon_of(knowledge).lists["negations"]
    return any(word.text in denying for word in words_of(text))


def _numbered(number: int, question: Question) -> tuple[str, ...] | Problem:
    if 1 <= number <= len(question.values):
        return (question.values[number - 1].id,)
    message = f"There is no option {number}: type 1 to {len(question.values)}, or 0."
    return Problem("no_such_option", message, key=question.key, allowed=_ids(question.values))


def _ids(choices: Iterable[Choice]) -> tuple[str, ...]:
    return (*(choice.id for choice in choices), UNKNOWN)


def option_problem(text: str, question: Question) -> Problem:
    """Return the problem of a reply that is none of the options."""
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    message = f"{shown!r} is none of the options."
    near = nearest_choices(text, question.values)
    return Problem(
        "unknown_value", message, key=question.key, allowed=_ids(question.values), nearest=near
    )
