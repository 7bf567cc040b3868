"""Reads ``knowledge/questions/*.yaml`` and says what is wrong with it.

Reading is quick and happens in every run; :func:`check_questions` does the slower checks that
only somebody who edits the files needs (lines, keys given twice, defaults that are legal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from advisor.answers.nodes import Fields, Items, Node
from advisor.answers.questions import Question, QuestionGroup, Vocabulary
from advisor.errors import InputError, KnowledgeError, Problem

if TYPE_CHECKING:
    from advisor.store.overlays import Overlay

__all__ = ["GROUPS", "check_questions", "read_group", "read_vocabulary", "tree_of"]

Parse = Callable[[str, str], Any]
"""Text of a file and its name -> its data; see ``advisor.store.loader_yaml``."""

GROUPS = (
    "general",
    "workload",
    "layout",
    "observed",
    "objectives",
    "training",
    "hardware",
    "platform",
    "tenancy",
)
"""The files, without their ending, in the order in which answers are listed."""


def read_vocabulary(
    folder: Traversable, parse: Parse | None = None, overlays: Sequence[Overlay] = ()
) -> Vocabulary:
    """Return the questions in ``folder``.

    Args:
        folder: Where the files are.
        parse: Reads the text of a file; by default it is parsed anew.
        overlays: Folders of one's own on top; a question with the key of an earlier one takes
            its place, others are added, and so are new files.

    Raises:
        KnowledgeError: with every problem of every file.
    """
    groups: list[QuestionGroup] = []
    problems: list[Problem] = []
    for name in GROUPS:
        try:
            groups.append(_read_group(folder, name, parse))
        except KnowledgeError as error:
            problems += error.problems
    problems = problems or [*_misplaced(groups)]
    if overlays and not problems:
        from advisor.answers.questions_own import with_overlays

        groups, problems = with_overlays(groups, overlays)
    problems = problems or [*_broken_records(groups)]
    if problems:
        raise KnowledgeError(problems)
    return Vocabulary(tuple(groups))


def check_questions(folder: Traversable, overlays: Sequence[Overlay] = ()) -> list[Problem]:
    """Return every problem of the question files; none means that they can be used."""
    problems: list[Problem] = []
    for name in GROUPS:
        try:
            _tree(folder, name)
        except KnowledgeError as error:
            problems += error.problems
    if problems:
        return problems
    try:
        vocabulary = read_vocabulary(folder, overlays=overlays)
    except KnowledgeError as error:
        return list(error.problems)
    return [*_illegal_defaults(vocabulary, overlays)]


def _file(name: str) -> str:
    return f"questions/{name}.yaml"


def _text(folder: Traversable, name: str) -> str:
    try:
        return (folder / f"{name}.yaml").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"The file cannot be read: {error}."
        raise KnowledgeError(Problem("unreadable", message, file=_file(name))) from error


def _tree(folder: Traversable, name: str) -> Node | None:
    return tree_of(_text(folder, name), _file(name))


def tree_of(text: str, file: str) -> Node | None:
    """Return a file with its lines; unlike YAML itself this refuses a key given twice.

    Raises:
        KnowledgeError: The text is not YAML as answers files have it.
    """
    from advisor.answers.yaml_text import parse_yaml

    try:
        return parse_yaml(text, file)
    except InputError as error:
        raise KnowledgeError(error.problems) from error


def _read_group(folder: Traversable, name: str, parse: Parse | None) -> QuestionGroup:
    return read_group(_text(folder, name), _file(name), parse)


def read_group(text: str, file: str, parse: Parse | None = None) -> QuestionGroup:
    """Return the questions of one file.

    Args:
        text: What the file holds.
        file: Its name, for error messages.
        parse: Reads the text; by default it is parsed anew.

    Raises:
        KnowledgeError: with every problem of the file.
    """
    from advisor.store.loader_yaml import parse_yaml

    try:
        data = (parse or parse_yaml)(text, file)
    except KnowledgeError:
        tree_of(text, file)
        raise
    try:
        return QuestionGroup.model_validate(data)
    except ValidationError as error:
        raise KnowledgeError([*_schema_problems(error, file, data, tree_of(text, file))]) from error


def _schema_problems(
    error: ValidationError, file: str, data: object, tree: Node | None
) -> Iterator[Problem]:
    """Yield one problem for each fault pydantic found, named by the question's key."""
    from advisor.store.loader_errors import described

    for fault in error.errors(include_url=False):
        place = fault["loc"]
        key = ".".join(str(part) for part in place)
        if len(place) > 1 and place[0] == "questions" and isinstance(place[1], int):
            record = _record(data, place[1])
            key = ".".join([str(record.get("key", key)), *(str(part) for part in place[2:])])
        code, message, allowed, nearest = described(dict(fault), QuestionGroup)
        yield Problem(code, message, file, _line(tree, place), key, allowed, nearest)


