"""Short ways to ask how nodes are provisioned."""

from __future__ import annotations

from typing import Any

from consult_support import choice, nested, told

from advisor.consult.consultation import Consultation

__all__ = ["assumed", "conflicts", "nodes", "out", "platform"]


def platform(**answers: Any) -> dict[str, Any]:
    """Return answers about a platform without a model; keys are dotted by ``__``."""
    named = {key.replace("__", "."): value for key, value in answers.items()}
    given = {(key if "." in key else f"platform.{key}"): value for key, value in named.items()}
    return nested({"workload.kind": "platform", **given})


def nodes(document: dict[str, Any]) -> dict[str, Any]:
    return choice(told(document), "provisioning")


def out(document: dict[str, Any]) -> dict[str, str]:
    """Return what is rejected with the rule that rejects it."""
    rejected = told(document).decisions["provisioning"].rejected
    return {line.option: str(line.rule) for line in rejected}


def conflicts(document: dict[str, Any]) -> set[str]:
    """Return the ids of warnings about answers that stand against each other."""
    return {warned.id for warned in told(document).warnings if warned.kind == "conflict"}


def assumed(found: Consultation) -> dict[str, Any]:
    return {note.key: note.value for note in found.assumptions}
