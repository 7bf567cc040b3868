"""Replies to one question: numbers of options, words, amounts, names, "I don't know"."""

from __future__ import annotations

import pytest
from reading_cases import KNOWLEDGE, QUESTIONS, offers, reply, values

from advisor.answers.validate import read_answers
from advisor.interview.reading.reply import read_reply

REPLIES: tuple[tuple[str, str, object], ...] = (
    ("hardware.nvlink", "1", "yes"),
    ("hardware.nvlink", "2", "no"),
    ("hardware.nvlink", "option 3", "bridge"),
    ("hardware.nvlink", "3)", "bridge"),
    ("hardware.nvlink", "yeah", "yes"),
    ("hardware.nvlink", "nope", "no"),
    ("hardware.nvlink", "no nvlink", "no"),
    ("hardware.nvlink", "only PCIe", "no"),
    ("hardware.nvlink", "we have nvlink", "yes"),
    ("hardware.architectures", "hoper", ("hopper",)),
    ("hardware.architectures", "3,5", ("ampere", "hopper")),
    ("hardware.architectures", "3 and 5", ("ampere", "hopper")),
    ("hardware.architectures", "ampere, hopper and ada", ("ampere", "hopper", "ada")),
    ("hardware.architectures", "black", ("blackwell",)),
    ("hardware.fabric", "IB", "infiniband"),
    ("hardware.fabric", "it's infiniband", "infiniband"),
    ("hardware.fabric", "infini-band", "infiniband"),
    ("hardware.fabric", "infinband", "infiniband"),
    ("platform.cloud", "amazon", "aws"),
    ("platform.cloud", "googel", "gcp"),
    ("platform.cloud", "our own data center", "on_prem"),
    ("platform.cloud", "10", "on_prem"),
    ("platform.capacity", "spot; on demand", ("spot", "on_demand")),
    ("platform.capacity", "1, 2", ("on_demand", "spot")),
    ("platform.capacity", "spot is fine", ("spot",)),
    ("platform.orchestrator", "k8s", "kubernetes"),
    ("platform.orchestrator", "kubernets", "kubernetes"),
    ("platform.secure_boot", "y", True),
    ("platform.secure_boot", "not yet", False),
    ("platform.secure_boot", "1", True),
    ("platform.secure_boot", "2", False),
    ("platform.secure_boot", "yes, on all nodes", True),
    ("platform.air_gapped", "no internet", True),
    ("platform.kubernetes_version", "v1.31", "1.31"),
    ("platform.kubernetes_version", "1.30", "1.30"),
    ("platform.kubernetes_version", "it's version 1.31", "1.31"),
    ("platform.kubernetes_version", "EKS 1.31", "1.31"),
    ("platform.gpu_operator_version", "none", "none"),
    ("platform.gpu_operator_version", "25.3.4", "25.3.4"),
    ("platform.region", "us-east-1", "us-east-1"),
    ("platform.region", "in Frankfurt", "Frankfurt"),
    ("platform.instance_type", "p5.48xlarge, g6e.12xlarge", ("p5.48xlarge", "g6e.12xlarge")),
    ("platform.env", "NCCL_P2P_DISABLE=1", {"NCCL_P2P_DISABLE": "1"}),
    ("platform.mig_layout_now", "3g.40gb, 2x 1g.10gb", ("3g.40gb", "1g.10gb", "1g.10gb")),
    ("platform.mig_layout_now", "3G.40GB 3g.40gb", ("3g.40gb", "3g.40gb")),
    ("tenancy.mig_layout_wanted", "[[3g.40gb], [7g.80gb]]", (("3g.40gb",), ("7g.80gb",))),
    ("workload.context_tokens", "32k", 32768),
    ("workload.context_tokens", "about 32k tokens", 32768),
    ("workload.context_tokens", "32.768", 32768),
    ("workload.context_tokens", "32,768", 32768),
    ("workload.context_tokens", "100k", 100_000),
    ("workload.context_tokens", "8k to 16k", 16384),
    ("workload.context_tokens", "max 8192", 8192),
    ("workload.concurrency", "fifty", 50),
    ("workload.concurrency", "4 people", 4),
    ("workload.concurrency", "1e3 users", 1000),
    ("workload.concurrency", "half a million", 500_000),
    ("workload.context_tokens", "half a million tokens", 500_000),
    ("workload.context_tokens", "1,5k tokens", 1500),
    ("workload.model", "lama 3,3 70B", "llama-3.3-70b"),
    ("objectives.budget_usd_per_hour", "$20k a month", 27.3973),
    ("workload.concurrency", "a dozen", 12),
    ("workload.concurrency", "200 or so", 200),
    ("workload.concurrency", "100 to 200", 200),
    ("workload.concurrency", "around 50 users", 50),
    ("workload.concurrency", "1,000", 1000),
    ("workload.concurrency", "2 thousand", 2000),
    ("workload.lora_adapters", "none", 0),
    ("workload.lora_adapters", "zero", 0),
    ("workload.lora_adapters", "no", 0),
    ("workload.shared_prefix", "2000 tokens", True),
    ("workload.parameters_b", "70b", 70.0),
    ("workload.parameters_b", "70 billion", 70.0),
    ("workload.model", "llama-3.3-70b", "llama-3.3-70b"),
    ("workload.model", "meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b"),
    ("workload.model", "the 27b gemma 2", None),
    ("workload.model_config", "models/config.json", "models/config.json"),
    ("hardware.gpu", "h100s and h200s", ("H100", "H200")),
    ("hardware.gpu", "H100 SXM", ("h100-sxm",)),
    ("hardware.gpu", "spark", ("gb10",)),
    ("hardware.nodes", "two nodes", 2),
    ("hardware.nodes", "3", 3),
    ("hardware.gpus_per_node", "8 gpus", 8),
    ("hardware.gpus_per_node", "16", 16),
    ("hardware.gpu_memory_gib", "80GB", 80e9 / 2**30),
    ("hardware.gpu_memory_gib", "80 GiB", 80.0),
    ("hardware.gpu_memory_gib", "79.6", 79.6),
    ("hardware.gpu_memory_gib", "79,6", 79.6),
    ("hardware.host_ram_gib", "1.5 TiB", 1536.0),
    ("hardware.fabric_gbps", "50 GB/s", 400.0),
    ("hardware.fabric_gbps", "400G", 400.0),
    ("objectives.budget_usd_per_hour", "$20", 20.0),
    ("objectives.budget_usd_per_hour", "20 dollars an hour", 20.0),
    ("objectives.budget_usd", "250k", 250_000.0),
    ("objectives.budget_usd", "1.5 million", 1_500_000.0),
    ("objectives.ttft_ms", "2 s", 2000.0),
    ("objectives.ttft_ms", "500", 500.0),
    ("objectives.ttft_ms", "under 300 milliseconds", 300.0),
    ("objectives.utilisation_percent", "60%", 60.0),
    ("observed.ttft_ms", "500 ms to first token", 500.0),
    ("observed.tokens_per_second_per_user", "30 tok/s per user", 30.0),
    ("training.dataset_tokens", "1.5B tokens", 1.5e9),
    ("layout.gpu_memory_utilization", "90%", 0.9),
    ("layout.gpu_memory_utilization", "0,9", 0.9),
    ("tenancy.tenants", "they don't trust each other", "untrusted"),
    ("tenancy.tenants", "customers", "untrusted"),
    ("tenancy.gpus_per_pod", "0.5", 0.5),
    ("symptoms", "CUDA out of memory", ("CUDA out of memory",)),
    ("ask", "gpu and sharing", ("gpu", "sharing")),
)


