"""The closest valid names to one that is not known, best first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

from advisor.answers.questions import Choice, Question, Vocabulary, same_word

__all__ = ["homes_of", "keys_called", "nearest_choices", "nearest_keys", "nearest_words"]

_LONGEST = 80
"""Longer words are no typing mistakes, and comparing them is slow."""
_CLOSE = 0.72


def nearest_choices(word: str, choices: Iterable[Choice], limit: int = 3) -> tuple[str, ...]:
    """Return the ids whose id or synonym resembles ``word``."""
    owners: dict[str, str] = {}
    for choice in choices:
        for name in (choice.id, *choice.synonyms):
            owners.setdefault(same_word(name), choice.id)
    return _owners_of(same_word(word), owners, limit)


def nearest_words(word: str, words: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return the words that resemble ``word``."""
    return _owners_of(same_word(word), {same_word(name): name for name in words}, limit)


def _owners_of(word: str, owners: Mapping[str, str], limit: int) -> tuple[str, ...]:
    if not word or len(word) > _LONGEST:
        return ()
    close = get_close_matches(word, owners, n=limit, cutoff=0.6)
    if len(word) >= 3:
        close += [name for name in owners if name.startswith(word) or word.startswith(name)]
    return tuple(dict.fromkeys(owners[name] for name in close))[:limit]


def keys_called(name: str, questions: Mapping[str, Question]) -> tuple[str, ...]:
    """Return the keys of which ``name`` is another name."""
    wanted = same_word(name)
    return tuple(
        key for key, question in questions.items() if wanted in map(same_word, question.also_called)
    )


def homes_of(name: str, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the keys that end in ``name``: where a misplaced key belongs."""
    wanted = same_word(name)
    return tuple(key for key in vocabulary if same_word(vocabulary[key].name) == wanted)


def nearest_keys(key: str, vocabulary: Vocabulary, limit: int = 3) -> tuple[str, ...]:
    """Return the keys that resemble ``key``: by its last part, its place, or both."""
    name = key.rpartition(".")[2]
    if max(len(key), len(name)) > _LONGEST:
        return ()
    meant = homes_of(name, vocabulary) or keys_called(name, vocabulary)
    if meant:
        # of several, the one of the same group comes first
        group = key.partition(".")[0]
        return tuple(sorted(meant, key=lambda k: k.partition(".")[0] != group))[:limit]
    scores = {}
    for candidate in (*vocabulary, *vocabulary.group_names()):
        score = max(_alike(key, candidate), _alike(name, candidate.rpartition(".")[2]))
        # A key of the same group is the likelier meaning when the spelling is as close.
        scores[candidate] = score + 0.01 * (candidate.partition(".")[0] == key.partition(".")[0])
    close = sorted((c for c in scores if scores[c] >= _CLOSE), key=lambda c: (-scores[c], c))
    return tuple(close[:limit])


def _alike(first: str, second: str) -> float:
    matcher = SequenceMatcher(None, first.casefold(), second.casefold(), autojunk=False)
    if matcher.real_quick_ratio() < _CLOSE or matcher.quick_ratio() < _CLOSE:
        return 0.0
    return matcher.ratio()
