from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from advisor.answers.document import MAX_BYTES
from advisor.answers.nodes import MAX_NODES
from advisor.answers.validate import read_answers, read_answers_text
from advisor.errors import InputError, Problem


def problems_of(source: str, form: str = "yaml", **more: object) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read_answers_text(source, name=f"a.{form}", form=form, **more)  # type: ignore[arg-type]
    for problem in caught.value.problems:
        assert "\n" not in str(problem)
        assert problem.file
    return caught.value.problems


def the_problem(source: str, form: str = "yaml", **more: object) -> Problem:
    (problem,) = problems_of(source, form, **more)
    return problem


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


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_file_without_permission_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("ask: []")
    path.chmod(0)
    assert file_problem(path).code == "no_permission"


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


# Keys


def test_an_unknown_key_has_its_line_and_the_nearest_name() -> None:
    problem = the_problem("workload:\n  contxt_tokens: 8k\n")
    assert (problem.code, problem.line, problem.key) == ("unknown_key", 2, "workload.contxt_tokens")
    assert problem.nearest[0] == "workload.context_tokens"
    assert "context_tokens" in problem.allowed


def test_a_misplaced_key_says_where_it_belongs() -> None:
    top = the_problem("context_tokens: 8k\n")
    assert "belongs at workload.context_tokens" in top.message
    wrong = the_problem("workload:\n  gpu: l4\n")
    assert wrong.nearest == ("hardware.gpu",)
    both = the_problem("ttft_ms: 5\n")
    assert set(both.nearest) == {"observed.ttft_ms", "objectives.ttft_ms"}


def test_a_mistyped_group_is_recognised() -> None:
    assert the_problem("workloat:\n  kind: serving\n").nearest[0] in {"workload", "workloads"}


def test_a_value_in_place_of_a_group_lists_its_keys() -> None:
    problem = the_problem("workload: serving\n")
    assert problem.code == "wrong_shape"
    assert "kind" in problem.allowed


def test_an_unknown_key_of_a_record_names_the_record() -> None:
    problem = the_problem("workloads:\n- {name: a}\n- name: b\n  concurency: 4\n")
    assert (problem.key, problem.line) == ("workloads[1].concurency", 4)
    assert problem.nearest == ("concurrency",)


def test_all_problems_of_a_file_come_together_in_reading_order() -> None:
    source = "workload:\n  kind: severing\n  colour: red\n  concurrency: 0\nhardware:\n  nodes: x\n"
    found = problems_of(source, sets=["nonsense", "hardware.fabric=wet string"])
    assert [p.line for p in found] == [3, None, 2, 4, 6, None]
    assert {p.code for p in found} == {
        "unknown_value", "unknown_key", "out_of_range", "not_a_number", "bad_set",
    }  # fmt: skip


def test_a_file_of_something_else_does_not_flood_the_reader() -> None:
    found = problems_of("\n".join(f"key{number}: 1" for number in range(5000)))
    assert len(found) == 51
    assert "4,950 more" in found[-1].message


def test_a_hostile_key_is_shown_escaped_and_cut() -> None:
    problem = the_problem(f'"{"x" * 5000}\\e[31m": 1\n')
    assert len(str(problem)) < 1500
    assert "\x1b" not in str(problem)


