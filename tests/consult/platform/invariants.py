"""What no two decisions of one consultation may say at the same time.

Reads the printed consultation and the catalogues, none of the code that decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from invariants_names import unknown_names
from invariants_words import misplaced_words

from advisor.sizing.mig_placement import placement
from advisor.store.cited import VersionRange
from advisor.store.gpu import Gpu
from advisor.store.loader import Knowledge, load_knowledge

__all__ = ["check_consultation"]

_MIG = {"mig", "mig_in_guest", "vgpu_mig"}
_SOFTWARE = {"time_slicing", "mps", "one_process", "fractional_scheduler", "multi_lora"}
_IN_GUESTS = {"passthrough", "mig_in_guest", "vgpu", "vgpu_mig", "sriov"}
_NVIDIA = {"mig", "mig_in_guest", "time_slicing", "mps", "vgpu", "vgpu_mig"}
_FIXED = {"static_pool", "docker_host", "bare_metal"}
_PLACES = {"docker_host": "docker", "slurm": "slurm", "bare_metal": "bare_metal"}
_OPERATOR_BRINGS = {
    "full": ("operator", "operator"),
    "no_driver": (None, "operator"),
    "no_driver_no_toolkit": (None, None),
    "none": (None, None),
}
"""Set-up of the operator to who owns driver and toolkit; ``None``: not the operator."""
_SHARE = 1.0 + 1e-6

Choice = Mapping[str, Any]
Found = Mapping[str, Any]


def check_consultation(found: Found) -> list[str]:
    """Return a sentence for each contradiction in a consultation as JSON prints it."""
    made = {
        name: decision["choice"]
        for name, decision in found["decisions"].items()
        if decision["choice"] is not None
    }
    given = {answer["key"]: answer["value"] for answer in found["answers"]}
    if any(warning["id"] == "warn-place-conflict" for warning in found["warnings"]):
        given.pop("platform.cloud", None)  # the answers name two places, and are told so
    gpu, sharing = made.get("gpu", {}), made.get("sharing", {})
    nodes = made.get("provisioning", {})
    return [
        *_partitions(sharing, gpu),
        *_layout(sharing, gpu),
        *_trust(sharing, given),
        *_machine(sharing, given),
        *_fractions(sharing, gpu),
        *_owners(nodes),
        *_image(nodes),
        *_pools(nodes, given),
        *_claims(nodes, given),
        *_network(nodes, gpu, made.get("parallelism", {}), found, given),
        *_vendor(sharing, nodes, gpu),
        *_versions(nodes),
        *unknown_names(found),
        *misplaced_words(found),
    ]


@lru_cache(maxsize=1)
def _known() -> Knowledge:
    return load_knowledge()


def _card(*choices: Choice) -> Gpu | None:
    names = [choice["gpu"] for choice in choices if choice.get("gpu")]
    return _known().gpus.get(names[0]) if names else None


def _partitions(sharing: Choice, gpu: Choice) -> Iterator[str]:
    option, card = sharing.get("option"), _card(sharing, gpu)
    if card is not None and option in _MIG and not card.mig.supported:
        yield f"{option} on {card.id}, which has no MIG"
    wide = not gpu.get("loads") and gpu.get("count_per_replica", 1) > 1
    if option in {"mig", "mig_in_guest"} and wide:
        yield f"an engine of {gpu['count_per_replica']} GPUs on MIG instances"
    if option == "exclusive" and "mig" in str(sharing.get("resource_name", "")):
        yield f"whole GPUs are asked for as {sharing['resource_name']}"


def _layout(sharing: Choice, gpu: Choice) -> Iterator[str]:
    layout, card = sharing.get("layout"), _card(sharing, gpu)
    if not layout or card is None or card.mig.profile_table is None:
        return
    table = _known().mig_tables[card.mig.profile_table]
    rows = layout if isinstance(layout[0], list) else [layout]
    for row in rows:
        profiles = [table.profile(name) for name in row]
        if None in profiles:
            yield f"{row} names a profile that {card.id} does not have"
        elif placement([p for p in profiles if p is not None], table) is None:
            yield f"{row} does not fit one {card.id}"
    names = {name for row in rows for name in row}
    if sharing.get("strategy") == "single" and (len(names) > 1 or not all(rows)):
        yield f"mig.strategy single with {rows}"
    if sharing.get("profile") is not None and sharing["profile"] not in names:
        yield f"the profile {sharing['profile']} is not in the layout {rows}"


def _trust(sharing: Choice, given: Mapping[str, Any]) -> Iterator[str]:
    option = sharing.get("option")
    if option in _SOFTWARE and given.get("tenancy.tenants") == "untrusted":
        yield f"{option} between tenants who do not trust each other"
    if option in _SOFTWARE and given.get("tenancy.isolation") in {"hardware", "vm"}:
        yield f"{option} where isolation by {given['tenancy.isolation']} is asked for"
    unlicensed = given.get("tenancy.vgpu_license") in {False, "no"}
    if option in {"vgpu", "vgpu_mig"} and unlicensed:
        yield f"{option} without a licence"


def _machine(sharing: Choice, given: Mapping[str, Any]) -> Iterator[str]:
    option, machine = sharing.get("option"), sharing.get("machine")
    if option in _IN_GUESTS and machine == "bare_metal":
        yield f"{option} on bare metal"
    if given.get("tenancy.isolation") == "vm" and machine == "bare_metal":
        yield "isolation by virtual machines, and pods on bare metal"


def _fractions(sharing: Choice, gpu: Choice) -> Iterator[str]:
    held: dict[tuple[Any, Any], float] = {}
    for place in sharing.get("placement") or ():
        if place.get("memory_fraction") is not None:
            for number in _numbers(place):
                key = (place.get("node"), number)
                held[key] = held.get(key, 0.0) + place["memory_fraction"]
    for key, sum_of in held.items():
        if sum_of > _SHARE:
            yield f"shares of {sum_of:.2f} on one GPU: {key}"
    one, replicas = sharing.get("memory_fraction"), sharing.get("replicas")
    alone = one is not None and replicas is not None and not gpu.get("loads")
    if alone and one * replicas > _SHARE:
        yield f"{replicas} shares of {one} on one GPU"


def _numbers(place: Mapping[str, Any]) -> list[Any]:
    gpus = place.get("gpus")
    return list(gpus) if isinstance(gpus, list | tuple) else [place.get("gpu")]


def _owners(nodes: Choice) -> Iterator[str]:
    amd = "amd-gpu-operator" in (nodes.get("versions") or ())  # no toolkit is needed there
    setup, driver = nodes.get("gpu_operator"), nodes.get("driver_owner")
    versions = nodes.get("versions") or {}
    guests = "gpu-operator" in versions and "nvidia-driver" not in versions
    if driver == "none" and not (guests and nodes.get("toolkit_owner") == "none"):
        yield "nobody brings the driver"
    wanted = _OPERATOR_BRINGS.get(str(setup), ())
    for name, owner in zip(("driver_owner", "toolkit_owner"), wanted, strict=False):
        found = nodes.get(name)
        if (
            found is not None
            and not (amd and name == "toolkit_owner")
            and (found == "operator") != (owner == "operator")
        ):
            yield f"operator {setup}, and {name} is {found}"
    install = str(nodes.get("driver_install", ""))
    if driver is not None and install:
        by_container = install.startswith("container_")
        if by_container != (driver == "operator"):
            yield f"the driver is the {driver}'s and comes by {install}"


def _image(nodes: Choice) -> Iterator[str]:
    image = _known().node_images.get(str(nodes.get("node_image")))
    if image is None:
        return
    if nodes.get("driver_owner") == "operator" and image.driver_in_image:
        yield f"the operator brings a driver onto {image.id}, which has one"
    if nodes.get("toolkit_owner") == "operator" and image.toolkit_in_image:
        yield f"the operator brings a toolkit onto {image.id}, which has one"
    switched_off = nodes.get("gpu_operator") == "full" and "container_build" in image.driver_install
    own_plugin = image.device_plugin_owner in {"image", "provider"} and not switched_off
    # what the cloud runs hands out NVIDIA's GPUs
    foreign = "nvidia-driver" not in (nodes.get("versions") or ("nvidia-driver",))
    if nodes.get("device_owner") == "device_plugin" and own_plugin and not foreign:
        yield f"a second device plugin on {image.id}"
    if nodes.get("device_owner") == "platform" and image.device_plugin_owner == "none":
        yield f"{image.id} is to bring a device plugin and has none"
    if not image.driver_install:
        yield f"{image.id} cannot have a driver"
    if not image.holds_on(_known().as_of):
        yield f"{image.id} has ended"


def _pools(nodes: Choice, given: Mapping[str, Any]) -> Iterator[str]:
    option, cloud = nodes.get("option"), given.get("platform.cloud")
    if nodes.get("scale_to_zero") is True and option in _FIXED:
        yield f"{option} is to scale to zero"
    if option == "karpenter" and cloud in {"gcp", "oci", "coreweave", "lambda", "nebius"}:
        yield f"Karpenter at {cloud}"
    if option == "auto_mode" and cloud not in {None, "unknown", "aws"}:
        yield f"EKS Auto Mode at {cloud}"
    if option is None:
        return
    stated = given.get("platform.orchestrator")
    if stated not in {None, "unknown", _PLACES.get(option, "kubernetes")}:
        yield f"{option} under {stated}"
    on_kubernetes = option not in _PLACES
    if not on_kubernetes and nodes.get("device_owner") in {"device_plugin", "dra"}:
        yield f"{option} with {nodes['device_owner']}"
    if not on_kubernetes and nodes.get("gpu_operator") not in {None, "none"}:
        yield f"{option} with the GPU Operator"
    if on_kubernetes and nodes.get("device_owner") == "none":
        yield "Kubernetes, and nobody advertises the GPUs"


def _claims(nodes: Choice, given: Mapping[str, Any]) -> Iterator[str]:
    option = str(nodes.get("option"))
    provisioner = _known().provisioners.get(option)
    if nodes.get("device_owner") != "dra" or provisioner is None:
        return
    if provisioner.dra == "ignored":
        yield f"claims, and {option} ignores them"
    if given.get("platform.dra") == "no":
        yield "claims, which were said not to be wanted"


def _network(
    nodes: Choice, gpu: Choice, pattern: Choice, found: Found, given: Mapping[str, Any]
) -> Iterator[str]:
    exposure = nodes.get("rdma_exposure")
    one = gpu.get("nodes") == 1 and not _crosses(gpu, pattern)
    alone = one and pattern.get("option") != "disaggregated"
    unsaid = given.get("platform.rdma_exposure") in {None, "unknown", "none"}
    asked = given.get("workload.disaggregated") in {"wanted", "in_use"}
    if exposure not in {None, "none"} and alone and unsaid and not asked:
        yield f"{exposure} for a single node"
    if exposure == "efa_plugin" and given.get("platform.cloud") not in {None, "unknown", "aws"}:
        yield f"EFA at {given['platform.cloud']}"
    wide = str(pattern.get("option")).startswith("expert") and _crosses(gpu, pattern)
    warned = {warning["id"] for warning in found["warnings"]}
    if wide and given.get("hardware.fabric") == "efa" and "deepep-needs-mlx5" not in warned:
        yield "experts across nodes over EFA without a warning"


def _crosses(gpu: Choice, pattern: Choice) -> bool:
    """Tell whether one engine spans nodes, also where a rented machine is larger than asked for."""
    inside = gpu.get("gpus_in_a_node")
    slow = pattern.get("fabric") in {"ethernet", "roce", "infiniband", "efa", "cloud_rdma"}
    card = _card(gpu)
    if card is not None and card.vendor == "intel":
        slow = False  # the RoCE of Gaudi joins the cards inside a machine
    return bool(slow or (inside and gpu.get("count_per_replica", 1) > inside))


def _vendor(sharing: Choice, nodes: Choice, gpu: Choice) -> Iterator[str]:
    card = _card(sharing, gpu)
    if card is None or card.vendor == "nvidia":
        return
    if sharing.get("option") in _NVIDIA:
        yield f"{sharing['option']} on {card.id}"
    if "nvidia.com" in str(sharing.get("resource_name", "")):
        yield f"{card.id} is asked for as {sharing['resource_name']}"
    theirs = {"gpu-operator", "nvidia-driver", "nvidia-device-plugin", "nvidia-dra-driver"}
    for name in sorted(theirs & set(nodes.get("versions") or ())):
        yield f"{name} for {card.id}"


def _versions(nodes: Choice) -> Iterator[str]:
    versions = nodes.get("versions")
    for name, version in versions.items() if isinstance(versions, Mapping) else ():
        component = _known().components.get(name)
        if component is None:
            yield f"a version of {name}, which the catalogue does not know"
            continue
        for span in component.avoid:
            limits = {"from_version": span.from_version, "before_version": span.before_version}
            inside = VersionRange(component=name, **limits).covers(str(version))
            if inside is True and span.when in {"always", "any cluster", "any new installation"}:
                yield f"{name} {version} is advised and to be avoided: {span.why}"
