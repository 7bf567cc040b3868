"""The reference of answers files, from the questions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from reference_words import cell, code

from advisor.answers.questions import Question, load_questions

__all__ = ["answers_page"]

_KINDS = {
    "enum": "one of the values",
    "bool": "yes or no",
    "integer": "whole number",
    "number": "number",
    "text": "text",
    "version": "version, quoted",
    "size_tokens": "tokens, such as `32k`",
    "size_gib": "GiB, or with a unit, such as `80GB`",
    "list_of_records": "list of records",
    "mapping": "names and values",
    "text_or_mapping": "file, or the mapping itself",
}


def answers_page() -> Iterator[str]:
    """Yield the lines of the page."""
    questions = load_questions()
    yield from ("# Answers files", "", "Every key of an answers file, from `knowledge/questions`.")
    yield "Anything may be missing; every key takes `unknown`, which is an answer too."
    yield "Case, spaces, `-` and `_` do not matter in values."
    yield "`gpu-advisor schema answers` prints the same as JSON Schema."
    yield ""
    for group, members in groupby(questions.values(), key=_group):
        yield from (f"## {group}", "")
        for question in members:
            yield from _question(question)


def _group(question: Question) -> str:
    return question.key.partition(".")[0] if "." in question.key else "At the top"


def _question(question: Question) -> Iterator[str]:
    yield from (f"### {question.key}", "", f"{cell(question.text)} {cell(question.help)}", "")
    yield f"- kind: {'list; each ' if question.list else ''}{_kind(question)}"
    if question.values:
        word = "values" if question.kind == "enum" else "also"
        yield f"- {word}: {'; '.join(_value(v.id, v.label) for v in question.values)}"
    if question.record:
        yield f"- keys of a record: {', '.join(map(code, _record_keys(question)))}"
    if question.default is not None:
        why = f": {cell(question.default_because or '')}" if question.default_because else ""
        yield f"- when missing: {code(_text(question.default))}{why}"
    if question.find_out:
        yield f"- to find out: {cell(question.find_out)}"
    yield from (f"- handbook: §{question.section}", "")


def _kind(question: Question) -> str:
    text = _KINDS[question.kind]
    if question.unit and question.kind in {"integer", "number"}:
        text += f" in {question.unit.replace('_', ' ')}"
    above = question.above is not None
    low = f"more than {question.above:g}" if above else f"at least {question.min or 0:g}"
    limits = [low] if above or question.min is not None else []
    if question.max is not None:
        limits.append(f"at most {question.max:,.0f}")
    return f"{text}, {', '.join(limits)}" if limits else text


def _value(name: str, label: str) -> str:
    same = label.casefold().replace(" ", "_") == name
    return code(name) if same else f"{code(name)} ({cell(label)})"


def _record_keys(question: Question) -> list[str]:
    shape = question.record
    assert shape is not None
    keys = [one.key.rpartition(".")[2] for one in shape.fields] + list(shape.same_as)
    if shape.group:
        keys += [k.partition(".")[2] for k in load_questions() if k.startswith(f"{shape.group}.")]
    return list(dict.fromkeys(keys))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
