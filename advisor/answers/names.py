"""The models and GPUs of an answers file that no catalogue knows, all of them at once.

Owns what may stand in the place of a known name (a config, a size, a memory) and how the error
reads. What a known name means is the store's matter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.errors import Problem, UnknownNameError

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["card_not_known", "model_not_known", "unknown_names"]

_SHAPES = ("model_config", "parameters_b")
"""Either describes a model that has no entry."""
_FIGURE = "gpu_memory_gib"
"""Describes a card that has no entry."""

_COUNTED = re.compile(r"'(\d+) ?[xX*] ?\S")
"""A number before the name that an error quotes, as in ``'4x h100'``."""


def model_not_known(problem: Problem, answers: Answers, key: str) -> Problem:
    """Return the problem of a model's name with its place and what would do instead."""
    more = "For a model outside the catalogue give workload.model_config or workload.parameters_b."
    return _placed(problem, answers, key, more)


def card_not_known(problem: Problem, answers: Answers, key: str) -> Problem:
    """Return the problem of a card's name with its place and what would do instead."""
    group = key.rpartition(".")[0]
    more = f"For a card outside the catalogue give {group}.{_FIGURE}."
    if (counted := _COUNTED.search(problem.message)) is not None:
        more = f"A number stands apart: give {group}.gpus_per_node {counted[1]}. {more}"
    return _placed(problem, answers, key, more)


def _placed(problem: Problem, answers: Answers, key: str, more: str) -> Problem:
    origin = answers.origin.get(key) or answers.origin.get("hardware.gpu")
    return replace(
        problem,
        message=f"{problem.message} {more}",
        file=origin.file if origin else None,
        line=origin.line if origin else None,
        key=key,
    )


def unknown_names(
    answers: Answers, knowledge: Knowledge, described: Collection[str] = ()
) -> list[Problem]:
    """Return a problem for every name that is neither known nor described.

    Args:
        answers: What was understood, also where other keys of the file could not be.
        knowledge: Whose catalogues count.
        described: Keys that are given although their values are not among the answers, such as
            a memory with a wrong unit: a name that they describe is left alone.
    """
    found = []
    for key, name in _models(answers, described):
        try:
            knowledge.resolve_model(name)
        except UnknownNameError as error:
            found.append(model_not_known(error.problems[0], answers, key))
    for key, name in _cards(answers, described):
        try:
            knowledge.resolve_gpu(name)
        except UnknownNameError as error:
            found.append(card_not_known(error.problems[0], answers, key))
    return found


def _models(answers: Answers, described: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the models that nothing but their name describes, each with its key."""
    if answers.get("workload.kind") == "platform":
        return
    if any(_is_given(answers, f"workload.{name}", described) for name in _SHAPES):
        return
    listed = _records(answers, "workloads")
    if not listed:
        model = answers.get("workload.model")
        if model is not None:
            yield "workload.model", str(model)
    for index, record in enumerate(listed):
        shaped = any(name in record or name in described for name in _SHAPES)
        if "model" in record and not shaped:
            yield f"workloads[{index}].model", str(record["model"])


def _cards(answers: Answers, described: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the cards that nothing but their name describes, each with its key."""
    if _FIGURE in described:
        return
    listed = _records(answers, "hardware.inventory")
    for index, record in enumerate(listed):
        if "gpu" in record and _FIGURE not in record:
            yield f"hardware.inventory[{index}].gpu", str(record["gpu"])
    named = answers.get("hardware.gpu")
    if listed or not isinstance(named, tuple) or answers.is_given(f"hardware.{_FIGURE}"):
        return
    for name in named:
        yield "hardware.gpu", str(name)


def _is_given(answers: Answers, key: str, described: Collection[str]) -> bool:
    return answers.is_given(key) or key.rpartition(".")[2] in described


def _records(answers: Answers, key: str) -> tuple[Mapping[str, object], ...]:
    records = answers.get(key)
    return tuple(records) if isinstance(records, tuple) else ()
