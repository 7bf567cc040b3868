from __future__ import annotations

import pytest

from advisor.docs.spec import Place, read_spec
from advisor.errors import InputError, Problem

HERE = Place("page.md", 7)


def refused(attributes: str, *body: str) -> Problem:
    with pytest.raises(InputError) as caught:
        read_spec(attributes, body, HERE, 8)
    return caught.value.problems[0]


def test_options_beside_the_name_take_any_quotes() -> None:
    spec = read_spec("answers=\"a b.yaml\" show='gpu, sharing' details=full", (), HERE, 8)
    assert spec.answers_file == "a b.yaml"
    assert spec.options.show == ("gpu", "sharing")
    assert spec.options.details == "full"


def test_options_may_stand_on_lines_of_their_own_and_answers_keep_their_lines() -> None:
    body = ("# who asks", "show: [gpu]", ":details: full", "workload: {kind: platform}")
    spec = read_spec("", body, HERE, 8)
    assert spec.options.show == ("gpu",)
    assert spec.options.details == "full"
    assert spec.answers_text.split("\n")[3] == "workload: {kind: platform}"
    assert spec.answers_line == 8


def test_a_line_behind_the_first_answer_is_an_answer_even_if_it_looks_like_an_option() -> None:
    spec = read_spec("", ("workload:", "  kind: platform", "links: x"), HERE, 8)
    assert spec.options.links == ""
    assert "links: x" in spec.answers_text


@pytest.mark.parametrize(
    ("attributes", "code", "nearest"),
    [
        ('answer="gpu.yaml"', "bad_option", ("answers",)),
        ('answers="gpu.yaml" show="gpus"', "bad_option", ("gpu",)),
        ('answers="gpu.yaml" details="ful"', "bad_option", ("full",)),
        ("answers", "bad_option", ()),
        ('answers="a" answers="b"', "duplicate_key", ()),
        ("", "no_answers", ()),
    ],
)
def test_a_wrong_option_is_refused_at_the_line_of_the_block(
    attributes: str, code: str, nearest: tuple[str, ...]
) -> None:
    problem = refused(attributes)
    assert (problem.code, problem.file, problem.line) == (code, "page.md", 7)
    assert problem.nearest == nearest


def test_an_option_given_twice_is_refused_at_its_own_line() -> None:
    problem = refused('show="gpu"', "show: sharing", "workload: {kind: platform}")
    assert (problem.code, problem.line) == ("duplicate_key", 8)


def test_an_option_that_is_no_yaml_is_refused_at_its_own_line() -> None:
    problem = refused('answers="a"', "", "show: [gpu")
    assert (problem.code, problem.line) == ("bad_option", 9)


def test_answers_come_inline_or_by_file_not_both() -> None:
    assert refused('answers="a.yaml"', "workload: {}").code == "two_answers"
