"""``kb check`` for ``knowledge/phrases``: what the schema cannot see.

Keys that no question has, answers that are not legal, words that two entries give to different
answers, patterns that are none, and lists that reading needs and that are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from advisor.answers.nearest import nearest_keys, nearest_words
from advisor.answers.questions import Question, Vocabulary
from advisor.answers.units import UNITS, UnitError, parse_quantity
from advisor.answers.values import Refused
from advisor.errors import KnowledgeError, Problem
from advisor.interview.reading.answer import unit_of, validated
from advisor.interview.reading.lexicon import short_label
from advisor.interview.reading.phrases import LISTS, PhraseBook, read_phrases
from advisor.interview.reading.words import LONGEST_PHRASE, phrase_key, words_of
from advisor.store.loader_files import Entry, Loaded

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["check_phrases"]


def check_phrases(knowledge: Knowledge, questions: Vocabulary) -> list[Problem]:
    """Return every problem of the files of phrases; none means that they can be used.

    Args:
        knowledge: the folder to check.
        questions: its questions.
    """
    try:
        book, loaded = read_phrases(knowledge)
    except KnowledgeError as error:
        return list(error.problems)
    return [
        *_missing_lists(book, knowledge),
        *_unknown_keys(loaded, questions),
        *_illegal_answers(loaded, questions),
        *_illegal_denials(loaded, questions),
        *_option_words(loaded, questions),
        *_wrong_units(loaded),
        *_wrong_patterns(loaded),
        *_said_twice(loaded),
        *_unusable_words(loaded),
    ]


def _problem(entry: Entry, message: str, part: str, nearest: tuple[str, ...] = ()) -> Problem:
    collection, position = entry.place
    key = f"{collection}.{position}.{part}"
    return Problem("bad_phrase", message, entry.file, key=key, nearest=nearest)


def _missing_lists(book: PhraseBook, knowledge: Knowledge) -> Iterator[Problem]:
    file = f"{knowledge.path.name}/phrases/words.yaml"
    for name in LISTS:
        if name not in book.lists:
            message = f"The word list {name!r} is missing."
            yield Problem("bad_phrase", message, file, key="word_lists")
    for name in book.lists:
        if name not in LISTS:
            message = f"No reading uses a word list {name!r}."
            near = nearest_words(name, LISTS)
            yield Problem("bad_phrase", message, file, key=f"word_lists.{name}", nearest=near)


def _keys_of(collection: str, record: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yield the keys that a record names, and where."""
    if collection in {"amounts", "versions", "patterns", "options"}:
        yield record.key, "key"
    elif collection == "denials":
        yield record.key, "key"
        yield from ((key, "either") for one in record.either for key in one)
    elif collection == "lone":
        yield from ((key, "keys") for key in record.keys)
    elif collection == "unit_words":
        yield from ((key, "alone") for key in record.alone)
    elif collection == "phrases":
        for part in ("gives", "implies", "denied"):
            yield from ((key, part) for key in getattr(record, part))
        yield from ((key, "either") for one in record.either for key in one)


def _unknown_keys(loaded: Loaded, questions: Vocabulary) -> Iterator[Problem]:
    for collection, entries in loaded.entries.items():
        for entry in entries:
            for key, part in _keys_of(collection, entry.record):
                if key not in questions:
                    near = nearest_keys(key, questions)
                    yield _problem(entry, f"No question has the key {key!r}.", part, near)
                elif wrong := _wrong_kind(collection, questions[key]):
                    yield _problem(entry, f"{key} {wrong}.", part)


def _wrong_kind(collection: str, question: Question) -> str:
    """Return why a question is not of the kind that a collection is about."""
    if collection in {"amounts", "lone", "unit_words"} and unit_of(question) is None:
        return "takes no number"
    if collection == "versions" and question.kind != "version":
        return "takes no version"
    if collection == "options" and question.kind != "enum":
        return "has no options"
    return ""


