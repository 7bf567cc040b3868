"""Recognise symptoms that somebody describes in words of their own.

The words of a sentence are compared with titles, texts and descriptions of symptoms and gotchas.
A word counts by how few entries hold it; usual words count nothing; both the entry and the sentence
must be covered well, so that a sentence about something else is never taken for a symptom.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from advisor.diagnose.lines import Line
from advisor.diagnose.recognise import Hit
from advisor.diagnose.words import OF_GPUS, SUBJECTS, told_words
from advisor.store.gotcha import Gotcha, Symptom
from advisor.store.loader import Knowledge

__all__ = ["Wording", "wording_of"]

_MAX_LINE = 400
_MAX_WORDS = 45
_MOST_SEEN = 20_000
"""So many sentences are remembered: a log says the same again and again."""
_LEAST_WORDS = 3
_LEAST_EXACT = 2
"""Fewer words count only when they are all of an entry's sentence."""
_EXACT_ENOUGH = 4
"""So many words in common and none beside are no accident, however usual each is."""
_LEAST_RARE = 2
_RARE_SHARE = 0.06
_LEAST_NEAR = 0.2
_FOREIGN = 0.6
"""Weight of a word that no entry holds, as a share of the weightiest."""
_ACCEPTED = 0.6
_LEAST_SIDE, _LEAST_OF_TEXT = 0.5, 0.75
"""Of a sentence, of a description, and of a text that a program prints."""
_LOOSE_RARE, _LOOSE_OF_PHRASE, _LOOSE_OF_TEXT = 3, 0.65, 0.38
"""Who tells a whole story says more than the entry does: then more rare words must be shared."""
_ASKS = re.compile(r"\?\s*$|^\s*(?:how|what|which|can|could|does|do|is|are|should|why|when)\b")
_NEGATED = re.compile(r"\b(?:no|not|never|nothing|nobody|none|without|cannot)\b|n['\u2019]t\b")
_AMISS = re.compile(
    _NEGATED.pattern + r"|\b(?:fail\w*|unable|error\w*|refus\w*|lack\w*|miss(?:es|ing)|stop\w*"
    r"|only|same|unchanged|less|stays?|hang\w*|stuck|wrong|despite|although|but)\b"
)
"""What a text says in place of a plain no."""
_FINE = told_words("success succeeded completed finished")
_SCHEDULED = re.compile(
    r"(?:\d insufficient|\binsufficient(?= (?:cpu|memory|pods|ephemeral-storage|\S+/)))"
    r" (\S*[^\s.,;])|\btaint \{([^{}]*)\}?"
)
"""What the scheduler names: a resource that is short, a taint that shuts out."""
_OF_DEVICES = re.compile(
    r"gpu\b(?!\.intel)|nvidia|amd\.com|accelerator|rdma|\befa\b|hugepages|\bmig\b"
)
_WORTH = 0.6
"""Whatever is recognised by its wording ranks below what stands in the text literally."""


@dataclass(frozen=True, slots=True)
class _Phrase:
    owner: str
    words: frozenset[str]
    least: float
    """Share of it that a sentence must hold."""
    negated: bool
    """It says that something is not so: a text that says that it is means the reverse."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What counts of a sentence: two that differ in names and numbers alone are the same."""

    known: frozenset[str]
    """Words that some entry holds."""
    foreign: int
    """How many others there are."""
    fine: bool
    """It says that something went well."""
    amiss: bool
    tells: bool
    """It says that something is amiss, and asks nothing."""


