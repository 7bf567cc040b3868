"""The schema of one question record, and the vocabulary that all records make.

Owns the vocabulary: every key an answers file may hold, its kind, unit, legal range, values,
synonyms, default and handbook section. Must not know how an answers file is read
(``document``) nor how a value is converted (``values``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from advisor.store.records import SECTION

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = [
    "UNKNOWN",
    "Choice",
    "Kind",
    "Question",
    "QuestionGroup",
    "RecordShape",
    "Vocabulary",
    "load_questions",
    "same_word",
]

UNKNOWN = "unknown"
"""The answer that every key takes when the person does not know."""

Kind = Literal[
    "enum",
    "bool",
    "integer",
    "number",
    "text",
    "version",
    "size_tokens",
    "size_gib",
    "list_of_records",
    "mapping",
    "text_or_mapping",
]

_NUMERIC = frozenset({"integer", "number", "size_tokens", "size_gib"})


def same_word(text: str) -> str:
    """Return the form in which two spellings of one word are equal.

    Case, spaces, ``-`` and ``_`` do not matter: ``Bare Metal``, ``bare-metal`` and
    ``bare_metal`` are one word. Dots do matter (``ubuntu-22.04``).
    """
    return re.sub(r"[\s_\-]+", "", text.casefold())


class Choice(BaseModel):
    """One legal value of an enum, or one extra word that another kind accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    """The value that rules, reports and answers files use; part of the contract."""
    label: str
    """What a person reads."""
    synonyms: tuple[str, ...] = ()
    """Other words for the same value; compared by :func:`same_word`."""


class RecordShape(BaseModel):
    """Which keys the records of a ``list_of_records`` take."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    group: str | None = None
    """Every key of this group is a key of the record, under its last name."""
    same_as: Mapping[str, str] = Field(default_factory=dict)
    """Record key -> dotted key of the question that describes it."""
    single: tuple[str, ...] = ()
    """Record keys that take one value although their question takes a list."""
    fields: tuple[Question, ...] = ()
    """Keys that exist only inside the record."""
    unique: str | None = None
    """The record key whose value names a record, so that no two may be equal."""


class Question(BaseModel):
    """One key of the answers document and everything that is known about it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    """Dotted path, such as ``workload.context_tokens``; never renamed."""
    also_called: tuple[str, ...] = ()
    """Other names that people give the key: never read as the key, but told where they are used."""
    text: str
    """The question, as one person asks another."""
    help: str
    """What the answer means or changes."""
    kind: Kind
    unit: str | None = None
    """Name of the unit that a bare number is in; see :mod:`advisor.answers.units`."""
    min: float | None = None
    """Smallest legal number, itself legal."""
    max: float | None = None
    """Largest legal number, itself legal."""
    above: float | None = None
    """Numbers must be greater than this."""
    values: tuple[Choice, ...] = ()
    """The values of an enum; for another kind, words accepted beside it (``none``)."""
    list: bool = False
    """The answer is a list; one value alone is read as a list of one."""
    nested: bool = False
    """The list may also be a list of lists (one list for each GPU)."""
    empty: bool = False
    """An empty list is an answer of its own (``ask: []``)."""
    multiline: bool = False
    """The text may be a pasted log of many lines."""
    pattern: str | None = None
    """Regular expression that the whole text (or each name of a mapping) must match."""
    example: str | None = None
    """A legal answer, shown where a pattern refuses one."""
    lower: bool = False
    """The text is stored in lower case, and matched so."""
    float_safe: bool = False
    """The version has exactly one decimal, so a number loses no digit (``9.0``)."""
    counts: bool = False
    """A yes/no key that also takes an amount: more than zero is yes."""
    record: RecordShape | None = None
    find_out: str | None = None
    """What a novice runs or looks at to find the answer."""
    default: Any = None
    """The assumption when the answer is missing or unknown; None: there is no sensible one."""
    default_because: str | None = None
    section: Annotated[str, Field(pattern=SECTION)]
    """Number of the handbook section that explains the matter."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        """Refuse a record whose parts contradict each other."""
        if self.kind == "enum" and not self.values:
            raise ValueError("an enum needs values")
        if (self.kind == "list_of_records") != (self.record is not None):
            raise ValueError("`record` belongs to list_of_records, and only there")
        if same_word(self.name) in map(same_word, self.also_called):
            raise ValueError("`also_called` holds other names than the key's own")
        if (self.default is None) != (self.default_because is None):
            raise ValueError("`default` and `default_because` come together")
        ranged = (self.min, self.max, self.above) != (None, None, None)
        if ranged and self.kind not in _NUMERIC:
            raise ValueError("only numbers have a range")
        lower_ends = (self.min is None) + (self.above is None)
        if self.kind in _NUMERIC and (self.max is None or lower_ends != 1):
            raise ValueError("a number needs `max` and one of `min` and `above`")
        _refuse_ambiguous_words(self.values)
        return self

    @property
    def group(self) -> str:
        """Return the first part of the key, or ``""`` for a key at the top level."""
        return self.key.rpartition(".")[0]

    @property
    def name(self) -> str:
        """Return the last part of the key."""
        return self.key.rpartition(".")[2]

    def choice(self, word: str) -> Choice | None:
        """Return the choice that ``word`` names by id or synonym, or None."""
        wanted = same_word(word)
        for choice in self.values:
            if wanted in {same_word(name) for name in (choice.id, *choice.synonyms)}:
                return choice
        return None


def _refuse_ambiguous_words(values: tuple[Choice, ...]) -> None:
    """Raise ValueError when one word names two choices, or hides ``unknown``."""
    owner: dict[str, str] = {UNKNOWN: UNKNOWN}
    for choice in values:
        for word in {same_word(name) for name in (choice.id, *choice.synonyms)}:
            if owner.setdefault(word, choice.id) != choice.id:
                raise ValueError(f"{word!r} names both {owner[word]} and {choice.id}")


class QuestionGroup(BaseModel):
    """One file of questions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    group: str
    title: str
    text: str
    """One sentence on what the group is about."""
    as_of: str
    sources: tuple[str, ...]
    """Where the commands and meanings of the file come from."""
    questions: tuple[Question, ...]


