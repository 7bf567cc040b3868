"""How nodes come and go, and who owns their software: by place, image, load and versions."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, nested, serving, told, training

from advisor.consult.consultation import Consultation


def platform(**answers: Any) -> dict[str, Any]:
    """Return answers about a platform without a model; keys are dotted by ``__``."""
    named = {key.replace("__", "."): value for key, value in answers.items()}
    given = {(key if "." in key else f"platform.{key}"): value for key, value in named.items()}
    return nested({"workload.kind": "platform", **given})


def small(**answers: Any) -> dict[str, Any]:
    """Return answers about an 8B on one L4; keys without a group belong to ``platform``."""
    given = {(key if "__" in key else f"platform__{key}"): value for key, value in answers.items()}
    return serving("llama-3.1-8b", "l4", **given)


def nodes(document: dict[str, Any]) -> dict[str, Any]:
    return choice(told(document), "provisioning")


def out(document: dict[str, Any]) -> dict[str, str]:
    """Return what is rejected with the rule that rejects it."""
    rejected = told(document).decisions["provisioning"].rejected
    return {line.option: str(line.rule) for line in rejected}


def conflicts(document: dict[str, Any]) -> set[str]:
    """Return the ids of warnings about answers that stand against each other."""
    return {warned.id for warned in told(document).warnings if warned.kind == "conflict"}


def assumed(found: Consultation) -> dict[str, Any]:
    return {note.key: note.value for note in found.assumptions}


BURSTY = {"workload__traffic": "bursty"}
STEADY = {"workload__traffic": "steady"}
CLAIMS = {"dra": "wanted"}


@pytest.mark.parametrize(
    ("document", "option", "image"),
    [
        # where nothing or little is said
        (platform(), "static_pool", "ubuntu-24.04"),
        (platform(cloud="aws"), "static_pool", "eks-al2023-nvidia"),
        (platform(cloud="gcp"), "managed_pool", "gke-cos"),
        (platform(cloud="azure"), "managed_pool", "aks-ubuntu"),
        (platform(cloud="coreweave"), "managed_pool", "other"),
        (platform(cloud="nebius"), "managed_pool", "other"),
        (platform(cloud="lambda"), "static_pool", "other"),
        (platform(cloud="oci"), "static_pool", "other"),
        (platform(cloud="on_prem"), "static_pool", "ubuntu-24.04"),
        (platform(provider="vanilla", cloud="aws"), "static_pool", "ubuntu-24.04"),
        # an answer that gives the place away
        (platform(operating_system="talos"), "static_pool", "talos"),
        (platform(operating_system="rhcos"), "static_pool", "rhcos"),
        (platform(node_image="gke-autopilot"), "managed_pool", "gke-autopilot"),
        (platform(node_image="eks-auto-mode"), "auto_mode", "eks-auto-mode"),
        (platform(node_autoscaler="auto_mode"), "auto_mode", "eks-auto-mode"),
        (platform(provider="vanilla", node_image="other"), "static_pool", "other"),
        # distributions of one's own
        (platform(provider="openshift"), "static_pool", "rhcos"),
        (platform(provider="k3s", cloud="on_prem"), "static_pool", "ubuntu-24.04"),
        (platform(provider="rke2", operating_system="rocky"), "static_pool", "rocky-9"),
        (platform(provider="vanilla", node_image="dgx-os"), "static_pool", "dgx-os"),
        # bursts
        (platform(provider="eks", **BURSTY), "karpenter", "eks-al2023-nvidia"),
        (platform(provider="gke", **BURSTY), "managed_pool", "gke-cos"),
        (platform(provider="aks", **BURSTY), "managed_pool", "aks-ubuntu"),
        (platform(provider="openshift", cloud="aws", **BURSTY), "cluster_autoscaler", "rhcos"),
        (platform(provider="k3s", **BURSTY), "static_pool", "ubuntu-24.04"),
        (platform(provider="eks", scale_to_zero=True), "karpenter", "eks-al2023-nvidia"),
        (platform(provider="eks", capacity=["spot"]), "karpenter", "eks-al2023-nvidia"),
        # capacity that is there anyway
        (platform(provider="gke", **STEADY), "static_pool", "gke-cos"),
        (platform(provider="eks", capacity=["reserved"]), "static_pool", "eks-al2023-nvidia"),
        (platform(provider="eks", capacity=["capacity_block"]), "static_pool", "eks-al2023-nvidia"),
        (
            platform(provider="eks", capacity=["reserved", "on_demand"], **BURSTY),
            "karpenter",
            "eks-al2023-nvidia",
        ),
        (platform(provider="gke", capacity=["flex_start"]), "managed_pool", "gke-cos"),
        (platform(provider="eks", hardware__gpu="gb200"), "static_pool", "eks-al2023-nvidia"),
        # what is named stays
        (platform(provider="eks", node_autoscaler="none", **BURSTY), "static_pool", None),
        (platform(provider="aks", node_autoscaler="karpenter"), "karpenter", "aks-ubuntu"),
        (platform(provider="aks", node_autoscaler="node_auto_provisioning"), "managed_pool", None),
        (
            platform(provider="gke", node_autoscaler="cluster_autoscaler"),
            "cluster_autoscaler",
            None,
        ),
        # not Kubernetes
        (platform(orchestrator="docker"), "docker_host", None),
        (platform(orchestrator="slurm", cloud="aws"), "slurm", None),
        (platform(orchestrator="bare_metal"), "bare_metal", None),
    ],
)
def test_place_and_load_decide_how_nodes_come(
    document: dict[str, Any], option: str, image: str | None
) -> None:
    found = nodes(document)

    assert found["option"] == option
    assert image is None or found["node_image"] == image


@pytest.mark.parametrize(
    ("document", "stated", "option", "rule"),
    [
        (
            platform(provider="eks", node_autoscaler="karpenter", **CLAIMS),
            "karpenter", "static_pool", "provisioning-karpenter-claims",
        ),
        (
            platform(provider="eks", node_autoscaler="karpenter", **CLAIMS, **BURSTY),
            "karpenter", "cluster_autoscaler", "provisioning-karpenter-claims",
        ),
        (
            platform(
                provider="eks", node_autoscaler="karpenter", tenancy__tenants="untrusted",
                hardware__gpu="a100-80-sxm",
            ),
            "karpenter", "static_pool", "provisioning-karpenter-slices",
        ),
        (
            platform(
                provider="eks", node_autoscaler="karpenter", sharing_now=["time_slicing"],
                hardware__gpu="l40s", tenancy__workloads_per_gpu=4, tenancy__duty="idle",
            ),
            "karpenter", "static_pool", "provisioning-karpenter-shared-names",
        ),
        (
            platform(node_image="aks-managed-gpu", node_autoscaler="cluster_autoscaler"),
            "cluster_autoscaler", "managed_pool", "provisioning-image-forbids",
        ),
        (
            platform(node_image="gke-autopilot", node_autoscaler="none"),
            "static_pool", "managed_pool", "provisioning-image-forbids",
        ),
        (
            platform(node_image="eks-al2023-nvidia", node_autoscaler="auto_mode"),
            "auto_mode", "static_pool", "provisioning-image-forbids",
        ),
        (
            platform(provider="gke", node_autoscaler="auto_mode"),
            "auto_mode", "managed_pool", "provisioning-not-here",
        ),
        (
            platform(orchestrator="slurm", node_autoscaler="karpenter"),
            "karpenter", "slurm", "provisioning-not-here",
        ),
        (
            platform(
                provider="eks", node_autoscaler="cluster_autoscaler", kubernetes_version="1.34.3",
                dra="in_use",
            ),
            "cluster_autoscaler", "static_pool", "provisioning-autoscaler-claims-old",
        ),
    ],
)  # fmt: skip
def test_what_is_named_gives_way_where_a_rule_forbids_it(
    document: dict[str, Any], stated: str, option: str, rule: str
) -> None:
    assert nodes(document)["option"] == option
    assert out(document)[stated] == rule
    assert "warn-stated-nodes-out" in conflicts(document)


@pytest.mark.parametrize(
    ("document", "owners", "operator"),
    [
        (platform(provider="eks"), ("image", "image", "device_plugin"), "no_driver_no_toolkit"),
        (
            platform(node_image="eks-bottlerocket-nvidia"),
            ("image", "image", "platform"),
            "none",
        ),
        (platform(node_image="eks-auto-mode"), ("provider", "provider", "platform"), "none"),
        (platform(node_image="eks-ubuntu"), ("operator", "operator", "device_plugin"), "full"),
        (platform(provider="gke"), ("provider", "provider", "platform"), "none"),
        (
            platform(provider="gke", driver_owner_now="operator"),
            ("operator", "operator", "device_plugin"),
            "full",
        ),
        (
            platform(provider="aks"),
            ("provider", "provider", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (
            platform(provider="aks", driver_owner_now="operator"),
            ("operator", "operator", "device_plugin"),
            "full",
        ),
        (platform(node_image="aks-managed-gpu"), ("provider", "provider", "platform"), "none"),
        (platform(cloud="coreweave"), ("provider", "provider", "platform"), "none"),
        (platform(provider="talos"), ("image", "operator", "device_plugin"), "no_driver"),
        (
            platform(provider="talos", os_version="1.12"),
            ("image", "image", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (
            platform(provider="vanilla", driver_owner_now="host"),
            ("host", "operator", "device_plugin"),
            "no_driver",
        ),
        (
            platform(provider="vanilla", node_image="custom-prebaked"),
            ("image", "image", "device_plugin"),
            "no_driver_no_toolkit",
        ),
        (platform(orchestrator="docker"), ("host", "host", "none"), "none"),
        (platform(orchestrator="slurm"), ("host", "host", "none"), "none"),
        (platform(orchestrator="bare_metal"), ("host", "none", "none"), "none"),
        (
            platform(provider="aks", hardware__gpu="mi300x"),
            ("operator", "none", "device_plugin"),
            "full",
        ),
        (
            platform(provider="vanilla", hardware__gpu="gaudi3"),
            ("host", "host", "device_plugin"),
            "none",
        ),
    ],
)
def test_each_part_has_one_owner(
    document: dict[str, Any], owners: tuple[str, str, str], operator: str
) -> None:
    found = nodes(document)

    assert (found["driver_owner"], found["toolkit_owner"], found["device_owner"]) == owners
    assert found["gpu_operator"] == operator


@pytest.mark.parametrize(
    ("document", "image"),
    [
        (platform(node_image="eks-al2-gpu"), "eks-al2023-nvidia"),
        (platform(node_image="eks-al2023-standard"), "eks-al2023-nvidia"),
        (platform(node_image="aks-ubuntu", hardware__gpu="mi300x"), "aks-driver-none"),
        (platform(provider="eks", node_image="gke-cos"), "eks-al2023-nvidia"),
    ],
)
def test_an_image_that_cannot_serve_gives_way(document: dict[str, Any], image: str) -> None:
    assert nodes(document)["node_image"] == image
    assert conflicts(document)


@pytest.mark.parametrize(
    ("gpu", "modules"),
    [("b200", "open"), ("gb200", "open"), ("gh200-96", "open"), ("h100-sxm", "open"),
     ("t4", "open"), ("v100", "proprietary"), ("mi300x", None)],
)  # fmt: skip
def test_the_generation_decides_about_kernel_modules(gpu: str, modules: str | None) -> None:
    document = platform(provider="vanilla", node_image="ubuntu-24.04", hardware__gpu=gpu)

    assert nodes(document).get("kernel_modules") == modules


def test_modules_of_an_image_are_not_guessed() -> None:
    found = nodes(platform(node_image="eks-bottlerocket-nvidia", hardware__gpu="l40s"))

    assert "kernel_modules" not in found


@pytest.mark.parametrize(
    ("extra", "owner", "line"),
    [
        ({}, "dra", "device_plugin_beside_dra"),
        ({"kubernetes_version": "1.36.3"}, "dra", "device_plugin_beside_dra"),
        ({"kubernetes_version": "1.33"}, "device_plugin", "dra"),
        ({"dra_driver_version": "0.4.1"}, "device_plugin", "dra"),
        ({"driver_version": "570.124.06"}, "device_plugin", "dra"),
        (
            {"tenancy__workloads_per_gpu": 4, "tenancy__duty": "idle", "hardware__gpu": "l4"},
            "device_plugin",
            "dra",
        ),
    ],
)
def test_claims_are_served_where_every_version_knows_them(
    extra: dict[str, Any], owner: str, line: str
) -> None:
    document = platform(provider="vanilla", **CLAIMS, **extra)

    assert nodes(document)["device_owner"] == owner
    assert line in out(document)
    assert ("warn-claims-not-usable" in conflicts(document)) == (owner != "dra")


def test_claims_ask_for_the_release_that_mends_them() -> None:
    document = platform(provider="vanilla", kubernetes_version="1.35.2", **CLAIMS)

    assert nodes(document)["versions"]["kubernetes"] == "1.36.3"
    assert nodes(document)["versions"]["nvidia-dra-driver"] == "0.5.0"
    assert "nvidia-device-plugin" not in nodes(document)["versions"]


def test_an_ended_kubernetes_is_told_and_replaced() -> None:
    document = platform(provider="eks", kubernetes_version="1.31")

    assert "warn-kubernetes-ended" in conflicts(document)
    assert nodes(document)["versions"]["kubernetes"] == "1.36.3"


@pytest.mark.parametrize(
    ("stated", "version"),
    [("1.36.4", "1.36.4"), ("1.36.1", "1.36.3"), ("1.35", "1.35.6"), ("1.37.1", "1.37.1")],
)
def test_a_supported_kubernetes_stays_from_its_floor_on(stated: str, version: str) -> None:
    found = nodes(platform(provider="vanilla", kubernetes_version=stated))

    assert found["versions"]["kubernetes"] == version


def test_nvlink_between_nodes_takes_a_compute_domain_beside_the_plugin() -> None:
    document = platform(provider="vanilla", hardware__gpu="gb200", hardware__nvlink="multi_node")
    found = nodes(document)

    assert found["compute_domain"] is True
    assert found["device_owner"] == "device_plugin"
    assert "nvidia-dra-driver" in found["versions"]
    assert "karpenter" not in found["versions"]


def test_a_compute_domain_without_nvlink_between_nodes_is_told() -> None:
    document = platform(provider="vanilla", compute_domain="wanted", hardware__gpu="h100-sxm")

    assert "warn-domain-without-rack" in conflicts(document)
    assert "compute_domain" not in nodes(document)


@pytest.mark.parametrize(
    ("document", "exposure"),
    [
        (platform(provider="eks", hardware__fabric="efa", hardware__nodes=4), "efa_plugin"),
        (platform(hardware__fabric="infiniband", hardware__nodes=2), "shared_plugin"),
        (platform(hardware__fabric="ethernet", hardware__nodes=2), "none"),
        (platform(hardware__fabric="infiniband", hardware__nodes=1), "none"),
        (
            platform(hardware__fabric="roce", hardware__nodes=2, tenancy__tenants="untrusted"),
            "sriov_plugin",
        ),
        (
            platform(
                hardware__fabric="infiniband", hardware__nodes=2, rdma_exposure="host_network",
                tenancy__tenants="untrusted",
            ),
            "shared_plugin",
        ),
        (
            platform(orchestrator="slurm", hardware__fabric="roce", hardware__nodes=2),
            "host_network",
        ),
    ],
)  # fmt: skip
def test_pods_reach_the_adapters_as_the_place_offers(
    document: dict[str, Any], exposure: str
) -> None:
    assert nodes(document)["rdma_exposure"] == exposure


def test_a_job_over_several_nodes_is_queued_on_fixed_nodes() -> None:
    document = training(
        "llama-3.1-70b", "h100-sxm", method="full", platform__cloud="aws", hardware__fabric="efa"
    )
    found = nodes(document)

    assert (found["option"], found["queueing"]) == ("static_pool", "kueue")
    assert found["rdma_exposure"] == "efa_plugin"
    assert found["capacity"] == ["reserved", "capacity_block"]
    assert found["instance_type"] == "p5.48xlarge"


@pytest.mark.parametrize(
    ("document", "queue"),
    [
        (platform(), "none"),
        (platform(queueing="volcano"), "volcano"),
        (platform(provider="eks", capacity=["capacity_block"]), "kueue"),
        (platform(tenancy__tenants="untrusted", hardware__gpu="h100-sxm"), "kueue"),
        (platform(orchestrator="slurm"), "none"),
    ],
)
def test_scarce_or_divided_gpus_are_queued_for(document: dict[str, Any], queue: str) -> None:
    assert nodes(document)["queueing"] == queue


def test_spot_never_holds_the_only_copy_of_a_large_model() -> None:
    document = serving(
        "llama-3.3-70b", "h200-sxm", weight_format="fp8", platform__cloud="aws",
        platform__capacity=["spot"],
    )  # fmt: skip

    assert nodes(document)["capacity"] == "on_demand"
    assert out(document)["spot"] == "provisioning-out-spot"
    assert "warn-spot-only-copy" in conflicts(document)


def test_spot_alone_has_on_demand_behind_it() -> None:
    found = nodes(platform(provider="eks", capacity=["spot"], instance_type=["g4dn.xlarge"]))

    assert found["capacity"] == ["spot", "on_demand"]
    assert "instance_type" not in found


def test_an_offer_of_another_cloud_is_no_instance_of_this_one() -> None:
    elsewhere = serving("llama-3.1-8b", "h100-sxm", platform__provider="eks")

    assert str(nodes(elsewhere).get("instance_type")).startswith("p5")


def test_long_jobs_under_karpenter_never_expire() -> None:
    document = serving(
        "llama-3.1-8b", "t4", kind="batch_inference", platform__provider="eks",
        platform__node_autoscaler="karpenter",
    )  # fmt: skip
    service = platform(provider="eks", node_autoscaler="karpenter")

    assert nodes(document)["disruption"]["expire_after"] == "Never"
    assert nodes(service)["disruption"]["consolidation_policy"] == "WhenEmpty"


@pytest.mark.parametrize(
    ("document", "warning"),
    [
        (platform(provider="eks", cloud="gcp"), "warn-place-conflict"),
        (platform(orchestrator="slurm", provider="eks"), "warn-place-conflict"),
        (
            platform(node_image="eks-al2023-nvidia", driver_owner_now="operator"),
            "warn-two-driver-owners",
        ),
        (platform(node_image="gke-cos", driver_owner_now="operator"), "warn-two-driver-owners"),
        (
            platform(node_image="eks-auto-mode", gpu_operator_version="26.7.0"),
            "warn-two-plugins",
        ),
        (
            platform(node_image="ubuntu-24.04", driver_owner_now="image"),
            "warn-image-owner-on-plain",
        ),
        (platform(node_image="eks-al2-gpu"), "warn-image-ended"),
        (platform(node_image="eks-al2023-standard"), "warn-no-driver-owner"),
        (
            platform(node_image="rocky-9", driver_install="container_precompiled"),
            "warn-precompiled-none",
        ),
        (
            platform(node_image="ubuntu-24.04", secure_boot=True, driver_install="container_build"),
            "warn-stated-build-secure-boot",
        ),
        (platform(air_gapped=True, package_mirror="none"), "warn-air-gapped-no-mirror"),
        (platform(air_gapped=True), "warn-air-gapped-mirror-open"),
        (platform(provider="eks", driver_upgrade="auto"), "warn-upgrade-by-operator"),
        (platform(provider="k3s", scale_to_zero=True), "warn-zero-not-possible"),
        (platform(provider="eks", rdma_exposure="sriov_plugin"), "warn-rdma-not-offered"),
        (platform(**CLAIMS, device_injection="legacy"), "warn-legacy-injection-claims"),
    ],
)
def test_answers_that_stand_against_each_other_are_told(
    document: dict[str, Any], warning: str
) -> None:
    assert warning in conflicts(document)


@pytest.mark.parametrize(
    ("document", "install"),
    [
        (platform(), "container_build"),
        (platform(secure_boot=True), "container_precompiled"),
        (platform(air_gapped=True, package_mirror="images_only"), "container_precompiled"),
        (platform(driver_install="container_precompiled"), "container_precompiled"),
        (platform(node_image="rhel-9", secure_boot=True), "host_package"),
        (
            platform(node_image="rhel-9", air_gapped=True, package_mirror="images_only"),
            "host_package",
        ),
        (
            platform(node_image="rhel-9", air_gapped=True, package_mirror="images_and_packages"),
            "container_build",
        ),
    ],
)
def test_signed_and_offline_nodes_do_not_build_a_driver(
    document: dict[str, Any], install: str
) -> None:
    assert nodes(document)["driver_install"] == install


@pytest.mark.parametrize(
    ("document", "upgrade"),
    [
        (platform(provider="eks"), "node_replacement"),
        (platform(provider="gke", driver_upgrade="auto"), "node_replacement"),
        (platform(), "auto"),
        (platform(driver_upgrade="manual"), "manual"),
        (training("llama-3.1-8b", "h100-sxm", platform__provider="vanilla"), "manual"),
    ],
)
def test_the_owner_of_the_driver_decides_how_it_changes(
    document: dict[str, Any], upgrade: str
) -> None:
    assert nodes(document)["driver_upgrade"] == upgrade


def test_nothing_said_of_the_place_is_an_assumption_that_is_shown() -> None:
    found = told(platform())

    assert assumed(found)["platform.provider"] == "vanilla"
    assert found.decisions["provisioning"].status == "provisional"
    asked = [needed.question for needed in found.decisions["provisioning"].depends_on]
    assert asked[:3] == ["platform.provider", "platform.cloud", "platform.orchestrator"]
    assert "workload.traffic" in asked


def test_every_reason_and_rejection_is_cited() -> None:
    decision = told(platform(provider="eks", node_autoscaler="karpenter", **CLAIMS)).decisions[
        "provisioning"
    ]

    assert decision.citations
    assert all(line.citations and line.rule for line in decision.rejected)
    assert all(line.would_be_chosen_if for line in decision.alternatives)


def test_no_sentence_speaks_of_a_parameter_that_another_rule_has_set() -> None:
    because = told(platform(provider="vanilla", **CLAIMS)).decisions["provisioning"].because

    assert "The plugin hands out" not in because
