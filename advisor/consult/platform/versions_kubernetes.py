"""Versions of Kubernetes: which are supported, and from which patch on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Scalar
from advisor.store.cited import version_key

if TYPE_CHECKING:
    from advisor.store.component import Component, ComponentVersion
    from advisor.store.loader import Knowledge

__all__ = ["carried_by", "kubernetes_fields", "kubernetes_target", "minor_of", "release_for"]

_PARTS = 2


def minor_of(answers: Answers) -> str | None:
    """Return the stated minor version, such as ``1.36``."""
    key = version_key(str(answers.get("platform.kubernetes_version") or ""))
    return None if key is None or len(key) < _PARTS else f"{key[0]}.{key[1]}"


def kubernetes_target(stated: str | None, knowledge: Knowledge, *, claims: bool) -> str:
    """Return the version, or the least patch, to run.

    A supported minor stays, at the patch from which its known faults are mended; an ended one, and
    nothing said, gives way to the recommended one. Claims ask for 1.36.3 or later, the first
    release whose faults in them are mended in the default configuration (handbook 5.3).

    Args:
        stated: What runs, as it was written.
        knowledge: Releases and their floors.
        claims: Whether GPUs are claimed.
    """
    releases = knowledge.kubernetes_releases
    recommended = knowledge.components["kubernetes"].recommended
    best = releases[recommended.version if recommended else next(reversed(list(releases)))]
    floor = best.floor or best.newest_patch or best.id
    key = version_key(stated or "")
    if key is None or len(key) < _PARTS:
        return floor
    release = releases.get(f"{key[0]}.{key[1]}")
    newer = key[:_PARTS] > (version_key(best.id) or ())
    if release is None:
        return str(stated) if newer else floor
    if not release.supported_on(knowledge.as_of) or (claims and not newer and release is not best):
        return floor
    least = release.floor or release.id
    return str(stated) if key >= (version_key(least) or ()) else least


def carried_by(place: Place, knowledge: Knowledge) -> Component | None:
    """Return the distribution whose releases bring Kubernetes and runtime; ``None`` for others."""
    if place.orchestrator != "kubernetes":
        return None
    return knowledge.components.get(place.platform.id)


def release_for(stated: str | None, distribution: Component, *, claims: bool) -> ComponentVersion:
    """Return the release of a distribution to run.

    The listed release that carries the stated Kubernetes stays; otherwise, and for claims, whose
    mended allocator came late, the recommended one.
    """
    listed = distribution.versions
    best = distribution.recommended or listed[0]
    minor = (version_key(stated or "") or ())[:_PARTS]
    found = next((e for e in listed if version_key(e.kubernetes_to or "") == minor), None)
    return best if claims or found is None else found


def kubernetes_fields(settled: Settled, place: Place, *, claims: bool) -> dict[str, Scalar]:
    """Return what rules read of the version."""
    if place.orchestrator != "kubernetes":
        return {}
    knowledge = settled.desk.knowledge
    stated = settled.answers.get("platform.kubernetes_version")
    target = kubernetes_target(
        stated if isinstance(stated, str) else None, knowledge, claims=claims
    )
    minor = minor_of(settled.answers)
    distribution = carried_by(place, knowledge)
    if distribution is not None:
        text = stated if isinstance(stated, str) else None
        return _of_distribution(distribution, text, minor, claims=claims)
    goal: dict[str, Scalar] = {
        "kubernetes_target": target,
        "kubernetes_goal": f"Kubernetes {target}",
    }
    if minor is None:
        return goal
    release = knowledge.kubernetes_releases.get(minor)
    key = version_key(minor) or (0, 0)
    oldest = min(version_key(name) or () for name in knowledge.kubernetes_releases)
    supported: bool | None = key >= oldest
    if release is not None:
        supported = release.supported_on(knowledge.as_of)
    return known_only(
        kubernetes=str(stated),
        kubernetes_minor=key[1],
        kubernetes_supported=supported,
        kubernetes_ended=None if release is None else release.end_of_life,
        **goal,
    )


def _of_distribution(
    distribution: Component, stated: str | None, minor: str | None, *, claims: bool
) -> dict[str, Scalar]:
    """Return the same where a release of a distribution brings Kubernetes; its own terms count."""
    release = release_for(stated, distribution, claims=claims)
    name = f"{distribution.name} {release.version}"
    carried = [entry.kubernetes_to for entry in distribution.versions]
    span = f"{distribution.versions[-1].version} to {distribution.versions[0].version}"
    unlisted = minor is not None and minor not in carried
    return known_only(
        kubernetes=stated,
        kubernetes_minor=None if minor is None else (version_key(minor) or (0, 0))[1],
        kubernetes_target=name,
        kubernetes_goal=f"{name} (Kubernetes {release.kubernetes_to})",
        release_unlisted=f"{distribution.name} {span}" if unlisted else None,
    )
