"""``gpu-advisor schema``: the JSON Schema of what goes in and what comes out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from advisor.cli.arguments import add_format
from advisor.cli.exits import Exit
from advisor.errors import InputError, Problem

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print the JSON Schema of answers, results or rule files; alone: list them"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_MEANINGS = MappingProxyType(
    {
        "answers": "an answers file: every key with its values, unit, default and section",
        "consultation": "what `advise --format json` prints",
        "size": "what `size --format json` prints",
        "diagnosis": "what `diagnose --format json` prints",
        "rules": "a rule file of the knowledge base",
    }
)

_BUILDERS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "answers": ("advisor.answers.schema", "answers_schema"),
        "rules": ("advisor.rules.record", "rule_schema"),
    }
)
"""Schemas that a function makes: module and name."""

_RESULTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "consultation": ("advisor.consult.consultation", "Consultation"),
        "size": ("advisor.sizing.result", "SizeResult"),
        "diagnosis": ("advisor.diagnose.diagnosis", "DiagnosisReport"),
    }
)
"""Results that a pydantic class describes: module and class."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``schema``."""
    parser.add_argument("name", nargs="?", choices=tuple(_MEANINGS), metavar="NAME")
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    """Print one schema, or the names of all.

    Raises:
        InputError: The schema is not part of this version.
    """
    if args.name is None:
        _list_names(args.format)
        return Exit.DONE
    document = _schema(args.name)
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    return Exit.DONE


def _list_names(form: str) -> None:
    present = {name: text for name, text in _MEANINGS.items() if _is_present(name)}
    if form == "json":
        sys.stdout.write(json.dumps(present, indent=2) + "\n")
        return
    for name, text in present.items():
        sys.stdout.write(f"{name:<14}{text}\n")


def _is_present(name: str) -> bool:
    if name not in _RESULTS:
        return True
    try:
        return find_spec(_RESULTS[name][0]) is not None
    except ModuleNotFoundError:  # not even its package is there
        return False


def _schema(name: str) -> dict[str, Any]:
    if name in _RESULTS:
        return _result_schema(name)
    module, function = _BUILDERS[name]
    build: Callable[[], dict[str, Any]] = getattr(import_module(module), function)
    return build()


def _result_schema(name: str) -> dict[str, Any]:
    """Return the schema of a result as it is printed."""
    if not _is_present(name):
        message = f"The schema of {name} is not part of this version."
        allowed = tuple(other for other in _MEANINGS if _is_present(other))
        raise InputError(Problem("no_such_schema", message, key=name, allowed=allowed))
    module, model = _RESULTS[name]
    schema = getattr(import_module(module), model).model_json_schema(mode="serialization")
    return {"$schema": _DIALECT, **schema}
