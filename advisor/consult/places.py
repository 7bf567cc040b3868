"""Where in the answers a problem lies that was found while working with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.names import unknown_names
from advisor.errors import InputError, Problem, UnknownNameError

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["all_names", "placed"]

_GROUPS = ("", "workload.", "hardware.", "training.")


@contextmanager
def all_names(answers: Answers, knowledge: Knowledge) -> Iterator[None]:
    """Tell of every name that is not known, where the first one ends the work with the answers.

    Raises:
        UnknownNameError: what was raised inside, with the other names.
    """
    try:
        yield
    except UnknownNameError as error:
        told = {(problem.key, problem.message) for problem in error.problems}
        others = unknown_names(answers, knowledge)
        more = [other for other in others if (other.key, other.message) not in told]
        raise UnknownNameError((*error.problems, *more)) from error


@contextmanager
def placed(answers: Answers, key: str | None = None) -> Iterator[None]:
    """Give the problems of an input error the file and line of the answer that they are about.

    Args:
        answers: Where the values came from.
        key: The answer that everything inside is about; without it the problem's own key counts.

    Raises:
        InputError: of the same class, with places.
    """
    try:
        yield
    except InputError as error:
        problems = [_placed(problem, answers, key) for problem in error.problems]
        if problems == list(error.problems):
            raise
        raise type(error)(problems) from error


def _placed(problem: Problem, answers: Answers, key: str | None) -> Problem:
    known = key or _answer_key(problem.key, answers)
    origin = answers.origin.get(known) if known else None
    if known is None or (problem.line is not None and key is None):
        return problem
    if origin is None:
        return replace(problem, key=known)
    message = problem.message
    inside = problem.file not in {None, origin.file}
    if inside:
        line = f":{problem.line}" if problem.line else ""
        message = f"{problem.file}{line}: {message}"
    return replace(problem, message=message, file=origin.file, line=origin.line, key=known)


def _answer_key(key: str | None, answers: Answers) -> str | None:
    """Return the answer that a shorter name such as ``weight_format`` stands for."""
    if key is None:
        return None
    return next((group + key for group in _GROUPS if group + key in answers.origin), None)