@pytest.mark.parametrize(
    ("key", "text", "expected"), [case for case in REPLIES if case[2] is not None]
)
def test_a_reply_gives_this_answer(key: str, text: str, expected: object) -> None:
    reading = reply(key, text)
    assert values(reading).get(key) == expected
    assert not any(one[0] == key for readings in offers(reading) for one in readings)
    assert reading.problem is None


@pytest.mark.parametrize(
    "text",
    [
        "0",
        " 0 ",
        "?",
        "I don't know",
        "i dont know",
        "don\u2019t know",
        "not sure",
        "No idea.",
        "unknown",
        "dunno",
        "I'm not sure",
    ],
)
@pytest.mark.parametrize(
    "key",
    [
        "workload.model",
        "workload.concurrency",
        "hardware.nvlink",
        "platform.secure_boot",
        "workload.lora_adapters",
        "symptoms",
    ],
)
def test_not_knowing_is_an_answer_to_every_question(key: str, text: str) -> None:
    (found,) = reply(key, text).found
    assert (found.key, found.value, found.understood) == (key, "unknown", "I don't know")


ALONE = (
    "<script>alert(1)</script> qwen3-32b",
    "the 7 people in building 12 use it since 2024",
    "qwen3-32b 16",
    "16 qwen3-32b",
    "room 101 and qwen3-32b",
)


