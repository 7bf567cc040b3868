"""Schemas of Kubernetes releases, their bugs, and the feature gates of DRA."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import DATE, VERSION, Cited, Severity, VersionRange, version_key
from advisor.store.records import Strict

__all__ = ["DraGate", "GateStage", "KubernetesBug", "KubernetesRelease"]

_MINOR = r"^1\.\d+$"


class KubernetesRelease(Cited):
    """One minor version of Kubernetes; its id is the version."""

    id: str = Field(pattern=_MINOR)
    released: str = Field(pattern=DATE)
    end_of_life: str = Field(pattern=DATE)
    """Day after which upstream publishes no patch."""
    newest_patch: str | None = Field(None, pattern=VERSION)
    """Newest patch that a source names; later ones may exist."""
    newest_patch_seen: str | None = Field(None, pattern=DATE)
    floor: str | None = Field(None, pattern=VERSION)
    """Patch below which GPU clusters should not stay, where one is known."""
    floor_because: str | None = None
    """Why, in words; ids of bugs where there are any."""
    bugs: tuple[str, ...] = ()

    def supported_on(self, day: str) -> bool:
        """Tell whether upstream supports this version on ``day`` (ISO 8601)."""
        return self.released <= day <= self.end_of_life


class KubernetesBug(Cited):
    """A bug of Kubernetes that GPU clusters can meet."""

    title: str
    severity: Severity
    affected: tuple[VersionRange, ...] = Field(min_length=1)
    fixed_in: tuple[str, ...] = ()
    """Versions with the fix, as far as they were seen."""
    gates: tuple[str, ...] = ()
    """Ids of gates that must be on."""
    condition: str
    """What has to come together."""
    default_configuration: bool
    """True when an ordinary cluster with NVIDIA's defaults can meet it."""
    effect: str

    def affects(self, version: str) -> bool | None:
        """Tell whether ``version`` has the bug; ``None`` when it is too short to say."""
        answers = [range_.covers(version) for range_ in self.affected]
        if True in answers:
            return True
        return None if None in answers else False


class GateStage(Strict):
    """What a gate is from one minor version on."""

    since: str = Field(pattern=_MINOR)
    stage: Literal["alpha", "beta", "ga"]
    default_on: bool
    locked: bool = False
    """True when it cannot be switched any more."""


class DraGate(Cited):
    """One feature gate that dynamic resource allocation, or its neighbours, depend on."""

    gate: str = Field(pattern=r"^[A-Z][A-Za-z0-9]+$")
    kep: int | None = None
    means: str
    used_by: str | None = None
    """What of a GPU driver needs it."""
    stages: tuple[GateStage, ...] = Field(min_length=1)
    """In the order of versions."""

    def stage_in(self, minor: str) -> GateStage | None:
        """Return what the gate is in Kubernetes ``minor``; ``None`` before it existed."""
        asked = version_key(minor) or ()
        held = [stage for stage in self.stages if (version_key(stage.since) or ()) <= asked[:2]]
        return held[-1] if held else None
