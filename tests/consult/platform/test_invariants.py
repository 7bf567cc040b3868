"""The invariants themselves: each planted contradiction is found, sound advice passes."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import nested, serving, told
from invariants import check_consultation


def consultation(
    gpu: dict[str, Any] | None = None,
    sharing: dict[str, Any] | None = None,
    parallelism: dict[str, Any] | None = None,
    provisioning: dict[str, Any] | None = None,
    warnings: list[dict[str, Any]] | None = None,
    **answers: Any,
) -> dict[str, Any]:
    """Return a consultation as JSON prints it, with these choices and nothing else."""
    choices = {
        "gpu": gpu, "sharing": sharing, "parallelism": parallelism, "provisioning": provisioning,
    }  # fmt: skip
    return {
        "answers": [{"key": k.replace("__", "."), "value": v} for k, v in answers.items()],
        "decisions": {
            name: {"choice": made, "rules": [], "citations": []} for name, made in choices.items()
        },
        "warnings": warnings or [],
    }


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "mig on l40s": consultation(sharing={"option": "mig", "gpu": "l40s"}),
    "an engine of 2 GPUs": consultation(
        gpu={"gpu": "h100-sxm", "count_per_replica": 2}, sharing={"option": "mig"}
    ),
    "whole GPUs are asked for": consultation(
        sharing={"option": "exclusive", "resource_name": "nvidia.com/mig-1g.10gb"}
    ),
    "does not fit one h100-sxm": consultation(
        sharing={"option": "mig", "gpu": "h100-sxm", "layout": ["3g.40gb", "3g.40gb", "3g.40gb"]}
    ),
    "does not have": consultation(
        sharing={"option": "mig", "gpu": "h100-sxm", "layout": ["1g.5gb"]}
    ),
    "mig.strategy single": consultation(
        sharing={
            "option": "mig",
            "gpu": "h100-sxm",
            "strategy": "single",
            "layout": ["3g.40gb", "1g.10gb"],
        }
    ),
    "is not in the layout": consultation(
        sharing={
            "option": "mig",
            "gpu": "h100-sxm",
            "layout": ["3g.40gb"],
            "profile": "1g.10gb",
        }
    ),
    "time_slicing between tenants": consultation(
        sharing={"option": "time_slicing"}, tenancy__tenants="untrusted"
    ),
    "one_process between tenants": consultation(
        sharing={"option": "one_process"}, tenancy__tenants="untrusted"
    ),
    "isolation by hardware": consultation(sharing={"option": "mps"}, tenancy__isolation="hardware"),
    "without a licence": consultation(sharing={"option": "vgpu"}, tenancy__vgpu_license=False),
    "passthrough on bare metal": consultation(
        sharing={"option": "passthrough", "machine": "bare_metal"}
    ),
    "isolation by virtual machines": consultation(
        sharing={"option": "mig", "machine": "bare_metal"}, tenancy__isolation="vm"
    ),
    "shares of 1.20 on one GPU": consultation(
        sharing={
            "option": "time_slicing",
            "placement": [
                {"workload": "a", "node": 0, "gpus": [0], "memory_fraction": 0.7},
                {"workload": "b", "node": 0, "gpus": [0], "memory_fraction": 0.5},
            ],
        }
    ),
    "3 shares of 0.5": consultation(
        sharing={"option": "mps", "memory_fraction": 0.5, "replicas": 3}
    ),
    "nobody brings the driver": consultation(provisioning={"driver_owner": "none"}),
    "operator full, and driver_owner is image": consultation(
        provisioning={"gpu_operator": "full", "driver_owner": "image"}
    ),
    "operator none, and toolkit_owner is operator": consultation(
        provisioning={"gpu_operator": "none", "toolkit_owner": "operator"}
    ),
    "comes by container_build": consultation(
        provisioning={"driver_owner": "image", "driver_install": "container_build"}
    ),
    "a driver onto eks-al2023-nvidia": consultation(
        provisioning={"driver_owner": "operator", "node_image": "eks-al2023-nvidia"}
    ),
    "a second device plugin": consultation(
        provisioning={"device_owner": "device_plugin", "node_image": "eks-bottlerocket-nvidia"}
    ),
    "cannot have a driver": consultation(provisioning={"node_image": "eks-al2023-standard"}),
    "eks-al2-gpu has ended": consultation(provisioning={"node_image": "eks-al2-gpu"}),
    "static_pool is to scale to zero": consultation(
        provisioning={"option": "static_pool", "scale_to_zero": True}
    ),
    "Karpenter at gcp": consultation(provisioning={"option": "karpenter"}, platform__cloud="gcp"),
    "Auto Mode at azure": consultation(
        provisioning={"option": "auto_mode"}, platform__cloud="azure"
    ),
    "static_pool under slurm": consultation(
        provisioning={"option": "static_pool"}, platform__orchestrator="slurm"
    ),
    "slurm with device_plugin": consultation(
        provisioning={"option": "slurm", "device_owner": "device_plugin"}
    ),
    "docker_host with the GPU Operator": consultation(
        provisioning={"option": "docker_host", "gpu_operator": "full"}
    ),
    "nobody advertises": consultation(
        provisioning={"option": "static_pool", "device_owner": "none"}
    ),
    "karpenter ignores them": consultation(
        provisioning={"option": "karpenter", "device_owner": "dra"}
    ),
    "were said not to be wanted": consultation(
        provisioning={"option": "static_pool", "device_owner": "dra"}, platform__dra="no"
    ),
    "sriov_plugin for a single node": consultation(
        gpu={"nodes": 1}, provisioning={"rdma_exposure": "sriov_plugin"}
    ),
    "EFA at gcp": consultation(provisioning={"rdma_exposure": "efa_plugin"}, platform__cloud="gcp"),
    "experts across nodes over EFA": consultation(
        gpu={"count_per_replica": 16, "gpus_in_a_node": 8},
        parallelism={"option": "expert_dp_attention"},
        hardware__fabric="efa",
    ),
    "mps on mi300x": consultation(sharing={"option": "mps", "gpu": "mi300x"}),
    "asked for as nvidia.com/gpu": consultation(
        sharing={"option": "exclusive", "gpu": "mi300x", "resource_name": "nvidia.com/gpu"}
    ),
    "gpu-operator for mi300x": consultation(
        gpu={"gpu": "mi300x"}, provisioning={"versions": {"gpu-operator": "26.7.0"}}
    ),
    "kubernetes 1.36.1 is advised": consultation(
        provisioning={"versions": {"kubernetes": "1.36.1"}}
    ),
    "says kubectl where there is no Kubernetes": consultation(
        provisioning={"option": "slurm"},
        warnings=[{"id": "w", "kind": "gotcha", "rule": None, "check": "kubectl get nodes"}],
        platform__orchestrator="slurm",
    ),
    "says nvidia-smi and no GPU is NVIDIA's": consultation(
        gpu={"gpu": "mi300x"},
        warnings=[{"id": "w", "kind": "gotcha", "rule": None, "check": "nvidia-smi -L"}],
    ),
    "says dnf on rhcos": consultation(
        provisioning={"node_image": "rhcos", "driver_install": "container_build"},
        warnings=[{"id": "w", "kind": "risk", "rule": None, "fix": "dnf install it"}],
    ),
    "two warnings say: the same": consultation(
        warnings=[{"id": n, "kind": "risk", "rule": None, "text": "the same"} for n in ("v", "w")]
    ),
    "a version of kueue without Kubernetes": consultation(
        provisioning={"option": "slurm", "versions": {"kueue": "0.19.2"}}
    ),
    "a version of the GPU Operator": consultation(
        provisioning={"gpu_operator": "none", "versions": {"gpu-operator": "26.7.0"}}
    ),
    "a version of karpenter for static_pool": consultation(
        provisioning={"option": "static_pool", "versions": {"karpenter": "1.14.1"}}
    ),
    "a version of mystery": consultation(provisioning={"versions": {"mystery": "1"}}),
    "names the rule no-such-rule": consultation(
        warnings=[{"id": "w", "kind": "risk", "rule": "no-such-rule"}]
    ),
    "cites 99.9": consultation(
        warnings=[{"id": "w", "kind": "risk", "rule": None, "citations": [{"section": "99.9"}]}]
    ),
    "no-gang is told twice": consultation(
        warnings=[{"id": "no-gang", "kind": "gotcha", "rule": None}] * 2
    ),
}


@pytest.mark.parametrize("wanted", CONTRADICTIONS)
def test_a_planted_contradiction_is_found(wanted: str) -> None:
    found = check_consultation(CONTRADICTIONS[wanted])

    assert any(wanted in sentence for sentence in found), found


def test_choices_that_go_together_pass() -> None:
    sound = consultation(
        gpu={"gpu": "h100-sxm", "count_per_replica": 1, "nodes": 1},
        sharing={
            "option": "mig",
            "gpu": "h100-sxm",
            "layout": ["3g.40gb", "2g.20gb", "2g.20gb"],
            "profile": "2g.20gb",
            "strategy": "mixed",
            "machine": "bare_metal",
        },
        provisioning={
            "option": "static_pool",
            "node_image": "ubuntu-24.04",
            "driver_owner": "operator",
            "toolkit_owner": "operator",
            "driver_install": "container_build",
            "gpu_operator": "full",
            "device_owner": "device_plugin",
            "rdma_exposure": "none",
            "versions": {"kubernetes": "1.36.3"},
            "scale_to_zero": False,
        },
        tenancy__tenants="untrusted",
    )

    assert check_consultation(sound) == []


def test_a_real_consultation_with_another_choice_planted_is_caught() -> None:
    answers = serving("qwen3-8b", "l40s", concurrency=4)
    document = told(answers).model_dump(mode="json", by_alias=True)
    assert document["decisions"]["gpu"]["choice"]["gpu"] == "l40s"

    document["decisions"]["sharing"]["choice"] = {"option": "mig", "gpu": "l40s"}
    assert "mig on l40s, which has no MIG" in check_consultation(document)


def test_a_rule_that_exists_is_no_finding() -> None:
    found = told(nested({"workload.kind": "platform", "platform.sharing_now": ["mig"]}))
    assert {w.rule for w in found.warnings} >= {"gotcha-mig-resource-name"}

    problems = check_consultation(found.model_dump(mode="json", by_alias=True))
    assert not [sentence for sentence in problems if "does not exist" in sentence]
