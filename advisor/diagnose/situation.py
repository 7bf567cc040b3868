"""What the answers say about a hint: yes, no, or open."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

from advisor.answers.model import Answers
from advisor.errors import UnknownNameError
from advisor.store.choices import NOW, now_values
from advisor.store.cited import Applies, Hint, VersionRange
from advisor.store.gpu import Gpu
from advisor.store.loader import Knowledge
from advisor.store.versions_in_use import versions_in_use

__all__ = ["Situation"]


class Situation:
    """Answers seen through hints. Without answers everything is open."""

    def __init__(
        self, answers: Answers | None, knowledge: Knowledge, *, weights_fit: bool = False
    ) -> None:
        self._answers, self._knowledge = answers, knowledge
        self.weights_fit = weights_fit
        """Whether sizing found that what runs holds the weights; not that it does not."""

    def any_of(self, hints: Collection[Hint]) -> bool | None:
        """Tell whether one of ``hints`` holds; open when there are none."""
        return _any([self.holds(hint) for hint in hints])

    def holds(self, hint: Hint) -> bool | None:
        """Tell whether a key has one of the hint's values, or its size.

        A fault is about what runs, so what a decision would choose is read off what is there.
        """
        parts = [self._holds(hint), *(self.holds(other) for other in hint.together)]
        return False if False in parts else (None if None in parts else True)

    def _holds(self, hint: Hint) -> bool | None:
        known = self._values(hint.key)
        if hint.answered is not None:
            return (known is not None) == hint.answered
        if known is None:
            return None
        if not hint.values:
            numbers = [_number(value) for value in known]
            return None if None in numbers else any(hint.admits(n or 0.0) for n in numbers)
        meant = now_values(hint.key, hint.values) if hint.key in NOW else hint.values
        inside = known & set(meant)
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
        parts += [False for hint in applies.unless if self.holds(hint)]
        if applies.vendor is not None:
            other = self._values("gpu.vendor")
            parts += [False] if other and applies.vendor not in other else []
        inside = self.in_versions(applies.versions) if applies.versions else True
        if applies.versions_suffice:
            parts.append(_any([self.any_of(applies.any_of), inside]))
        elif applies.any_of:
            parts += [self.any_of(applies.any_of), inside]
        else:
            parts.append(inside)
        if False in parts:
            return False
        return None if None in parts else True

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """Component id to the version that runs, where it was said."""
        return versions_in_use(self._knowledge.components, self._get) if self._answers else {}

    def _get(self, key: str) -> object:
        return self._answers.get(key) if self._answers else None

    def _values(self, key: str) -> set[str] | None:
        """Return the values that ``key`` has, or ``None`` when that is open."""
        given = self._get(_question(key))
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


def _question(key: str) -> str:
    """Return the question that says what runs of that which ``key`` names."""
    if key == "chosen.kind":
        return "workload.kind"
    return NOW[key][0] if key in NOW else key


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
