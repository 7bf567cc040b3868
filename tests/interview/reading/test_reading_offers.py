"""What may mean several things is offered; what is in no catalogue is said to be in none."""

from __future__ import annotations

import pytest
from reading_cases import offers, reply, sentence, values

OFFERED: tuple[tuple[str, str, tuple[object, ...]], ...] = (
    ("llama 70b", "workload.model", ("llama-3.3-70b", "llama-3-70b", "llama-2-70b")),
    (
        "mistral small",
        "workload.model",
        ("mistral-small-3", "mistral-small-3-2501", "mistral-small-4"),
    ),
    ("gemma 27b", "workload.model", ("gemma-2-27b", "gemma-3-27b")),
    ("gpt-oss", "workload.model", ("gpt-oss-120b", "gpt-oss-20b")),
    (
        "RTX 6000",
        "hardware.gpu",
        (("rtx-6000-ada",), ("rtx-pro-6000-workstation",), ("rtx-a6000",)),
    ),
    ("AWS or GCP", "platform.cloud", ("aws", "gcp")),
    ("either EKS or GKE", "platform.provider", ("eks", "gke")),
    ("vllm or sglang", "workload.engine", ("vllm", "sglang")),
    ("multi-tenant", "tenancy.tenants", ("trusted_teams", "untrusted")),
    ("16 H200 in 2 nodes", "hardware.gpus_per_node", (8, 16)),
    ("2 nodes, 8 H100", "hardware.gpus_per_node", (4, 8)),
    ("we have 64 H100", "hardware.gpus_per_node", (8, 4, 2, 64)),
    ("2.000 ms ttft", "objectives.ttft_ms", (2.0, 2000.0)),
    ("2.000 users", "workload.concurrency", (2, 2000)),
    ("fp4", "workload.weight_format", ("nvfp4", "mxfp4")),
    ("train a model", "workload.kind", ("fine_tuning", "pretraining")),
    ("8 to 16 nodes", "hardware.nodes", (8, 16)),
)


@pytest.mark.parametrize(("text", "key", "expected"), OFFERED)
def test_several_meanings_are_offered_and_none_is_taken(
    text: str, key: str, expected: tuple[object, ...]
) -> None:
    reading = sentence(text)
    assert offers(reading) == [[(key, value) for value in expected]]
    assert key not in values(reading)


IN_ALL = (
    ("on two L40S", "two L40S", 2),
    ("4 A100 40GB", "4 A100 40GB", 4),
    ("2x L40S", "2x L40S", 2),
    ("H100 x8", "H100 x8", 8),
    ("8 GPUs on EKS", "8 GPUs", 8),
    ("one L40S in a box", "one L40S", 1),
    ("single node with 4 GPUs", "4 GPUs", 4),
)


@pytest.mark.parametrize(("text", "quoted", "number"), IN_ALL)
def test_a_number_of_gpus_alone_may_be_there_or_a_limit_or_a_shape(
    text: str, quoted: str, number: int
) -> None:
    (offer,) = sentence(text).ambiguous
    assert offer.text == quoted
    there, most, shape = offer.readings
    assert (there.key, there.value) == ("hardware.gpus_per_node", number)
    assert ("hardware.acquisition", "owned") in {(one.key, one.value) for one in there.beside}
    assert (most.key, most.value) == ("platform.gpu_quota", number)
    assert (shape.key, shape.value, shape.beside) == ("hardware.gpus_per_node", number, ())
    assert len({one.offer for one in offer.readings}) == 3


def test_gpus_that_do_not_fit_one_machine_are_offered_with_their_machines() -> None:
    (offer,) = sentence("64 H100").ambiguous
    first = offer.readings[0]
    assert first.value == 8
    assert {(one.key, one.value) for one in first.beside} == {
        ("hardware.acquisition", "owned"),
        ("hardware.nodes", 8),
    }
    assert offer.readings[-1].key == "platform.gpu_quota"


@pytest.mark.parametrize("text", ["rent 2x L40S", "we will buy two L40S"])
def test_gpus_to_be_had_are_a_limit_or_a_shape(text: str) -> None:
    assert offers(sentence(text)) == [[("platform.gpu_quota", 2), ("hardware.gpus_per_node", 2)]]


@pytest.mark.parametrize("text", ["at most 2 L40S", "no more than 2 GPUs", "max 2 GPUs"])
def test_at_most_so_many_gpus_is_a_limit_of_all_together(text: str) -> None:
    found = values(sentence(text))
    assert found.pop("platform.gpu_quota") == 2
    assert "hardware.gpus_per_node" not in found
    assert offers(sentence(text)) == []


def test_gpus_known_to_be_there_are_not_asked_about() -> None:
    from reading_cases import KNOWLEDGE

    from advisor.answers.validate import read_answers
    from advisor.interview.reading.sentence import read_sentence

    known = read_answers({"hardware": {"acquisition": "owned"}})
    reading = read_sentence("2x L40S", KNOWLEDGE, known=known)
    assert values(reading)["hardware.gpus_per_node"] == 2
    assert offers(reading) == []


