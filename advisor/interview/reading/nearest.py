"""The names nearest to one that the catalogue does not have."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from rapidfuzz.fuzz import ratio
from rapidfuzz.process import extract

from advisor.errors import Problem
from advisor.store.aliases import gpu_names, model_names, squash

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["unknown_gpu", "unknown_model"]

_CLOSE = 60
"""Out of 100: what difflib's 0.6 means in the catalogue's own search, which is slower."""


def unknown_model(knowledge: Knowledge, name: str) -> Problem:
    """Return the problem of a name that no model has."""
    message = f"The model {name!r} is not in the catalogue."
    near = _nearest(name, _models(knowledge))
    return Problem("unknown_model", message, key="workload.model", nearest=near)


def unknown_gpu(knowledge: Knowledge, name: str) -> Problem:
    """Return the problem of a name that no GPU has."""
    message = f"The GPU {name!r} is not in the catalogue."
    near = _nearest(name, _gpus(knowledge))
    return Problem("unknown_gpu", message, key="hardware.gpu", nearest=near)


def _nearest(name: str, names: Mapping[str, str]) -> tuple[str, ...]:
    plain = squash(name)[:60]
    close = extract(plain, names.keys(), scorer=ratio, score_cutoff=_CLOSE, limit=12)
    return tuple(dict.fromkeys(names[found] for found, _, _ in close))[:3]


@lru_cache(maxsize=4)
def _models(knowledge: Knowledge) -> dict[str, str]:
    return {
        squash(name): model.id for model in knowledge.models.values() for name in model_names(model)
    }


@lru_cache(maxsize=4)
def _gpus(knowledge: Knowledge) -> dict[str, str]:
    return {squash(name): gpu.id for gpu in knowledge.gpus.values() for name in gpu_names(gpu)}
