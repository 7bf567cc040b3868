"""When a common claim is touched: tests of single facts, as records write them.

A record of ``knowledge/corrections`` lists situations; each is a mapping of facts to tests::

    touched_by:
      - {platform.dra: [wanted, in_use], platform.kubernetes_version: ">=1.35 <1.37"}

All tests of one situation must hold; of a list of tests one. A test is a value, ``any`` (it is
known), ``absent`` (it is not), ``not X`` (known, and none is X), ``mlx5*`` (begins so), or bounds,
of numbers and of versions alike. A fact is a question (``platform.dra``) or one of :data:`FACTS`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from advisor.errors import KnowledgeError
from advisor.store.cited import version_key
from advisor.store.loader_errors import nearest_names

__all__ = ["FACTS", "matches", "unknown_words"]

_YES_NO = ("yes", "no")
FACTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "chosen.autoscaler": (
            "static_pool", "karpenter", "cluster_autoscaler", "managed_pool", "auto_mode",
            "docker_host", "slurm", "bare_metal",
        ),
        "chosen.crosses_nodes": _YES_NO,
        "chosen.format": (),
        "chosen.gpus": (),
        "chosen.kind": (),
        "chosen.nvlink": _YES_NO,
        "chosen.pipeline_parallel": (),
        "chosen.profile": (),
        "chosen.serves": _YES_NO,
        "chosen.sharing": (
            "exclusive", "mig", "mig_in_guest", "time_slicing", "mps", "vgpu", "vgpu_mig",
            "passthrough", "amd_partition", "sriov", "multi_lora", "fractional_scheduler",
            "one_process", "hami", "kai",
        ),
        "chosen.tensor_parallel": (),
        "chosen.trains": _YES_NO,
        "gpu.architecture": (),
        "gpu.id": (),
        "gpu.mig": _YES_NO,
        "gpu.vendor": ("nvidia", "amd", "intel"),
        "model.attention": ("full", "swa", "mla", "gdn", "mamba2", "linear"),
        "model.id": (),
        "model.moe": _YES_NO,
        "model.parameters_b": (),
        "place.dra": _YES_NO,
        "place.kubernetes": _YES_NO,
        "place.operator": _YES_NO,
        "place.vm": _YES_NO,
        "told.fault": (),
    }
)  # fmt: skip
"""What follows from answers and choices, with its values where they are few:

what was said and what is chosen count alike, so a fact may have several values. ``gpu``: the
cards that were named, and the chosen one; ``place``: what the nodes are; ``told.fault``: sections
on the likeliest causes of the symptoms."""
_NAMED = {"gpu.id": "gpu", "model.id": "model", "chosen.format": "format"}
_BOUND = re.compile(r"(?P<sign>>=|<)(?P<edge>[\d.]+)")
_NOT = "not "
_ABSENT = "absent"


def matches(situation: Mapping[str, tuple[str, ...]], facts: Mapping[str, Collection[str]]) -> bool:
    """Tell whether every test holds; what is not known fails every test but ``absent``."""
    return all(_holds(tests, facts.get(key, ())) for key, tests in situation.items())


def unknown_words(
    situation: Mapping[str, tuple[str, ...]], names: Mapping[str, Collection[str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what a situation names and nobody knows, with the nearest that exists.

    Args:
        situation: Facts and their tests.
        names: Known ids by ``gpu``, ``model`` and ``format``; those absent are not checked.
    """
    from advisor.answers.questions import load_questions

    try:
        questions = load_questions()
    except KnowledgeError:
        return  # what is wrong with them is said elsewhere
    for key, tests in situation.items():
        if key in questions:
            known: Iterable[str] = (choice.id for choice in questions[key].values)
        elif key in FACTS:
            known = FACTS[key] or names.get(_NAMED.get(key, ""), ())
        else:
            yield f"Nothing is called {key!r}.", nearest_names(key, [*FACTS, *questions])
            continue
        allowed = [*known]
        for value in map(_value, tests):
            if allowed and value is not None and value not in allowed:
                yield f"{key} is never {value!r}.", nearest_names(value, allowed)


def _value(test: str) -> str | None:
    """Return the value that a test names, if it names one."""
    if test in {"any", _ABSENT} or test.endswith("*") or _BOUND.match(test):
        return None
    return test.removeprefix(_NOT)


def _holds(tests: tuple[str, ...], values: Collection[str]) -> bool:
    if not values:
        return _ABSENT in tests
    return any(_met(test, values) for test in tests)


def _met(test: str, values: Collection[str]) -> bool:
    if test == "any":
        return True
    if test.startswith(_NOT):
        return test.removeprefix(_NOT) not in values
    if test.endswith("*"):
        return any(value.startswith(test[:-1]) for value in values)
    if _BOUND.match(test):
        return any(_within(test, value) for value in values)
    return test in values


def _within(test: str, value: str) -> bool:
    given = version_key(value)
    if given is None:
        return False
    for bound in _BOUND.finditer(test):
        edge = version_key(bound["edge"]) or ()
        below = _padded(given) < _padded(edge)
        if below is (bound["sign"] == ">="):
            return False
    return True


def _padded(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return (*numbers, 0, 0, 0, 0)[:4]
