"""``kb check`` of rules: GPUs that conditions name by id must be in the catalogue.

The vocabulary of rules takes any text for them, since an answers file may bring a card of its own;
a rule can only mean one that the catalogue has, and a misspelt id would never hold, or always.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from advisor.errors import Problem
from advisor.store.loader_errors import nearest_names

__all__ = ["id_problems"]

_TEST = re.compile(
    r"(?<![\w.])(?P<alias>[a-z_]\w*)\.(?P<field>id|gpu)\s*"
    r"(?:[=!]=\s*(?P<one>'[^']*')|(?:not\s+)?in\s*\[(?P<many>[^\]]*)\])"
)
"""``c.gpu == 'h100-sxm'`` or ``g.id in ['l4', 't4']``."""
_TEXT = re.compile(r"'([^']*)'")


def id_problems(record: Mapping[str, Any], gpus: Sequence[str]) -> Iterator[Problem]:
    """Yield one problem for each GPU that a rule names and that does not exist.

    Args:
        record: A rule as its file has it.
        gpus: Ids of the catalogue; nothing is checked without any.
    """
    if not gpus:
        return
    key = f"rules[{record.get('id')}]"
    kinds = dict(_kinds(record))
    for place, text in _conditions(record):
        for match in _TEST.finditer(text):
            of_gpu = match["field"] == "gpu" or kinds.get(match["alias"]) == "gpu"
            for name in _TEXT.findall(match["one"] or match["many"]) if of_gpu else ():
                if name not in gpus:
                    message = f"There is no GPU {name!r} in the catalogue."
                    nearest = nearest_names(name, tuple(gpus))
                    yield Problem("unknown_id", message, key=f"{key}{place}", nearest=nearest)


def _kinds(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the aliases of a rule with the kind of fact that each stands for."""
    bound = [record.get("for"), *(record.get("none") or ())]
    for mapping in bound:
        if isinstance(mapping, dict):
            yield from ((str(name), str(kind)) for name, kind in mapping.items())


def _conditions(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(when := record.get("when"), str):
        yield ".when", when
    for position, absent in enumerate(record.get("none") or ()):
        if isinstance(absent, dict) and isinstance(where := absent.get("where"), str):
            yield f".none[{position}].where", where
