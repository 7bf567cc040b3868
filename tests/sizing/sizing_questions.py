"""Short ways to ask ``size`` a question, for the tests of this folder."""

from __future__ import annotations

from typing import Any

from advisor.sizing.by_name import size_by_name
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.store.loader import load_knowledge
from advisor.store.model import Model

GIB = 2**30


def ask(model: str | Model, gpu: str | None, **flags: Any) -> SizeResult:
    """Size ``model`` on ``gpu`` as the command line with the same flags would."""
    return size_by_name(load_knowledge(), model, gpu, SizeRequest(**flags))


def model(name: str) -> Model:
    """Return a model of the catalogue."""
    return load_knowledge().models[name]


def codes(result: SizeResult) -> set[str]:
    """Return the codes of all problems."""
    return {problem.code for problem in result.problems}


def blocking(result: SizeResult) -> list[str]:
    """Return the codes of the problems that decide the verdict."""
    return [problem.code for problem in result.problems if problem.blocking]


def text_of(result: SizeResult, code: str) -> str:
    """Return the text of the only problem with ``code``."""
    (found,) = (problem.text for problem in result.problems if problem.code == code)
    return found


def tensor(ranks: int, **sizes: Any) -> Layout:
    """Return a layout of ``ranks`` tensor-parallel ranks."""
    return Layout(tensor_parallel=ranks, **sizes)
