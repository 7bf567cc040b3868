"""Methods of an interview read the knowledge that its adviser has, whoever calls them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from advisor.store.in_use import using

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["with_its_knowledge"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def with_its_knowledge(
    method: Callable[Concatenate[Interview, _P], _T],
) -> Callable[Concatenate[Interview, _P], _T]:
    """Let a method read questions and handbook of the knowledge that its adviser has."""

    @wraps(method)
    def wrapped(self: Interview, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with using(self.adviser.knowledge):
            return method(self, *args, **kwargs)

    return wrapped
