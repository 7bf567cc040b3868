from __future__ import annotations

import json
import random

import pytest
import yaml
from answers_random import random_document

from advisor.answers.dump import dump_answers
from advisor.answers.questions import load_questions
from advisor.answers.validate import Answers, override, read_answers, read_answers_text

SEEDS = range(60)


def reread(answers: Answers) -> Answers:
    return read_answers_text(dump_answers(answers), name="dump.yaml")


def shuffled(value: object, dice: random.Random) -> object:
    """Return the same document with the keys of each mapping in another order."""
    if not isinstance(value, dict):
        return [shuffled(item, dice) for item in value] if isinstance(value, list) else value
    names = list(value)
    dice.shuffle(names)
    return {name: shuffled(value[name], dice) for name in names}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_dumped_reads_back_the_same(seed: int) -> None:
    answers = read_answers(random_document(seed))
    assert answers.values
    again = reread(answers)
    assert again == answers
    assert dump_answers(again) == dump_answers(answers)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nested_form_reads_back_the_same_in_memory_and_as_json(seed: int) -> None:
    answers = read_answers(random_document(seed))
    nested = answers.as_dict()
    assert read_answers(nested) == answers
    assert read_answers_text(json.dumps(nested), name="x", form="json") == answers


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_keys_changes_nothing(seed: int) -> None:
    document = random_document(seed)
    answers = read_answers(document)
    other = read_answers(shuffled(document, random.Random(seed)))  # type: ignore[arg-type]  # noqa: S311
    assert other == answers
    assert list(other.values) == list(answers.values)
    assert dump_answers(other) == dump_answers(answers)


def test_the_random_documents_give_every_key_and_some_unknowns() -> None:
    answers = [read_answers(random_document(seed)) for seed in SEEDS]
    assert {key for one in answers for key in one.values} == set(load_questions())
    assert any("[" in path for one in answers for path in one.unknown)


@pytest.mark.parametrize("seed", range(10))
def test_overriding_everything_is_the_same_as_reading_it(seed: int) -> None:
    wanted = read_answers(random_document(seed))
    sets = [f"{key}=" for key in load_questions()]
    assert override(wanted, sets) == read_answers({})


def test_no_answers_are_dumped_as_nothing() -> None:
    assert dump_answers(read_answers({})) == ""
    assert reread(read_answers({})) == read_answers({})


def test_a_dump_is_plain_yaml_in_the_order_of_the_vocabulary() -> None:
    answers = read_answers(
        {
            "platform": {"kubernetes_version": "1.30", "secure_boot": "no"},
            "workload": {"context_tokens": "128k", "disaggregated": False},
            "hardware": {"nvlink": "unknown"},
        }
    )
    assert dump_answers(answers) == (
        "workload:\n"
        "  context_tokens: 131072\n"
        "  disaggregated: 'no'\n"
        "platform:\n"
        "  kubernetes_version: '1.30'\n"
        "  secure_boot: false\n"
        "hardware:\n"
        "  nvlink: unknown\n"
    )


@pytest.mark.parametrize("seed", range(10))
def test_a_dump_means_the_same_to_any_yaml_reader(seed: int) -> None:
    answers = read_answers(random_document(seed))
    assert read_answers(yaml.safe_load(dump_answers(answers))) == answers
