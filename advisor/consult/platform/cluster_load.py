"""What the load asks of the nodes: when they are needed, in what company, by which network."""

from __future__ import annotations

from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.chosen import chosen_fact
from advisor.consult.platform.cluster_place import Place
from advisor.consult.platform.settled import Settled
from advisor.rules.facts import Scalar

__all__ = ["load_fields", "network_fields"]

_LARGE_GB = 60.0
"""Weights that take longer to read than any notice of spot: at 0.2 to 2 GB/s half a minute to
five."""
_SLICED = frozenset(
    {"mig", "mig_in_guest", "vgpu", "vgpu_mig", "amd_partition", "sriov", "passthrough"}
)
"""Ways to share that are set on a node before its first pod."""
_GUESTS = frozenset({"passthrough", "vgpu", "vgpu_mig"})
"""Ways in which virtual machines hold GPUs, or shares of them."""
_FABRICS = frozenset({"roce", "infiniband", "efa", "cloud_rdma"})
_MANY = frozenset({"trusted_teams", "untrusted"})
_SEVERAL = 2


def load_fields(settled: Settled, place: Place) -> dict[str, Scalar]:
    """Return fields of the fact ``cluster`` about the load."""
    answers = settled.answers
    traffic = answers.get("workload.traffic")
    acquisition = answers.get("hardware.acquisition")
    return {
        **known_only(
            bursty=traffic in {"bursty", "scheduled"},
            steady=traffic == "steady",
            own_rooms=place.cloud == "on_prem" or acquisition == "buy",
            owned=acquisition in {"owned", "buy"},
            several_tenants=answers.get("tenancy.tenants") in _MANY,
            queueing_said=_text(answers.get("platform.queueing")),
        ),
        **_of_sharing(settled),
        **_of_copies(settled),
        **known_only(
            spot_notice=_spot_notice(settled, place),
            gang_by=_text(settled.parameter("parallelism", "gang")),
            jobs_by=_text(settled.parameter("parallelism", "job_stack")),
        ),
    }


def _of_sharing(settled: Settled) -> dict[str, Scalar]:
    name = _text(settled.parameter("sharing", "resource_name")) or ""
    shared = name.startswith("nvidia.com/mig-") or name.endswith(".shared")
    option = settled.parameter("sharing", "option")
    return known_only(
        slices=option in _SLICED,
        guests=option in _GUESTS,
        shared_names=shared,
        resource_name=name or None,
    )


def _of_copies(settled: Settled) -> dict[str, Scalar]:
    """Return how much hangs on one node, and how capacity was said to be bought."""
    capacity = settled.answers.get("platform.capacity")
    kinds = capacity if isinstance(capacity, tuple) else ()
    weights = chosen_fact(settled).fields.get("weights_gb")
    nodes = _nodes(settled)
    trains = any(load.trains for load in settled.loads)
    batch = trains or settled.kind == "batch_inference"
    alone = settled.parameter("gpu", "replicas") == 1 and not batch
    large = isinstance(weights, int | float) and weights >= _LARGE_GB
    spot_alone = kinds == ("spot",)
    return known_only(
        capacity_said=", ".join(str(kind) for kind in kinds) or None,
        spot_alone=spot_alone,
        spot_used="spot" in kinds and not (spot_alone and alone and large),
        only_copy=alone,
        large_model=large,
        nodes=nodes if isinstance(nodes, int) else None,
        gang=trains and isinstance(nodes, int) and nodes > 1,
        batch=batch,
    )


def _nodes(settled: Settled) -> object:
    """Return how many nodes the chosen GPUs fill; those that are stated where none are chosen."""
    made = settled.decisions.get("gpu")
    if made is None or made.choice is None:
        return settled.answers.get("hardware.nodes")
    return settled.parameter("gpu", "nodes")


def _spot_notice(settled: Settled, place: Place) -> str:
    """Return how much notice the cloud gives before it takes spot nodes back."""
    clouds = place.platform.clouds
    cloud = place.cloud or (clouds[0] if len(clouds) == 1 else None)
    sold = settled.desk.knowledge.capacity_kinds["spot"].sold_as
    terms = next((sale.terms for sale in sold if sale.cloud == cloud), None)
    return "two minutes of notice or less" if terms is None else terms.split(";")[0]


def network_fields(settled: Settled, place: Place) -> dict[str, Scalar]:
    """Return fields of the fact ``cluster`` about the network between nodes."""
    offered = [way for way in place.platform.rdma_exposures if way != "none"]
    stated = _text(settled.answers.get("platform.rdma_exposure"))
    return known_only(
        rdma_needed=_needs_rdma(settled, place),
        rdma_way=_way(settled, place, offered),
        rdma_said=stated,
        rdma_said_offered=None if stated is None else stated in place.platform.rdma_exposures,
    )


def _needs_rdma(settled: Settled, place: Place) -> bool:
    """Tell whether pods talk between nodes by a network that asks for the adapters."""
    stated = settled.answers.get("hardware.fabric")
    if settled.kind == "platform":
        return stated in _FABRICS and settled.answers.get("hardware.nodes") != 1
    if settled.fleet is not None:
        crosses = any(part.candidate.nodes_per_replica > 1 for part in settled.fleet.parts)
        return crosses and stated in _FABRICS
    if settled.parameter("parallelism", "option") == "disaggregated" and stated in _FABRICS:
        return True  # the cache goes from node to node
    if settled.parameter("parallelism", "option") is None:
        return _said_to_cross(settled, place)
    one = settled.candidate
    if one is not None and one.nodes_per_replica == 1 and one.card.gpu.vendor == "intel":
        return False  # the RoCE of Gaudi joins the cards inside a machine
    return settled.parameter("parallelism", "fabric") in {*_FABRICS, "rdma"}


def _said_to_cross(settled: Settled, place: Place) -> bool:
    """Tell the same where no pattern is chosen: several nodes, for what is said to run on them."""
    nodes = settled.answers.get("hardware.nodes")
    if not isinstance(nodes, int) or nodes < _SEVERAL:
        return False
    stated = settled.answers.get("hardware.fabric")
    trains = any(load.trains for load in settled.loads)
    return stated in _FABRICS or (stated is None and trains and place.managed)


def _way(settled: Settled, place: Place, offered: list[str]) -> str | None:
    """Return how pods reach the adapters here, of several ways the one that keeps tenants apart."""
    fabric = settled.answers.get("hardware.fabric")
    if fabric == "efa" and place.cloud in {None, "aws"}:
        return "efa_plugin"
    untrusted = settled.answers.get("tenancy.tenants") == "untrusted"
    if fabric == "roce" and untrusted and "sriov_plugin" in offered:
        return "sriov_plugin"
    return offered[0] if offered else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
