"""Schema of the ways to share a GPU: what each isolates, needs and forbids."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import Cited
from advisor.store.records import Strict

__all__ = ["Isolation", "ResourceName", "SharingMode", "Wall"]

Wall = Literal["hardware", "driver", "software", "none", "not_shared"]
"""``hardware``: enforced by the GPU; ``driver``: by NVIDIA's driver or server; ``software``: by a
library in the container, which can be got round; ``not_shared``: nobody else is there."""


class Isolation(Strict):
    """What one tenant can do to another, by kind."""

    memory: Wall
    """Capacity and contents."""
    faults: Wall
    """Whether a crash of one ends the others."""
    compute: Wall
    """Whether one can take the others' time or cores."""
    bandwidth: Wall
    """Memory bandwidth and cache."""


class ResourceName(Strict):
    """What a pod asks for."""

    name: str
    when: str


class SharingMode(Cited):
    """One option of the sharing decision; its id is the option."""

    id: str = Field(pattern=r"^[a-z][a-z_]+$")
    name: str
    isolation: Isolation
    trust: Literal["untrusted", "trusted", "same_owner"]
    """The least trusted tenants that it is fit for."""
    how: str
    good_for: str
    bad_for: str
    vendors: tuple[Literal["nvidia", "amd"], ...]
    needs: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    most_tenants: str | None = None
    resources: tuple[ResourceName, ...] = ()
    """Names in Kubernetes; empty where Kubernetes sees nothing of it."""
    components: tuple[str, ...] = ()
    """Ids of what sets it up."""
    not_with: tuple[str, ...] = ()
    """Ids of modes that exclude it on one GPU."""
    machine: Literal["any", "bare_metal_or_whole_gpu_vm", "vm", "host"]
    maturity: Literal["production", "experimental", "preview"]
    licence: str | None = None
    reconfigure: str | None = None
    """What a change of the layout costs."""
    metrics: str | None = None
    """What monitoring still sees."""
