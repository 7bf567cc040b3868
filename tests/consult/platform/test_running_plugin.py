"""GPUs that are shared without the GPU Operator: a device plugin is there, none is added."""

from __future__ import annotations

import pytest
from consult_support import told
from nodes_support import nodes, out, platform

NONE = {"gpu_operator_version": "none", "hardware__gpu": "a100-80gb-sxm"}
IMAGES = (
    "ubuntu-22.04", "ubuntu-24.04", "rhel-9", "rocky-9", "eks-al2023-nvidia", "eks-ubuntu",
    "aks-ubuntu", "aks-driver-none", "talos", "dgx-os", "custom-prebaked", "other",
)  # fmt: skip


@pytest.mark.parametrize("shared", ["time_slicing", "mps", "mig", "hami", "kai"])
@pytest.mark.parametrize("image", IMAGES)
def test_what_is_shared_without_the_operator_gets_no_second_plugin(image: str, shared: str) -> None:
    document = platform(node_image=image, sharing_now=[shared], **NONE)
    found = nodes(document)

    assert found["gpu_operator"] == "none"
    assert found["device_owner"] == "device_plugin"
    assert "operator" not in {found["driver_owner"], found["toolkit_owner"]}
    assert out(document)["second_device_plugin"] == "provisioning-out-beside-running-plugin"
    because = told(document).decisions["provisioning"].because
    assert "device plugin runs already" in because
    assert "driver.enabled" not in because


@pytest.mark.parametrize("image", IMAGES)
def test_without_sharing_no_plugin_is_taken_for_granted(image: str) -> None:
    document = platform(node_image=image, **NONE)

    assert nodes(document)["gpu_operator"] != "none"
    assert "provisioning-out-beside-running-plugin" not in out(document).values()


def test_an_operator_of_some_version_stays() -> None:
    document = platform(
        provider="vanilla", sharing_now=["time_slicing"], gpu_operator_version="26.7.0"
    )

    assert nodes(document)["gpu_operator"] == "full"


def test_claims_take_the_place_of_the_plugin_that_runs() -> None:
    document = platform(provider="vanilla", sharing_now=["mig"], dra="wanted", **NONE)

    assert nodes(document)["device_owner"] == "dra"


def test_the_cloud_that_owns_the_plugin_keeps_it() -> None:
    document = platform(provider="gke", sharing_now=["time_slicing"], **NONE)

    assert nodes(document)["device_owner"] == "platform"
