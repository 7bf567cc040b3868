"""One node and one question to one value, or to problems that say what to write instead.

Owns every rule about single values: words, numbers, ranges, patterns, lists. Which keys there
are, and records, belong to ``validate``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from advisor.answers.nearest import nearest_choices
from advisor.answers.nodes import Fields, Items, Node, Scalar, describe, shown
from advisor.answers.plain import FrozenMapping, frozen
from advisor.answers.questions import UNKNOWN, Question, same_word
from advisor.answers.units import UNITS, UnitError, parse_quantity
from advisor.errors import Problem

__all__ = ["Reading", "Refused", "is_unknown_word", "read_value"]

_YES = frozenset({"yes", "true", "on"})
_NO = frozenset({"no", "false", "off"})
_UNKNOWN_WORDS = frozenset({UNKNOWN, "dontknow", "idontknow", "notsure", "unsure", "?"})
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_VERSION = r"[0-9][0-9A-Za-z.+_~\-]*"
_LONGEST_TEXT = 500
_LONGEST_LOG = 200_000
_DEFAULT_UNITS: Mapping[str, str] = {"size_tokens": "tokens", "size_gib": "gib"}


class Refused(Exception):  # noqa: N818 - carried inside this package only, never raised to callers
    """A value that cannot be used; carries one problem or, for a list, several."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__()
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Reading:
    """A value as understood."""

    value: object
    understood: str | None = None
    """How the source text was read, when that is not obvious."""
    unknown: bool = False


_UNKNOWN_READING = Reading(None, unknown=True)


def is_unknown_word(node: Node) -> bool:
    """Return whether a node is the answer "I don't know"."""
    return isinstance(node, Scalar) and same_word(node.text).replace("'", "") in _UNKNOWN_WORDS


def read_value(question: Question, node: Node, *, split_commas: bool = False) -> Reading:
    """Return the value of ``node`` as an answer to ``question``.

    Args:
        question: any kind but ``list_of_records``.
        node: not null.
        split_commas: read ``a,b`` as a list where the question takes one (command line).

    Raises:
        Refused: with problems that lack file and key; the caller knows those.
    """
    if is_unknown_word(node) and not question.multiline:
        return _UNKNOWN_READING
    if not question.list:
        return _read_one(question, node)
    if isinstance(node, Scalar) and split_commas and not question.multiline:
        parts = [Scalar(part.strip(), node.line) for part in node.text.split(",")]
        node = Items(tuple(parts), node.line)
    if not isinstance(node, Items):
        reading = _read_one(question, node)
        return Reading((reading.value,), reading.understood)
    return _read_list(question, node, nested=question.nested)


def _read_list(question: Question, node: Items, *, nested: bool) -> Reading:
    if not node.items and not question.empty:
        raise _refused(
            "empty_list", "The list is empty; name something or leave the key out.", node
        )
    readings: list[Reading] = []
    problems: list[Problem] = []
    inner = [isinstance(item, Items) for item in node.items]
    if nested and any(inner) and not all(inner):
        raise _refused("mixed_list", "Give one list, or one list for each GPU; not both.", node)
    for item in node.items:
        try:
            if nested and isinstance(item, Items):
                readings.append(_read_list(question, item, nested=False))
            else:
                readings.append(_read_item(question, item))
        except Refused as refused:
            problems += refused.problems
    if problems:
        raise Refused(*problems)
    values = tuple(reading.value for reading in readings)
    if question.kind == "enum" and len(set(values)) < len(values):
        raise _refused("repeated_value", "The same value stands twice in the list.", node)
    return Reading(values, _joined(node, readings))


def _read_item(question: Question, item: Node) -> Reading:
    if isinstance(item, Scalar) and item.is_null:
        raise _refused("empty_item", "An item of the list is empty.", item)
    if is_unknown_word(item) and not question.multiline:
        message = "'unknown' stands for the whole answer; leave it out of the list."
        raise _refused("unknown_in_list", message, item)
    return _read_one(question, item)


def _joined(node: Items, readings: list[Reading]) -> str | None:
    """Return how the items were read, when any of them was converted."""
    if all(reading.understood is None for reading in readings):
        return None
    pairs = zip(node.items, readings, strict=True)
    return ", ".join(
        reading.understood or (item.text if isinstance(item, Scalar) else str(reading.value))
        for item, reading in pairs
    )


def _read_one(question: Question, node: Node) -> Reading:
    """Return one value of the question's kind."""
    if question.kind == "mapping":
        return _read_mapping(question, node)
    if question.kind == "text_or_mapping" and isinstance(node, Fields):
        return Reading(frozen(node))
    if not isinstance(node, Scalar):
        expected = "A list of values" if question.list else "One value"
        deeper = question.list and isinstance(node, Items)
        given = "a list inside of it" if deeper else describe(node)
        message = f"{expected} is needed here; {given} was given."
        raise _refused("wrong_shape", message, node, allowed=_ids(question))
    return _SCALAR_READERS.get(question.kind, _read_number)(question, node)


def _read_enum(question: Question, node: Scalar) -> Reading:
    """Return the id of the named choice; a plain no is ``no``, else ``none``."""
    word = same_word(node.text)
    choice = question.choice(node.text)
    if choice is None and word in _NO:
        choice = question.choice("no") or question.choice("none")
    if choice is None and word in _YES:
        choice = question.choice("yes")
    if choice is None:
        message = f"{shown(node.text)} is not one of the values."
        near = nearest_choices(node.text, question.values)
        raise _refused("unknown_value", message, node, allowed=_ids(question), nearest=near)
    return Reading(choice.id, None if word == same_word(choice.id) else choice.id)


