"""Schema of the MIG catalogue: how one GPU can be cut into hardware-isolated instances."""

from __future__ import annotations

from pydantic import Field

from advisor.store.records import Record, Strict

__all__ = ["MigProfile", "MigTable"]


class MigProfile(Strict):
    """One instance size of one GPU."""

    profile: str = Field(pattern=r"^\d+g\.\d+gb([+-][a-z.]+)?$")
    """Name that drivers and device plugins use, such as ``3g.40gb`` or ``1g.10gb+me``."""
    memory_gb: float = Field(gt=0)
    """Memory in the profile's name (the driver's rounding)."""
    usable_gib: float | None = None
    """What ``nvidia-smi mig -lgip`` prints for it, where it was seen."""
    compute_slices: int = Field(ge=1)
    memory_slices: int = Field(ge=1)
    max_instances: int = Field(ge=1)
    """How many fit on one GPU when all are of this profile."""
    sm_count: int | None = None
    note: str | None = None


class MigTable(Record):
    """All instance sizes of one GPU."""

    gpu: str
    """Cards the table is for, in words; GPUs point here by ``mig.profile_table``."""
    compute_slices: int = Field(ge=1)
    """Slices of the whole GPU: 7, or 4 on A30 and RTX PRO."""
    memory_slices: int = Field(ge=1)
    profiles: tuple[MigProfile, ...] = Field(min_length=1)

    def profile(self, name: str) -> MigProfile | None:
        """Return the profile called ``name``, or ``None``."""
        return next((entry for entry in self.profiles if entry.profile == name), None)
