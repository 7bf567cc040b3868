"""Single keys of records are replaced like any other answer, with the same checks."""

from __future__ import annotations

import pytest

from advisor.answers.record_places import value_at
from advisor.answers.validate import Answers, override, read_answers
from advisor.errors import InputError

_TWO: dict[str, list[dict[str, object]]] = {
    "workloads": [
        {"name": "chat", "model": "llama-3.1-8b", "concurrency": 20},
        {"name": "embed", "model": "bge-m3", "concurrency": "unknown"},
    ]
}


def _set(*sets: str) -> Answers:
    return override(read_answers(_TWO), sets)


def test_a_place_in_a_record_is_set_and_the_rest_of_the_records_stays() -> None:
    changed = _set("workloads[0].context_tokens=8k")

    expected = read_answers(
        {"workloads": [{**_TWO["workloads"][0], "context_tokens": 8192}, _TWO["workloads"][1]]}
    )
    assert changed == expected
    assert changed.origin["workloads[0].context_tokens"].file == "--set"
    assert changed.origin["workloads[0].model"].file == "answers"


def test_a_file_read_with_a_place_set_is_the_same_as_one_changed_afterwards() -> None:
    sets = ["workloads[1].concurrency=8", "workloads[0].name=talk"]
    assert read_answers(_TWO, sets=sets) == _set(*sets)
    assert read_answers(_TWO, sets=sets).unknown == frozenset()


def test_the_last_of_equal_places_wins_and_comes_after_the_list_itself() -> None:
    changed = _set(
        "workloads[0].concurrency=3", "workloads=[{name: x}]", "workloads[0].concurrency=4"
    )
    assert changed == read_answers({"workloads": [{"name": "x", "concurrency": 4}]})


def test_empty_takes_one_value_of_a_record_away_and_unknown_says_so() -> None:
    assert value_at(_set("workloads[0].concurrency="), "workloads[0].concurrency") is None
    unknown = _set("workloads[0].concurrency=unknown")
    assert value_at(unknown, "workloads[0].concurrency") is None
    assert "workloads[0].concurrency" in unknown.unknown
    assert value_at(unknown, "workloads[0].model") == "llama-3.1-8b"


def test_cards_of_an_inventory_have_places_too() -> None:
    cards = read_answers({"hardware": {"inventory": [{"gpu": "l4", "nodes": 2}]}})
    changed = override(cards, ["hardware.inventory[0].nodes=4"])
    assert value_at(changed, "hardware.inventory[0].nodes") == 4


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("workloads[2].concurrency=4", "no_such_record", "workloads[0] to workloads[1]"),
        ("hardware.inventory[0].nodes=4", "no_such_record", "No `hardware.inventory` are given"),
        ("workloads[0].concurency=4", "unknown_key", "no such key in a record"),
        ("workloads[0].concurrency=-4", None, ""),
        ("workloads[1].name=chat", "repeated_name", "called 'chat'"),
        ("workload[0].concurrency=4", "unknown_key", "no such key"),
    ],
)
def test_what_is_no_legal_place_or_value_is_refused_by_its_place(
    text: str, code: str | None, words: str
) -> None:
    with pytest.raises(InputError) as refused:
        _set(text)
    problem = refused.value.problems[0]

    assert problem.key == text.partition("=")[0]
    assert code in {None, problem.code}
    assert words in problem.message