def _read_bool(question: Question, node: Scalar) -> Reading:
    word = same_word(node.text)
    if word in _YES | _NO:
        return Reading(word in _YES)
    choice = question.choice(node.text)
    if choice is not None:
        return Reading(choice.id == "yes", choice.id)
    if question.counts:
        try:
            amount = parse_quantity(node.text, question.unit or "count")
        except UnitError:
            amount = Fraction(-1)
        if amount >= 0:
            return Reading(amount > 0, "yes" if amount > 0 else "no")
    message = f"{shown(node.text)} is neither yes nor no."
    raise _refused("not_yes_or_no", message, node, allowed=("yes", "no", UNKNOWN))


def _read_version(question: Question, node: Scalar) -> Reading:
    """Return a version as text, digit by digit as it was written."""
    if choice := question.choice(node.text):
        return Reading(choice.id, None if node.text == choice.id else choice.id)
    text = node.text.strip()
    if not node.exact and not question.float_safe:
        message = (
            f"The number {text} may have lost a zero (1.30 is not 1.3); give the version as text."
        )
        raise _refused("version_as_number", message, node)
    bare = text[1:] if text[:1] in {"v", "V"} else text
    if not re.fullmatch(question.pattern or _VERSION, bare) or len(bare) > 64:
        example = question.example or "1.34.2"
        message = f"{shown(text)} is not a version; write it in digits, for example {example}."
        raise _refused("bad_version", message, node, allowed=tuple(c.id for c in question.values))
    return Reading(bare, None if bare == node.text else bare)


def _read_text(question: Question, node: Scalar) -> Reading:
    text = node.text.strip()
    longest = _LONGEST_LOG if question.multiline else _LONGEST_TEXT
    if not text:
        raise _refused("empty_text", "The text is empty; leave the key out instead.", node)
    if len(text) > longest:
        message = f"The text has {len(text):,} characters; at most {longest:,} are read."
        raise _refused("text_too_long", message, node)
    if _CONTROL.search(text) or (not question.multiline and "\n" in text):
        message = "The text has line breaks or control characters; write it on one line."
        raise _refused("control_characters", message, node)
    if choice := question.choice(text):
        return Reading(choice.id, None if text == choice.id else choice.id)
    stored = text.lower() if question.lower else text
    if question.pattern and not re.fullmatch(question.pattern, stored):
        message = f"{shown(text)} does not have the right form; for example {question.example}."
        raise _refused("bad_form", message, node)
    return Reading(stored, None if stored == node.text else stored)


def _read_number(question: Question, node: Scalar) -> Reading:
    """Return an int or a float inside the legal range."""
    unit = question.unit or _DEFAULT_UNITS.get(question.kind, "count")
    try:
        amount = parse_quantity(node.text, unit)
    except UnitError as error:
        message = f"{shown(node.text)} cannot be used: {error}."
        raise _refused("not_a_number", message, node) from error
    _check_range(question, amount, node, UNITS[unit].label)
    label = UNITS[unit].label
    value: int | float
    if question.kind in {"integer", "size_tokens"}:
        if amount.denominator != 1:
            message = f"{shown(node.text)} is not a whole number."
            raise _refused("not_whole", message, node)
        value = int(amount)
    else:
        value = float(amount)
    converted = not re.fullmatch(r"[0-9.+\-eE_\s]*", node.text)
    return Reading(value, f"{value:.10g} {label}".strip() if converted else None)


def _check_range(question: Question, amount: Fraction, node: Scalar, label: str) -> None:
    low, above, high = question.min, question.above, question.max
    unit = f" {label}" if label else ""
    ends = f"at least {_plain(low)}" if low is not None else f"more than {_plain(above)}"
    fits = (low is None or amount >= low) and (above is None or amount > above)
    if not fits or (high is not None and amount > high):
        message = f"{shown(node.text)} is out of range: {ends} and at most {_plain(high)}{unit}."
        raise _refused("out_of_range", message, node)


def _plain(number: float | None) -> str:
    """Return a limit as people write it: 100,000,000 and not 1e+08."""
    return f"{number:,.10g}" if number is not None else ""


def _read_mapping(question: Question, node: Node) -> Reading:
    """Return names with text values, as they were written."""
    if not isinstance(node, Fields):
        message = f"NAME: value pairs are needed here; {describe(node)} was given."
        raise _refused("wrong_shape", message, node)
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for entry in node.entries:
        if not re.fullmatch(question.pattern or r".+", entry.name):
            message = f"{shown(entry.name)} is not a name; for example {question.example}."
            problems.append(Problem("bad_name", message, line=entry.line))
        elif not isinstance(entry.node, Scalar):
            message = (
                f"The value of {entry.name} must be one text; {describe(entry.node)} was given."
            )
            problems.append(Problem("wrong_shape", message, line=entry.line))
        elif not entry.node.is_null:
            found[entry.name] = entry.node.text
    if problems:
        raise Refused(*problems)
    return Reading(FrozenMapping(dict(sorted(found.items()))))


_SCALAR_READERS: Mapping[str, Callable[[Question, Scalar], Reading]] = {
    "enum": _read_enum,
    "bool": _read_bool,
    "version": _read_version,
    "text": _read_text,
    "text_or_mapping": _read_text,
}
"""By kind; every other kind is a number."""


def _ids(question: Question) -> tuple[str, ...]:
    """Return what an enum takes, for an error message."""
    if question.kind != "enum":
        return ()
    return (*(choice.id for choice in question.values), UNKNOWN)


def _refused(
    code: str,
    message: str,
    node: Node,
    *,
    allowed: tuple[str, ...] = (),
    nearest: tuple[str, ...] = (),
) -> Refused:
    return Refused(Problem(code, message, line=node.line, allowed=allowed, nearest=nearest))
