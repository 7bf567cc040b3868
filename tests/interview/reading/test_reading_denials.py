"""Denied, doubted and asked: what is not so is never read as so."""

from __future__ import annotations

import pytest
from reading_cases import KNOWLEDGE, offers, sentence, values

from advisor.answers.validate import read_answers
from advisor.interview.reading.sentence import read_sentence

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
    ("spot is planned", "platform.capacity"),
    ("we don't need 50 users", "workload.concurrency"),
    ("unless 50 users come", "workload.concurrency"),
    ("no nvlink and infiniband", "hardware.fabric"),
    ("infiniband is not there yet", "hardware.fabric"),
    ("infiniband would be nice", "hardware.fabric"),
    ("instead of 8 H100 we have 4", "hardware.gpu"),
    ("instead of 8 H100 we have 4", "hardware.gpus_per_node"),
    ("we used to have H100s", "hardware.gpu"),
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
    ("more than 500 ms ttft", "objectives.ttft_ms"),
    ("less than 10 tok/s per user", "objectives.tokens_per_second_per_user"),
    ("if infiniband is there", "hardware.fabric"),
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


TOLD = (
    ("without infiniband", "hardware.fabric", "without infiniband"),
    ("no nvlink, infiniband or efa", "hardware.fabric", "Plain Ethernet"),
    ("we have neither nvlink nor infiniband", "hardware.fabric", "Plain Ethernet"),
    ("no infiniband (IB)", "hardware.fabric", "no infiniband"),
    ("infiniband (IB) is not available", "hardware.fabric", "Plain Ethernet"),
    ("kein Infiniband", "hardware.fabric", "kein Infiniband"),
    ("ohne Infiniband", "hardware.fabric", "hardware.fabric="),
    ("not on EKS", "platform.provider", "platform.provider="),
    ("no AWS", "platform.cloud", "platform.cloud="),
    ("anything but Azure", "platform.cloud", "anything but Azure"),
    ("not H200", "hardware.gpu", "hardware.gpu="),
    ("H100s are not available to us", "hardware.gpu", "hardware.gpu="),
    ("not the 80 GB ones", "hardware.gpu", "not the 80 GB ones"),
    ("no MIG", "platform.sharing_now", "tenancy.isolation="),
    ("not in us-east-1", "platform.region", "platform.region="),
)


@pytest.mark.parametrize(("text", "key", "words"), TOLD)
def test_what_no_answer_can_rule_out_is_told_with_the_nearest_way_to_say_it(
    text: str, key: str, words: str
) -> None:
    reading = sentence(text)
    assert key not in values(reading)
    assert offers(reading) == []
    (note,) = reading.notes
    assert words in note
    assert "/set " in note


WANTED = (
    ("not on AWS and not on Azure, H200 or B200", {"hardware.gpu": ("H200", "b200")}),
    ("not on Azure, H200 or B200, llama 3.1 405b", {"workload.model": "llama-3.1-405b"}),
    ("no AWS, 8 H200 or B200", {"hardware.gpu": ("H200", "b200")}),
    ("no nvlink, L40S or L4", {"hardware.gpu": ("l40s", "l4")}),
    ("without kubernetes, vLLM", {"workload.engine": "vllm"}),
)


@pytest.mark.parametrize(("text", "expected"), WANTED)
def test_a_denial_ends_where_a_list_of_something_else_begins(
    text: str, expected: dict[str, object]
) -> None:
    reading = sentence(text)
    found = values(reading)
    assert {key: found.get(key) for key in expected} == expected
    assert not any("rules a card out" in note for note in reading.notes)


def test_a_list_of_engines_behind_a_cloud_that_is_ruled_out_is_not_ruled_out() -> None:
    reading = sentence("not on AWS, vLLM or SGLang")
    assert [("workload.engine", "vllm"), ("workload.engine", "sglang")] in offers(reading)


@pytest.mark.parametrize("text", ["not H200, B200 or L4", "neither H200, B200 nor L4"])
def test_a_list_of_cards_that_are_ruled_out_is_ruled_out_to_its_end(text: str) -> None:
    reading = sentence(text)
    assert "hardware.gpu" not in values(reading)
    assert any("rules a card out" in note for note in reading.notes)


FP8 = [
    ("workload.quantization", "not_allowed"),
    ("workload.weight_format", "bf16"),
    ("workload.weight_format", "awq_int4"),
]
FOUR_BIT = [("workload.quantization", "fp8_only"), ("workload.quantization", "not_allowed")]


def _each(key: str, *ids: str) -> list[tuple[str, object]]:
    return [(key, one) for one in ids]


