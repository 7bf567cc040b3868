"""Which GPU a row of SkyPilot's catalogue means: its names leave out form factor and memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from advisor.errors import UnknownNameError
from advisor.store.aliases import Resolved
from advisor.store.gpu import Gpu

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Accelerators"]

_SAME_AS = {"H100-MEGA": "H100-SXM"}
"""Google's a3-megagpu: the SXM card with a faster network."""
_USUAL_GB = {"A100": 40, "V100": 16}
"""Memory that the bare name stands for (common/metadata.csv of the catalogue)."""
_INFO_NAME = re.compile(r"'Name': '([^']*)'")
_INFO_MIB = re.compile(r"'SizeInMiB': (\d+)")
_LEAST_MIB = 4096
"""Smaller sizes are gigabytes under the wrong name, as in the RunPod file."""


class Accelerators:
    """Resolves the accelerators of one provider's file, each once."""

    def __init__(self, knowledge: Knowledge, provider: str) -> None:
        self._knowledge = knowledge
        self._seen: dict[tuple[str, str, str], tuple[str, str | None]] = {}
        self._instances: dict[str, set[str]] = {}
        for price in knowledge.prices:
            if price.provider == provider:
                self._instances.setdefault(price.instance, set()).add(price.gpu)

    def resolve(self, name: str, instance: str, info: str) -> tuple[str, str | None]:
        """Return the catalogue id and, where the row does not settle it, what was assumed.

        Raises:
            UnknownNameError: The accelerator is not in the GPU catalogue.
        """
        key = (name, instance, info)
        if key not in self._seen:
            self._seen[key] = self._resolve(name, instance, info)
        return self._seen[key]

    def _resolve(self, name: str, instance: str, info: str) -> tuple[str, str | None]:
        found = self._knowledge.resolve_gpu(_SAME_AS.get(name, name))
        if found.assumed is None:
            return found.record.id, None
        # the price catalogue knows this very instance
        listed = self._instances.get(instance, set()) & set(found.candidates)
        if len(listed) == 1:
            return listed.pop(), None
        found = self._by_memory(name, info, found)
        stated = self._by_stated_name(info, found)
        if stated is not None:
            return stated, None
        return found.record.id, found.assumed

    def _by_memory(self, name: str, info: str, found: Resolved[Gpu]) -> Resolved[Gpu]:
        match = _INFO_MIB.search(info)
        mib = int(match[1]) if match else 0
        size = round(mib / 1024) if mib >= _LEAST_MIB else _USUAL_GB.get(name)
        if size is None:
            return found
        try:
            narrowed = self._knowledge.resolve_gpu(f"{name} {size}GB")
        except UnknownNameError:
            return found
        return narrowed if narrowed.record.id in found.candidates else found

    def _by_stated_name(self, info: str, found: Resolved[Gpu]) -> str | None:
        """Return the card that ``GpuInfo`` names in full, when it is one of those possible."""
        if found.assumed is None:
            return found.record.id
        match = _INFO_NAME.search(info)
        if match is None:
            return None
        possible = set(found.candidates)
        try:
            stated = self._knowledge.resolve_gpu(match[1])
        except UnknownNameError:
            return None
        meant = possible & set(stated.candidates or (stated.record.id,))
        return meant.pop() if len(meant) == 1 else None
