"""One or two letters typed wrong.

One edit (a letter missing, added, changed, or two swapped) in words of five letters or more, two
from nine letters on. Digits must be the same: ``h100`` is never ``h200``. A word that is as
close to two known words is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

__all__ = ["TWO_EDITS_FROM", "Spelling", "edits_allowed"]

SHORTEST = 5
"""Letters of the shortest word that is recognised misspelt."""
TWO_EDITS_FROM = 9
_OPPOSITES = frozenset({"un", "non", "no", "in", "im", "dis", "de", "not"})
_DIGITS = re.compile(r"\D+")


def edits_allowed(letters: int) -> int:
    """Return how many edits a word of so many letters may have."""
    if letters < SHORTEST:
        return 0
    return 1 if letters < TWO_EDITS_FROM else 2


class Spelling:
    """Known words, and the search for the one that a misspelt word means."""

    def __init__(self, words: Iterable[str], never: Iterable[str] = ()) -> None:
        """Take the known words, and the words that are never taken for misspelt ones."""
        self._never = frozenset(never)
        self._known = frozenset(words)
        self._by_digits: dict[str, list[str]] = {}
        for word in sorted(self._known):
            if _letters(word) >= SHORTEST:
                self._by_digits.setdefault(_DIGITS.sub("", word), []).append(word)
        self._seen: dict[str, str | None] = {}

    def corrected(self, word: str) -> str | None:
        """Return the one known word that ``word`` misspells, or ``None``."""
        if word in self._known or word in self._never or len(word) < SHORTEST - 1 or len(word) > 30:
            return None
        if word not in self._seen:
            if len(self._seen) > 20_000:
                self._seen.clear()
            self._seen[word] = self._search(word)
        return self._seen[word]

    def _search(self, word: str) -> str | None:
        candidates = self._by_digits.get(_DIGITS.sub("", word), [])
        close = extract(word, candidates, scorer=OSA.distance, score_cutoff=2, limit=4)
        fits = [
            (edits, name)
            for name, edits, _ in close
            if edits <= edits_allowed(_letters(name)) and not _turns_round(word, name)
        ]
        if not fits:
            return None
        fewest = min(edits for edits, _ in fits)
        best = [name for edits, name in fits if edits == fewest]
        return best[0] if len(best) == 1 else None


def _turns_round(one: str, other: str) -> bool:
    """Tell whether two words differ by a beginning that turns the meaning round."""
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return longer.endswith(shorter) and longer.removesuffix(shorter) in _OPPOSITES


def _letters(word: str) -> int:
    return sum(character.isalpha() for character in word)