def _illegal_answers(loaded: Loaded, questions: Vocabulary) -> Iterator[Problem]:
    for entry in loaded.entries["phrases"]:
        record = entry.record
        parts = [(name, getattr(record, name)) for name in ("gives", "implies", "denied")]
        for part, pairs in (*parts, *(("either", one) for one in record.either)):
            yield from _illegal(entry, part, pairs, questions)


def _illegal_denials(loaded: Loaded, questions: Vocabulary) -> Iterator[Problem]:
    """Yield denied answers that no question has, and outcomes that are not legal."""
    for entry in loaded.entries["denials"]:
        record = entry.record
        for value in record.values:
            yield from _illegal(entry, "values", {record.key: value}, questions)
        for one in record.either:
            yield from _illegal(entry, "either", one, questions)
        question = questions.get(record.key)
        if question is not None and record.take and not question.values:
            yield _problem(entry, f"{record.key} has no options, so none are left.", "take")


def _illegal(
    entry: Entry, part: str, pairs: Mapping[str, object], questions: Vocabulary
) -> Iterator[Problem]:
    for key, value in pairs.items():
        if key not in questions:
            continue
        try:
            validated(questions[key], value)
        except Refused as refused:
            first = refused.problems[0]
            yield _problem(entry, f"{key}: {first.message}", part, first.nearest)


def _option_words(loaded: Loaded, questions: Vocabulary) -> Iterator[Problem]:
    """Yield exceptions that none of the question's options is called."""
    for entry in loaded.entries["options"]:
        question = questions.get(entry.record.key)
        names = {
            phrase_key(word)
            for choice in (question.values if question else ())
            for word in (choice.id, short_label(choice.label), *choice.synonyms)
        }
        for word in entry.record.except_:
            if question is not None and phrase_key(word) not in names:
                near = nearest_words(word, names)
                yield _problem(entry, f"No option is called {word!r}.", "except", near)


def _wrong_units(loaded: Loaded) -> Iterator[Problem]:
    for entry in loaded.entries["unit_words"]:
        unit = entry.record.unit
        if unit != "x" and not any(_reads(unit, name) for name in UNITS):
            yield _problem(entry, f"No number is ever in the unit {unit!r}.", "unit")


def _reads(unit: str, name: str) -> bool:
    try:
        parse_quantity(f"1 {unit}", name)
    except UnitError:
        return False
    return True


def _wrong_patterns(loaded: Loaded) -> Iterator[Problem]:
    for entry in loaded.entries["patterns"]:
        try:
            empty = re.compile(entry.record.match).match("")
        except re.error as error:
            yield _problem(entry, f"This is no regular expression: {error}.", "match")
            continue
        if empty:
            yield _problem(entry, "The pattern matches nothing at all, so everything.", "match")


def _said_twice(loaded: Loaded) -> Iterator[Problem]:
    """Yield words that two phrases, or two units, give to different answers."""
    for collection in ("phrases", "unit_words"):
        owners: dict[str, int] = {}
        for position, entry in enumerate(loaded.entries[collection]):
            exact = getattr(entry.record, "exact", False)
            for say in entry.record.say:
                key = say if exact else phrase_key(say)
                if owners.setdefault(key, position) != position:
                    other = loaded.entries[collection][owners[key]].place[1]
                    message = f"{say!r} is said by entry {other} of {collection} too."
                    yield _problem(entry, message, "say")


def _unusable_words(loaded: Loaded) -> Iterator[Problem]:
    """Yield phrases that no text can match: empty ones, and ones of too many words."""
    for entries in loaded.entries.values():
        for entry in entries:
            for part in ("say", "behind", "before"):
                for say in getattr(entry.record, part, ()):
                    count = len(words_of(say))
                    if not 0 < count <= LONGEST_PHRASE:
                        message = f"{say!r} has {count} words; 1 to {LONGEST_PHRASE} can be found."
                        yield _problem(entry, message, part)