# Values


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("workload.context_tokens", "-1", "out_of_range"),
        ("workload.context_tokens", "0", "out_of_range"),
        ("workload.concurrency", "2.5", "not_whole"),
        ("workload.concurrency", "true", "not_a_number"),
        ("workload.concurrency", "yes", "not_a_number"),
        ("workload.concurrency", ".nan", "not_a_number"),
        ("workload.concurrency", ".inf", "not_a_number"),
        ("workload.concurrency", "1e99", "out_of_range"),
        ("workload.concurrency", "[1, 2]", "wrong_shape"),
        ("workload.concurrency", "{a: 1}", "wrong_shape"),
        ("workload.parameters_b", "70000000000", "out_of_range"),
        ("workload.parameters_b", "0", "out_of_range"),
        ("workload.lora_adapters", "-1", "out_of_range"),
        ("layout.gpu_memory_utilization", "1.1", "out_of_range"),
        ("layout.gpu_memory_utilization", "0", "out_of_range"),
        ("objectives.utilisation_percent", "101", "out_of_range"),
        ("hardware.gpus_per_node", "8 GPUs", "not_a_number"),
        ("hardware.gpu_memory_gib", "80 apples", "not_a_number"),
        ("hardware.gpu_memory_gib", "-80", "out_of_range"),
        ("hardware.gpu", "[]", "empty_list"),
        ("hardware.gpu", "['']", "empty_text"),
        ("hardware.gpu", "[l4, null]", "empty_item"),
        ("hardware.gpu", "[l4, unknown]", "unknown_in_list"),
        ("hardware.gpu", "{l4: 1}", "wrong_shape"),
        ("hardware.vendors", "[amd, AMD]", "repeated_value"),
        ("hardware.nvlink", "maybe", "unknown_value"),
        ("hardware.inventory", "[]", "empty_list"),
        ("hardware.inventory", "[l4]", "wrong_shape"),
        ("hardware.inventory", "[{gpu: [a, b]}]", "wrong_shape"),
        ("platform.secure_boot", "2", "not_yes_or_no"),
        ("platform.secure_boot", "maybe", "not_yes_or_no"),
        ("platform.kubernetes_version", "newest", "bad_version"),
        ("platform.kubernetes_version", "[1.30]", "wrong_shape"),
        ("hardware.gpu_compute_capability", "'90'", "bad_version"),
        ("platform.mig_layout_now", "[half]", "bad_form"),
        ("platform.mig_layout_now", "[1g.10gb, [1g.10gb]]", "mixed_list"),
        ("platform.env", "[a]", "wrong_shape"),
        ("platform.env", "{'a b': 1}", "bad_name"),
        ("platform.env", "{A: [1]}", "wrong_shape"),
        ("workload.model", '"a\\nb"', "control_characters"),
        ("workload.model", '"a\\0b"', "control_characters"),
        ("workload.model", "'   '", "empty_text"),
        ("workload.model", "x" * 501, "text_too_long"),
        ("workload.model", "[a]", "wrong_shape"),
        ("ask", "[gpu, price]", "unknown_value"),
        ("workloads", "[{name: a}, {name: a}]", "repeated_name"),
    ],
)  # fmt: skip
def test_an_illegal_value_is_one_problem_with_key_and_line(key: str, value: str, code: str) -> None:
    group, _, name = key.rpartition(".")
    source = f"{group}:\n  {name}: {value}\n" if group else f"\n{name}: {value}\n"
    problem = the_problem(source)
    assert problem.code == code
    assert problem.line == 2
    assert problem.key is not None
    assert problem.key.startswith(key)


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert read_answers({"workload": {"concurrency": 2.0}}).values["workload.concurrency"] == 2


def test_an_unknown_value_lists_the_values_and_the_nearest() -> None:
    problem = the_problem("workload: {engine: vlm}\n")
    assert problem.allowed == (
        "vllm", "sglang", "tensorrt_llm", "llama_cpp", "tgi", "other", "unknown",
    )  # fmt: skip
    assert problem.nearest[0] == "vllm"


def test_a_synonym_close_to_the_word_leads_to_its_id() -> None:
    assert the_problem("platform: {orchestrator: k8}\n").nearest == ("kubernetes",)


def test_a_number_that_may_have_lost_a_zero_is_no_version() -> None:
    with pytest.raises(InputError) as caught:
        read_answers({"platform": {"kubernetes_version": 1.3}})
    assert caught.value.problems[0].code == "version_as_number"
    assert "1.30 is not 1.3" in caught.value.problems[0].message


@pytest.mark.parametrize("value", [{1, 2}, b"x", object(), 10**40, "\ud800"])
def test_a_python_value_that_no_file_could_hold_is_refused(value: object) -> None:
    with pytest.raises(InputError) as caught:
        read_answers({"workload": {"model": value}})
    assert caught.value.problems[0].code == "bad_value"
    assert caught.value.problems[0].key == "workload.model"


def test_a_key_in_memory_that_is_no_text_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read_answers({"workload": {1: 2}})
    assert caught.value.problems[0].code == "bad_key"


@pytest.mark.parametrize(
    ("given", "code", "key"),
    [
        ("workload.kind", "bad_set", None),
        ("=serving", "bad_set", None),
        ("workload.knid=serving", "unknown_key", "workload.knid"),
        ("workload=serving", "unknown_key", "workload"),
        ("ask=[gpu", "bad_yaml", None),
        ("workload.concurrency=-3", "out_of_range", "workload.concurrency"),
    ],
)
def test_a_bad_override_is_one_problem(given: str, code: str, key: str | None) -> None:
    with pytest.raises(InputError) as caught:
        read_answers({}, sets=[given])
    (problem,) = caught.value.problems
    assert (problem.code, problem.key, problem.file) == (code, key, "--set")
