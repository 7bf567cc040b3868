"""Reading YAML text."""

from __future__ import annotations

import pytest

from advisor.errors import KnowledgeError
from advisor.store.loader_yaml import locate_keys, parse_yaml


def test_plain_values_get_the_types_a_reviewer_expects() -> None:
    text = """
    whole: 8
    negative: -3
    fraction: 0.516
    flag: true
    word: no
    empty:
    nothing: null
    date: 2026-11-29
    version: 12.8.1
    leading_zero: 007
    quoted: '12.8'
    list: [1, two, [3]]
    map: {a: 1}
    """
    assert parse_yaml(text, "x.yaml") == {
        "whole": 8,
        "negative": -3,
        "fraction": 0.516,
        "flag": True,
        "word": "no",
        "empty": None,
        "nothing": None,
        "date": "2026-11-29",
        "version": "12.8.1",
        "leading_zero": "007",
        "quoted": "12.8",
        "list": [1, "two", [3]],
        "map": {"a": 1},
    }


def test_an_anchor_repeats_its_value() -> None:
    assert parse_yaml("a: &x [1, 2]\nb: *x\n", "x.yaml") == {"a": [1, 2], "b": [1, 2]}


def test_an_empty_file_is_nothing() -> None:
    assert parse_yaml("# only a comment\n", "x.yaml") is None


def test_every_repeated_key_is_reported_with_its_line() -> None:
    with pytest.raises(KnowledgeError) as caught:
        parse_yaml("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", "x.yaml")
    found = [(p.code, p.line, p.key) for p in caught.value.problems]
    assert found == [("duplicate_key", 4, "b.c"), ("duplicate_key", 5, "a")]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: [1, 2\nb: 3\n", 2, "look from line 1 to here"),
        ("a: 1\nb: 'open\nc: 2\n", 2, "quote that opens here"),
        ("a: 1\nb\nc: 2\n", 2, "without its colon"),
        ("a: one: two\n", 1, "needs quotes"),
        ("a: @b\n", 1, "needs quotes"),
        ("a:\n  b: 'what's this'\n", 2, "closes early"),
        ("a:\n  - b\n c: 1\n", 3, "another indentation"),
        ("a: !!str 3\n", 1, "tag"),
        ("a: *nowhere\n", 1, "anchor"),
        ("<<: {a: 1}\n", 1, "<<"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
    ],
)
def test_text_that_is_not_plain_yaml_is_reported_with_its_line(
    text: str, line: int, says: str
) -> None:
    with pytest.raises(KnowledgeError) as caught:
        parse_yaml(text, "x.yaml")
    (problem,) = caught.value.problems
    assert (problem.code, problem.file, problem.line) == ("bad_yaml", "x.yaml", line)
    assert says in problem.message


def test_a_forbidden_character_is_an_error_without_a_traceback() -> None:
    with pytest.raises(KnowledgeError, match="character"):
        parse_yaml("a: \x00\n", "x.yaml")


def test_lines_are_known_for_keys_and_list_items() -> None:
    lines = locate_keys("gpus:\n  - id: a\n    tflops:\n      bf16: 1\n  - id: b\n")
    assert lines["gpus", 0, "tflops", "bf16"] == 4
    assert lines["gpus", 1] == 5
