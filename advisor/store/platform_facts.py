"""Schemas of where GPU nodes come from: platforms, kinds of capacity, provisioners, RDMA."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import Cited
from advisor.store.records import Strict

__all__ = ["CapacityKind", "Platform", "Provisioner", "RdmaExposure", "SoldAs"]


class SoldAs(Strict):
    """What a cloud calls a kind of capacity, and its terms."""

    cloud: str
    """Value of ``platform.cloud``."""
    name: str
    terms: str
    """Notice, longest run, how it ends."""


class CapacityKind(Cited):
    """One value of ``platform.capacity``."""

    id: str = Field(pattern=r"^[a-z][a-z_]+$")
    name: str
    sold_as: tuple[SoldAs, ...] = ()
    interruption: str
    """How it can end, and with how much notice."""
    good_for: str
    never_for: str | None = None
    set_up: str
    """What the cluster needs for it."""


class Provisioner(Cited):
    """One option of the provisioning decision; its id is the option."""

    id: str = Field(pattern=r"^[a-z][a-z_]+$")
    name: str
    components: tuple[str, ...] = ()
    when: str
    not_when: str
    start_up: str
    """What a new node waits for."""
    scale_to_zero: str
    dra: Literal["handled", "ignored", "own_claims_only", "not_applicable", "unknown"]
    dra_note: str | None = None
    knows_partitions: str
    """Whether MIG and shared resource names start nodes."""
    limits: tuple[str, ...] = ()


class RdmaExposure(Cited):
    """One value of ``platform.rdma_exposure``."""

    id: str = Field(pattern=r"^[a-z][a-z_]+$")
    name: str
    resources: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    good_for: str
    limits: str


class Platform(Cited):
    """One place to run GPU nodes."""

    name: str
    orchestrator: Literal["kubernetes", "docker", "slurm", "bare_metal"]
    clouds: tuple[str, ...] = ()
    """Values of ``platform.cloud``; empty: any."""
    providers: tuple[str, ...] = ()
    """Values of ``platform.provider``."""
    node_images: tuple[str, ...] = ()
    """Ids, the recommended one first."""
    provisioners: tuple[str, ...] = Field(min_length=1)
    """Ids that can be had here, the usual one for bursts first."""
    capacity_kinds: tuple[str, ...] = ()
    rdma_exposures: tuple[str, ...] = ()
    rdma: str
    driver: str
    """Who owns it, in a sentence."""
    dra: str
    scale_to_zero: str
    kubernetes_versions: str | None = None
    avoid: tuple[str, ...] = ()
    machine: Literal["bare_metal", "vm"] | None = None
    """What its nodes are, where the place sells one kind only."""
    replaces: str | None = None
    """Where there is no Kubernetes: what stands in for device plugin, operator and autoscaler."""
