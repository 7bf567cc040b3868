"""Schemas of observability: series of exporters, alerts that work, and NVIDIA's Xid codes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import Cited, Severity

__all__ = ["Alert", "Metric", "Xid"]


class Metric(Cited):
    """One series, or a few that belong together."""

    series: tuple[str, ...] = Field(min_length=1)
    exporter: str
    """Id of the component that exposes it."""
    kind: Literal["gauge", "counter"]
    unit: str
    means: str
    default_list: bool
    """True when the exporter exposes it without a list of one's own."""
    works_on_partitions: bool | None = None
    """MIG instances or AMD partitions; ``None`` where no source says."""
    alert_on: str | None = None
    misread: str | None = None
    """What it is often taken for."""


class Alert(Cited):
    """A rule for Prometheus that fires when something has to be done."""

    name: str
    severity: Severity
    metrics: tuple[str, ...] = Field(min_length=1)
    """Ids of metrics."""
    expr: str
    for_minutes: int = Field(ge=0)
    because: str
    do: str
    basis: Literal["vendor", "judgement"]
    """Where the threshold comes from."""


class Xid(Cited):
    """One error code of NVIDIA's driver; its id is the number."""

    id: str = Field(pattern=r"^\d{1,3}$")
    mnemonic: str
    means: str
    origin: Literal[
        "application", "driver", "firmware", "memory", "nvlink", "bus", "clean_up", "information"
    ]
    action: Literal[
        "none", "restart_app", "follow_other", "reset_gpu", "drain_and_reset", "reboot_node",
        "replace_gpu", "check_links", "contact_support",
    ]  # fmt: skip
    """What comes first; further steps stand in ``do``."""
    do: str
    device_plugin_drops_gpu: bool
    """True when NVIDIA's plugin takes the GPU out of the allocatable count by default."""
    severity: Severity

    @property
    def code(self) -> int:
        """The number."""
        return int(self.id)
