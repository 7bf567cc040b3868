from __future__ import annotations

import pytest
from answers_problems import problems_of, the_problem

from advisor.answers.validate import read_answers, read_answers_text
from advisor.errors import InputError

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


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("workload: {input_tokens: 400}", ("workload.prompt_tokens",)),
        ("workload: {users: 3}", ("workload.concurrency",)),
        ("workload: {TP: 2}", ("layout.tensor_parallel",)),
        ("hardware: {gpu-count: 2}", ("hardware.gpus_per_node",)),
        ("platform: {kubernetes: eks}", ("platform.provider",)),
        ("workloads: [{name: a, model_name: qwen3-8b}]", ("model",)),
    ],
)
def test_another_name_for_a_key_is_answered_with_the_key(text: str, meant: tuple[str]) -> None:
    assert the_problem(text).nearest == meant


def test_of_several_keys_with_that_other_name_the_one_of_the_group_comes_first() -> None:
    assert the_problem("training: {dtype: bf16}").nearest[0] == "workload.weight_format"
    assert the_problem("platform: {memory: 3}").nearest == ("hardware.host_ram_gib",)


def test_a_long_list_of_names_is_written_once_for_all_faults() -> None:
    with pytest.raises(InputError) as caught:
        read_answers_text("workload: {uzers: 3, colour: red}", name="x.yaml")
    told = str(caught.value)
    assert told.count("weight_format, quantization") == 1
    assert told.endswith("Allowed: as above.")
    assert all("weight_format" in problem.allowed for problem in caught.value.problems)


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


def test_a_list_too_deep_is_called_so() -> None:
    problem = the_problem("tenancy:\n  mig_layout_wanted: [[[1g.10gb]]]\n")
    assert problem.code == "wrong_shape"
    assert "a list inside of it was given" in problem.message
