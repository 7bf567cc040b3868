"""Recognise symptoms that somebody describes in words of their own.

The words of a sentence are compared with titles, texts and descriptions of symptoms and gotchas.
A word counts by how few entries hold it; usual words count nothing; both the entry and the sentence
must be covered well, so that a sentence about something else is never taken for a symptom.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.diagnose.lines import Line
from advisor.diagnose.recognise import Hit
from advisor.diagnose.words import SUBJECTS, told_words
from advisor.store.gotcha import Gotcha, Symptom
from advisor.store.loader import Knowledge

__all__ = ["Wording", "wording_of"]

_MAX_LINE = 400
_MAX_WORDS = 45
_LEAST_WORDS = 3
_LEAST_EXACT = 2
"""Fewer words count only when they are all of an entry's sentence."""
_LEAST_RARE = 2
_RARE_SHARE = 0.06
_LEAST_NEAR = 0.2
_FOREIGN = 0.6
"""Weight of a word that no entry holds, as a share of the weightiest."""
_ACCEPTED = 0.6
_LEAST_SIDE = 0.5
_WORTH = 0.6
"""Whatever is recognised by its wording ranks below what stands in the text literally."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    owner: str
    words: frozenset[str]


class Wording:
    """An index of everything that entries say of themselves."""

    def __init__(self, symptoms: Iterable[Symptom], gotchas: Iterable[Gotcha]) -> None:
        phrases = [_Phrase(s.id, w) for s in symptoms for w in _worded(_said_by(s))]
        phrases += [_Phrase(g.id, w) for g in gotchas for w in _worded(_told_by(g))]
        self._phrases = phrases
        holders: defaultdict[str, set[str]] = defaultdict(set)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, phrase in enumerate(phrases):
            for word in phrase.words:
                holders[word].add(phrase.owner)
                self._places[word].append(place)
        owners = len({phrase.owner for phrase in phrases})
        self._weight = {w: math.log((owners + 1) / len(ids)) for w, ids in holders.items()}
        self._rare = frozenset(w for w, ids in holders.items() if len(ids) <= owners * _RARE_SHARE)
        self._foreign = _FOREIGN * max(self._weight.values(), default=1.0)
        self._seen: dict[frozenset[str], tuple[tuple[str, float], ...]] = {}

    def hits(self, line: Line) -> Iterator[Hit]:
        """Yield the entries that the line describes."""
        if len(line.text) > _MAX_LINE:
            return
        for clause in {line.text, *re.split(r"\s[/|]\s|;\s|\.\s", line.text)}:
            words = told_words(clause)
            if not _LEAST_EXACT <= len(words) <= _MAX_WORDS:
                continue
            if words not in self._seen:
                self._seen[words] = tuple(self._described(words))
            for owner, score in self._seen[words]:
                yield Hit(owner, _WORTH * score, line, 0)

    def _described(self, words: frozenset[str]) -> Iterator[tuple[str, float]]:
        for phrase, shared, of_phrase, of_words in self._compared(words):
            score = _mean(of_phrase, of_words)
            telling = len(shared) >= _LEAST_WORDS and len(shared & self._rare) >= _LEAST_RARE
            telling = telling or words == phrase.words
            covered = min(of_phrase, of_words) >= _LEAST_SIDE and score >= _ACCEPTED
            if telling and covered and shared & SUBJECTS:
                yield phrase.owner, score

    def _compared(
        self, words: frozenset[str]
    ) -> Iterator[tuple[_Phrase, frozenset[str], float, float]]:
        """Yield phrases that share words: which, and the shares of phrase and text covered."""
        places = Counter(place for word in words for place in self._places.get(word, ()))
        whole = sum(self._weight.get(word, self._foreign) for word in words)
        for place, _ in places.most_common():
            phrase = self._phrases[place]
            shared = words & phrase.words
            common = sum(self._weight[word] for word in shared)
            own = sum(self._weight[word] for word in phrase.words)
            yield phrase, shared, common / own, common / whole

    def nearest(self, text: str, most: int) -> tuple[str, ...]:
        """Return ids of the entries that share most with ``text``; none when that is little."""
        best: dict[str, float] = {}
        for phrase, shared, of_phrase, of_words in self._compared(told_words(text)):
            if shared & self._rare:
                score = of_phrase * max(of_words, _FOREIGN * of_phrase)
                best[phrase.owner] = max(best.get(phrase.owner, 0.0), score)
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return tuple(owner for owner, score in ranked[:most] if score >= _LEAST_NEAR)


def _mean(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0


def _said_by(symptom: Symptom) -> Iterator[str]:
    yield from (symptom.title, symptom.example, *symptom.fragments, *symptom.said)
    yield from (" ".join(parts) for parts in symptom.together)


def _told_by(gotcha: Gotcha) -> Iterator[str]:
    yield from (gotcha.title, gotcha.symptom, *re.split(r";\s|\.\s|, or ", gotcha.symptom))


def _worded(texts: Iterable[str]) -> Iterator[frozenset[str]]:
    for text in texts:
        words = told_words(text)
        if len(words) >= _LEAST_EXACT:
            yield words


_BUILT: WeakKeyDictionary[Knowledge, Wording] = WeakKeyDictionary()


def wording_of(knowledge: Knowledge) -> Wording:
    """Return the index over ``knowledge``, built once."""
    found = _BUILT.get(knowledge)
    if found is None:
        found = Wording(knowledge.symptoms.values(), knowledge.gotchas.values())
        _BUILT[knowledge] = found
    return found
