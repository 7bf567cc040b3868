"""Finding the section that answers a question, without any model.

Okapi BM25 over word stems (Robertson and Zaragoza, 2009), a bonus for words of the heading
and of the questions that a page lists for itself::

    <!-- asked: which card should I buy; how many GPUs do I need -->

and two for words that stand together: in one such question or heading, and in one line of the
text, which holds one sentence. Words are counted by their stems (``handbook_words``), and one
that no page has is taken for the nearest that some page has.

Same query, same order, on every machine: ties fall back to reading order. The lists of
sources are not searched; they name everything and answer nothing. Words of tables made from
a catalogue count once for a section, however often they stand there: a table names hundreds
of things, and its section should be found by each of them and not for its length.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.store.handbook_parse import Section
from advisor.store.handbook_words import Wording, alike_in, nearest_stem, stems

__all__ = ["SearchHit", "SearchIndex", "stems"]

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ASKED = re.compile(r"<!--\s*asked:(?P<questions>.*?)-->", re.DOTALL)
_SOURCES = re.compile(r"^\*\*Sources\*\*$.*", re.MULTILINE | re.DOTALL)
_LINK_TARGET = re.compile(r"https?://\S+|\]\([^)]*\)")
_HEADING = re.compile(r"^#+\s+(?P<title>.*?)(?:\s*\{#[^}]*\})?\s*$", re.MULTILINE)
_HEADING_BONUS = 2.0
_ASKED_BONUS = 1.5
"""Bonuses are per word, in units of its rarity; a perfect body match is worth about 2.2."""
_PHRASE_BONUS = 4.0
"""For a listed question or a heading that is the query; in units of the query's rarity."""
_PHRASE_POWER = 4
"""High: one that is nearly the query should win, one that shares a word should not."""
_LINE_BONUS = 2.0
"""For a line that holds the whole query; in the same units."""
_LIST_SHARE = 0.85
"""For the glossary and the versions: they name everything and explain little."""
_SATURATION = 1.2
"""BM25 k1: how soon a repeated word stops counting."""
_LENGTH_PENALTY = 0.5
"""BM25 b: half-way, because our long sections are long for good reason."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A section and how well it matched; only the order of scores has a meaning."""

    section: Section
    score: float


class _Entry:
    """What the index keeps of one section."""

    def __init__(self, section: Section, shown: str, wording: Wording) -> None:
        prose = _SOURCES.sub(" ", _COMMENT.sub(" ", section.text_markdown))
        prose = _LINK_TARGET.sub(" ", prose)
        asked = "; ".join(_ASKED.findall(section.text_markdown)).split(";")
        heading = f"{section.title} {section.anchor}"
        self.section = section
        self.lines = _kept(wording.stems(line) for line in prose.splitlines())
        titles = [section.title, *_HEADING.findall(prose)]
        self.phrases = _kept(wording.stems(phrase) for phrase in [*asked, *titles])
        body = Counter(wording.stems(prose))
        self.length = sum(body.values())
        self.counts = body | Counter(set(wording.stems(shown)))
        bonuses = dict.fromkeys(wording.stems(" ; ".join(asked)), _ASKED_BONUS)
        self.bonuses = bonuses | dict.fromkeys(wording.stems(heading), _HEADING_BONUS)


class SearchIndex:
    """Word statistics of a handbook; built once, then asked often.

    Args:
        sections: What to search.
        tables: By section number, the words of its tables.
    """

    def __init__(
        self, sections: Sequence[Section], tables: Mapping[str, str] | None = None
    ) -> None:
        shown = tables or {}
        alike = (group for section in sections for group in alike_in(section.text_markdown))
        self._wording = Wording(tuple(alike))
        self._entries = tuple(
            _Entry(section, shown.get(section.number, ""), self._wording) for section in sections
        )
        self._mean_length = sum(e.length for e in self._entries) / max(1, len(self._entries))
        self._documents = Counter(
            stem for entry in self._entries for stem in {*entry.counts, *entry.bonuses}
        )

    def search(self, query: str, limit: int) -> tuple[SearchHit, ...]:
        """Return the best sections for a question, best first; none when no word occurs."""
        wanted = tuple(dict.fromkeys(self._known(self._wording.stems(query))))
        hits = [
            SearchHit(entry.section, score)
            for entry in self._entries
            if (score := self._score(entry, wanted)) > 0
        ]
        # sorted() is stable, so equal scores keep the reading order.
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])

    def _known(self, wanted: Iterable[str]) -> Iterator[str]:
        """Yield words that occur, in place of those that do not the nearest one."""
        for stem in wanted:
            if stem in self._documents:
                yield stem
            elif near := nearest_stem(stem, self._documents):
                yield near

    def _score(self, entry: _Entry, wanted: Collection[str]) -> float:
        words = self._word_score(entry, wanted)
        if not words:
            return 0.0
        asked = {stem: self._rarity(stem) for stem in wanted}
        phrase = max((self._likeness(asked, one) for one in entry.phrases), default=0.0)
        line = max((_share(asked, one) for one in entry.lines), default=0.0)
        together = _PHRASE_BONUS * phrase**_PHRASE_POWER + _LINE_BONUS * line**2
        score = words + together * sum(asked.values())
        return score if entry.section.numbered else _LIST_SHARE * score

    def _word_score(self, entry: _Entry, wanted: Iterable[str]) -> float:
        length = entry.length / self._mean_length
        damping = _SATURATION * (1 - _LENGTH_PENALTY + _LENGTH_PENALTY * length)
        return sum(
            self._rarity(stem)
            * (
                entry.counts[stem] * (_SATURATION + 1) / (entry.counts[stem] + damping)
                + entry.bonuses.get(stem, 0.0)
            )
            for stem in wanted
        )

    def _likeness(self, asked: Mapping[str, float], phrase: frozenset[str]) -> float:
        """Return the cosine of query and phrase, 0 to 1, words weighted by their rarity."""
        common = sum(weight**2 for stem, weight in asked.items() if stem in phrase)
        sizes = [sum(w**2 for w in asked.values()), sum(self._rarity(s) ** 2 for s in phrase)]
        return common / math.sqrt(sizes[0] * sizes[1]) if common else 0.0

    def _rarity(self, stem: str) -> float:
        """Inverse document frequency in the form that never turns negative."""
        holding = self._documents[stem]
        return math.log(1 + (len(self._entries) - holding + 0.5) / (holding + 0.5))


def _kept(texts: Iterable[Iterable[str]]) -> tuple[frozenset[str], ...]:
    return tuple(words for text in texts if (words := frozenset(text)))


def _share(asked: Mapping[str, float], line: frozenset[str]) -> float:
    """Return how much of the query one line holds, 0 to 1, by the rarity of its words."""
    return sum(w for stem, w in asked.items() if stem in line) / sum(asked.values())
