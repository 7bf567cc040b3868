"""Where in the answers a problem lies that was found while working with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from advisor.answers.model import Answers
from advisor.errors import InputError, Problem

__all__ = ["placed"]

_GROUPS = ("", "workload.", "hardware.", "training.")


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
