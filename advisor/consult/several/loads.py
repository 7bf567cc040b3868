"""The loads of a list, each with answers of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.answers.model import Answers, Origin
from advisor.consult.attempt import Attempt
from advisor.consult.consultation import Assumption
from advisor.consult.watched import WatchedAnswers

__all__ = ["OneLoad", "SizedLoad", "has_several", "split_loads"]

_SAME_AS = {"duty": "tenancy.duty"}
"""Fields of a record that answer a question of another group."""
_OF_ALL = frozenset({"objectives.total_output_tokens_per_second", "objectives.requests_per_second"})
"""Rates of all loads together say nothing about one of them."""


@dataclass(frozen=True, slots=True)
class OneLoad:
    """One record of ``workloads``."""

    index: int
    name: str
    instances: int
    """Copies that run at the same time, each with its own weights."""
    tenant: str | None
    answers: WatchedAnswers
    """What the whole file says, with this load under ``workload``."""

    def place(self, key: str) -> str:
        """Return where an answer about this load stands in the file."""
        group, _, name = key.partition(".")
        return f"workloads[{self.index}].{name}" if group == "workload" else key

    def told(self, note: Assumption) -> Assumption:
        """Return an assumption under the key of this load."""
        return note.model_copy(update={"key": self.place(note.key)})


@dataclass(frozen=True, slots=True)
class SizedLoad:
    """A load, and what carries it when it has GPUs of its own."""

    load: OneLoad
    attempt: Attempt


def has_several(answers: Answers) -> bool:
    """Tell whether the answers list more than one load."""
    loads = answers.get("workloads")
    return isinstance(loads, tuple) and len(loads) > 1


def split_loads(answers: Answers) -> tuple[OneLoad, ...]:
    """Return each load with answers of its own; ``workload`` holds for what a record leaves out."""
    loads = answers.get("workloads")
    records = loads if isinstance(loads, tuple) else ()
    return tuple(_one(answers, index, record) for index, record in enumerate(records))


def _one(answers: Answers, index: int, record: Mapping[str, object]) -> OneLoad:
    from advisor.answers.questions import load_questions

    known = load_questions()
    values = {k: v for k, v in answers.values.items() if k not in _OF_ALL and k != "workloads"}
    origin: dict[str, Origin] = dict(answers.origin)
    for name, value in record.items():
        key = _SAME_AS.get(name, f"workload.{name}")
        if key not in known:
            continue
        values[key] = value
        place = answers.origin.get(f"workloads[{index}].{name}")
        if place is not None:
            origin[key] = place
    unknown = {key for key in answers.unknown if key not in values}
    copies, tenant = record.get("instances"), record.get("tenant")
    return OneLoad(
        index=index,
        name=str(record.get("name") or f"load {index + 1}"),
        instances=copies if isinstance(copies, int) else 1,
        tenant=None if tenant is None else str(tenant),
        answers=WatchedAnswers(values, frozenset(unknown), origin, answers.name),
    )
