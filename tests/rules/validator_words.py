"""A small vocabulary and a valid rule that tests break in one way at a time."""

from __future__ import annotations

from typing import Any

from advisor.errors import Problem
from advisor.rules import FieldSpec, Vocabulary, check_rules

WORDS = Vocabulary.of(
    {
        "answers": {
            "workload.kind": ["serving", "training"],
            "workload.model": "str",
            "hardware.nodes": "int",
            "hardware.vendors": FieldSpec("list", ("nvidia", "amd")),
        },
        "candidate": {
            "gpu": "str",
            "format": ["bf16", "fp8"],
            "price": "number",
            "count": "int",
            "fits": "bool",
        },
        "gpu": {"id": "str", "name": "str", "memory": "float"},
        "need": {"count": "int", "format": ["bf16", "fp8"]},
    }
)
VALID: dict[str, Any] = {
    "id": "sample",
    "decision": "gpu",
    "for": {"c": "candidate"},
    "when": "c.fits",
    "effect": "warn",
    "strength": "should",
    "because": "It fits.",
    "cite": ["7.3"],
}


def record(**changes: Any) -> dict[str, Any]:
    """Return the valid rule with keys replaced; None removes one."""
    merged = {**VALID, **changes}
    return {key: value for key, value in merged.items() if value is not None}


def problems_of(changes: dict[str, Any]) -> list[Problem]:
    """Return what the validator says about the changed rule, beside one called ``twice``."""
    first = record(id="twice")
    return check_rules([first, record(**changes)], WORDS)
