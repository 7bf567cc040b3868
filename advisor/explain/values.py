"""Which other values of an answer are worth trying, those that a failed test asks for first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from advisor.explain.grid import grid_of
from advisor.explain.usual_keys import CARDS
from advisor.rules.conditions import Atom, Compare, Const, ListAny, ListHas, Member, Presence, Ref

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.answers.questions import Question

__all__ = ["other_texts", "texts_of"]

_FACTORS = (2, 0.5, 4, 0.25, 8)


def other_texts(
    question: Question, answers: Answers, atoms: Iterable[Atom] = (), assumed: object = None
) -> tuple[str, ...]:
    """Return values as ``--set`` takes them; empty takes the answer away.

    Args:
        question: Whose values.
        answers: As given: the present value is left out.
        atoms: Failed tests on it; values that they name come first.
        assumed: What is taken where nothing is given.
    """
    key = question.key
    given = answers.values.get(key)
    now = given if given is not None else (assumed if assumed is not None else question.default)
    wanted = [text for atom in atoms for text in texts_of(question, atom)]
    texts = [*wanted, *_usual(question, now)]
    if given is not None:
        texts.append("")
    return tuple(text for text in dict.fromkeys(texts) if text != _text(now))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(str, value))}]"
    return "-" if value is None else str(value)


def _usual(question: Question, now: object) -> Iterator[str]:
    if question.kind == "enum":
        for choice in question.values:
            yield f"[{choice.id}]" if question.list else choice.id
    elif question.kind == "bool":
        yield from ("yes", "no")
    elif question.key == "hardware.gpu":
        yield from CARDS
    elif isinstance(now, int | float) and not isinstance(now, bool):
        yield from _scaled(question, now)


def _scaled(question: Question, now: float) -> Iterator[str]:
    grid = grid_of(question)
    if grid is None:
        return
    at = grid.around(now)
    for factor in _FACTORS:
        index = at.index(now * factor)
        if at.first <= index <= at.last:
            yield f"{at.value(index):g}" if at.decimals else str(index)


def texts_of(question: Question, atom: Atom) -> Iterator[str]:
    """Yield the values of a question that make a test on it true, as far as the test names any."""
    if isinstance(atom, ListHas):
        if atom.key == question.key and not atom.negated:
            yield f"[{atom.value}]"
        return
    if isinstance(atom, ListAny):
        return
    if isinstance(atom, Member):
        yield from _members(question, atom)
    elif isinstance(atom, Presence) and not atom.known:
        yield ""
    elif isinstance(atom, Compare) and isinstance(atom.left, Ref) and isinstance(atom.right, Const):
        yield from _compared(question, atom.op, atom.right.value)


def _members(question: Question, atom: Member) -> Iterator[str]:
    if not atom.negated:
        yield from (_text(value) for value in atom.values)
        return
    yield from (choice.id for choice in question.values if choice.id not in atom.values)


def _compared(question: Question, op: str, value: object) -> Iterator[str]:
    if op == "==":
        yield _text(value)
    elif op == "!=":
        yield from (choice.id for choice in question.values if choice.id != value)
        if question.kind == "bool":
            yield "no" if value is True else "yes"
    elif isinstance(value, int | float):
        step = {"<": -1, ">": 1}.get(op, 0)
        number = value + step
        yield str(int(number)) if number == int(number) else f"{number:g}"
