"""What is said of the GPU Operator's inside is said only where it is used."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import told
from nodes_support import nodes, platform

from advisor.store.corrections import load_corrections

INSIDE = {c.id for c in load_corrections().about({"operator_chosen"})}


@pytest.mark.parametrize(
    "document",
    [
        platform(provider="gke", driver_owner_now="provider", kubernetes_version="1.36"),
        platform(node_image="eks-bottlerocket-nvidia", gpu_operator_version="26.3.2"),
        platform(orchestrator="docker", driver_owner_now="operator", kubernetes_version="1.36"),
        platform(cloud="coreweave", gpu_operator_version="26.3.1", sharing_now=["mig"]),
        platform(provider="vanilla", sharing_now=["mig"], gpu_operator_version="none"),
    ],
)
def test_no_claim_about_the_inside_of_an_operator_that_is_not_used(
    document: dict[str, Any],
) -> None:
    assert nodes(document)["gpu_operator"] == "none"
    assert not INSIDE & {c.id for c in told(document).corrections}


def test_claims_about_its_release_stay_where_it_is_used() -> None:
    document = platform(provider="rke2", gpu_operator_version="26.3.1", kubernetes_version="1.36")

    assert nodes(document)["gpu_operator"] == "full"
    assert "operator-2632-is-current" in {c.id for c in told(document).corrections}


def test_where_nodes_are_not_asked_for_the_stated_release_is_enough() -> None:
    document = platform(provider="rke2", gpu_operator_version="26.3.1", kubernetes_version="1.36")
    found = told({**document, "ask": ["sharing"]})

    assert "operator-2632-is-current" in {c.id for c in found.corrections}


@pytest.mark.parametrize("provider", ["vanilla", "openshift", "rke2"])
def test_gaudi_has_its_own_resource_name_and_taint(provider: str) -> None:
    document = platform(provider=provider, hardware__gpu="gaudi3", hardware__acquisition="owned")
    shares = told(document).decisions["sharing"].choice

    assert nodes(document)["taint"] == "habana.ai/gaudi=present:NoSchedule"
    assert shares is not None
    assert shares.model_dump()["resource_name"] == "habana.ai/gaudi"
