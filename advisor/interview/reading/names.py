"""Names of GPUs and models in a text, whole or in part.

Which name means what is the catalogue's matter (:mod:`advisor.store.aliases`): a GPU is read
exactly as in an answers file. Here it is found among other words, and a name that several
models share, or that only begins a name, comes back with all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.interview.reading.words import joined, words_of
from advisor.store.aliases import gpu_names, model_names, squash

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["ModelNames", "gpu_keys", "gpu_words", "model_names_of"]

_SIZE = re.compile(r"\d+(?:\.\d+)?b")
_FAMILY = re.compile(r"[a-z]{2,}")
_TUNING = frozenset({"instruct", "it", "chat", "hf", "base", "pt"})


@dataclass(frozen=True)
class ModelNames:
    """Joined names of models, by what they stand for."""

    whole: Mapping[str, tuple[str, ...]]
    """A name -> the model, or all models that share it, the most common first."""
    part: Mapping[str, tuple[str, ...]]
    """The beginning of names, or family and size -> the models, in catalogue order."""
    builds: Mapping[str, str]
    """Hub id of a build that is not the original, in lower case -> as the hub spells it."""
    words: frozenset[str]
    """Single words of all names."""
    families: frozenset[str]
    """First words of names, with and without digits."""


@lru_cache(maxsize=4)
def model_names_of(knowledge: Knowledge) -> ModelNames:
    """Return the names of all models of a knowledge base."""
    whole: dict[str, tuple[str, ...]] = {}
    part: dict[str, dict[str, None]] = {}
    words: set[str] = set()
    families: set[str] = set()
    for model in knowledge.models.values():
        for name in model_names(model):
            parts = [word.text for word in words_of(name)]
            whole.setdefault("".join(parts), (model.id,))
            words.update(parts)
            for start in _starts(parts) if "/" not in name else ():
                part.setdefault(start, {})[model.id] = None
            families.update(_families(parts))
    for entry in knowledge.ambiguous_names("models"):
        for name in entry.names:
            whole[joined(words_of(name))] = entry.candidates
    builds = {
        build.hf_id.lower(): build.hf_id
        for model in knowledge.models.values()
        for build in model.builds
        if build.hf_id
    }
    parts_of = {start: tuple(ids) for start, ids in part.items() if start not in whole}
    return ModelNames(whole, parts_of, builds, frozenset(words | _TUNING), frozenset(families))


def _starts(parts: list[str]) -> Iterator[str]:
    """Yield what a name may be shortened to: its first words, or family and size."""
    first = re.split(r"(?<=[a-z])(?=\d)", parts[0], maxsplit=1) if parts else []
    pieces = [*first, *parts[1:]]
    for count in range(1, len(pieces)):
        yield "".join(pieces[:count])
    family = _FAMILY.match(pieces[0]) if pieces else None
    for piece in pieces[1:]:
        if family and _SIZE.fullmatch(piece):
            yield family.group() + piece
            yield piece + family.group()
            yield "".join([piece, *first])


def _families(parts: list[str]) -> Iterator[str]:
    if parts and (match := _FAMILY.match(parts[0])):
        yield parts[0]
        yield match.group()


@lru_cache(maxsize=4)
def gpu_keys(knowledge: Knowledge) -> frozenset[str]:
    """Return the comparable form of every GPU name that means something."""
    names = [name for gpu in knowledge.gpus.values() for name in gpu_names(gpu)]
    names += [name for entry in knowledge.ambiguous_names("gpus") for name in entry.names]
    return frozenset(map(squash, names))


@lru_cache(maxsize=4)
def gpu_words(knowledge: Knowledge) -> frozenset[str]:
    """Return the single words of all GPU names."""
    names: Iterable[str] = [name for gpu in knowledge.gpus.values() for name in gpu_names(gpu)]
    return frozenset(word.text for name in names for word in words_of(name))
