"""Finding the section that answers a question, without any model.

Okapi BM25 over word stems (Robertson and Zaragoza, 2009), plus a bonus for words of the
heading and of the questions that a page lists for itself::

    <!-- asked: which card should I buy; how many GPUs do I need -->

Same query, same order, on every machine: ties fall back to reading order. The lists of
sources are not searched; they name everything and answer nothing. Words of tables made from
a catalogue count once for a section, however often they stand there: a table names hundreds
of things, and its section should be found by each of them and not for its length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.store.handbook_parse import Section

__all__ = ["SearchHit", "SearchIndex", "stems"]

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)*")
_VERSION_MARK = re.compile(r"\bv(?=\d+\.\d)")
"""The v of v26.7.0: texts write it, tables do not."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ASKED = re.compile(r"<!--\s*asked:(?P<questions>.*?)-->", re.DOTALL)
_SOURCES = re.compile(r"^\*\*Sources\*\*$.*", re.MULTILINE | re.DOTALL)
_LINK_TARGET = re.compile(r"https?://\S+|\]\([^)]*\)")
_HEADING_BONUS = 2.0
_ASKED_BONUS = 1.5
"""Bonuses are per word, in units of its rarity; a perfect body match is worth about 2.2."""
_SATURATION = 1.2
"""BM25 k1: how soon a repeated word stops counting."""
_LENGTH_PENALTY = 0.5
"""BM25 b: half-way, because our long sections are long for good reason."""
_STOPWORDS = frozenset(
    # One line of text is easier to review than a hundred quoted words.
    """a about all am an and any are as at be been but by can cannot could did do does for from
    get give go had has have how i if in into is it its just like make me my need no not of on or
    our out over should so some than that the their them then there these they this to too up us
    use want was we were what when where which who why will with without would you your""".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A section and how well it matched; only the order of scores has a meaning."""

    section: Section
    score: float


class SearchIndex:
    """Word statistics of a handbook; built once, then asked often.

    Args:
        sections: What to search.
        tables: By section number, the words of its tables.
    """

    def __init__(
        self, sections: Sequence[Section], tables: Mapping[str, str] | None = None
    ) -> None:
        self._sections = tuple(sections)
        prose = [Counter(_body_stems(section)) for section in sections]
        self._lengths = tuple(sum(counts.values()) for counts in prose)
        shown = [Counter(set(stems((tables or {}).get(s.number, "")))) for s in sections]
        self._counts = tuple(one | other for one, other in zip(prose, shown, strict=True))
        self._bonuses = tuple(_bonuses(section) for section in sections)
        self._mean_length = sum(self._lengths) / max(1, len(self._lengths))
        self._documents = Counter(
            stem
            for counts, bonuses in zip(self._counts, self._bonuses, strict=True)
            for stem in {*counts, *bonuses}
        )

    def search(self, query: str, limit: int) -> tuple[SearchHit, ...]:
        """Return the best sections for a question, best first; none when no word occurs."""
        wanted = dict.fromkeys(stems(query))
        hits = [
            SearchHit(section, score)
            for position, section in enumerate(self._sections)
            if (score := self._score(position, wanted)) > 0
        ]
        # sorted() is stable, so equal scores keep the reading order.
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])

    def _score(self, position: int, wanted: Iterable[str]) -> float:
        counts, bonuses = self._counts[position], self._bonuses[position]
        length = self._lengths[position] / self._mean_length
        damping = _SATURATION * (1 - _LENGTH_PENALTY + _LENGTH_PENALTY * length)
        return sum(
            self._rarity(stem)
            * (counts[stem] * (_SATURATION + 1) / (counts[stem] + damping) + bonuses.get(stem, 0.0))
            for stem in wanted
        )

    def _rarity(self, stem: str) -> float:
        """Inverse document frequency in the form that never turns negative."""
        holding = self._documents[stem]
        return math.log(1 + (len(self._sections) - holding + 0.5) / (holding + 0.5))


def stems(text: str) -> list[str]:
    """Cut text into lower-case words without stopwords and simple plurals."""
    words = _WORD.findall(_VERSION_MARK.sub("", text.lower()))
    return [_stem(word) for word in words if word not in _STOPWORDS]


def _stem(word: str) -> str:
    if not word.isalpha() or len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("pus"):  # GPUs and CPUs, unlike bus and status
        return word[:-1]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _body_stems(section: Section) -> list[str]:
    prose = _SOURCES.sub(" ", _COMMENT.sub(" ", section.text_markdown))
    return stems(_LINK_TARGET.sub(" ", prose))


def _bonuses(section: Section) -> dict[str, float]:
    asked = " ".join(_ASKED.findall(section.text_markdown))
    bonuses = dict.fromkeys(stems(asked), _ASKED_BONUS)
    return bonuses | dict.fromkeys(stems(f"{section.title} {section.anchor}"), _HEADING_BONUS)