def test_lora_alone_is_asked_and_settled_by_the_kind_of_work() -> None:
    (offer,) = sentence("lora").ambiguous
    train, serve = offer.readings
    assert (train.key, train.beside[0].value) == ("training.method", "fine_tuning")
    assert serve.key == "workload.lora_adapters"
    assert values(sentence("fine-tune qwen3 8b, lora"))["training.method"] == "lora"


ACROSS_KEYS = (
    (
        "50k",
        {
            "workload.context_tokens",
            "workload.prompt_tokens",
            "workload.output_tokens",
            "workload.concurrency",
        },
    ),
    (
        "30 tok/s",
        {"objectives.tokens_per_second_per_user", "objectives.total_output_tokens_per_second"},
    ),
    ("budget of $5,000", {"objectives.budget_usd", "objectives.budget_usd_per_hour"}),
    ("MIG", {"platform.sharing_now", "tenancy.isolation"}),
    ("ray", {"workload.serving_stack", "training.job_stack"}),
    ("volcano", {"platform.queueing", "training.job_stack"}),
)


@pytest.mark.parametrize(("text", "keys"), ACROSS_KEYS)
def test_words_that_may_answer_several_questions_are_offered(text: str, keys: set[str]) -> None:
    reading = sentence(text)
    assert {key for readings in offers(reading) for key, _ in readings} == keys
    assert not reading.found


def test_what_is_certain_settles_what_is_open() -> None:
    assert offers(sentence("train qwen3 8b with qlora")) == []
    assert values(sentence("train qwen3 8b with qlora"))["workload.kind"] == "fine_tuning"


def test_a_name_that_only_one_model_begins_with_is_that_model_and_says_so() -> None:
    (found,) = sentence("seed oss").found
    assert (found.value, found.understood) == ("seed-oss-36b", "Seed-OSS 36B")
    assert "only one" in found.note


def test_an_offer_of_many_models_says_how_many_there_are() -> None:
    (offer,) = sentence("qwen3").ambiguous
    assert len(offer.readings) == 9
    assert "models of the catalogue" in offer.readings[0].note
    assert offer.readings[0].value == "qwen3-0.6b"


UNKNOWN = (
    ("llama 3.3 80b", "unknown_model", "llama-3.3-70b"),
    ("llama 3.5 70b on EKS", "unknown_model", "llama-3.3-70b"),
    ("qwen3 9b", "unknown_model", "qwen3-8b"),
    ("rtx 4070", "unknown_gpu", "rtx-4070-ti"),
    ("RTX 4090 ti", "unknown_gpu", "rtx-4090"),
    ("RTX 4090 48GB", "unknown_gpu", "rtx-4090"),
    ("H300", "unknown_gpu", "b300"),
)


@pytest.mark.parametrize(("text", "code", "near"), UNKNOWN)
def test_a_name_outside_the_catalogue_is_refused_with_the_nearest(
    text: str, code: str, near: str
) -> None:
    reading = sentence(text)
    assert reading.problem is not None
    assert reading.problem.code == code
    assert near in reading.problem.nearest
    assert not {"workload.model", "hardware.gpu"} & set(values(reading))


DIGITS = (
    "h100",
    "h200",
    "h800",
    "a10",
    "a100",
    "a30",
    "a40",
    "l4",
    "l40",
    "l40s",
    "b200",
    "b300",
    "t4",
    "h20",
    "l20",
)


@pytest.mark.parametrize("name", DIGITS)
def test_names_that_differ_in_a_digit_are_never_taken_for_each_other(name: str) -> None:
    (found,) = sentence(name).found
    assert isinstance(found.value, tuple)
    assert str(found.value[0]).casefold().partition("-")[0] == name


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("lama 3.3 70b", "llama-3.3-70b"),
        ("llamma 3.3 70b", "llama-3.3-70b"),
        ("deepsek v3.2", "deepseek-v3.2"),
        ("mixtrla 8x7b", "mixtral-8x7b"),
        ("gpt-oss 120b", "gpt-oss-120b"),
    ],
)
def test_a_small_slip_in_a_name_is_understood(text: str, model: str) -> None:
    assert values(sentence(text))["workload.model"] == model


@pytest.mark.parametrize(
    "text",
    [
        "the carpet is ready",
        "we have 4 modes and 3 notes",
        "a 100 Gb/s network",
        "1000 users per day",
        "20 dollars a month per user",
        "3 dollars per million tokens",
        "half of the users",
        "apache spark jobs",
        "all of the command line",
        "20 people in the company",
        "the server rusted",
    ],
)
def test_everyday_words_are_no_answers(text: str) -> None:
    keys = set(values(sentence(text)))
    assert not keys - {"hardware.fabric_gbps"}


def test_a_name_outside_the_catalogue_is_taken_when_its_figures_are_known() -> None:
    from reading_cases import KNOWLEDGE, QUESTIONS

    from advisor.answers.validate import read_answers
    from advisor.interview.reading.reply import read_reply

    known = read_answers({"workload": {"parameters_b": 9}})
    reading = read_reply("foobar-9b", QUESTIONS["workload.model"], KNOWLEDGE, known=known)
    assert values(reading) == {"workload.model": "foobar-9b"}
    refused = reply("workload.model", "foobar-9b")
    assert refused.problem is not None
    assert refused.problem.code == "unknown_model"
