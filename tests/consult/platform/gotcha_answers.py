"""Answers that the situations of gotchas are made of; ``__`` in a name stands for a dot."""

from __future__ import annotations

from typing import Any

__all__ = ["Answers", "dotted", "platform", "serving"]

Answers = dict[str, Any]


def platform(**answers: Any) -> Answers:
    """Return answers about a platform without a model."""
    return {"workload.kind": "platform", **dotted(answers)}


def serving(**answers: Any) -> Answers:
    """Return answers about a small model on one card."""
    small = {
        "workload.kind": "serving", "workload.model": "qwen3-8b", "hardware.gpu": "l40s",
    }  # fmt: skip
    return {**small, **dotted(answers)}


def dotted(answers: Answers) -> Answers:
    """Return answers by their keys."""
    return {key.replace("__", "."): value for key, value in answers.items()}
