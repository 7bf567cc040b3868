"""Whether resource claims (DRA) can be used, and what stands in the way."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.consult.candidate_facts import RACK
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.gke import sized_by_pool
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.versions_kubernetes import minor_of
from advisor.store.cited import version_key
from advisor.store.node_image import NodeImage

__all__ = ["Claims", "claims_of"]

_ASKED = frozenset({"wanted", "in_use"})
_ALPHA_SHARES = frozenset({"time_slicing", "mps", "fractional_scheduler"})
"""Ways to share that NVIDIA's DRA driver serves behind alpha gates only (0.5.0)."""
_GPUS_SINCE = (0, 5)
"""First release of NVIDIA's DRA driver that hands out GPUs as a finished feature."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What DRA can do here."""

    asked: bool
    """GPUs by claims are wanted or in use."""
    compute_domain: bool
    """NVLink between nodes is wanted, in use, or needed by the job."""
    declined: bool
    """The chosen layout joins the NVLink of several nodes, and claims for it are not wanted."""
    core: str
    """Stage of the core in this version of Kubernetes; that of a new cluster where none is said."""
    blocker: str | None
    """Why GPUs cannot be claimed; ``None`` where they can."""

    @property
    def usable(self) -> bool:
        """Whether GPUs are claimed."""
        return self.asked and self.blocker is None

    @property
    def any(self) -> bool:
        """Whether any pod has a claim, be it for NVLink alone, now or after an upgrade."""
        return self.usable or self.compute_domain


def claims_of(settled: Settled, place: Place, image: NodeImage | None) -> Claims:
    """Return what DRA can do.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        image: The image that was said and must stay.
    """
    answers = settled.answers
    kubernetes = place.orchestrator == "kubernetes"
    core = _core(settled) if kubernetes else "none"
    asked = answers.get("platform.dra") in _ASKED
    wanted = answers.get("platform.compute_domain") in _ASKED and _racks(settled) is not False
    needed = _spans_rack_nodes(settled)
    return Claims(
        asked=asked,
        compute_domain=kubernetes and (wanted or needed),
        declined=kubernetes and needed and answers.get("platform.compute_domain") == "no",
        core=core,
        blocker=_blocker(settled, place, image, core) if asked else None,
    )


def _core(settled: Settled) -> str:
    """Return the stage of the core gate; off by default counts as alpha."""
    minor = minor_of(settled.answers)
    if minor is None:
        return "ga"
    stage = settled.desk.knowledge.dra_gates["core"].stage_in(minor)
    if stage is None:
        return "none"
    return stage.stage


def _blocker(settled: Settled, place: Place, image: NodeImage | None, core: str) -> str | None:
    found = {
        "orchestrator": place.orchestrator != "kubernetes",
        "kubernetes": core != "ga",
        "dra_driver": _old_dra_driver(settled),
        "driver": _old_driver(settled),
        "image": image is not None
        and image.operator_support == "not_supported"
        and _owns_plugin(image),
        "sharing": settled.parameter("sharing", "option") in _ALPHA_SHARES,
        "pool_slices": _cut_by_pool(settled),
    }
    return next((name for name, stands in found.items() if stands), None)


def _cut_by_pool(settled: Settled) -> bool:
    """Tell whether GKE's node pool cuts MIG: Google's pages rule out claims beside that."""
    if settled.parameter("sharing", "option") != "mig":
        return False
    settled.answers.get("platform.gpu_operator_version")  # noted: it decides who cuts
    return sized_by_pool(settled.answers)


def _old_dra_driver(settled: Settled) -> bool:
    stated = str(settled.answers.get("platform.dra_driver_version") or "")
    driver = settled.desk.knowledge.components["nvidia-dra-driver"]
    key = version_key(driver.in_order(stated))
    return key is not None and not _is_amd(settled) and key < _GPUS_SINCE


def _is_amd(settled: Settled) -> bool:
    return "amd" in settled.vendors


def _owns_plugin(image: NodeImage) -> bool:
    return image.device_plugin_owner in {"image", "provider"}


def _old_driver(settled: Settled) -> bool:
    """Tell whether the stated driver is below the floor that NVIDIA's DRA driver has."""
    if _is_amd(settled):
        return False
    stated = version_key(str(settled.answers.get("platform.driver_version") or ""))
    floors = settled.desk.knowledge.components["nvidia-dra-driver"].floors
    floor = next((f.version for f in floors if f.component == "nvidia-driver"), None)
    least = version_key(floor or "")
    return stated is not None and least is not None and stated < least


def _racks(settled: Settled) -> bool | None:
    """Tell whether GPUs have NVLink between nodes; ``None`` where none is named."""
    if not settled.cards:
        return None
    return any(card.gpu.scale_up_gpus >= RACK for card in settled.cards)


def _spans_rack_nodes(settled: Settled) -> bool:
    """Tell whether one job joins the NVLink of several nodes of a rack."""
    if not _racks(settled):
        return False
    if settled.kind != "platform":
        return settled.parameter("parallelism", "fabric") == "nvlink_rack"
    return settled.answers.get("hardware.nvlink") == "multi_node"
