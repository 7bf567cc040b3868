"""The words of a text as the search of the handbook sees them.

Two people who mean one thing seldom write one word. So endings go (``sharing``, ``shares`` and
``shared`` are one stem), British and American spellings meet, and words that stand for each
other here count as one. Those are named on the pages, in a comment that readers do not see::

    <!-- alike: virtual machine, VM, guest; price, cost -->

The first of a group is only the name that it goes by.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Wording", "alike_in", "nearest_stem", "stems"]

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)*")
_JOINED = re.compile(r"[a-z]+(?:-[a-z]+)+")
_VERSION_MARK = re.compile(r"\bv(?=\d+\.\d)")
"""The v of v26.7.0: texts write it, tables do not."""
_COUNTED = re.compile(r"\b(?:\d+x)?(?P<what>tp|pp|dp|ep)-?(?P<count>\d+)\b")
"""TP8 and 2xTP4 are a pattern and a size."""
_SIZE = re.compile(r"\b(?P<count>\d+)(?P<unit>[gmt]i?b)\b")
_CONTRACTED = re.compile(r"(?<=[a-z])['\u2019](?:s|t|re|ve|ll|d|m)\b")
_ALIKE = re.compile(r"<!--\s*alike:(?P<groups>.*?)-->", re.DOTALL)
_SHORTEST_MISSPELT = 5
_CLOSE_ENOUGH = 0.8
"""One wrong letter in five, of ``difflib``'s measure."""
_STOPWORDS = frozenset(
    # One line of text is easier to review than a hundred quoted words.
    """a about after all already also am an and any are aren as at be because been before best but
    by can cannot could couldn did didn differ difference different do does doesn doing don each
    for from get getting give go good had has hasn have haven how i if in into is isn it its
    just keep like make many me much my need needed needs no not now of off often on one or
    other our out over really see set should shouldn so some still than that the their them then
    there these they thing this to too up us use used using want was wasn way we were what when
    where whether which while who why will with without won would wouldn you your""".split()  # noqa: SIM905
)
_ENDINGS = (
    ("isations", "is"), ("izations", "is"), ("isation", "is"), ("ization", "is"),
    ("ations", ""), ("ation", ""), ("ating", ""), ("ated", ""), ("ates", ""), ("ate", ""),
    ("izing", "is"), ("ized", "is"), ("izes", "is"), ("ize", "is"),
    ("ings", ""), ("ing", ""), ("ied", "y"), ("ies", "y"), ("ed", ""),
    ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("pus", "pu"),
)  # fmt: skip
"""Longest first; the second of a pair takes its place."""
_SHORTEST_STEM = 3


@dataclass(frozen=True)
class Wording:
    """How words are counted, with the words that count as one."""

    alike: tuple[tuple[str, ...], ...] = ()

    def stems(self, text: str) -> list[str]:
        """Cut text into stems, without stopwords; hyphenated words count joined as well."""
        plain = _CONTRACTED.sub("", _VERSION_MARK.sub("", text.lower()))
        plain = _SIZE.sub(r"\g<count> \g<unit>", plain)
        plain = _COUNTED.sub(r"\g<what> \g<count>", plain)
        words = _WORD.findall(plain)
        joined = [word for word in _JOINED.findall(plain) if word not in self._hyphenated]
        found = [*self._named(words), *self._named([w.replace("-", "") for w in joined])]
        return [stem for stem in found if stem]

    def _named(self, words: list[str]) -> Iterator[str]:
        """Yield stems, groups of words by their name, and nothing for a stopword."""
        bare = [_stem(word) for word in words]
        position = 0
        while position < len(words):
            phrase, name = self._group_at(bare, position)
            if phrase:
                yield name
                position += phrase
                continue
            if words[position] not in _STOPWORDS:
                yield bare[position]
            position += 1

    def _group_at(self, bare: list[str], position: int) -> tuple[int, str]:
        """Return how many words from here are one of a group, and its name."""
        for phrase, name in self._groups.get(bare[position], ()):
            if tuple(bare[position : position + len(phrase)]) == phrase:
                return len(phrase), name
        return 0, ""

    @cached_property
    def _hyphenated(self) -> frozenset[str]:
        """Words with a hyphen inside groups: their name already stands for the whole."""
        return frozenset(
            word
            for group in self.alike
            for phrase in group
            for word in _JOINED.findall(phrase.lower())
        )

    @cached_property
    def _groups(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """First stem of a phrase, to the phrases that begin with it, longest first."""
        groups: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for group in self.alike:
            phrases = [tuple(_stem(w) for w in _WORD.findall(one.lower())) for one in group]
            for phrase in phrases:
                groups.setdefault(phrase[0], []).append((phrase, "_".join(phrases[0])))
        return {
            first: sorted(found, key=lambda entry: -len(entry[0]))
            for first, found in groups.items()
        }


def alike_in(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the groups of words that a page names as alike."""
    for comment in _ALIKE.finditer(text):
        for group in comment["groups"].split(";"):
            words = tuple(word for part in group.split(",") if (word := " ".join(part.split())))
            if words:
                yield words


def stems(text: str) -> list[str]:
    """Cut text into stems, without stopwords and without any group of alike words."""
    return Wording().stems(text)


def nearest_stem(wanted: str, known: Collection[str]) -> str | None:
    """Return the known stem that was probably meant, or ``None``: too short, or nothing near."""
    if len(wanted) < _SHORTEST_MISSPELT or not wanted.isalpha():
        return None
    near = difflib.get_close_matches(wanted, _alphabetic(known), n=1, cutoff=_CLOSE_ENOUGH)
    return near[0] if near else None


def _alphabetic(known: Iterable[str]) -> list[str]:
    # Sorted, because of two that are equally near the first one wins.
    return sorted(stem for stem in known if stem.isalpha() and len(stem) >= _SHORTEST_STEM)


def _stem(word: str) -> str:
    if not word.isalpha() or len(word) <= 3:
        return word
    for ending, instead in _ENDINGS:
        kept = len(word) - len(ending) + len(instead)
        if word.endswith(ending) and kept >= _SHORTEST_STEM:
            return _without_e(_single(word[: len(word) - len(ending)] + instead))
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _without_e(word)


def _single(word: str) -> str:
    """Undo a doubled consonant: ``splitt`` of ``splitting``, but not ``fall`` or ``pass``."""
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls"
    return word[:-1] if doubled else word


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("e") else word
