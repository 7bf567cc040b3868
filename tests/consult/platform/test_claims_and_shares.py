"""What pods ask for goes with who hands it out: claims by DRA, counted names by a plugin."""

from __future__ import annotations

import pytest
from consult_support import choice, told
from nodes_support import nodes, out, platform


@pytest.mark.parametrize("dra", ["wanted", "in_use"])
@pytest.mark.parametrize("shared", ["exclusive", "mig", "time_slicing", "mps"])
@pytest.mark.parametrize("provider", ["gke", "eks", "aks", "vanilla", "rke2", "openshift"])
def test_a_claim_is_named_exactly_where_claims_serve(provider: str, shared: str, dra: str) -> None:
    document = platform(
        provider=provider, dra=dra, sharing_now=[shared], hardware__gpu="a100-80gb-sxm"
    )
    shares, made = choice(told(document), "sharing"), nodes(document)

    claimed = "DeviceClass" in shares["resource_name"]
    assert claimed == (made["device_owner"] == "dra"), (shares, made["device_owner"])
    assert claimed or "dra" in out(document)


def test_slices_that_gke_cuts_are_asked_for_by_the_label_of_the_pool() -> None:
    document = platform(
        provider="gke", dra="wanted", hardware__gpu="a100-80gb-sxm",
        tenancy__mig_layout_wanted=["3g.40gb", "3g.40gb"],
    )  # fmt: skip

    assert nodes(document)["device_owner"] == "platform"
    assert out(document)["dra"] == "provisioning-out-dra-pool-slices"
    assert choice(told(document), "sharing")["resource_name"] == "nvidia.com/gpu"


def test_slices_of_the_operator_on_gke_are_claimed() -> None:
    document = platform(
        provider="gke", node_image="gke-ubuntu", dra="wanted", sharing_now=["mig"],
        gpu_operator_version="26.7.0", driver_owner_now="operator", hardware__gpu="a100-80gb-sxm",
    )  # fmt: skip

    assert nodes(document)["device_owner"] == "dra"
    assert "mig.nvidia.com" in choice(told(document), "sharing")["resource_name"]


def test_auto_provisioning_of_gke_starts_no_nodes_for_claims() -> None:
    document = platform(
        provider="gke", dra="wanted", node_autoscaler="node_auto_provisioning",
        hardware__gpu="a100-80gb-sxm",
    )  # fmt: skip

    assert nodes(document)["option"] != "managed_pool"
    assert out(document)["managed_pool"] == "provisioning-gke-auto-provisioning-claims"


@pytest.mark.parametrize("cloud", ["coreweave", "nebius", "oci", "lambda", "crusoe"])
def test_smaller_clouds_agree_with_themselves_about_claims(cloud: str) -> None:
    document = platform(cloud=cloud, dra="wanted", hardware__gpu="h100-sxm")

    claimed = "DeviceClass" in choice(told(document), "sharing")["resource_name"]
    assert claimed == (nodes(document)["device_owner"] == "dra")


@pytest.mark.parametrize(("shared", "told_of"), [("mps", True), ("mig", False)])
def test_shares_by_claims_are_told_to_be_alpha(shared: str, told_of: bool) -> None:
    document = platform(
        provider="vanilla", dra="wanted", sharing_now=[shared], hardware__gpu="a100-80gb-sxm"
    )
    shown = {warning.id for warning in told(document).warnings}

    assert ("warn-claims-and-shares" in shown) is told_of
    assert "warn-claims-not-usable" not in shown


@pytest.mark.parametrize(
    ("said", "severity"),
    [
        ({"dra": "wanted", "gpu_operator_version": "26.7.0"}, "critical"),
        ({"dra": "wanted", "gpu_operator_version": "none", "sharing_now": ["mig"]}, "critical"),
        ({"dra": "wanted"}, "warning"),
        ({"dra": "wanted", "gpu_operator_version": "none"}, "warning"),
        ({"dra": "in_use", "gpu_operator_version": "26.7.0"}, "warning"),
    ],
)
def test_claims_are_grave_where_a_plugin_runs_and_told_once(
    said: dict[str, object], severity: str
) -> None:
    document = platform(provider="vanilla", hardware__gpu="h100-sxm", **said)
    about = {"two-allocators", "warn-plugin-beside-claims"}

    assert nodes(document)["device_owner"] == "dra"
    assert [w.severity for w in told(document).warnings if w.id in about] == [severity]
