"""The references of what is printed, of rules and of knowledge files, from their schemas."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from reference_words import cell, code, docstring, field_texts, table

import advisor.rules
from advisor.consult.consultation import Consultation
from advisor.consult.vocabulary import rule_vocabulary
from advisor.diagnose.diagnosis import DiagnosisReport
from advisor.rules.record import RuleRecord
from advisor.rules.vocabulary import FieldSpec
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge
from advisor.store.loader_layout import CATALOGUES
from advisor.store.records import Source

__all__ = ["knowledge_page", "output_page", "rules_page"]

_FROM_ANSWERS = frozenset({"answers", "item"})


def output_page() -> Iterator[str]:
    """Yield the reference of the JSON that commands print."""
    yield from ("# Output as JSON", "", "What commands print with `--format json`.")
    yield "`gpu-advisor schema consultation|size|diagnosis` prints the same as JSON Schema."
    yield ""
    results = (("advise", Consultation), ("size", SizeResult), ("diagnose", DiagnosisReport))
    for command, model in results:
        yield from (f"## {command}", "")
        yield from _models(model, 3, "serialization")


def rules_page() -> Iterator[str]:
    """Yield the reference of rule files."""
    yield from ("# Rules", "", "The records of `knowledge/rules`, and what a condition means.")
    yield "`gpu-advisor schema rules` prints the keys as JSON Schema."
    yield from ("", "## A rule", "")
    yield from _fields(RuleRecord, "validation", [])
    yield from ("## What a condition means", "")
    yield from _paragraphs(str(inspect.getdoc(advisor.rules)))
    yield from ("## Facts", "", "Kinds of facts that `for` may bind, with their fields.")
    yield "The fields of `answers` are the [keys of an answers file](answers.md)."
    yield ""
    kinds = rule_vocabulary(load_knowledge()).kinds
    for kind in sorted(set(kinds) - _FROM_ANSWERS):
        yield from (f"### {kind}", "")
        rows = sorted(kinds[kind].items())
        yield from table(("field", "type"), ((code(name), _field(spec)) for name, spec in rows))


def knowledge_page() -> Iterator[str]:
    """Yield the reference of catalogue files."""
    yield from ("# Knowledge files", "", "The records of the catalogues in `knowledge/`.")
    yield "A [folder of your own](../own-knowledge.md) has the same files."
    yield "Every file has `sources` beside its collections: names that records refer to, each with"
    yield f"{', '.join(code(name) for name in Source.model_fields)}."
    yield "GB is 1e9 bytes, GiB is 2^30."
    yield ""
    for catalogue in CATALOGUES.values():
        yield from (f"## {catalogue.files}", "")
        for collection in catalogue.collections:
            yield from (f"### {collection}", "")
            yield from _models(catalogue.schema(collection), 4, "validation")


def _field(spec: FieldSpec) -> str:
    values = ", ".join(map(code, spec.allowed))
    return f"{spec.type_class}: {values}" if values else spec.type_class


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the list of a module's docstring, one item a line."""
    items = text[text.index("\n* ") :].split("\n* ")
    yield from (f"- {docstring(item)}" for item in items if item.strip())
    yield ""


def _models(model: type[BaseModel], level: int, mode: Any) -> Iterator[str]:
    """Yield a class and those that its fields hold, each once."""
    below = [one for one in _nested(model) if one is not model]
    names = [one.__name__ for one in (model, *below)]
    yield from _about(model)
    yield from _fields(model, mode, names)
    for one in below:
        yield from (f"{'#' * level} {one.__name__}", "")
        yield from _about(one)
        yield from _fields(one, mode, names)


def _about(model: type[BaseModel]) -> Iterator[str]:
    text = model.__doc__ or ""
    yield from (cell(text), "")


def _nested(model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the classes that a class holds, at any depth; some hold themselves."""
    found: list[type[BaseModel]] = []
    waiting = [model]
    while waiting:
        fields = waiting.pop(0).model_fields.values()
        new = [one for field in fields for one in _classes(field.annotation) if one not in found]
        found += dict.fromkeys(new)
        waiting += dict.fromkeys(new)
    return found


def _classes(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _classes(part)


def _fields(model: type[BaseModel], mode: Any, names: list[str]) -> Iterator[str]:
    schema = model.model_json_schema(mode=mode, by_alias=True)
    if "$ref" in schema:
        schema = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    texts, definitions = field_texts(model), schema.get("$defs", {})
    needed = set(schema.get("required", ()))
    by_alias = {field.alias or name: name for name, field in model.model_fields.items()}
    rows = []
    for key, about in schema.get("properties", {}).items():
        text = about.get("description") or texts.get(by_alias[key], "")
        must = "yes" if key in needed and mode == "validation" else ""
        row = (code(key), _type(about, names, definitions), *((must,) * (mode == "validation")))
        rows.append((*row, cell(text)))
    head = ("key", "type", *(("required",) * (mode == "validation")), "meaning")
    yield from table(head, rows)


def _type(about: dict[str, Any], names: list[str], definitions: dict[str, Any]) -> str:
    if "$ref" in about:
        name = about["$ref"].rpartition("/")[2]
        return name if name in names else _type(definitions.get(name, {}), names, definitions)
    if "const" in about:
        return code(str(about["const"]))
    if "enum" in about:
        return ", ".join(code(str(value)) for value in about["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in about:
            parts = [_type(part, names, definitions) for part in about[key]]
            return " or ".join(dict.fromkeys(part for part in parts if part != "null"))
    return _plain_type(about, names, definitions)


def _plain_type(about: dict[str, Any], names: list[str], definitions: dict[str, Any]) -> str:
    kind = about.get("type", "anything")
    if kind == "array":
        items = about.get("items") or next(iter(about.get("prefixItems", ())), {})
        return f"list of {_type(items, names, definitions)}" if items else "list"
    values = about.get("additionalProperties")
    if kind == "object" and isinstance(values, dict) and values:
        return f"mapping to {_type(values, names, definitions)}"
    words = {"string": "text", "boolean": "yes/no", "integer": "whole number", "object": "mapping"}
    return re.sub(r"^$", "anything", words.get(kind, kind))