@pytest.mark.parametrize("text", ALONE)
def test_a_bare_number_amid_other_words_is_not_the_reply(text: str) -> None:
    reading = reply("workload.typical_context_tokens", text)
    assert "workload.typical_context_tokens" not in values(reading)
    assert not offers(reading)


@pytest.mark.parametrize("text", ["16, qwen3-32b", "qwen3-32b, 16", "16 and EKS", "about 16"])
def test_a_bare_number_in_a_clause_of_its_own_is_the_reply(text: str) -> None:
    assert values(reply("workload.concurrency", text))["workload.concurrency"] == 16


@pytest.mark.parametrize(
    ("typed", "model"),
    [
        ("llama 3.1 70B", "llama-3.3-70b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama-3.3-70b"),
        ("QwQ-32B", "qwen2.5-32b"),
    ],
)
def test_a_model_without_a_record_of_its_own_is_said_to_be_taken_for(
    typed: str, model: str
) -> None:
    (found,) = reply("workload.model", typed).found
    assert found.value == model
    assert f"taken for {typed}" in found.note


@pytest.mark.parametrize(
    "typed", ["llama 3.1 8b", "meta-llama/Llama-3.3-70B-Instruct", "qwen3-32b"]
)
def test_a_model_with_a_record_of_its_own_carries_no_such_note(typed: str) -> None:
    (found,) = reply("workload.model", typed).found
    assert not found.note


OFFERED = (
    ("workload.concurrency", "1.000", (1, 1000)),
    ("workload.concurrency", "8 or 16", (8, 16)),
    ("hardware.nodes", "2 to 4", (2, 4)),
    (
        "platform.node_image",
        "aks",
        ("aks-ubuntu", "aks-azurelinux", "aks-driver-none", "aks-managed-gpu"),
    ),
    ("workload.shared_prefix", "2", (False, True)),
    ("workload.model", "llama 70b", ("llama-3.3-70b", "llama-3-70b", "llama-2-70b")),
    ("hardware.nvlink", "yes or no", None),
)


@pytest.mark.parametrize(("key", "text", "expected"), [case for case in OFFERED if case[2]])
def test_a_reply_with_several_meanings_is_offered(
    key: str, text: str, expected: tuple[object, ...]
) -> None:
    reading = reply(key, text)
    assert offers(reading) == [[(key, value) for value in expected]]
    assert not reading.found


MISTAKES = (
    ("workload.context_tokens", "lots", "not_a_number", "a number is needed"),
    ("workload.context_tokens", "-5", "out_of_range", "at least 1"),
    ("workload.concurrency", "many", "not_a_number", "a number is needed"),
    ("workload.concurrency", "3.5", "not_whole", "not a whole number"),
    ("objectives.budget_usd_per_hour", "20 euros", "not_a_number", "euros"),
    ("objectives.budget_usd_per_hour", "€20", "not_a_number", "number is needed"),
    ("hardware.gpus_per_node", "500", "out_of_range", "at most 128"),
    ("platform.cloud", "12", "no_such_option", "type 1 to 11"),
    ("platform.cloud", "zzz", "unknown_value", "none of the options"),
    ("workload.concurrency", "200 million per day", "not_an_answer", "2,315 requests a second"),
    ("workload.concurrency", "20 euros", "not_a_number", "a number is needed"),
    ("workload.concurrency", "0x20 users", "not_a_number", "a number is needed"),
    ("workload.concurrency", "20 people in the company", "not_an_answer", "concurrent users"),
    ("platform.cloud", "not aws", "not_an_answer", "platform.cloud="),
    ("workload.model", "foobar-7b", "unknown_model", "parameters_b"),
    ("workload.model", "llama 3.3 80b", "unknown_model", "not in the catalogue"),
    ("hardware.gpu", "GTX 1080", "unknown_gpu", "gpu_memory_gib"),
    ("hardware.inventory", "some machines", "needs_records", "[{gpu: H100"),
    ("platform.secure_boot", "purple", "not_yes_or_no", "neither yes nor no"),
    ("platform.kubernetes_version", "newest", "bad_version", "for example 1.36"),
    ("workload.concurrency", "", "empty_reply", "type 0"),
    ("workload.concurrency", "x" * 5000, "text_too_long", "at most 4,000"),
)


