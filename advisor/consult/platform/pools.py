"""Ways to have GPU nodes come and go, each with the image that its nodes would boot."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.cluster_guests import for_guests, precompiled_here, sandbox_of
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.cold_start import ColdStart, cold_start
from advisor.consult.platform.pools_image import Images, PoolImage, starts
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Fact, Scalar
from advisor.store.node_image import NodeImage
from advisor.store.platform_facts import Provisioner

__all__ = ["Pool", "find_pools", "node_fields", "stated_option"]

_AUTOSCALERS = {
    "karpenter": "karpenter",
    "cluster_autoscaler": "cluster_autoscaler",
    "auto_mode": "auto_mode",
    "node_auto_provisioning": "managed_pool",
    "none": "static_pool",
}
"""Values of ``platform.node_autoscaler`` to options."""
_FIXED = frozenset({"static_pool", "docker_host", "slurm", "bare_metal"})
"""Options under which no node comes for a pod."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One option of the decision ``provisioning``."""

    option: str
    fields: dict[str, Scalar]
    image: PoolImage | None
    cold_start: ColdStart | None
    """What a first request waits for; ``None`` where nothing comes and goes or nothing is known."""

    @property
    def fact(self) -> Fact:
        """The fact of kind ``pool``."""
        return Fact("pool", f"pool:{self.option}", {"option": self.option, **self.fields})


def find_pools(
    settled: Settled, place: Place, images: Images, *, keep_given: bool
) -> tuple[Pool, ...]:
    """Return every option of the catalogue, those that the place has and the others.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        images: Finds the image of each option.
        keep_given: Whether the image that was said must stay.
    """
    provisioners = settled.desk.knowledge.provisioners
    stated = stated_option(settled, place)
    found = []
    for option, record in provisioners.items():
        here = option in place.provisioners
        image = images.of(option, keep_given=keep_given) if here else None
        start = _cold_start(settled, option, image, place) if here else None
        fields = _fields(record, place, start)
        if image is not None:
            fields |= {**node_fields(settled, place, image.image), **_of_choice(image)}
        fields |= known_only(
            here=here,
            stated=stated == option,
            image_allows=_allows(images, option, place) if keep_given and here else None,
        )
        found.append(Pool(option, fields, image, start))
    return tuple(found)


def stated_option(settled: Settled, place: Place) -> str | None:
    """Return the option that the answers name: the autoscaler, or an image that implies one."""
    named = settled.answers.get("platform.node_autoscaler")
    if named == "none" and place.orchestrator != "kubernetes":
        return None  # so it is on every such host: no pool of a cluster is meant
    if isinstance(named, str):
        return _AUTOSCALERS[named]
    special = place.platform.provisioners
    return special[0] if len(special) == 1 and special[0] not in _FIXED else None


def _allows(images: Images, option: str, place: Place) -> bool | None:
    return None if images.given is None else starts(option, images.given, place)


def _fields(record: Provisioner, place: Place, start: ColdStart | None) -> dict[str, Scalar]:
    usual = next(iter(place.platform.provisioners)) == record.id
    found: dict[str, Scalar] = {
        "name": record.name,
        "usual": usual,
        "dra": record.dra,
        "scales": record.id not in _FIXED,
        "when": record.when,
        "not_when": record.not_when,
        "start_up": record.start_up,
        "knows_partitions": record.knows_partitions,
    }
    if record.dra_note is not None:
        found["dra_note"] = record.dra_note
    if start is not None:
        found |= known_only(
            cold_start_low=start.low_minutes,
            cold_start_high=start.high_minutes,
            cold_start_whole=start.whole,
        )
    return found


def _of_choice(chosen: PoolImage) -> dict[str, Scalar]:
    return known_only(
        image_given=chosen.given,
        image_fits=chosen.fits,
        image_replaces=None if chosen.replaces is None else chosen.replaces.name,
        image_replaces_until=None if chosen.replaces is None else chosen.replaces.until,
    )


def node_fields(settled: Settled, place: Place, image: NodeImage) -> dict[str, Scalar]:
    """Return what rules read of an image on nodes with these GPUs and this way to share them."""
    fields = _of_image(image) | {"precompiled": precompiled_here(settled, place, image)}
    return fields if sandbox_of(settled, place) is None else for_guests(fields)


def _of_image(image: NodeImage) -> dict[str, Scalar]:
    installs = image.driver_install
    return known_only(
        image=image.id,
        image_name=image.name,
        driver_owner=image.driver_owner,
        toolkit_owner=image.toolkit_owner,
        plugin_owner=image.device_plugin_owner,
        driver_in_image=image.driver_in_image,
        toolkit_in_image=image.toolkit_in_image,
        plugin_in_image=image.device_plugin_in_image,
        driver_install=installs[0] if installs else None,
        operator_driver=bool({"container_build", "container_precompiled"} & set(installs)),
        host_packages="host_package" in installs,
        gpu_operator=image.gpu_operator,
        operator_support=image.operator_support,
        open_modules="open" in image.kernel_modules if image.kernel_modules else None,
        proprietary_modules="proprietary" in image.kernel_modules if image.kernel_modules else None,
        add=image.add,
        driver_change=image.driver_change,
        secure_boot_note=image.secure_boot,
    )


def _cold_start(
    settled: Settled, option: str, image: PoolImage | None, place: Place
) -> ColdStart | None:
    if place.orchestrator != "kubernetes":
        return None
    boots = None if image is None else image.image
    return cold_start(settled, place, boots, new_node=option not in _FIXED)
