"""The loads of a list, each with answers of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.answers.model import Answers, Origin
from advisor.consult.attempt import Attempt
from advisor.consult.consultation import Assumption
from advisor.consult.watched import WatchedAnswers

__all__ = ["OneLoad", "SizedLoad", "alike", "has_several", "joined", "split_loads"]

_OWN = frozenset({"name", "concurrency"})
"""Fields in which copies of one load may differ."""
_APART = frozenset({"memory", "hardware", "vm"})
"""Kinds of isolation for which one engine will not do."""

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

    @property
    def rests(self) -> bool:
        """Whether it is said to be busy some of the time only."""
        return self.answers.get("tenancy.duty") in {"idle", "intermittent"}

    @property
    def busy(self) -> bool:
        """Whether it is said never to rest."""
        return self.answers.get("tenancy.duty") == "sustained"

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


def alike(sized: Sequence[SizedLoad]) -> tuple[tuple[int, ...], ...]:
    """Return the places of loads that are the same but for name and owner, together.

    What serves them is chosen for all of them or for none, so that equal users are served alike.
    """
    groups: dict[int, list[int]] = {}
    for index, one in enumerate(sized):
        groups.setdefault(id(one.attempt), []).append(index)
    return tuple(tuple(group) for group in groups.values())


def has_several(answers: Answers) -> bool:
    """Tell whether the answers list more than one load, or copies of one."""
    loads = answers.get("workloads")
    if not isinstance(loads, tuple):
        return False
    return len(loads) > 1 or any(_copies(load) > 1 for load in loads)


def _copies(record: Mapping[str, object]) -> int:
    copies = record.get("instances")
    return copies if isinstance(copies, int) else 1


def joined(answers: WatchedAnswers) -> tuple[WatchedAnswers, Assumption | None]:
    """Return answers in which copies of one load are one load, with the note that says so.

    Engines with the same model side by side keep its weights twice and batch worse than one; so
    where all loads that are listed are the same but for name and requests at once, belong to one
    owner and need no wall between them, they are one load with the requests of all. Loads of kind
    ``platform`` have no model to size, and stay out beside others.
    """
    answers, note = _without_platforms(answers)
    if note is not None:
        return answers, note
    loads = answers.values.get("workloads")
    if not isinstance(loads, tuple) or len(loads) < 2 or _kept_apart(answers):
        return answers, None
    first = loads[0]
    kinds = [{k: v for k, v in load.items() if k not in _OWN} for load in loads]
    if any(kind != kinds[0] for kind in kinds) or "instances" in first or "model" not in first:
        return answers, None
    # what `workload` says holds for a load that says nothing itself
    usual = answers.values.get("workload.concurrency")
    users = [load.get("concurrency", usual) for load in loads]
    at_once = sum(count if isinstance(count, int) else 1 for count in users)
    names = " and ".join(str(load.get("name")) for load in loads)
    record = {**first, "name": names, "concurrency": at_once}
    note = Assumption(
        key="workloads",
        value=names,
        why="the same model of one owner: one engine batches the requests of all; copies would "
        "keep the weights several times (say workloads[].instances where copies must be apart)",
        section="8.2",
    )
    # of one load `workload` would count, of several the record of each does
    kept = {k: v for k, v in answers.values.items() if k.removeprefix("workload.") not in record}
    return replace(answers, values={**kept, "workloads": (record,)}), note


def _without_platforms(answers: WatchedAnswers) -> tuple[WatchedAnswers, Assumption | None]:
    """Return answers whose list of loads holds what can be sized, with the note that says so."""
    loads = answers.values.get("workloads")
    if not isinstance(loads, tuple) or len(loads) < 2:
        return answers, None
    sized = tuple(load for load in loads if load.get("kind") != "platform")
    if len(sized) == len(loads):
        return answers, None
    kept = sized or ({"kind": "platform"},)
    names = " and ".join(str(load.get("name")) for load in loads if load not in sized)
    note = Assumption(
        key="workloads[].kind",
        value=names,
        why="of kind platform: no model to size, so that nothing is counted for it"
        + ("; where it holds GPUs, hardware.gpus_per_node is what is left" if sized else ""),
        section="8.2",
    )
    return replace(answers, values={**answers.values, "workloads": kept}), note


def _kept_apart(answers: WatchedAnswers) -> bool:
    return (
        answers.get("tenancy.tenants") == "untrusted"
        or answers.get("tenancy.isolation") in _APART
        or answers.get("tenancy.crash_isolation") is True
    )


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
    tenant = record.get("tenant")
    return OneLoad(
        index=index,
        name=str(record.get("name") or f"load {index + 1}"),
        instances=_copies(record),
        tenant=None if tenant is None else str(tenant),
        answers=WatchedAnswers(values, frozenset(unknown), origin, answers.name),
    )
