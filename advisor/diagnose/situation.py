"""What the answers say about a hint: yes, no, or open."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from advisor.answers.model import Answers
from advisor.errors import UnknownNameError
from advisor.store.cited import Applies, Hint, VersionRange
from advisor.store.gpu import Gpu
from advisor.store.loader import Knowledge

__all__ = ["Situation"]

_NOW: Mapping[str, str] = {
    "choice.sharing.option": "platform.sharing_now",
    "choice.provisioning.option": "platform.node_autoscaler",
    "choice.provisioning.driver_owner": "platform.driver_owner_now",
    "choice.provisioning.driver_install": "platform.driver_install",
    "choice.provisioning.device_injection": "platform.device_injection",
    "choice.provisioning.rdma_exposure": "platform.rdma_exposure",
    "choice.gpu.engine": "workload.engine",
}
"""A fault is about what runs, so what a decision would choose is read off what is there."""


class Situation:
    """Answers seen through hints. Without answers everything is open."""

    def __init__(self, answers: Answers | None, knowledge: Knowledge) -> None:
        self._answers, self._knowledge = answers, knowledge

    def any_of(self, hints: Collection[Hint]) -> bool | None:
        """Tell whether one of ``hints`` holds; open when there are none."""
        return _any([self.holds(hint) for hint in hints])

    def holds(self, hint: Hint) -> bool | None:
        """Tell whether a key has one of the hint's values."""
        known = self._values(hint.key)
        if known is None:
            return None
        inside = known & set(hint.values)
        if hint.key in _ALTERNATIVES and inside and inside != known:
            return None  # several cards are allowed; which one it is is not known
        return bool(inside)

    def in_versions(self, ranges: tuple[VersionRange, ...]) -> bool | None:
        """Tell whether the version that runs lies in one of ``ranges``; open without any."""
        if not ranges:
            return None
        return Applies(words="versions", versions=ranges).in_versions(self.versions)

    def applies(self, applies: Applies) -> bool | None:
        """Tell whether a gotcha is about this situation."""
        parts = [self.holds(hint) for hint in applies.all_of]
        if applies.any_of:
            parts.append(self.any_of(applies.any_of))
        if applies.versions:
            parts.append(self.in_versions(applies.versions))
        if False in parts:
            return False
        return None if None in parts else True

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Component id to the version that runs, where it was said."""
        found: dict[str, str] = {}
        for component in self._knowledge.components.values() if self._answers else ():
            key = component.answers_key
            version = self._get(key) if key else None
            if version is not None and self._is_about(str(key), component.id):
                found[component.id] = str(version)
        return found

    def _is_about(self, key: str, component: str) -> bool:
        """Tell whether a version key that several components share is about this one."""
        name = component.replace("-", "_")
        if key == "platform.container_runtime_version":
            return self._get("platform.container_runtime") == name
        if key == "workload.engine_version":
            return self._get("workload.engine") == name
        return True

    def _get(self, key: str) -> object:
        return self._answers.get(key) if self._answers else None

    def _values(self, key: str) -> set[str] | None:
        """Return the values that ``key`` has, or ``None`` when that is open."""
        given = self._get(_NOW.get(key, key))
        if given is not None:
            values = given if isinstance(given, tuple) else (given,)
            if key == "hardware.gpu":
                return {gpu.id for gpu in self._gpus} | {str(value) for value in values}
            return {_text(value) for value in values}
        if not self._gpus:
            return None
        return self._of_gpus(key)

    def _of_gpus(self, key: str) -> set[str] | None:
        """Return what the GPUs that were named say about ``key``."""
        if key == "hardware.gpu":
            return {gpu.id for gpu in self._gpus}
        if key == "hardware.nvlink":
            joined = any(gpu.scale_up_gpus > 1 for gpu in self._gpus)
            return None if joined else {"no"}
        name = {"hardware.architectures": "architecture", "hardware.vendors": "vendor"}.get(
            key, key.removeprefix("gpu.")
        )
        if name == key:
            return None
        values: set[str] = set()
        for gpu in self._gpus:
            value: object = gpu
            for part in name.split("."):
                value = getattr(value, part, None)
            if value is None:
                return None
            values.add(_text(value))
        return values

    @cached_property
    def _gpus(self) -> tuple[Gpu, ...]:
        """The cards that were named and are in the catalogue."""
        from advisor.store.aliases import resolve_gpu

        named = self._get("hardware.gpu") or ()
        names = [str(name) for name in (named if isinstance(named, tuple) else (named,))]
        inventory = self._get("hardware.inventory") or ()
        entries = inventory if isinstance(inventory, tuple) else ()
        names += [str(e["gpu"]) for e in entries if isinstance(e, Mapping) and e.get("gpu")]
        found = []
        for name in dict.fromkeys(names):
            try:
                found.append(resolve_gpu(self._knowledge, name).record)
            except UnknownNameError:
                return ()  # a card of which nothing is known may be anything
        return tuple(found)


_ALTERNATIVES = frozenset(
    {"hardware.gpu", "hardware.architectures", "hardware.vendors", "gpu.architecture", "gpu.id"}
)


def _any(parts: list[bool | None]) -> bool | None:
    if True in parts:
        return True
    return None if None in parts or not parts else False


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