class Wording:
    """An index of everything that entries say of themselves."""

    def __init__(self, symptoms: Iterable[Symptom], gotchas: Iterable[Gotcha]) -> None:
        phrases: list[_Phrase] = []
        for symptom in symptoms:
            phrases += _phrases(symptom.id, _shown_by(symptom), _LEAST_OF_TEXT)
            phrases += _phrases(symptom.id, (symptom.title, *symptom.said), _LEAST_SIDE)
        for gotcha in gotchas:
            phrases += _phrases(gotcha.id, _told_by(gotcha), _LEAST_SIDE)
        self._phrases = phrases
        holders: defaultdict[str, set[str]] = defaultdict(set)
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, phrase in enumerate(phrases):
            for word in phrase.words:
                holders[word].add(phrase.owner)
                self._places[word].append(place)
        owners = len({phrase.owner for phrase in phrases})
        self._known = frozenset(holders)
        self._weight = {w: math.log((owners + 1) / len(ids)) for w, ids in holders.items()}
        self._rare = frozenset(w for w, ids in holders.items() if len(ids) <= owners * _RARE_SHARE)
        self._foreign = _FOREIGN * max(self._weight.values(), default=1.0)
        self._own = [sum(self._weight[word] for word in phrase.words) for phrase in phrases]
        self._sentences = frozenset(phrase.words for phrase in phrases)
        self._seen: dict[_Said, tuple[tuple[str, float], ...]] = {}

    def hits(self, line: Line) -> Iterator[Hit]:
        """Yield the entries that the line describes."""
        if line.quiet or len(line.text) > _MAX_LINE:
            return
        for clause in {line.text, *re.split(r"\s[/|]\s|;\s|\.\s", line.text)}:
            words = told_words(clause)
            if _names_other_things(clause):
                continue
            if not _LEAST_EXACT <= len(words) <= _MAX_WORDS:
                continue
            if not self._may_describe(words):
                continue
            said = self._said(words, clause)
            if said not in self._seen:
                if len(self._seen) >= _MOST_SEEN:
                    self._seen.clear()
                self._seen[said] = tuple(self._described(said))
            for owner, score in self._seen[said]:
                yield Hit(owner, _WORTH * score, line, 0)

    def _said(self, words: frozenset[str], clause: str = "") -> _Said:
        known = words & self._known
        fine, amiss = not words.isdisjoint(_FINE), bool(_AMISS.search(clause))
        tells = amiss and not _ASKS.search(clause)
        return _Said(known, len(words) - len(known), fine, amiss, tells)

    def _described(self, said: _Said) -> Iterator[tuple[str, float]]:
        for phrase, of_phrase, of_words in self._compared(said):
            score = _mean(of_phrase, of_words)
            if of_phrase < phrase.least or of_words < _LOOSE_OF_TEXT:
                continue
            if (said.fine and not phrase.words & _FINE) or (phrase.negated and not said.amiss):
                continue  # what went well is no symptom
            shared = said.known & phrase.words
            rare = len(shared & self._rare)
            loosely = said.tells and rare >= _LOOSE_RARE and of_phrase >= _LOOSE_OF_PHRASE
            if not loosely and (score < _ACCEPTED or of_words < _LEAST_SIDE):
                continue
            same = said.known == phrase.words and not said.foreign
            exact = same and (rare or len(shared) >= _EXACT_ENOUGH)
            if exact or (rare >= _LEAST_RARE and _is_telling(shared, phrase.words)):
                yield phrase.owner, score

    def _may_describe(self, words: frozenset[str]) -> bool:
        """Tell quickly whether enough of it is known at all: most lines of a log are not."""
        if len(words & self._rare) < _LEAST_RARE or words.isdisjoint(SUBJECTS):
            return words in self._sentences
        known = words & self._known
        foreign = (len(words) - len(known)) * self._foreign
        weight = self._weight_of(known)
        return weight >= _LOOSE_OF_TEXT * (weight + foreign) or words in self._sentences

    def _whole(self, said: _Said) -> float:
        return self._weight_of(said.known) + said.foreign * self._foreign

    def _weight_of(self, known: frozenset[str]) -> float:
        return sum(map(self._weight.__getitem__, known))

    def _compared(self, said: _Said) -> Iterator[tuple[_Phrase, float, float]]:
        """Yield phrases that share words: which, and the shares of phrase and text covered."""
        common: defaultdict[int, float] = defaultdict(float)
        for word in sorted(said.known):
            for place in self._places[word]:
                common[place] += self._weight[word]
        whole = self._whole(said)
        for place, weight in common.items():
            yield self._phrases[place], weight / self._own[place], weight / whole

    def nearest(self, text: str, most: int) -> tuple[str, ...]:
        """Return ids of the entries that share most with ``text``; none when that is little."""
        best: dict[str, float] = {}
        words = told_words(text)
        for phrase, of_phrase, of_words in self._compared(self._said(words)):
            if words & phrase.words & self._rare:
                score = of_phrase * max(of_words, _FOREIGN * of_phrase)
                best[phrase.owner] = max(best.get(phrase.owner, 0.0), score)
        ranked = sorted(best.items(), key=lambda item: (-round(item[1], 6), item[0]))
        return tuple(owner for owner, score in ranked[:most] if score >= _LEAST_NEAR)


def _names_other_things(clause: str) -> bool:
    """Tell whether a line of the scheduler names resources and taints, and none of devices."""
    if "insufficient" not in clause and "taint" not in clause:
        return False
    named = [resource or taint for resource, taint in _SCHEDULED.findall(clause)]
    return bool(named) and not any(map(_OF_DEVICES.search, named))


def _is_telling(shared: frozenset[str], phrase: frozenset[str]) -> bool:
    """Tell whether what a text shares with a phrase is about what the phrase is about."""
    if len(shared) < _LEAST_WORDS or shared.isdisjoint(SUBJECTS):
        return False
    return phrase.isdisjoint(OF_GPUS) or not shared.isdisjoint(OF_GPUS)


def _mean(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0


def _shown_by(symptom: Symptom) -> Iterator[str]:
    yield from (symptom.example, *symptom.fragments)
    yield from (" ".join(parts) for parts in symptom.together)


def _told_by(gotcha: Gotcha) -> Iterator[str]:
    yield from (gotcha.title, gotcha.symptom, *re.split(r";\s|\.\s|, or ", gotcha.symptom))


def _phrases(owner: str, texts: Iterable[str], least: float) -> Iterator[_Phrase]:
    for text in texts:
        words = told_words(text)
        if len(words) >= _LEAST_EXACT:
            yield _Phrase(owner, words, least, bool(_NEGATED.search(text.lower())))


_BUILT: WeakKeyDictionary[Knowledge, Wording] = WeakKeyDictionary()


def wording_of(knowledge: Knowledge) -> Wording:
    """Return the index over ``knowledge``, built once."""
    found = _BUILT.get(knowledge)
    if found is None:
        found = Wording(knowledge.symptoms.values(), knowledge.gotchas.values())
        _BUILT[knowledge] = found
    return found
