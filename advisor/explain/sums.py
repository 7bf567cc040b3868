"""The sums of a sizing, written out so that a reader can redo them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.counted import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.consult.consultation import Consultation
    from advisor.sizing.result import SizeResult

__all__ = ["Sum", "sums_of"]

_SERVING, _TRAINING = "7.3", "7.5"
_MEMORY = frozenset(
    {
        "count_per_replica", "tensor_parallel", "pipeline_parallel", "gpu_memory_gib",
        "gpu_memory_utilization", "room_requests_per_replica", "max_model_len", "weight_format",
        "kv_format", "memory_fraction", "profile",
    }
)  # fmt: skip
_TRAINS = frozenset({"count_per_replica", "sharding", "optimizer", "recompute", "micro_batch"})


@dataclass(frozen=True, slots=True)
class Sum:
    """One line of arithmetic."""

    text: str
    section: str
    parameters: frozenset[str] = frozenset()
    """Parameters of the choice that it explains."""
    decisions: tuple[str, ...] = ("gpu", "parallelism")
    """Decisions that it explains."""
    detail: bool = False

    def about(self, key: str) -> bool:
        """Tell whether it explains a parameter."""
        return key in self.parameters

    def as_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"text": self.text, "section": self.section}


def sums_of(told: Consultation) -> tuple[Sum, ...]:
    """Return the memory sum of the chosen layout, then how many GPUs that makes."""
    if told.sizing is None:
        return ()
    return (*_memory(told.sizing), *_counts(told))


def _memory(sizing: SizeResult) -> Iterator[Sum]:
    training = bool(sizing.training)
    section = _TRAINING if training else _SERVING
    last = len(sizing.arithmetic) - 1
    head = f"{sizing.model} in {sizing.weight_format} on {sizing.gpu}, per GPU: "
    for number, text in enumerate(sizing.arithmetic):
        about = (_MEMORY | _TRAINS) if training else _MEMORY
        yield Sum(text if number else head + text, section, about, detail=1 <= number < last)


def _counts(told: Consultation) -> Iterator[Sum]:
    decision = told.decisions.get("gpu")
    values: Mapping[str, object] = (
        {} if decision is None or decision.choice is None else decision.choice.model_dump()
    )
    width, replicas, total = (
        values.get(key) for key in ("count_per_replica", "replicas", "total_gpus")
    )
    if values.get("groups") or values.get("loads"):
        return
    if not (isinstance(width, int) and isinstance(replicas, int) and isinstance(total, int)):
        return
    yield Sum(
        f"{counted(width, 'GPU')} per replica x {counted(replicas, 'replica')} = "
        f"{counted(total, 'GPU')}",
        "8.1",
        frozenset({"total_gpus", "replicas", "count_per_replica"}),
    )
    usd, machines = values.get("usd_per_hour"), values.get("instances")
    if isinstance(usd, float) and isinstance(machines, int) and machines:
        yield Sum(
            f"{machines} x {values.get('instance_type')} at {usd / machines:,.4f} USD an hour "
            f"= {usd:,.2f} USD an hour, as of {values.get('price_as_of') or 'an unknown date'}",
            "8.1",
            frozenset({"usd_per_hour", "instances", "instance_type", "price_as_of", "provider"}),
            ("gpu",),
        )
