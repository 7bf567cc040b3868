"""Answers files to :class:`Answers`: every key known, every value legal, every fault reported.

Owns which keys may stand where, overrides (``--set``), records, and the collecting of all
problems of a document. GPU and model names stay text here: the catalogues resolve them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.answers.document import Format, parse_document, read_document
from advisor.answers.model import Answers, Origin
from advisor.answers.nearest import homes_of, keys_called, nearest_keys, nearest_words
from advisor.answers.nodes import Entry, Fields, Items, Node, Scalar, describe, shown
from advisor.answers.overrides import SET, override_node, split_override
from advisor.answers.plain import FrozenMapping
from advisor.answers.questions import Question, Vocabulary, load_questions
from advisor.answers.record_places import list_of, no_record, place_of, with_value
from advisor.answers.values import Reading, Refused, is_unknown_word, read_value
from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Answers", "Origin", "override", "read_answers", "read_answers_text"]

_MOST_PROBLEMS = 50
"""Beyond this, a document is not a mistyped answers file but something else."""


def read_answers(
    source: str | Path | Mapping[str, object],
    *,
    name: str | None = None,
    sets: Sequence[str] = (),
    knowledge: Knowledge | None = None,
) -> Answers:
    """Return the answers in a file, in standard input (``-``) or in a mapping.

    Args:
        source: a path (``.json`` and ``.toml`` by their ending, else YAML), ``-``, or nested
            or dotted keys in memory.
        name: what to call the source in messages.
        sets: overrides ``key=value``, also ``workloads[0].key=value``; the last of equal keys
            wins, an empty value takes the answer away.
        knowledge: Whose questions say what is legal; by default those of the one in use.

    Raises:
        InputError: with every problem found.
    """
    label = name or ("answers" if isinstance(source, Mapping) else _label(source))
    return _validated(read_document(source, label), label, sets, knowledge)


def read_answers_text(
    text: str,
    *,
    name: str,
    form: Format = "yaml",
    first_line: int = 1,
    sets: Sequence[str] = (),
    knowledge: Knowledge | None = None,
) -> Answers:
    """Return the answers in a text, such as a fenced block; see :func:`read_answers`."""
    return _validated(parse_document(text, name, form, first_line), name, sets, knowledge)


def override(
    answers: Answers, sets: Sequence[str], *, knowledge: Knowledge | None = None
) -> Answers:
    """Return ``answers`` with some of them replaced; the origins of the others stay.

    Raises:
        InputError: with every problem of ``sets``.
    """
    validation = _Validation(knowledge, answers.name)
    validation.start_from(answers, sets)
    changed = validation.answers(Fields(()), sets)
    touched = {list_of(split_override(text)[0]) for text in sets}

    def stays(path: str) -> bool:
        return path.partition("[")[0] not in touched

    values = {key: value for key, value in answers.values.items() if stays(key)}
    origin = {path: place for path, place in answers.origin.items() if stays(path)}
    return Answers(
        values=FrozenMapping(_in_order({**values, **changed.values}, load_questions(knowledge))),
        unknown=frozenset(filter(stays, answers.unknown)) | changed.unknown,
        origin=FrozenMapping({**origin, **changed.origin}),
        name=answers.name,
    )


def _label(source: str | Path) -> str:
    return "standard input" if str(source) == "-" else str(source)


def _in_order(values: Mapping[str, object], vocabulary: Vocabulary) -> dict[str, object]:
    """Return the values in the vocabulary's order, whatever order they were given in."""
    return {key: values[key] for key in vocabulary if key in values}


def _validated(
    document: Fields, name: str, sets: Sequence[str], knowledge: Knowledge | None
) -> Answers:
    return _Validation(knowledge, name).answers(document, sets)


@dataclass(frozen=True, slots=True)
class _Given:
    """One key that was given, before it is judged."""

    key: str
    node: Node
    line: int | None
    file: str


