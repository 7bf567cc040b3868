"""The fact ``cluster``: the place, what is asked of it, and what its versions allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.consult.candidate_facts import RACK, known_only
from advisor.consult.platform.cluster_claims import Claims, claims_of
from advisor.consult.platform.cluster_guests import sandbox_of, takes_guest_driver
from advisor.consult.platform.cluster_load import load_fields, network_fields
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.pools import Pool, node_fields, stated_option
from advisor.consult.platform.pools_image import Images, suits
from advisor.consult.platform.settled import Settled
from advisor.consult.platform.versions_kubernetes import kubernetes_fields
from advisor.consult.platform.versions_stated import stated_fields
from advisor.consult.platform.vocabulary import IMAGE_FIELDS
from advisor.rules.facts import Fact, Scalar

if TYPE_CHECKING:
    from advisor.store.gpu import Gpu

__all__ = ["cluster_fact", "outcome_fact"]

_BY_PLUGIN = frozenset({"time_slicing", "mps", "mig", "hami", "kai"})
"""Ways to share that pods on Kubernetes get through a device plugin."""


def cluster_fact(settled: Settled, place: Place, images: Images, *, keep_given: bool) -> Fact:
    """Return what the rules that choose read of the place.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        images: Knows the image that was said.
        keep_given: Whether that image must stay.
    """
    claims = claims_of(settled, place, images.given if keep_given else None)
    kubernetes = kubernetes_fields(settled, place, claims=claims.any)
    fields = {
        **_of_place(place),
        **_of_image(settled, place, images),
        **kubernetes,
        **stated_fields(settled, place, str(kubernetes.get("kubernetes_target", ""))),
        **_of_claims(claims),
        **_of_gpus(settled),
        **known_only(
            sandbox=sandbox_of(settled, place), guest_driver=takes_guest_driver(settled, place)
        ),
        **load_fields(settled, place),
        **network_fields(settled, place),
    }
    stated = stated_option(settled, place)
    if stated is not None:
        fields["stated_option"] = stated
        fields["stated_name"] = settled.desk.knowledge.provisioners[stated].name
    return Fact("cluster", "cluster", fields)


def outcome_fact(
    settled: Settled, place: Place, fact: Fact, pool: Pool, more: Mapping[str, Scalar]
) -> Fact:
    """Return the cluster with the nodes that were chosen.

    Args:
        settled: The first half of the consultation.
        place: Where the GPUs run.
        fact: As the rules that chose have read it.
        pool: The choice.
        more: What became of the stated set-up.
    """
    image = {} if pool.image is None else node_fields(settled, place, pool.image.image)
    kept = {name: value for name, value in image.items() if name in IMAGE_FIELDS}
    start = pool.cold_start
    waits = (
        {}
        if start is None
        else {
            "cold_start_minutes_low": start.low_minutes,
            "cold_start_minutes_high": start.high_minutes,
        }
    )
    given = {}
    if pool.image is not None:
        given = {"image_given": pool.image.given, "gpu_not_known_here": not pool.image.fits}
    return Fact("cluster", "cluster", {**fact.fields, **kept, **given, **waits, **more})


def _of_place(place: Place) -> dict[str, Scalar]:
    record = place.platform
    return known_only(
        platform=record.id,
        platform_name=record.name,
        orchestrator=record.orchestrator,
        managed=place.managed,
        known=not place.assumptions,
        cloud=place.cloud or (record.clouds[0] if len(record.clouds) == 1 else None),
        provider=place.provider,
        conflict=place.conflict,
        replaces=record.replaces,
        driver_note=record.driver,
        rdma_note=record.rdma,
        dra_note=record.dra,
        scales_note=record.scale_to_zero,
        can_scale=not {"karpenter", "cluster_autoscaler", "managed_pool", "auto_mode"}.isdisjoint(
            place.provisioners
        ),
    )


def _of_image(settled: Settled, place: Place, images: Images) -> dict[str, Scalar]:
    """Return what rules read of the image that was said."""
    said, operator = images.given, settled.answers.get("platform.gpu_operator_version")
    installed = known_only(
        operator_installed=None if operator is None else operator != "none",
        plugin_runs=_plugin_runs(settled, place),
    )
    if said is None:
        return installed
    found = {
        key: value
        for key, value in node_fields(settled, place, said).items()
        if key in IMAGE_FIELDS
    }
    ended = said.until is not None and not said.holds_on(settled.desk.knowledge.as_of)
    return {
        **found,
        **installed,
        **known_only(
            said_image=said.id,
            said_image_name=said.name,
            said_driver_owner=said.driver_owner,
            said_plugin_owner=said.device_plugin_owner,
            said_operator_driver=found.get("operator_driver"),
            image_ended=ended,
            image_until=said.until if ended else None,
            image_successor=said.successor,
            image_fits_gpu=all(suits(said, card) for card in settled.cards),
        ),
    }


def _plugin_runs(settled: Settled, place: Place) -> bool:
    """Tell whether GPUs are shared without the GPU Operator: somebody has installed a plugin."""
    shared = settled.answers.get("platform.sharing_now")
    return (
        place.orchestrator == "kubernetes"
        and settled.answers.get("platform.gpu_operator_version") == "none"
        and isinstance(shared, tuple)
        and not _BY_PLUGIN.isdisjoint(shared)
    )


def _of_claims(claims: Claims) -> dict[str, Scalar]:
    return known_only(
        dra_core=claims.core,
        dra_asked=claims.asked,
        dra_usable=claims.usable,
        dra_blocker=claims.blocker,
        compute_domain=claims.compute_domain,
        domain_declined=claims.declined,
        claims=claims.any,
    )


def _may_have_mig(gpus: Sequence[Gpu]) -> bool | None:
    """Tell whether one of the GPUs has MIG; ``None`` where none or an unknown one is there."""
    if any(gpu.mig.supported for gpu in gpus):
        return True
    return None if not gpus or any(gpu.id == "unknown" for gpu in gpus) else False


def _of_gpus(settled: Settled) -> dict[str, Scalar]:
    gpus = [card.gpu for card in settled.cards]
    vendors = settled.vendors
    return known_only(
        amd="amd" in vendors,
        intel="intel" in vendors,
        nvidia=vendors <= {"nvidia"},
        mig=_may_have_mig(gpus),
        arm=any(gpu.host_architecture == "aarch64" for gpu in gpus),
        rack=any(gpu.scale_up_gpus >= RACK for gpu in gpus),
        mixed_vendors=len(vendors) > 1,
    )
