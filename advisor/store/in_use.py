"""Which knowledge the work at hand is done with, so that every look-up follows it.

A consultation reads questions, handbook, rules and corrections in many rooms. Whoever starts one
says with which knowledge (:func:`using`); inside, ``load_knowledge()`` and everything built on it
gives that one. The setting belongs to the running task or thread and ends with the block: two
consultations with different knowledge do not see each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["VARIABLE", "in_use", "named_folders", "using"]

VARIABLE = "GPU_ADVISOR_KNOWLEDGE"
"""Folders of one's own knowledge, separated as in ``PATH``; only programs look at it."""

_IN_USE: ContextVar[Knowledge | None] = ContextVar("knowledge_in_use", default=None)


def in_use() -> Knowledge | None:
    """Return the knowledge that a surrounding :func:`using` names, or ``None`` outside any."""
    return _IN_USE.get()


def named_folders(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders that the environment names, lowest first."""
    parts = environment.get(VARIABLE, "").split(os.pathsep)
    return tuple(dict.fromkeys(part for part in parts if part.strip()))


@contextmanager
def using(knowledge: Knowledge | None) -> Iterator[None]:
    """Make ``knowledge`` the one that look-ups read inside the block.

    Args:
        knowledge: ``None`` leaves everything as it is.
    """
    if knowledge is None:
        yield
        return
    before = _IN_USE.set(knowledge)
    try:
        yield
    finally:
        _IN_USE.reset(before)
