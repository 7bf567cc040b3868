"""What ``size`` says of names that no catalogue knows: all of them, and what does instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.errors import Problem, UnknownNameError

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge
    from advisor.store.model import Model

__all__ = ["with_remedies"]

_REMEDIES = {
    "unknown_model": "For a model outside the catalogue give its config.json: --config FILE.",
    "unknown_gpu": "For a card outside the catalogue leave --gpu out and give --gpu-memory-gib.",
}
_COUNTED = re.compile(r"(\d+) ?[xX*] ?(?=\S)")
"""A number before a name, as in ``4x h100``."""


def with_remedies(
    error: UnknownNameError, knowledge: Knowledge, model: str | Model, gpu: str | None
) -> UnknownNameError:
    """Return the error with the other name, if that is not known either, and what to do."""
    problems = list(error.problems)
    told = {problem.message for problem in problems}
    problems += [p for p in _not_known(knowledge, model, gpu) if p.message not in told]
    return UnknownNameError([_mended(problem, gpu or "") for problem in problems])


def _not_known(knowledge: Knowledge, model: str | Model, gpu: str | None) -> Iterator[Problem]:
    try:
        if isinstance(model, str):
            knowledge.resolve_model(model)
    except UnknownNameError as error:
        yield from error.problems
    try:
        if gpu is not None:
            knowledge.resolve_gpu(gpu)
    except UnknownNameError as error:
        yield from error.problems


def _mended(problem: Problem, gpu: str) -> Problem:
    remedy = _REMEDIES.get(problem.code)
    if remedy is None:
        return problem
    counted = _COUNTED.match(gpu.strip()) if problem.code == "unknown_gpu" else None
    if counted is not None:
        remedy = f"A number stands apart: --gpu-count {counted[1]}."
    return replace(problem, message=f"{problem.message} {remedy}")