class _Validation:
    """Judges one document, collecting values and problems."""

    def __init__(self, knowledge: Knowledge | None, name: str) -> None:
        self._knowledge = knowledge
        self._vocabulary = vocabulary = load_questions(knowledge)
        self._name = name
        self._groups = frozenset(vocabulary.group_names())
        self._problems: list[Problem] = []
        self._values: dict[str, object] = {}
        self._unknown: set[str] = set()
        self._origin: dict[str, Origin] = {}

    def start_from(self, answers: Answers, sets: Sequence[str]) -> None:
        """Begin with the records that some of ``sets`` change in part; unless replaced, they stay.

        The text of ``sets`` is judged later.
        """
        keys = {text.partition("=")[0].strip() for text in sets}
        for key in {list_of(key) for key in keys} - keys:
            if key in answers.values:
                self._values[key] = answers.values[key]
            start = f"{key}["
            self._unknown |= {k for k in answers.unknown if k.startswith(start)}
            self._origin |= {k: o for k, o in answers.origin.items() if k.startswith(start)}
            if key in answers.origin:
                self._origin[key] = answers.origin[key]

    def answers(self, document: Fields, sets: Sequence[str]) -> Answers:
        given: dict[str, _Given] = {}
        for item in self._flat(document):
            first = given.setdefault(item.key, item)
            if first is not item:
                message = (
                    f"The key is given twice, on lines {first.line} and {item.line}; keep one."
                )
                self._refuse(Problem("duplicate_key", message, line=item.line), item.key, item.file)
        overrides = list(self._overrides(sets))
        given |= {item.key: item for item in overrides if item.key in self._vocabulary}
        for item in given.values():
            self._take(item)
        self._take_places([item for item in overrides if item.key not in self._vocabulary])
        found = Answers(
            values=FrozenMapping(_in_order(self._values, self._vocabulary)),
            unknown=frozenset(self._unknown),
            origin=FrozenMapping(self._origin),
            name=self._name,
        )
        if self._problems:
            self._problems += self._names_not_known(found)
            raise InputError(self._limited_problems())
        return found

    def _names_not_known(self, answers: Answers) -> list[Problem]:
        """Return what a consultation would say of names, once the rest were mended."""
        from advisor.answers.names import unknown_names
        from advisor.store.loader import load_knowledge

        spelt = [word for p in self._problems for word in (p.key or "", *p.nearest[:1])]
        described = {word.rpartition(".")[2] for word in spelt}
        return unknown_names(answers, self._knowledge or load_knowledge(), described)

    def _flat(self, document: Fields) -> Iterator[_Given]:
        """Yield the given keys of a document; report what is no key."""
        for entry in document.entries:
            if entry.name not in self._groups:
                yield from self._known(entry.name, entry, self._name)
            elif isinstance(entry.node, Fields):
                for inner in entry.node.entries:
                    yield from self._known(f"{entry.name}.{inner.name}", inner, self._name)
            elif not (isinstance(entry.node, Scalar) and entry.node.is_null):
                self._refuse_group(entry)

    def _known(self, key: str, entry: Entry, file: str) -> Iterator[_Given]:
        if key in self._vocabulary:
            yield _Given(key, entry.node, entry.line, file)
            return
        self._refuse(self._unknown_key(key, entry.line), key, file)

    def _unknown_key(self, key: str, line: int | None) -> Problem:
        if len(self._problems) >= _MOST_PROBLEMS:
            return Problem("unknown_key", "There is no such key.", line=line)
        homes = homes_of(key.rpartition(".")[2], self._vocabulary)
        message = "There is no such key."
        if homes:
            message = f"There is no such key here; it belongs at {' or '.join(homes[:3])}."
        group = key.rpartition(".")[0]
        siblings = [q.name for q in self._vocabulary.values() if q.group == group]
        tops = [] if group else sorted(self._groups)
        return Problem(
            "unknown_key",
            message,
            line=line,
            allowed=() if homes else tuple(siblings + tops),
            nearest=nearest_keys(key, self._vocabulary),
        )

    def _refuse_group(self, entry: Entry) -> None:
        names = tuple(q.name for q in self._vocabulary.values() if q.group == entry.name)
        message = f"'{entry.name}:' holds keys; {describe(entry.node)} was given."
        problem = Problem("wrong_shape", message, line=entry.line, allowed=names)
        self._refuse(problem, entry.name, self._name)

    def _overrides(self, sets: Sequence[str]) -> Iterator[_Given]:
        for text in sets:
            try:
                key, node = override_node(text)
            except InputError as error:
                self._problems += error.problems
                continue
            place = place_of(key)
            listed = None if place is None else self._vocabulary.get(place.key)
            if listed is not None and listed.kind == "list_of_records":
                yield _Given(key, node, None, SET)
            else:
                yield from self._known(key, Entry(key, None, node), SET)

    def _take_places(self, items: Sequence[_Given]) -> None:
        """Replace single keys of records; names are compared when all are replaced."""
        for item in items:
            self._take_place(item)
        for key in dict.fromkeys(list_of(item.key) for item in items):
            records = self._values.get(key)
            if isinstance(records, tuple):
                self._refuse_equal_names(_Given(key, Items(()), None, SET), records)

    def _take_place(self, item: _Given) -> None:
        place = place_of(item.key)
        assert place is not None  # noqa: S101 - only places come here
        records = self._values.get(place.key)
        keys = self._vocabulary.record_keys(place.key)
        if not isinstance(records, tuple) or place.index >= len(records):
            count = len(records) if isinstance(records, tuple) else 0
            self._refuse(no_record(place, count), item.key, SET)
            return
        if place.name not in keys:
            entry = Entry(place.name, None, item.node)
            self._refuse(self._unknown_in_record(entry, keys), item.key, SET)
            return
        self._unknown.discard(item.key)
        self._origin.pop(item.key, None)
        value = None
        if not (isinstance(item.node, Scalar) and item.node.is_null):
            reading = self._read(keys[place.name], item)
            value = None if reading is None or reading.unknown else reading.value
        self._values[place.key] = with_value(records, place, value, keys)

    def _take(self, item: _Given) -> None:
        """Judge one answer and note its value, origin or problems."""
        if isinstance(item.node, Scalar) and item.node.is_null:
            return
        question = self._vocabulary[item.key]
        if question.kind == "list_of_records":
            self._take_records(item)
            return
        reading = self._read(question, item)
        if reading is not None and not reading.unknown:
            self._values[item.key] = reading.value

    def _read(self, question: Question, item: _Given) -> Reading | None:
        """Return the reading of a key (also one inside a record) and note where it came from."""
        try:
            reading = read_value(question, item.node, split_commas=item.file == SET)
        except Refused as refused:
            for problem in refused.problems:
                at = problem if problem.line is not None else replace(problem, line=item.line)
                self._refuse(at, item.key, item.file)
            return None
        if reading.unknown:
            self._unknown.add(item.key)
        text = _source_text(item.node)
        understood = "unknown" if reading.unknown and text != "unknown" else reading.understood
        self._origin[item.key] = Origin(item.file, item.line, text, understood)
        return reading

    def _take_records(self, item: _Given) -> None:
        if is_unknown_word(item.node):
            self._unknown.add(item.key)
            self._origin[item.key] = Origin(item.file, item.line, "unknown")
            return
        nodes = item.node.items if isinstance(item.node, Items) else (item.node,)
        if not nodes:
            message = "The list is empty; name something or leave the key out."
            self._refuse(Problem("empty_list", message, line=item.line), item.key, item.file)
        records = []
        for index, node in enumerate(nodes):
            place = _Given(f"{item.key}[{index}]", node, node.line or item.line, item.file)
            records.append(self._record(place, self._vocabulary.record_keys(item.key)))
        self._refuse_equal_names(item, records)
        self._values[item.key] = tuple(records)
        self._origin[item.key] = Origin(item.file, item.line, _source_text(item.node))

    def _record(self, item: _Given, keys: Mapping[str, Question]) -> Mapping[str, object]:
        """Return one record, in the vocabulary's order."""
        if not isinstance(item.node, Fields):
            message = f"A record of keys is needed here; {describe(item.node)} was given."
            problem = Problem("wrong_shape", message, line=item.line, allowed=tuple(keys))
            self._refuse(problem, item.key, item.file)
            return FrozenMapping({})
        values: dict[str, object] = {}
        for entry in item.node.entries:
            path = f"{item.key}.{entry.name}"
            if entry.name not in keys:
                problem = self._unknown_in_record(entry, keys)
                self._refuse(problem, path, item.file)
            elif not (isinstance(entry.node, Scalar) and entry.node.is_null):
                inner = _Given(path, entry.node, entry.line or item.line, item.file)
                reading = self._read(keys[entry.name], inner)
                if reading is not None and not reading.unknown:
                    values[entry.name] = reading.value
        return FrozenMapping({name: values[name] for name in keys if name in values})

    def _unknown_in_record(self, entry: Entry, keys: Mapping[str, Question]) -> Problem:
        near = keys_called(entry.name, keys) or nearest_words(entry.name, keys)
        homes = homes_of(entry.name, self._vocabulary)
        message = "There is no such key in a record."
        if not near and homes:
            message += f" It belongs at {' or '.join(homes[:3])}."
        return Problem("unknown_key", message, line=entry.line, allowed=tuple(keys), nearest=near)

    def _refuse_equal_names(self, item: _Given, records: Sequence[Mapping[str, object]]) -> None:
        question = self._vocabulary[item.key]
        unique = question.record.unique if question.record else None
        seen: set[object] = set()
        for index, record in enumerate(records):
            value = record.get(unique) if unique else None
            if value is not None and value in seen:
                path = f"{item.key}[{index}].{unique}"
                origin = self._origin[path]
                message = f"Two records are called {shown(str(value))}; each needs its own name."
                self._refuse(Problem("repeated_name", message, line=origin.line), path, item.file)
            seen.add(value)

    def _refuse(self, problem: Problem, key: str, file: str) -> None:
        safe = key if key.isprintable() and len(key) <= 120 else shown(key, 120)
        self._problems.append(replace(problem, key=safe, file=file))

    def _limited_problems(self) -> list[Problem]:
        problems = self._problems[:_MOST_PROBLEMS]
        more = len(self._problems) - len(problems)
        if more:
            message = f"{more:,} more problems are not shown."
            problems.append(Problem("too_many_problems", message, file=self._name))
        return problems


def _source_text(node: Node) -> str:
    if isinstance(node, Scalar):
        return node.text.strip()
    if isinstance(node, Items):
        return "[" + ", ".join(_source_text(item) for item in node.items) + "]"
    return "{" + ", ".join(entry.name for entry in node.entries) + "}"
