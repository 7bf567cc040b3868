"""One answer as understood: its value from :mod:`advisor.answers`, and how it is echoed.

The echo is fit to be typed: as the reply to its question it gives the same value again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from advisor.answers.plain import from_python
from advisor.answers.questions import UNKNOWN, Question
from advisor.answers.units import UNITS
from advisor.answers.values import Refused, read_value
from advisor.errors import InputError, Problem, UnknownNameError
from advisor.interview.reading.model import Understood
from advisor.store.aliases import squash

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["assumed_gpu", "dont_know", "echo", "problem_of", "understood", "unit_of", "validated"]

_ASIDE = 4
"""Significant digits of a converted figure that is shown beside the typed one."""


def unit_of(question: Question) -> str | None:
    """Return the unit that a bare number is in, or None where no number is wanted."""
    if question.kind in {"integer", "number", "size_tokens", "size_gib"}:
        own = {"size_tokens": "tokens", "size_gib": "gib"}.get(question.kind)
        return own or question.unit or "count"
    return None


def validated(question: Question, value: object) -> object:
    """Return the value as an answers file with ``value`` would give it.

    Raises:
        Refused: it is not legal.
    """
    try:
        node = from_python(value, "reply")
    except InputError as error:
        raise Refused(*error.problems) from error
    return read_value(question, node).value


def understood(
    question: Question,
    written: object,
    text: str,
    span: tuple[int, int],
    knowledge: Knowledge,
    *,
    shown: str = "",
    note: str = "",
) -> Understood | None:
    """Return an answer, or None where it is not legal.

    Args:
        question: what is answered.
        written: the answer as an answers file would have it.
        text: the words used.
        span: where they stand.
        knowledge: names GPUs and models.
        shown: how it was read, where the value alone does not say it best.
        note: what was taken for granted.
    """
    try:
        value = validated(question, written)
    except Refused:
        return None
    return Understood(
        question.key, value, text, shown or echo(question, value, knowledge), span, note
    )


def dont_know(question: Question, text: str, span: tuple[int, int]) -> Understood:
    """Return the answer "I don't know"."""
    return Understood(question.key, UNKNOWN, text, "I don't know", span)


def echo(question: Question, value: object, knowledge: Knowledge) -> str:
    """Return a value as it is shown to the person who gave it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(question, value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={part}" for name, part in value.items())
    if not isinstance(value, tuple):
        return _word(question, value, knowledge)
    if any(isinstance(part, tuple) for part in value):
        inner = (_list(question, part, knowledge) for part in value)
        return "[" + ", ".join(f"[{part}]" for part in inner) + "]"
    return _list(question, value, knowledge)


def _list(question: Question, value: object, knowledge: Knowledge) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    if not parts:
        return "[]"
    words = [_word(question, part, knowledge) for part in parts]
    return ("; " if any("," in word for word in words) else ", ").join(words)


def _word(question: Question, value: object, knowledge: Knowledge) -> str:
    """Return the label of an option, the name of a GPU or model, or the text itself."""
    text = str(value)
    choice = next((choice for choice in question.values if choice.id == text), None)
    if choice is not None:
        return choice.label
    if question.key == "workload.model" and text in knowledge.models:
        return knowledge.models[text].name
    if question.key == "hardware.gpu" and text in knowledge.gpus:
        return knowledge.gpus[text].name
    return text


def _number(question: Question, value: float) -> str:
    if value == 0:
        return "zero"
    label = UNITS[unit_of(question) or "count"].label
    short = f"{value:,.10g}"
    exact = short if float(short.replace(",", "")) == value else repr(value)
    return f"{exact} {label}".strip()


def assumed_gpu(knowledge: Knowledge, name: str) -> tuple[str, str]:
    """Return the value for a GPU name that the catalogue knows, and what it takes for granted.

    Raises:
        UnknownNameError: the catalogue does not know it, or it has no usual meaning.
    """
    found = knowledge.resolve_gpu(name)
    if found.assumed is None:
        return found.record.id, ""
    return _usual_spelling(knowledge, name), found.assumed


def _usual_spelling(knowledge: Knowledge, name: str) -> str:
    """Return a shared name as the catalogue spells it: ``H100`` for "h100"."""
    plain = squash(name)
    names = (one for entry in knowledge.ambiguous_names("gpus") for one in entry.names)
    return next((one for one in names if squash(one) == plain), name)


def problem_of(error: UnknownNameError, key: str) -> Problem:
    """Return the catalogue's problem with a name, as one of the key."""
    first = error.problems[0]
    return Problem(first.code, first.message, key=key, allowed=first.allowed, nearest=first.nearest)
