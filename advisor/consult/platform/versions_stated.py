"""Versions that run, against their own support: ended ones, and pairs that no table lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.versions_kubernetes import carried_by, minor_of
from advisor.rules.facts import Scalar
from advisor.store.cited import version_key
from advisor.store.versions_in_use import versions_in_use

if TYPE_CHECKING:
    from advisor.store.component import Component, ComponentVersion

__all__ = ["entry_of", "lists_kubernetes", "stated_fields", "support_fields"]

_CUDA_FROM_TURING = (13,)
_BEFORE_TURING = frozenset({"maxwell", "pascal", "volta"})
_INJECTION = "choice.provisioning.device_injection"
_INSTALLED = "any new installation"
"""The condition of a warning in the catalogue about versions that have ended."""


def stated_fields(settled: Settled, place: Place, target: str) -> dict[str, Scalar]:
    """Return fields of the fact ``cluster`` about versions that are stated.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        target: The Kubernetes that is advised.
    """
    if place.orchestrator != "kubernetes":
        return _of_drivers(settled)
    return {
        **_of_drivers(settled),
        **_ended(settled),
        **_of_runtime(settled, place, target),
        **known_only(nri_too_old=_too_old_for_nri(settled)),
    }


def _of_drivers(settled: Settled) -> dict[str, Scalar]:
    """Return the newest floor among the GPUs that the stated driver is below."""
    stated = settled.answers.get("platform.driver_version")
    key = version_key(str(stated or ""))
    floors = {card.gpu.min_driver: card.gpu.name for card in settled.cards if card.gpu.min_driver}
    above = [floor for floor in floors if key is not None and _below(key, floor)]
    worst = max(above, key=lambda floor: version_key(floor) or (), default=None)
    return known_only(
        driver_floor=worst,
        driver_floor_gpu=None if worst is None else floors[worst],
        cuda_without_gpu=_without_code(settled),
    )


def _without_code(settled: Settled) -> str | None:
    """Return a card for which CUDA 13 has no code (its notes on deprecated architectures)."""
    cuda = version_key(str(settled.answers.get("platform.cuda_version") or ""))
    if cuda is None or cuda < _CUDA_FROM_TURING:
        return None
    return next((c.gpu.name for c in settled.cards if c.gpu.architecture in _BEFORE_TURING), None)


def _below(key: tuple[int, ...], floor: str) -> bool:
    """Tell whether a stated version is below; a branch alone counts as its newest release."""
    least = version_key(floor) or ()
    return key < least[: len(key)] if len(key) < len(least) else key < least


def _ended(settled: Settled) -> dict[str, Scalar]:
    components = settled.desk.knowledge.components
    used = _in_use(settled)
    return known_only(
        operator_ended=_end_of(components["gpu-operator"], used),
        operator_steps=_steps(components["gpu-operator"], used),
        driver_ended=_end_of(components["nvidia-driver"], used),
    )


def _too_old_for_nri(settled: Settled) -> bool:
    """Tell whether a gotcha of the NRI plugin names a version that is stated."""
    used = _in_use(settled)
    return any(
        gotcha.applies.in_versions(used) is True
        for gotcha in settled.desk.knowledge.gotchas.values()
        if gotcha.applies.versions
        and any(hint.key == _INJECTION and "nri" in hint.values for hint in gotcha.applies.all_of)
    )


def _in_use(settled: Settled) -> dict[str, str]:
    used = versions_in_use(settled.desk.knowledge.components, settled.full_answers.values.get)
    return {name: version for name, version in used.items() if version_key(version) is not None}


def _end_of(component: Component, used: Mapping[str, str]) -> str | None:
    version = used.get(component.id)
    if version is None:
        return None
    told = [entry.why for entry in component.avoided(version) if entry.when == _INSTALLED]
    found = entry_of(component, version)
    if not told and found is not None and found.status == "ended":
        told = [f"It ended in {found.support_ends}." if found.support_ends else "It has ended."]
    return " ".join(told) or None


def _steps(component: Component, used: Mapping[str, str]) -> str | None:
    """Return the series to pass through from the stated one to that for new installations."""
    goal = component.recommended
    if component.id not in used or goal is None:
        return None
    first, last = (_series(version) for version in (used[component.id], goal.version))
    series = {_series(entry.version) for entry in component.versions}
    between = sorted(key for key in series if first < key <= last)
    return ", ".join(".".join(str(part) for part in key) for key in between) or None


def _series(version: str) -> tuple[int, ...]:
    return (version_key(version) or ())[:2]


def entry_of(component: Component, version: str) -> ComponentVersion | None:
    """Return the release, or the series, of the catalogue that a version belongs to."""
    key = version_key(version) or ()
    listed = [(version_key(entry.version) or (), entry) for entry in component.versions]
    return next((entry for name, entry in listed if name and key[: len(name)] == name), None)


def _of_runtime(settled: Settled, place: Place, target: str) -> dict[str, Scalar]:
    stated = settled.answers.get("platform.container_runtime")
    version = settled.answers.get("platform.container_runtime_version")
    carried = carried_by(place, settled.desk.knowledge)
    foreign = carried is not None and stated not in {None, "cri_o"}
    if foreign:
        return {"runtime_foreign": True}
    entry = None
    if carried is None and stated in {None, "containerd"} and isinstance(version, str):
        entry = entry_of(settled.desk.knowledge.components["containerd"], version)
    if entry is None or entry.kubernetes_to is None:
        return {}
    last = version_key(entry.kubernetes_to) or ()
    minor = version_key(minor_of(settled.answers) or "")
    runs = minor is not None and minor > last
    goes = (version_key(target) or ())[:2] > last
    return {"containerd_old": str(version), "containerd_beyond": runs} if runs or goes else {}


def support_fields(
    settled: Settled, place: Place, versions: Mapping[str, str], *, claims: bool
) -> dict[str, Scalar]:
    """Return the pairs of versions that no support table lists, and when the driver advised ends.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        versions: What is advised, component id to version.
        claims: Whether GPUs are claimed.
    """
    stated = settled.answers.get("platform.kubernetes_version")
    runs = isinstance(stated, str) and version_key(stated) is not None
    ends = _ends_soon(settled, versions)
    if place.orchestrator != "kubernetes" or not runs:
        return ends
    told = [*_pairs(settled, str(stated), versions)]
    if claims and "gpu-operator" in versions:
        told += _floors(settled, str(stated))
    return ends | known_only(unlisted_pairs=" ".join(told) or None)


def _ends_soon(settled: Settled, versions: Mapping[str, str]) -> dict[str, Scalar]:
    """Return branch and month where the driver that is advised ends within a year."""
    knowledge = settled.desk.knowledge
    branch = versions.get("nvidia-driver")
    entry = None if branch is None else entry_of(knowledge.components["nvidia-driver"], branch)
    a_year_on = f"{int(knowledge.as_of[:4]) + 1}{knowledge.as_of[4:]}"
    if entry is None or entry.support_ends is None or entry.support_ends >= a_year_on:
        return {}
    return {"driver_branch": entry.version, "driver_branch_ends": entry.support_ends}


def _pairs(settled: Settled, kubernetes: str, versions: Mapping[str, str]) -> Iterator[str]:
    components, used = settled.desk.knowledge.components, _in_use(settled)
    for name in ("gpu-operator", "karpenter"):
        version = used.get(name) if name in used else versions.get(name)
        entry = None if version is None else entry_of(components[name], version)
        if entry is None or lists_kubernetes(entry, kubernetes):
            continue
        span = " to ".join(part for part in (entry.kubernetes_from, entry.kubernetes_to) if part)
        if entry.kubernetes_from is None:
            span = f"up to {span}"
        said = "runs" if name in used else "is the one advised"
        other = versions.get(name)
        better = None if other == version or other is None else entry_of(components[name], other)
        more = f" ({other} lists yours)" if better and lists_kubernetes(better, kubernetes) else ""
        yield f"{components[name].name} {version} {said} and lists Kubernetes {span}{more}."


def lists_kubernetes(entry: ComponentVersion, kubernetes: str) -> bool:
    """Tell whether the support table of a release has a version of Kubernetes."""
    minor = (version_key(kubernetes) or ())[:2]
    low, high = version_key(entry.kubernetes_from or ""), version_key(entry.kubernetes_to or "")
    return (low is None or minor >= low[:2]) and (high is None or minor <= high[:2])


def _floors(settled: Settled, kubernetes: str) -> Iterator[str]:
    """Yield what the way to claims by the operator asks of Kubernetes."""
    stated = version_key(kubernetes) or ()
    for floor in settled.desk.knowledge.components["gpu-cluster"].floors:
        least = version_key(floor.version) or ()
        if floor.component == "kubernetes" and stated < least[: len(stated)]:
            yield f"A GPUCluster of the GPU Operator asks for Kubernetes {floor.version} or later."
