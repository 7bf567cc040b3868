"""What a consultation came upon, as far as common claims may be about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from advisor.consult.consultation import Decision, DecisionName, Diagnosis, Warned

__all__ = ["NOTHING", "CameUp", "came_up"]


@dataclass(frozen=True)
class CameUp:
    """Sections of the handbook and choices that a consultation came upon."""

    faults: frozenset[str] = frozenset()
    """Sections on the likeliest causes of the symptoms."""
    warned: frozenset[str] = frozenset()
    """Sections that gotchas of the choices cite."""
    sharing: str | None = None
    """The chosen way to share GPUs."""
    operator: str | None = None
    """How much of the GPU Operator is chosen; ``None`` where that is not decided."""
    profile: str | None = None
    """The chosen MIG profile."""
    provisioner: str | None = None
    """The chosen way to get nodes."""
    device_owner: str | None = None
    """Who hands out the GPUs."""


NOTHING = CameUp()


def came_up(
    diagnoses: Iterable[Diagnosis],
    warnings: Iterable[Warned],
    made: Mapping[DecisionName, Decision],
) -> CameUp:
    """Return what diagnoses, warnings and decisions are about."""
    causes = [diagnosis.causes[0] for diagnosis in diagnoses if diagnosis.causes]
    gotchas = [warning for warning in warnings if warning.kind == "gotcha"]
    shared = made["sharing"].choice if "sharing" in made else None
    nodes = made["provisioning"].choice if "provisioning" in made else None
    return CameUp(
        faults=frozenset(cited["section"] for cause in causes for cited in cause["citations"]),
        warned=frozenset(cited.section for warning in gotchas for cited in warning.citations),
        sharing=getattr(shared, "option", None),
        operator=getattr(nodes, "gpu_operator", None),
        profile=getattr(shared, "profile", None),
        provisioner=getattr(nodes, "option", None),
        device_owner=getattr(nodes, "device_owner", None),
    )
