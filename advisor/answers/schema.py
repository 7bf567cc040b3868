"""The JSON Schema of answers files, made from the questions.

It describes the documents; the reader accepts more spellings (synonyms, units on every
number), never fewer values.
"""

from __future__ import annotations

from collections.abc import Mapping

from advisor.answers.questions import UNKNOWN, Question, Vocabulary, load_questions
from advisor.answers.units import UNITS

__all__ = ["answers_schema"]

Schema = dict[str, object]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_CONTROL = r"\u0000-\u001f\u007f-\u009f"
_ONE_LINE = rf"^[^{_CONTROL}]*[^\s{_CONTROL}][^{_CONTROL}]*$"
_AMOUNT = r"^\s*[0-9]+(\.[0-9]+)?\s*[^\s0-9].*$"
_VERSION = r"^[vV]?[0-9][0-9A-Za-z.+_~\-]*$"
_YES_NO: list[object] = [True, False, "yes", "no", "on", "off", "true", "false"]
_UNITS_OF_KIND: Mapping[str, str] = {"size_tokens": "tokens", "size_gib": "gib"}


def answers_schema() -> Schema:
    """Return the JSON Schema (draft 2020-12) of an answers document."""
    vocabulary = load_questions()
    titles = {group.group: group for group in vocabulary.groups}
    properties: dict[str, object] = {}
    for name in ("", *vocabulary.group_names()):
        members = {q.name: q for q in vocabulary.values() if q.group == name}
        described = {key: _described(q, vocabulary) for key, q in members.items()}
        if not name:
            properties |= described
            continue
        properties[name] = {
            "title": titles[name].title,
            "description": titles[name].text,
            "type": ["object", "null"],
            "properties": described,
            "additionalProperties": False,
        }
    return {
        "$schema": _DIALECT,
        "title": "gpu-advisor answers",
        "description": (
            "Everything may be missing; 'unknown' means that the answer is not known. Quote "
            "versions, so that 1.30 stays 1.30."
        ),
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _described(question: Question, vocabulary: Vocabulary) -> Schema:
    """Return the schema of one key with its text, unit, section and default."""
    schema: Schema = {"title": question.text, "description": _description(question)}
    unit = _unit_of(question)
    if unit and UNITS[unit].label:
        schema["x-unit"] = UNITS[unit].label
    schema["x-section"] = question.section
    if question.default is not None:
        schema["default"] = question.default
    alternatives = _alternatives(question, vocabulary)
    unknown: list[Schema] = [] if question.multiline else [{"const": UNKNOWN}]
    schema["anyOf"] = [*alternatives, *unknown]
    return schema


def _unit_of(question: Question) -> str | None:
    return question.unit or _UNITS_OF_KIND.get(question.kind)


def _description(question: Question) -> str:
    """Return help, examples of units, synonyms, and how to find out."""
    parts = [question.help]
    unit = _unit_of(question)
    if unit and UNITS[unit].examples:
        parts.append(f"For example: {', '.join(UNITS[unit].examples)}.")
    for choice in question.values:
        words = f" (also: {', '.join(choice.synonyms)})" if choice.synonyms else ""
        parts.append(f"{choice.id}: {choice.label}{words}.")
    if question.find_out:
        parts.append(f"To find out: {question.find_out}")
    return " ".join(parts)


def _alternatives(question: Question, vocabulary: Vocabulary) -> list[Schema]:
    if question.kind == "list_of_records":
        return [_records(question, vocabulary)]
    single = _single(question)
    if not question.list:
        return single
    item: Schema = single[0] if len(single) == 1 else {"anyOf": single}
    shape: Schema = {"type": "array", "items": item}
    if not question.empty:
        shape["minItems"] = 1
    if question.kind == "enum":
        shape["uniqueItems"] = True
    if question.nested:
        return [*single, shape, {"type": "array", "items": shape, "minItems": 1}]
    return [*single, shape]


def _records(question: Question, vocabulary: Vocabulary) -> Schema:
    keys = vocabulary.record_keys(question.key)
    record = {
        "type": "object",
        "properties": {name: _described(inner, vocabulary) for name, inner in keys.items()},
        "additionalProperties": False,
    }
    return {"type": "array", "items": record, "minItems": 1}


def _single(question: Question) -> list[Schema]:
    """Return the shapes of one value."""
    words = [choice.id for choice in question.values]
    if question.kind == "enum":
        return [{"enum": [*words, *_boolean_spellings(words)]}]
    if question.kind == "bool":
        amount: list[Schema] = [{"type": "integer", "minimum": 0}] if question.counts else []
        return [{"enum": _YES_NO}, *amount]
    if question.kind == "mapping":
        return [_mapping(question)]
    if question.kind in {"text", "text_or_mapping", "version"}:
        extra: list[Schema] = [{"enum": words}] if words else []
        whole: list[Schema] = [{"type": "object"}] if question.kind == "text_or_mapping" else []
        return [*extra, _text(question), *whole]
    return _number(question)


def _boolean_spellings(words: list[str]) -> list[object]:
    """Return the booleans that YAML makes of an unquoted yes or no, where the key takes them."""
    found: list[object] = [False] if {"no", "none"} & set(words) else []
    return [*found, True] if "yes" in words else found


def _text(question: Question) -> Schema:
    if question.multiline:
        return {"type": "string", "minLength": 1, "pattern": r"\S"}
    if question.kind == "version":
        pattern = f"^[vV]?({question.pattern})$" if question.pattern else _VERSION
        return {"type": "string", "pattern": pattern, "maxLength": 64}
    pattern = f"^({question.pattern})$" if question.pattern else _ONE_LINE
    return {"type": "string", "pattern": pattern, "maxLength": 500}


def _mapping(question: Question) -> Schema:
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^({question.pattern or '.+'})$"},
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    }


def _number(question: Question) -> list[Schema]:
    whole = question.kind in {"integer", "size_tokens"}
    shape: Schema = {"type": "integer" if whole else "number"}
    ends = {
        "minimum": question.min,
        "exclusiveMinimum": question.above,
        "maximum": question.max,
    }
    for name, end in ends.items():
        if end is not None:
            shape[name] = int(end) if end == int(end) else end
    unit = _unit_of(question)
    if unit and UNITS[unit].examples:
        return [shape, {"type": "string", "pattern": _AMOUNT}]
    return [shape]
