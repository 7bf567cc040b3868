"""What is said of GPUs that somebody has, of machines, of data sets and of what runs at once."""

from __future__ import annotations

import pytest
from reading_cases import offers, sentence, values

OWNED = (
    "on our own H100s",
    "on our own 8 H100",
    "H100s that we have",
    "with a 24GB card I have at home",
    "a 4090 at home",
    "8 H100 which are ours",
    "my own 4090",
)


@pytest.mark.parametrize("text", OWNED)
def test_hardware_that_somebody_has_is_owned_and_nothing_is_left_over(text: str) -> None:
    reading = sentence(text)
    assert values(reading)["hardware.acquisition"] == "owned"
    assert not reading.rest


def test_a_card_that_somebody_has_is_one() -> None:
    assert values(sentence("a 24GB card I have at home"))["hardware.gpus_per_node"] == 1
    assert "hardware.gpus_per_node" not in values(sentence("24GB cards I have at home"))


NOT_OWNED = (
    "we need our own H100s",
    "not our own H100s",
    "we do not have our own H100s",
    "an H100 we have to order",
    "on H100 we have 50 users",
    "instead of the 3090 I have, L40S",
    "an L4",
)


@pytest.mark.parametrize("text", NOT_OWNED)
def test_hardware_that_is_wished_for_or_denied_is_not_owned(text: str) -> None:
    assert "hardware.acquisition" not in values(sentence(text))


SHAPES = (
    "16 H100 in two nodes of 8 GPUs",
    "16 H100 in 2 nodes of 8",
    "16 GPUs in two nodes with 8 H100",
    "two nodes of 8 GPUs, 16 H100 in all",
    "2 nodes of 8 H100 with 100 users",
)


@pytest.mark.parametrize("text", SHAPES)
def test_the_number_behind_the_machines_is_that_of_each(text: str) -> None:
    reading = sentence(text)
    found = values(reading)
    assert (found["hardware.gpus_per_node"], found["hardware.nodes"]) == (8, 2)
    assert not reading.rest
    assert not reading.ambiguous


def test_numbers_of_gpus_that_do_not_agree_are_offered_by_what_they_mean() -> None:
    (offer,) = sentence("16 H100 in 2 nodes of 4").ambiguous
    assert [one.offer for one in offer.readings] == ["4 in each machine", "16 in each machine"]


def test_what_else_machines_have_is_no_number_of_gpus() -> None:
    reading = sentence("8 H100 per node, 2 nodes with 64 cores")
    assert values(reading)["hardware.gpus_per_node"] == 8
    assert any("64" in words for words in reading.rest)


TUNING = "Fine tune Llama 3.3 70B, full parameters, sequences of 8k, 500M tokens"


def test_full_parameters_and_the_tokens_of_a_training_set_are_read() -> None:
    reading = sentence(TUNING)
    found = values(reading)
    assert found["training.method"] == "full"
    assert found["training.dataset_tokens"] == 500_000_000
    assert not reading.rest


def test_millions_of_tokens_are_no_data_set_where_nothing_is_trained() -> None:
    reading = sentence("serve llama 3.1 8b with 10M tokens")
    assert "training.dataset_tokens" not in values(reading)
    assert all(one[0] != "training.dataset_tokens" for read in offers(reading) for one in read)


@pytest.mark.parametrize(
    "text",
    ["about 200 simultaneous sessions", "simultaneous sessions: 200", "200 chats in parallel"],
)
def test_whatever_is_held_at_the_same_time_is_concurrency(text: str) -> None:
    reading = sentence(text)
    assert values(reading) == {"workload.concurrency": 200}
    assert not reading.rest