class Vocabulary(Mapping[str, Question]):
    """All questions by dotted key, in the order of the files' groups."""

    def __init__(self, groups: tuple[QuestionGroup, ...]) -> None:
        self.groups = groups
        """In asking order."""
        self._by_key = {question.key: question for group in groups for question in group.questions}
        self._records = {
            key: _record_questions(question.record, self._by_key)
            for key, question in self._by_key.items()
            if question.record is not None
        }

    def __getitem__(self, key: str) -> Question:
        return self._by_key[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_key)

    def __len__(self) -> int:
        return len(self._by_key)

    def group_names(self) -> tuple[str, ...]:
        """Return the names that hold nested keys (``workload``, ``hardware`` ...)."""
        return tuple(dict.fromkeys(q.group for q in self._by_key.values() if q.group))

    def record_keys(self, key: str) -> Mapping[str, Question]:
        """Return the keys that one record of ``key`` takes, by their name in the record."""
        return self._records[key]


def _record_questions(shape: RecordShape, by_key: Mapping[str, Question]) -> Mapping[str, Question]:
    """Return the questions of a record: its own, those it borrows, those of its group."""
    found = {field.name: field for field in shape.fields}
    found |= {name: by_key[key] for name, key in shape.same_as.items()}
    if shape.group is not None:
        for question in by_key.values():
            if question.group == shape.group:
                found.setdefault(question.name, question)
    for name in shape.single:
        found[name] = found[name].model_copy(update={"list": False})
    return MappingProxyType(found)


def load_questions(knowledge: Knowledge | None = None) -> Vocabulary:
    """Return the vocabulary of a knowledge base, by default of the one in use.

    Raises:
        KnowledgeError: with every problem of every file.
    """
    if knowledge is None:
        from advisor.store.loader import load_knowledge

        knowledge = load_knowledge()
    return _vocabulary(knowledge)


@lru_cache(maxsize=8)
def _vocabulary(knowledge: Knowledge) -> Vocabulary:
    from advisor.answers.questions_files import read_vocabulary

    own = knowledge.path / "questions"
    folder = own if own.is_dir() else files("advisor.knowledge") / "questions"
    return read_vocabulary(folder, knowledge.parse, knowledge.overlays)