@pytest.mark.parametrize(("key", "text", "code", "words"), MISTAKES)
def test_a_mistake_is_told_in_one_sentence_and_nothing_is_taken(
    key: str, text: str, code: str, words: str
) -> None:
    reading = reply(key, text)
    assert reading.problem is not None
    assert (reading.problem.code, reading.problem.key) == (code, key)
    assert words in reading.problem.message
    assert key not in values(reading)


def test_a_mistyped_option_is_refused_with_the_nearest_and_all_that_are_allowed() -> None:
    problem = reply("platform.cloud", "amzzn").problem
    assert problem is not None
    assert problem.nearest[0] == "aws"
    assert set(problem.allowed) == {*(c.id for c in QUESTIONS["platform.cloud"].values), "unknown"}


@pytest.mark.parametrize(
    "key",
    [
        "workload.model",
        "workload.context_tokens",
        "workload.concurrency",
        "platform.provider",
        "hardware.nvlink",
    ],
)
def test_a_reply_answers_other_questions_as_well(key: str) -> None:
    reading = reply(key, "llama 3.3 70b at 32k for 50 users on EKS")
    assert values(reading) == {
        "workload.model": "llama-3.3-70b",
        "workload.context_tokens": 32768,
        "workload.concurrency": 50,
        "platform.provider": "eks",
        "platform.cloud": "aws",
    }
    assert reading.problem is None


def test_the_rest_of_a_yes_is_read_too() -> None:
    reading = reply("platform.secure_boot", "yes, and kubernetes 1.33 on ubuntu")
    assert values(reading) == {
        "platform.secure_boot": True,
        "platform.orchestrator": "kubernetes",
        "platform.kubernetes_version": "1.33",
        "platform.operating_system": "ubuntu",
    }
    (first, *_) = reading.found
    assert first.span == (0, 3)


def test_records_are_read_as_in_an_answers_file() -> None:
    reading = reply("hardware.inventory", "[{gpu: H100, gpus_per_node: 8}, {gpu: L40S}]")
    expected = read_answers(
        {"hardware": {"inventory": [{"gpu": "H100", "gpus_per_node": 8}, {"gpu": "L40S"}]}}
    )
    assert values(reading) == dict(expected.values)


def test_memory_is_echoed_in_the_unit_that_was_typed_with_gib_beside_it() -> None:
    assert reply("hardware.gpu_memory_gib", "80GB").found[0].understood == "80 GB (74.51 GiB)"
    assert reply("hardware.gpu_memory_gib", "80 GiB").found[0].understood == "80 GiB"


def test_a_gpu_family_is_read_as_in_an_answers_file_and_says_what_is_taken() -> None:
    (found,) = reply("hardware.gpu", "h100").found
    assert found.value == ("H100",)
    assert KNOWLEDGE.resolve_gpu("H100").record.id == "h100-sxm"
    assert "taken as H100 SXM5 80 GB" in found.note


def test_the_upper_end_of_a_range_is_said_to_be_taken() -> None:
    assert (
        reply("workload.concurrency", "100 to 200").found[0].note == "the upper end of 100 to 200"
    )


def test_a_given_answer_is_not_replaced_by_what_only_follows() -> None:
    known = read_answers({"platform": {"cloud": "on_prem"}})
    reading = read_reply("EKS", QUESTIONS["platform.provider"], KNOWLEDGE, known=known)
    assert values(reading) == {"platform.provider": "eks"}


def test_spans_are_places_in_what_was_typed() -> None:
    text = "   about 32k tokens, vLLM  "
    reading = reply("workload.context_tokens", text)
    assert {one.key: text[slice(*one.span)] for one in reading.found} == {
        "workload.context_tokens": "about 32k tokens",
        "workload.engine": "vLLM",
    }
    (alone,) = reply("platform.cloud", "  amazon ").found
    assert alone.span == (2, 8)
