"""What the symptoms of the knowledge base look for, compiled once per knowledge base."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.store.gotcha import Symptom
from advisor.store.loader import Knowledge

__all__ = ["LEFT_OUT", "Expression", "Fragment", "Pieces", "pieces_of", "tight"]

LEFT_OUT: Mapping[int, None] = dict.fromkeys(map(ord, string.punctuation + string.whitespace))
"""Wrapping, quoting and retyping change these."""
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_GROUP = re.compile(r"(?<!\\)\((?:\\.|[^()\\])*\)")
_NO_LITERAL = re.compile(r"\\[A-Za-z0-9]|.?[?*]|.?\{[^}]*\}|[\0^$.+]")
_LEAST_ANCHOR = 3


@dataclass(frozen=True, slots=True)
class Pieces:
    """One symptom, ready to be searched."""

    symptom: Symptom
    fragments: tuple[Fragment, ...]
    together: tuple[tuple[str, ...], ...]
    patterns: tuple[Expression, ...]
    foreign: re.Pattern[str] | None
    """What near it shows that something else is the matter."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One literal piece."""

    tight: str
    """Lower case, letters and digits only."""
    is_name: bool
    """Letters and digits only, AllocationFailed: no two words of a sentence."""
    least_head: int
    """Of the text up to a cut, more than its first word must be there if it has several."""
    least_tail: int


@dataclass(frozen=True, slots=True)
class Expression:
    """One regular expression, with sets of literals: every match holds one of each set.

    They let most texts be passed over, and show where in the others a match can be.
    """

    pattern: re.Pattern[str]
    literals: tuple[tuple[str, ...], ...]
    """As they stand in the text, lower case; the set that tells most comes first."""
    anchors: tuple[tuple[str, ...], ...]
    """The same, tight."""


def tight(text: str) -> str:
    """Return ``text`` in lower case without blanks and punctuation."""
    return text.lower().translate(LEFT_OUT)


_COMPILED: WeakKeyDictionary[Knowledge, tuple[Pieces, ...]] = WeakKeyDictionary()


def pieces_of(knowledge: Knowledge) -> tuple[Pieces, ...]:
    """Return the pieces of all symptoms, in file order."""
    found = _COMPILED.get(knowledge)
    if found is None:
        found = tuple(map(_compiled, knowledge.symptoms.values()))
        _COMPILED[knowledge] = found
    return found


def _compiled(symptom: Symptom) -> Pieces:
    return Pieces(
        symptom,
        tuple(map(_fragment, symptom.fragments)),
        tuple(tuple(map(tight, parts)) for parts in symptom.together),
        tuple(map(_expression, symptom.patterns)),
        _any_of(symptom.foreign),
    )


def _fragment(text: str) -> Fragment:
    words = [word for word in map(tight, text.split()) if word]
    head, tail = (len(words[0]) + 1, len(words[-1]) + 1) if len(words) > 1 else (0, 0)
    return Fragment(tight(text), text.isalnum(), head, tail)


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    joined = "|".join(f"(?:{pattern})" for pattern in patterns)
    return re.compile(joined, re.IGNORECASE | re.MULTILINE) if joined else None


def _expression(pattern: str) -> Expression:
    literals = sorted(_literals(pattern), key=lambda each: -min(len(tight(one)) for one in each))
    anchors = tuple(tuple(map(tight, each)) for each in literals)
    return Expression(re.compile(pattern, re.IGNORECASE), tuple(literals), anchors)


def _literals(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return sets of literals: a text that matches holds one of each set.

    They come from outside of groups, and from groups and choices whose every branch has one; unsure
    ones are left out.
    """
    plain = _CLASS.sub("\0", pattern)
    outside = _without_groups(plain)
    if "|" in outside:
        return _one_of(_branches(plain))
    found: list[tuple[str, ...]] = [(run,) for run in _runs(outside)]
    for group in _needed_groups(plain):
        found += _one_of(_branches(group))
    return tuple(found)


def _without_groups(plain: str) -> str:
    while plain != (plain := _GROUP.sub("\0", plain)):
        pass
    return plain


def _runs(plain: str) -> list[str]:
    runs = (run.replace("\\", "").lower() for run in _NO_LITERAL.split(_without_groups(plain)))
    return [run for run in runs if len(tight(run)) >= _LEAST_ANCHOR]


def _one_of(branches: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Return the longest literal of every branch as one set; none when a branch has none."""
    longest = [max(_runs(branch), key=len, default="") for branch in branches]
    return (tuple(dict.fromkeys(longest)),) if all(longest) else ()


def _branches(plain: str) -> list[str]:
    """Split at the bars that stand outside of groups."""
    found, depth = [""], 0
    for character in re.findall(r"\\.|.", plain, re.DOTALL):
        depth += (character == "(") - (character == ")")
        if character == "|" and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return found


def _needed_groups(plain: str) -> Iterable[str]:
    """Yield the insides of the outermost groups that every match goes through."""
    depth, inside = 0, ""
    parts = re.findall(r"\\.|.", plain, re.DOTALL)
    for character, after in zip(parts, [*parts[1:], ""], strict=True):
        depth -= character == ")"
        if character == ")" and depth == 0:
            inside = inside.removeprefix("?:")
            if not inside.startswith("?") and after not in ("?", "*", "{"):
                yield inside
            inside = ""
        elif depth:
            inside += character
        depth += character == "("
