"""A text as words with their places: the form in which phrases, names and numbers are found.

Two spellings of a phrase are one when their words, joined, are equal: ``air-gapped``, ``air
gapped`` and ``airgapped``. What stands between two words says whether a phrase may reach over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["LONGEST_PHRASE", "Word", "joined", "longest", "phrase_key", "words_of"]

LONGEST_PHRASE = 8
"""Words in the longest phrase."""

_WORD = re.compile(
    r"[^\W_]+(?:(?:(?<=\d)[,'\u2019](?=\d)|(?<=\d)[\u00a0\u202f](?=\d{3}\b)|\.|['\u2019](?=[^\W\d_]))[^\W_]+)*"
    r"|[$€£%/<>=~≈≤≥\u00d7+]"
)
_COUNTED = re.compile(
    r"([1-9]\d{0,3})([x\u00d7])(?=[a-z]{1,9}\d|[a-z]{3,}$|\d{1,4}$)", re.IGNORECASE
)
_PARALLEL = re.compile(r"(?:tp|pp|dp|ep)(?=\d{1,4}$)", re.IGNORECASE)
"""Parallel sizes as they are written short: TP8."""
_BREAK = re.compile(r"[,;.!?()\[\]{}\n\"]|\s[-\u2013\u2014]+\s|\u2014")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Word:
    """One word or sign of a text."""

    text: str
    """Lower case, without apostrophes."""
    raw: str
    start: int
    end: int
    gap: str = ""
    """What stands between the word before and this one."""
    breaks: bool = False
    """The gap ends a clause, so that no phrase reaches over it."""


def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text in order."""
    found: list[Word] = []
    at = 0
    for match in _WORD.finditer(text):
        for start, end in _parts(match):
            raw, gap = text[start:end], text[at:start]
            plain = raw.casefold().replace("'", "").replace("\u2019", "")
            found.append(Word(plain, raw, start, end, gap, bool(_BREAK.search(gap))))
            at = end
    return tuple(found)


def _parts(match: re.Match[str]) -> list[tuple[int, int]]:
    """Split ``8xH100`` and ``TP8`` into their parts; leave every other word whole."""
    short = _PARALLEL.match(match.group())
    if short is not None:
        cut = match.start() + short.end()
        return [(match.start(), cut), (cut, match.end())]
    counted = _COUNTED.match(match.group())
    if counted is None or re.fullmatch(r"\d+x\d+b", match.group(), re.IGNORECASE):
        return [match.span()]
    start, cut = match.start(), counted.end()
    middle = start + counted.end(1)
    return [(start, middle), (middle, start + cut), (start + cut, match.end())]


def joined(words: Sequence[Word]) -> str:
    """Return the form in which two spellings of a phrase are equal."""
    return "".join(word.text for word in words)


def phrase_key(phrase: str) -> str:
    """Return the joined form of a phrase of the knowledge files."""
    return joined(words_of(phrase))


def longest(
    words: Sequence[Word],
    start: int,
    table: Mapping[str, _T],
    free: Callable[[int], bool] = lambda _: True,
    *,
    spaced: bool = False,
    brackets: bool = False,
) -> tuple[int, _T] | None:
    """Return where the longest phrase of ``table`` that begins at ``start`` ends, and its entry.

    Args:
        words: the text.
        start: index of the first word.
        table: joined phrase -> entry.
        free: whether a word may be used.
        spaced: the table holds words with spaces between, for small words: "we rent" is not
            "weren't".
        brackets: a phrase may reach over brackets, as names do: "Rubin (per GPU)".
    """
    found: tuple[int, _T] | None = None
    key = ""
    for index in range(start, min(start + LONGEST_PHRASE, len(words))):
        over = brackets and words[index].gap.strip(" ()") == ""
        if (index > start and words[index].breaks and not over) or not free(index):
            break
        key += f" {words[index].text}" if spaced and key else words[index].text
        if key in table:
            found = (index + 1, table[key])
    return found
