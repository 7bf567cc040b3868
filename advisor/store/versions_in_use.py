"""Which version of which component runs, as far as the answers say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.store.component import Component

__all__ = ["versions_in_use"]

_SHARED = {
    "platform.container_runtime_version": "platform.container_runtime",
    "workload.engine_version": "workload.engine",
}
"""Version keys that several components share, with the key that says whose version it is."""


def versions_in_use(
    components: Mapping[str, Component], answer: Callable[[str], object]
) -> dict[str, str]:
    """Return component id to the version that runs, where it was said, in numbers that compare.

    Args:
        components: The catalogue.
        answer: The value of a key, or ``None``.
    """
    found: dict[str, str] = {}
    for component in components.values():
        key = component.answers_key
        version = answer(key) if key else None
        owner = _SHARED.get(str(key))
        if version is None or (owner and answer(owner) != component.id.replace("-", "_")):
            continue
        found[component.id] = component.in_order(str(version))
    return found