def _record(data: object, index: int) -> dict[str, Any]:
    """Return a question of a file that may have any shape."""
    questions = data.get("questions") if isinstance(data, dict) else None
    record = questions[index] if isinstance(questions, list) else None
    return record if isinstance(record, dict) else {}


def _line(node: Node | None, place: tuple[int | str, ...]) -> int | None:
    """Return the line of the deepest part of ``place`` that the file has."""
    line = node.line if node is not None else None
    for part in place:
        found: Node | None = None
        if isinstance(node, Fields):
            found = next((entry.node for entry in node.entries if entry.name == part), None)
        elif isinstance(node, Items) and isinstance(part, int) and part < len(node.items):
            found = node.items[part]
        if found is None:
            return line
        node, line = found, found.line
    return line


def _misplaced(groups: list[QuestionGroup]) -> Iterator[Problem]:
    """Yield keys that stand in the wrong file, or twice."""
    seen: set[str] = set()
    for group in groups:
        prefix = "" if group.group == "general" else group.group
        for question in group.questions:
            at = Problem("bad_question", "", file=_file(group.group), key=question.key)
            if question.group != prefix:
                yield replace(at, message=f"A key of this file begins with '{prefix}.'.")
            if question.key in seen:
                yield replace(at, message="The key is described twice.")
            seen.add(question.key)


def _broken_records(groups: list[QuestionGroup]) -> Iterator[Problem]:
    """Yield references of record shapes that lead nowhere."""
    keys = {question.key for group in groups for question in group.questions}
    names = {group.group for group in groups}
    for group in groups:
        for question in group.questions:
            shape = question.record
            own = {field.name for field in shape.fields} if shape else set()
            wrong = [key for key in shape.same_as.values() if key not in keys] if shape else []
            if shape and shape.group is not None and shape.group not in names:
                wrong.append(shape.group)
            if shape:
                wrong += [name for name in shape.single if name not in own | set(shape.same_as)]
            for key in wrong:
                message = f"The record refers to '{key}', which does not exist."
                yield Problem("bad_question", message, file=_file(group.group), key=question.key)


def _illegal_defaults(vocabulary: Vocabulary, overlays: Sequence[Overlay]) -> Iterator[Problem]:
    own: dict[str, str] = {}
    if overlays:
        from advisor.answers.questions_own import files_of

        own = files_of(overlays)
    for key, question in vocabulary.items():
        if question.default is not None:
            file = own.get(key) or _file(question.group or "general")
            yield from _illegal_default(key, question, file)


def _illegal_default(key: str, question: Question, file: str) -> Iterator[Problem]:
    from advisor.answers.plain import from_python
    from advisor.answers.values import Refused, read_value

    try:
        reading = read_value(question, from_python(question.default, file))
    except Refused as refused:
        for problem in refused.problems:
            yield replace(problem, file=file, key=f"{key}.default", line=None)
        return
    expected = tuple(question.default) if question.list else question.default
    if reading.value != expected:
        message = f"Write the default as {reading.value!r}, the form that rules see."
        yield Problem("bad_question", message, file=file, key=f"{key}.default")
