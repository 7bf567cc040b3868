"""Schema of the software that makes GPUs usable on a cluster: who owns what, in which version."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import DATE, VERSION, Cited, Severity, VersionRange, version_key
from advisor.store.records import Strict

__all__ = ["AvoidedVersions", "Component", "ComponentVersion", "Floor"]

_BEFORE_ALL = "0.0."


class ComponentVersion(Strict):
    """One release or branch."""

    version: str = Field(pattern=VERSION)
    """``26.7`` names a series, ``26.7.0`` a release, ``580`` a driver branch."""
    status: Literal["current", "supported", "deprecated", "ended", "retracted"]
    """``current``: for new installations, documents read; at most one of a component."""
    released: str | None = Field(None, pattern=DATE)
    support_ends: str | None = Field(None, pattern=DATE)
    kubernetes_from: str | None = Field(None, pattern=VERSION)
    kubernetes_to: str | None = Field(None, pattern=VERSION)
    """Newest minor in its support table; newer ones may work and are not listed."""
    note: str | None = None


class AvoidedVersions(Strict):
    """A range of versions that bites, and whom."""

    from_version: str | None = Field(None, pattern=VERSION)
    before_version: str | None = Field(None, pattern=VERSION)
    """First version without the fault; ``None`` when no fix is known."""
    severity: Severity
    when: str
    """The condition under which it bites."""
    why: str
    instead: str
    gotcha: str | None = None


class Floor(Strict):
    """A least version of something else, or of this, for one purpose."""

    component: str
    version: str = Field(pattern=VERSION)
    when: str | None = None
    """Only in this case; ``None``: always."""


class Component(Cited):
    """One piece of software and what it is responsible for."""

    name: str
    kind: Literal[
        "cluster", "operator", "operand", "driver", "firmware", "runtime", "toolkit",
        "device_plugin", "dra_driver", "exporter", "discovery", "node_autoscaler", "queue",
        "scheduler", "workload_api", "network", "virtualization", "compute_library", "engine",
    ]  # fmt: skip
    vendor: Literal["nvidia", "amd", "community", "cloud"]
    repository: str | None = None
    owns: str
    """What it does and nobody else should."""
    does_not: str | None = None
    """What people expect of it in vain."""
    part_of: str | None = None
    """Id of the component that rolls it out."""
    runs_as: str | None = None
    setting: str | None = None
    """Switch in its parent's values."""
    default_in_parent: str | None = None
    off_when: str | None = None
    answers_key: str | None = None
    """Key of the questions that holds its version."""
    api: tuple[str, ...] = ()
    """API groups and versions of its objects."""
    resource_names: tuple[str, ...] = ()
    versions: tuple[ComponentVersion, ...] = ()
    """Newest first."""
    counted_anew_after: str | None = Field(None, pattern=VERSION)
    """Versions from this number on are older than all others: the project began to count anew."""
    avoid: tuple[AvoidedVersions, ...] = ()
    floors: tuple[Floor, ...] = ()

    @property
    def recommended(self) -> ComponentVersion | None:
        """The version whose documents were read and that a new installation should take."""
        return next((entry for entry in self.versions if entry.status == "current"), None)

    @property
    def newest(self) -> ComponentVersion | None:
        """The newest version that a source names and that was not withdrawn."""
        usable = (entry for entry in self.versions if entry.status != "retracted")
        return next(usable, None)

    def in_order(self, version: str) -> str:
        """Return ``version`` so that its numbers compare by age.

        What was numbered before the project began to count anew comes before everything else:
        with ``counted_anew_after`` 22, ``25.12.0`` becomes ``0.0.25.12.0``.
        """
        key, turn = version_key(version), version_key(self.counted_anew_after or "")
        if key is None or turn is None or key < turn:
            return version
        return f"{_BEFORE_ALL}{'.'.join(str(part) for part in key)}"

    def avoided(self, version: str) -> tuple[AvoidedVersions, ...]:
        """Return the warnings about ``version``, those that may apply included."""
        return tuple(
            entry
            for entry in self.avoid
            if VersionRange(
                component=self.id,
                from_version=entry.from_version,
                before_version=entry.before_version,
            ).covers(self.in_order(version))
            is not False
        )
