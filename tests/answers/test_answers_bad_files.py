from __future__ import annotations

import sys
from pathlib import Path

import pytest
from answers_problems import the_problem

from advisor.answers.document import MAX_BYTES
from advisor.answers.nodes import MAX_NODES
from advisor.answers.validate import read_answers
from advisor.errors import InputError, Problem


def file_problem(path: Path | str) -> Problem:
    with pytest.raises(InputError) as caught:
        read_answers(path)
    (problem,) = caught.value.problems
    assert "\n" not in str(problem)
    assert problem.file == str(path)
    return problem


# Files


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert file_problem(tmp_path / "none.yaml").code == "no_such_file"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert file_problem(tmp_path).code == "is_a_folder"


def test_a_refused_permission_is_one_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert file_problem(tmp_path / "a.yaml").code == "no_permission"


def test_a_path_that_cannot_exist_is_one_problem() -> None:
    assert file_problem("a\0b.yaml").code == "unreadable"
    assert file_problem("x" * 5000).code == "unreadable"


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert file_problem(path).code == "too_large"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless device")
def test_an_endless_device_is_read_no_further_than_the_limit() -> None:
    assert file_problem("/dev/zero").code == "too_large"


def test_a_file_of_the_largest_size_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("#" * (MAX_BYTES - 1) + "\n")
    assert read_answers(path) == read_answers({})
    path.write_text("#" * MAX_BYTES + "\n")
    assert file_problem(path).code == "too_large"


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"ask: []\nworkload:\n  model: \xff\n", "not_utf8", 3),
        (b"\xff\xfea\0s\0k\0", "not_utf8", None),
        (b"\x7fELF\0\0\0", "not_text", None),
        (b"ask: [\x01]\n", "bad_yaml", 1),
    ],
)
def test_bytes_that_are_no_text_are_refused(
    tmp_path: Path, data: bytes, code: str, line: int | None
) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(data)
    problem = file_problem(path)
    assert (problem.code, problem.line) == (code, line)


def test_text_on_standard_input_without_a_buffer_is_limited_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stream:
        def read(self, limit: int) -> str:
            return "#" * limit

    monkeypatch.setattr(sys, "stdin", Stream())
    with pytest.raises(InputError) as caught:
        read_answers("-")
    assert caught.value.problems[0].code == "too_large"
    assert caught.value.problems[0].file == "standard input"


# Syntax


@pytest.mark.parametrize(
    ("form", "source", "code", "line"),
    [
        ("yaml", "workload:\n\tkind: serving\n", "tab", 2),
        ("yaml", "ask: [gpu\nworkload: {}\n", "bad_yaml", 2),
        ("yaml", "ask: 'gpu\n", "bad_yaml", 2),
        ("yaml", "ask: []\n---\nask: []\n", "several_documents", 2),
        ("yaml", "- ask\n- gpu\n", "not_a_mapping", 1),
        ("yaml", "just text\n", "not_a_mapping", 1),
        ("yaml", "ask: !!python/object:os.system x\n", "foreign_tag", 1),
        ("yaml", "ask: *nowhere\n", "unknown_alias", 1),
        ("yaml", "symptoms: &a [x, *a]\n", "endless_alias", 1),
        ("yaml", "? [a, b]\n: c\n", "bad_key", 1),
        ("yaml", "<<: [1, 2]\n", "bad_merge", 1),
        ("yaml", "%YAML 9.9\n---\nask: []\n", "bad_yaml", 1),
        ("json", "{'ask': []}", "bad_json", 1),
        ("json", '{\n "ask": [],\n}', "bad_json", 3),
        ("json", '{"ask": ["gpu"', "bad_json", 1),
        ("json", '{"ask": "gpu}', "bad_json", 1),
        ("json", '{"ask": "gpu" "b"}', "bad_json", 1),
        ("json", '{"ask" []}', "bad_json", 1),
        ("json", '{"workload": {\n"concurrency": NaN}}', "bad_json", 2),
        ("json", "{} {}", "bad_json", 1),
        ("json", '{"workload": {"model": "\\ud800"}}', "bad_json", 1),
        ("json", '["ask"]', "not_a_mapping", 1),
        ("toml", "ask = [\n", "bad_toml", None),
        ("toml", "\nask == 1\n", "bad_toml", 2),
    ],
)
def test_bad_syntax_is_one_problem_with_its_line(
    form: str, source: str, code: str, line: int | None
) -> None:
    problem = the_problem(source, form)
    assert problem.code == code
    if line is not None:
        assert problem.line == line


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_key_given_twice_is_reported_with_both_lines(form: str) -> None:
    source = '{\n"workload": {\n"kind": "serving",\n"kind": "benchmark"\n}}'
    problem = the_problem(source, form)
    assert (problem.code, problem.key, problem.line) == ("duplicate_key", "kind", 4)
    assert "lines 3 and 4" in problem.message


def test_a_key_given_twice_in_toml_is_reported_with_its_line() -> None:
    problem = the_problem("[workload]\nkind = 'serving'\nkind = 'benchmark'\n", "toml")
    assert problem.code == "duplicate_key"
    assert problem.line == 3


def test_a_key_given_nested_and_dotted_is_given_twice() -> None:
    problem = the_problem("workload:\n  kind: serving\nworkload.kind: benchmark\n")
    assert problem.code == "duplicate_key"
    assert "lines 2 and 3" in problem.message


def _bomb(levels: int, merge: bool = False) -> str:
    lines = ["a0: &a0 {x: 1}" if merge else "a0: &a0 [x]"]
    for level in range(1, levels):
        inner = ", ".join([f"*a{level - 1}"] * 9)
        value = f"{{<<: [{inner}], k{level}: 1}}" if merge else f"[{inner}]"
        lines.append(f"a{level}: &a{level} {value}")
    return "\n".join(lines)


@pytest.mark.parametrize("levels", [10, 30])
def test_an_alias_bomb_is_one_problem(levels: int) -> None:
    assert the_problem(_bomb(levels)).code == "too_many_values"


def test_a_merge_bomb_is_one_problem() -> None:
    assert the_problem(_bomb(60, merge=True)).code == "too_many_values"


@pytest.mark.parametrize(
    ("form", "source"),
    [
        ("yaml", "a: " + "[" * 100_000),
        ("yaml", "a: " + "[" * 60 + "]" * 60),
        ("yaml", "a: " + "{a: " * 60 + "1" + "}" * 60),
        ("json", '{"a": ' + "[" * 100_000),
        ("toml", "a = " + "[" * 60 + "]" * 60),
        ("toml", "a = " + "[" * 50_000),
        ("toml", ".".join(["a"] * 60) + " = 1"),
    ],
)
def test_deep_nesting_is_one_problem(form: str, source: str) -> None:
    assert the_problem(source, form).code == "too_deep"


def test_a_mapping_that_holds_itself_is_one_problem() -> None:
    endless: dict[str, object] = {}
    endless["a"] = endless
    with pytest.raises(InputError) as caught:
        read_answers(endless)
    assert caught.value.problems[0].code == "too_deep"


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_too_many_values_are_one_problem(form: str) -> None:
    source = '{"symptoms": [' + ",".join(["1"] * (MAX_NODES + 1)) + "]}"
    assert the_problem(source, form).code == "too_many_values"