ASKED: tuple[tuple[str, list[tuple[str, object]]], ...] = (
    ("not fp8", list(FP8)),
    ("no fp8", list(FP8)),
    ("fp8 is not ok", list(FP8)),
    ("no int4", list(FOUR_BIT)),
    ("neither awq nor gptq", list(FOUR_BIT)),
    ("no 4-bit", list(FOUR_BIT)),
    ("we do not use kubernetes", _each("platform.orchestrator", "docker", "slurm", "bare_metal")),
    ("not on kubernetes", _each("platform.orchestrator", "docker", "slurm", "bare_metal")),
    ("won't buy", _each("hardware.acquisition", "rent", "owned")),
    ("we will not rent", _each("hardware.acquisition", "buy", "owned")),
    ("not vllm", _each("workload.engine", "sglang", "tensorrt_llm", "llama_cpp", "tgi", "other")),
    ("not untrusted", _each("tenancy.tenants", "single", "trusted_teams")),
    (
        "no karpenter",
        _each(
            "platform.node_autoscaler",
            "cluster_autoscaler",
            "auto_mode",
            "node_auto_provisioning",
            "none",
        ),
    ),
)


@pytest.mark.parametrize(("text", "expected"), ASKED)
def test_what_is_left_of_a_few_is_asked(text: str, expected: list[tuple[str, object]]) -> None:
    reading = sentence(text)
    assert offers(reading) == [expected]
    assert not reading.found
    assert not reading.rest


@pytest.mark.parametrize(
    "text", ["never spot", "we can't use spot", "spot not allowed", "spot isn't an option"]
)
def test_spot_ruled_out_is_never_among_what_is_asked(text: str) -> None:
    (offered,) = offers(sentence(text))
    assert [value for _, value in offered] == [
        ("on_demand",),
        ("reserved",),
        ("capacity_block",),
        ("flex_start",),
    ]


LEFT = (
    ("no AMD", {"hardware.vendors": ("nvidia",)}),
    ("anything but AMD", {"hardware.vendors": ("nvidia",)}),
    ("no NVIDIA", {"hardware.vendors": ("amd", "intel")}),
    ("no RDMA", {"hardware.fabric": "ethernet"}),
    ("no fp8 KV cache", {"workload.kv_format": "auto"}),
    ("not bare metal", {"platform.machine": "vm"}),
    ("nothing below 8 bit", {"workload.quantization": "fp8_only"}),
    ("bf16, not fp8", {"workload.weight_format": "bf16"}),
    ("H100, not H200", {"hardware.gpu": ("H100",)}),
    ("SGLang rather than vLLM", {"workload.engine": "sglang"}),
    ("H100s, PCIe ones", {"hardware.gpu": ("h100-pcie",)}),
)


@pytest.mark.parametrize(("text", "expected"), LEFT)
def test_what_is_left_is_taken_where_an_answer_holds_it(
    text: str, expected: dict[str, object]
) -> None:
    reading = sentence(text)
    found = values(reading)
    assert {key: found.get(key) for key in expected} == expected
    assert not reading.rest
    assert not reading.notes


def test_a_generation_that_is_ruled_out_leaves_all_others() -> None:
    found = values(sentence("no blackwell"))["hardware.architectures"]
    assert isinstance(found, tuple)
    assert "blackwell" not in found
    assert {"ampere", "ada", "hopper"} <= set(found)


def test_of_a_name_that_several_cards_share_the_ones_ruled_out_are_not_offered() -> None:
    reading = sentence("we have 4 A100, not the 80 GB ones")
    assert offers(reading) == [
        [("hardware.gpu", ("a100-40-sxm",)), ("hardware.gpu", ("a100-40-pcie",))]
    ]
    assert values(reading)["hardware.gpus_per_node"] == 4


def test_a_denial_of_what_was_answered_otherwise_before_says_nothing_new() -> None:
    known = read_answers({"workload": {"engine": "sglang"}})
    reading = read_sentence("not vllm", KNOWLEDGE, known=known)
    assert (offers(reading), reading.notes, reading.rest) == ([], (), ())


BESIDE = (
    ("H100, not H200", {"hardware.gpu": ("H100",)}),
    ("no H100s, only A100s", {"hardware.gpu": ("A100",)}),
    ("use vLLM not SGLang", {"workload.engine": "vllm"}),
    ("SGLang rather than vLLM", {"workload.engine": "sglang"}),
    ("instead of AWS we use GCP", {"platform.cloud": "gcp"}),
    ("we're not using spot, only on demand", {"platform.capacity": ("on_demand",)}),
    ("not 50 but 100 users", {"workload.concurrency": 100}),
    ("no nvlink and 8 GPUs each", {"hardware.nvlink": "no", "hardware.gpus_per_node": 8}),
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


@pytest.mark.parametrize(
    "text", ["no kubernetes experience", "little slurm knowledge", "we have no vLLM expertise"]
)
def test_what_somebody_can_do_is_neither_there_nor_ruled_out(text: str) -> None:
    reading = sentence(text)
    assert not reading.found
    assert not reading.ambiguous
    assert reading.rest
