"""Denied, doubted and asked: what is not so is never read as so."""

from __future__ import annotations

import pytest
from reading_cases import offers, sentence, values

TURNED = (
    ("no NVLink", {"hardware.nvlink": "no"}),
    ("4x L40S without nvlink", {"hardware.nvlink": "no"}),
    ("we don't have nvlink", {"hardware.nvlink": "no"}),
    ("NVLink: no", {"hardware.nvlink": "no"}),
    ("nvlink is not available here", {"hardware.nvlink": "no"}),
    ("nvlink-less A100", {"hardware.nvlink": "no"}),
    ("non-NVLink A100", {"hardware.nvlink": "no"}),
    ("neither secure boot nor nvlink", {"platform.secure_boot": False, "hardware.nvlink": "no"}),
    ("no secure boot and no nvlink", {"platform.secure_boot": False, "hardware.nvlink": "no"}),
    ("not air-gapped", {"platform.air_gapped": False}),
    ("it isn't airgapped", {"platform.air_gapped": False}),
    ("secure boot is disabled", {"platform.secure_boot": False}),
    ("scale to zero is not acceptable", {"platform.scale_to_zero": False}),
    ("without quantization", {"workload.quantization": "not_allowed"}),
    ("do not quantize", {"workload.quantization": "not_allowed"}),
    ("quantization is not allowed", {"workload.quantization": "not_allowed"}),
    ("no SLA", {"tenancy.sla": "none"}),
    ("without a GPU operator", {"platform.gpu_operator_version": "none"}),
    ("autoscaling off", {"platform.node_autoscaler": "none"}),
    ("tenants don't trust each other", {"tenancy.tenants": "untrusted"}),
    ("tenants are not trusted", {"tenancy.tenants": "untrusted"}),
)


@pytest.mark.parametrize(("text", "expected"), TURNED)
def test_a_denied_phrase_says_what_its_denial_says(text: str, expected: dict[str, object]) -> None:
    found = values(sentence(text))
    assert {key: found.get(key) for key in expected} == expected


UNREAD = (
    ("without infiniband", "hardware.fabric"),
    ("not untrusted", "tenancy.tenants"),
    ("not on EKS", "platform.provider"),
    ("not on EKS", "platform.cloud"),
    ("we do not use kubernetes", "platform.orchestrator"),
    ("no karpenter", "platform.node_autoscaler"),
    ("never spot", "platform.capacity"),
    ("we can't use spot", "platform.capacity"),
    ("spot not allowed", "platform.capacity"),
    ("spot isn't an option", "platform.capacity"),
    ("spot is planned", "platform.capacity"),
    ("we don't need 50 users", "workload.concurrency"),
    ("unless 50 users come", "workload.concurrency"),
    ("no nvlink, infiniband or efa", "hardware.fabric"),
    ("we have neither nvlink nor infiniband", "hardware.fabric"),
    ("no nvlink and infiniband", "hardware.fabric"),
    ("infiniband is not there yet", "hardware.fabric"),
    ("infiniband would be nice", "hardware.fabric"),
    ("instead of 8 H100 we have 4", "hardware.gpu"),
    ("instead of 8 H100 we have 4", "hardware.gpus_per_node"),
    ("we used to have H100s", "hardware.gpu"),
    ("H100s are not available to us", "hardware.gpu"),
    ("nvlink or not, we don't know", "hardware.nvlink"),
    ("not sure about nvlink", "hardware.nvlink"),
    ("not without nvlink", "hardware.nvlink"),
    ("do we need nvlink?", "hardware.nvlink"),
    ("we need NVLink?", "hardware.nvlink"),
    ("what about nvlink?", "hardware.nvlink"),
    ("should we use vllm on GKE?", "workload.engine"),
    ("can we use spot?", "platform.capacity"),
    ("latency is not critical", "objectives.priority"),
    ("not cheap", "objectives.priority"),
    ("no fp8", "workload.weight_format"),
    ("fp8 is not ok", "workload.weight_format"),
    ("more than 500 ms ttft", "objectives.ttft_ms"),
    ("less than 10 tok/s per user", "objectives.tokens_per_second_per_user"),
    ("anything but AMD", "hardware.vendors"),
    ("if infiniband is there", "hardware.fabric"),
    ("no infiniband (IB)", "hardware.fabric"),
    ("infiniband (IB) is not available", "hardware.fabric"),
    ("kein Infiniband", "hardware.fabric"),
    ("ohne Infiniband", "hardware.fabric"),
    ("each user gets one GPU", "hardware.gpus_per_node"),
    ("2 GPUs per tenant", "hardware.gpus_per_node"),
    ("at least 2 GPUs", "hardware.gpus_per_node"),
    ("3 dollars per GPU hour", "objectives.budget_usd_per_hour"),
    ("not only fp8", "workload.quantization"),
    ("we don't trust the tenants", "tenancy.tenants"),
)


@pytest.mark.parametrize(("text", "key"), UNREAD)
def test_what_is_denied_doubted_or_asked_is_left_over(text: str, key: str) -> None:
    reading = sentence(text)
    assert key not in values(reading)
    assert all(key != one[0] for readings in offers(reading) for one in readings)
    assert reading.rest


BESIDE = (
    ("H100, not H200", {"hardware.gpu": ("H100",)}),
    ("no H100s, only A100s", {"hardware.gpu": ("A100",)}),
    ("use vLLM not SGLang", {"workload.engine": "vllm"}),
    ("SGLang rather than vLLM", {"workload.engine": "sglang"}),
    ("instead of AWS we use GCP", {"platform.cloud": "gcp"}),
    ("we're not using spot, only on demand", {"platform.capacity": ("on_demand",)}),
    ("not 50 but 100 users", {"workload.concurrency": 100}),
    ("no nvlink and 8 GPUs", {"hardware.nvlink": "no", "hardware.gpus_per_node": 8}),
    (
        "H100 without nvlink on EKS for 50 users",
        {
            "hardware.gpu": ("H100",),
            "hardware.nvlink": "no",
            "platform.provider": "eks",
            "platform.cloud": "aws",
            "workload.concurrency": 50,
        },
    ),
    ("no nvlink, infiniband", {"hardware.nvlink": "no", "hardware.fabric": "infiniband"}),
    ("should we use vllm on GKE?", {"platform.provider": "gke", "platform.cloud": "gcp"}),
    ("spot is no problem", {"platform.capacity": ("spot",)}),
    ("bare metal kubernetes, not VMs", {"platform.machine": "bare_metal"}),
)


@pytest.mark.parametrize(("text", "expected"), BESIDE)
def test_a_denial_reaches_no_further_than_its_own_words(
    text: str, expected: dict[str, object]
) -> None:
    found = values(sentence(text))
    assert {key: found.get(key) for key in expected} == expected
