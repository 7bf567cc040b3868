from __future__ import annotations

import json
import re
from typing import Any

import pytest
from answers_contract import ENUMS, KEYS, all_keys
from answers_random import random_document

from advisor.answers.questions import load_questions
from advisor.answers.schema import answers_schema
from advisor.answers.validate import read_answers

SCHEMA: dict[str, Any] = json.loads(json.dumps(answers_schema()))
KNOWN_WORDS = {
    "$schema", "title", "description", "default", "x-unit", "x-section", "type", "properties",
    "additionalProperties", "propertyNames", "items", "minItems", "uniqueItems", "anyOf", "enum",
    "const", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
}  # fmt: skip
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "integer": (int,),
    "number": (int, float), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """Judge ``value`` by the part of JSON Schema that our schema uses."""
    if schema == {}:
        return True
    assert set(schema) <= KNOWN_WORDS
    same = [(type(one), one) for one in schema.get("enum", [schema.get("const", value)])]
    kinds = schema.get("type", list(TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    shaped = (type(value), value) in same and any(_is(kind, value) for kind in kinds)
    if not shaped or not any(accepts(one, value) for one in schema.get("anyOf", [{}])):
        return False
    return _accepts_parts(schema, value)


def _accepts_parts(schema: dict[str, Any], value: Any) -> bool:
    if isinstance(value, dict):
        return _accepts_fields(schema, value)
    if isinstance(value, list):
        unique = not schema.get("uniqueItems") or len({*map(repr, value)}) == len(value)
        enough = len(value) >= schema.get("minItems", 0)
        return unique and enough and all(accepts(schema.get("items", {}), one) for one in value)
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 10**9)
        return fits and bool(re.search(schema.get("pattern", ""), value))
    return _in_range(schema, value)


def _is(kind: str, value: Any) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _in_range(schema: dict[str, Any], value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    inside = bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return inside and bool(value > schema.get("exclusiveMinimum", value - 1))


def _accepts_fields(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    known = schema.get("properties", {})
    rest = schema.get("additionalProperties", {})
    names = schema.get("propertyNames", {})
    return all(
        accepts(names, name)
        and (accepts(known[name], one) if name in known else rest is not False)
        and (name in known or not isinstance(rest, dict) or accepts(rest, one))
        for name, one in value.items()
    )


def schema_of(key: str) -> dict[str, Any]:
    group, _, name = key.rpartition(".")
    properties = SCHEMA["properties"]
    found: dict[str, Any] = (properties[group]["properties"] if group else properties)[name]
    return found


def test_the_schema_names_its_dialect_and_takes_no_other_keys() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert set(SCHEMA["properties"]) == {*KEYS[""].split(), *(group for group in KEYS if group)}
    assert not accepts(SCHEMA, {"colour": "red"})
    assert not accepts(SCHEMA, {"workload": {"colour": "red"}})
    assert not accepts(SCHEMA, {"workloads": [{"colour": "red"}]})


@pytest.mark.parametrize("key", all_keys())
def test_every_key_has_title_section_and_takes_unknown(key: str) -> None:
    schema = schema_of(key)
    assert schema["title"] == load_questions()[key].text
    assert schema["x-section"] == load_questions()[key].section
    assert accepts(schema, "unknown")


@pytest.mark.parametrize("key", sorted(ENUMS))
def test_enums_are_listed_and_their_synonyms_described(key: str) -> None:
    question = load_questions()[key]
    for choice in question.values:
        value: object = choice.id
        assert accepts(schema_of(key), [value] if question.list else value)
        assert all(word in schema_of(key)["description"] for word in choice.synonyms)
    assert not accepts(schema_of(key), "nonsense")


def test_units_are_named_and_units_in_text_are_taken() -> None:
    assert schema_of("hardware.gpu_memory_gib")["x-unit"] == "GiB"
    assert schema_of("workload.context_tokens")["x-unit"] == "tokens"
    assert accepts(schema_of("workload.context_tokens"), "128k")
    assert not accepts(schema_of("workload.context_tokens"), "many")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("workload.context_tokens", -1),
        ("workload.context_tokens", 0),
        ("workload.context_tokens", 1.5),
        ("workload.context_tokens", True),
        ("layout.gpu_memory_utilization", 0),
        ("layout.gpu_memory_utilization", 1.01),
        ("platform.secure_boot", 1),
        ("platform.kubernetes_version", 1.3),
        ("platform.mig_layout_now", ["half"]),
        ("hardware.gpu", []),
        ("hardware.vendors", ["amd", "amd"]),
        ("workload.model", " "),
        ("platform.env", {"a b": "1"}),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(key: str, value: object) -> None:
    assert not accepts(schema_of(key), value)
    with pytest.raises(ValueError, match=key.rpartition(".")[2]):
        _read_or_value_error(key, value)


def _read_or_value_error(key: str, value: object) -> None:
    from advisor.errors import InputError

    try:
        read_answers({key: value})
    except InputError as error:
        raise ValueError(str(error)) from error


@pytest.mark.parametrize("seed", range(60))
def test_what_the_reader_takes_the_schema_takes(seed: int) -> None:
    document = random_document(seed)
    assert accepts(SCHEMA, document)
    assert accepts(SCHEMA, read_answers(document).as_dict())


def test_defaults_are_stated() -> None:
    assert schema_of("platform.capacity")["default"] == ["on_demand"]
    assert "default" not in schema_of("workload.model")
