from __future__ import annotations

import copy
import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.answers.validate import Answers, override, read_answers, read_answers_text

YAML = """\
# a whole document
ask: [gpu, sharing]
workload:
  kind: serving
  model: llama-3.3-70b
  context_tokens: 32k
  shared_prefix: Yes
  cpu_offload: no
hardware:
  gpu: [h100-sxm, h200-sxm]
  gpu_memory_gib: 79.6
  gpu_compute_capability: 9.0
platform:
  kubernetes_version: 1.30
  env: {NCCL_P2P_DISABLE: 1, NCCL_DEBUG: INFO}
"""
JSON = json.dumps(
    {
        "ask": ["gpu", "sharing"],
        "workload": {
            "kind": "serving",
            "model": "llama-3.3-70b",
            "context_tokens": 32768,
            "shared_prefix": True,
            "cpu_offload": False,
        },
        "hardware": {
            "gpu": ["h100-sxm", "h200-sxm"],
            "gpu_memory_gib": 79.6,
            "gpu_compute_capability": "9.0",
        },
        "platform": {
            "kubernetes_version": "1.30",
            "env": {"NCCL_P2P_DISABLE": 1, "NCCL_DEBUG": "INFO"},
        },
    },
    indent=2,
)
TOML = """\
ask = ["gpu", "sharing"]

[workload]
kind = "serving"
model = "llama-3.3-70b"
context_tokens = "32k"
shared_prefix = true
cpu_offload = false

[hardware]
gpu = ["h100-sxm", "h200-sxm"]
gpu_memory_gib = 79.6
gpu_compute_capability = 9.0

[platform]
kubernetes_version = 1.30
env = { NCCL_P2P_DISABLE = 1, NCCL_DEBUG = "INFO" }
"""


def text(source: str, **more: object) -> Answers:
    return read_answers_text(source, name="a.yaml", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("ending", "content"), [("yaml", YAML), ("json", JSON), ("TOML", TOML)])
def test_the_three_formats_say_the_same(tmp_path: Path, ending: str, content: str) -> None:
    path = tmp_path / f"answers.{ending}"
    path.write_text(content, encoding="utf-8")
    answers = read_answers(path)
    assert answers == text(YAML)
    assert answers == read_answers(json.loads(JSON))
    assert answers.values == {
        "ask": ("gpu", "sharing"),
        "workload.kind": "serving",
        "workload.model": "llama-3.3-70b",
        "workload.context_tokens": 32_768,
        "workload.shared_prefix": True,
        "workload.cpu_offload": "no",
        "hardware.gpu": ("h100-sxm", "h200-sxm"),
        "hardware.gpu_memory_gib": 79.6,
        "hardware.gpu_compute_capability": "9.0",
        "platform.kubernetes_version": "1.30",
        "platform.env": {"NCCL_P2P_DISABLE": "1", "NCCL_DEBUG": "INFO"},
    }


@pytest.mark.parametrize(
    ("ending", "content", "line"), [("yaml", YAML, 6), ("json", JSON, 9), ("toml", TOML, 6)]
)
def test_each_answer_knows_its_file_and_line(
    tmp_path: Path, ending: str, content: str, line: int
) -> None:
    path = tmp_path / f"answers.{ending}"
    path.write_text(content, encoding="utf-8")
    origin = read_answers(path, name="mine").origin["workload.context_tokens"]
    assert (origin.file, origin.line) == ("mine", line)


def test_lines_of_records_in_toml_are_found() -> None:
    source = '[[workloads]]\nname = "a"\n\n[[workloads]]\nname = "b"\nconcurrency = 4\n'
    answers = read_answers_text(source, name="a.toml", form="toml")
    assert answers.origin["workloads[1].concurrency"].line == 6


def test_a_block_inside_another_file_reports_that_files_lines() -> None:
    answers = text("workload:\n  kind: serving\n", first_line=40)
    assert answers.origin["workload.kind"].line == 41


def test_standard_input_is_read_for_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(YAML.encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stream)
    answers = read_answers("-")
    assert answers == text(YAML)
    assert answers.name == answers.origin["ask"].file == "standard input"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("1.30", "1.30"),
        ("'1.30'", "1.30"),
        ("v1.34.2-eks-ac2d5a0", "1.34.2-eks-ac2d5a0"),
        ("26", "26"),
        ("1e3", "1e3"),
        ("0.10", "0.10"),
        ("1.34.1-gke.1200", "1.34.1-gke.1200"),
        ("2026-01-30", "2026-01-30"),
    ],
)
def test_a_version_stays_as_it_was_written(written: str, kept: str) -> None:
    answers = text(f"platform: {{kubernetes_version: {written}}}")
    assert answers.values["platform.kubernetes_version"] == kept


def test_an_operator_that_is_not_installed_has_the_version_none() -> None:
    answers = read_answers({"platform": {"gpu_operator_version": "None"}})
    assert answers.values["platform.gpu_operator_version"] == "none"


def test_a_number_in_memory_serves_where_no_digit_can_be_lost() -> None:
    answers = read_answers({"hardware": {"gpu_compute_capability": 9.0}})
    assert answers.values["hardware.gpu_compute_capability"] == "9.0"


@pytest.mark.parametrize("word", ["yes", "Yes", "TRUE", "on", "'yes'"])
def test_yes_in_any_spelling_is_true(word: str) -> None:
    assert text(f"platform: {{secure_boot: {word}}}").values["platform.secure_boot"] is True


@pytest.mark.parametrize("word", ["no", "No", "FALSE", "off", '"off"'])
def test_no_in_any_spelling_is_false(word: str) -> None:
    assert text(f"platform: {{secure_boot: {word}}}").values["platform.secure_boot"] is False


@pytest.mark.parametrize("word", ["no", "off", "false", "No"])
def test_a_plain_no_is_the_enums_own_no_or_none(word: str) -> None:
    source = f"workload: {{disaggregated: {word}}}\nhardware: {{nvlink: {word}, fabric: {word}}}"
    values = text(source).values
    assert values["workload.disaggregated"] == "no"
    assert values["hardware.nvlink"] == "no"
    assert values["hardware.fabric"] == "none"


def test_an_amount_of_common_text_is_a_yes_and_is_echoed() -> None:
    answers = text("workload: {shared_prefix: 2k}")
    assert answers.values["workload.shared_prefix"] is True
    assert answers.origin["workload.shared_prefix"].understood == "yes"


@pytest.mark.parametrize("word", ["null", "~", "", "Null"])
def test_null_is_as_not_given(word: str) -> None:
    answers = text(f"workload:\n  kind: {word}\nhardware: {word}\n")
    assert answers == read_answers({})
    assert not answers.origin


@pytest.mark.parametrize("word", ["unknown", "Unknown", "I don't know", "'?'", "not sure"])
def test_not_knowing_is_an_answer_and_has_an_origin(word: str) -> None:
    answers = text(f"hardware:\n  nvlink: {word}\n  nodes: {word}\n")
    assert answers.unknown == {"hardware.nvlink", "hardware.nodes"}
    assert answers.values == {}
    assert answers.origin["hardware.nodes"].line == 3


@pytest.mark.parametrize("source", ["", "\n\n", "---\n", "# only a comment\n", "{}", "---\n...\n"])
def test_an_empty_file_is_no_answers(source: str) -> None:
    assert text(source) == read_answers({})


def test_an_empty_list_of_decisions_is_not_the_same_as_none_given() -> None:
    assert read_answers({"ask": []}).values == {"ask": ()}
    assert read_answers({}).values == {}


def test_one_value_serves_where_a_list_may_stand() -> None:
    source = {"hardware": {"gpu": "l40s"}, "platform": {"capacity": "spot"}, "symptoms": "OOM: x"}
    assert read_answers(source).values == {
        "symptoms": ("OOM: x",),
        "hardware.gpu": ("l40s",),
        "platform.capacity": ("spot",),
    }


def test_profiles_are_one_list_or_one_list_for_each_gpu() -> None:
    source = "platform: {mig_layout_now: [3G.40GB, 3g.40gb]}\n"
    assert text(source).values["platform.mig_layout_now"] == ("3g.40gb", "3g.40gb")
    source = "tenancy: {mig_layout_wanted: [[7g.80gb], [1g.10gb+me, 1c.3g.40gb]]}\n"
    assert text(source).values["tenancy.mig_layout_wanted"] == (
        ("7g.80gb",),
        ("1g.10gb+me", "1c.3g.40gb"),
    )


def test_records_hold_values_in_normal_form() -> None:
    source = """
workloads:
- {name: chat, model: llama-3.1-8b, context_tokens: 8k, duty: Sustained, kind: unknown}
- {name: embed, kind: embedding, instances: 2}
hardware:
  inventory:
  - {gpu: a100-80-sxm, gpus_per_node: 8, nvlink: yes, node: one}
  - {gpu: my-card, gpu_memory_gib: 48 GiB, node: one}
"""
    answers = text(source)
    assert answers.values["workloads"] == (
        {"name": "chat", "model": "llama-3.1-8b", "context_tokens": 8192, "duty": "sustained"},
        {"name": "embed", "kind": "embeddings", "instances": 2},
    )
    assert answers.values["hardware.inventory"] == (
        {"gpu": "a100-80-sxm", "gpus_per_node": 8, "nvlink": "yes", "node": "one"},
        {"gpu": "my-card", "gpu_memory_gib": 48.0, "node": "one"},
    )
    assert answers.unknown == {"workloads[0].kind"}
    assert answers.origin["workloads[0].context_tokens"].understood == "8192 tokens"


def test_a_model_config_is_a_path_or_the_mapping_with_its_types() -> None:
    assert text("workload: {model_config: ./config.json}").values == {
        "workload.model_config": "./config.json"
    }
    source = """
workload:
  model_config:
    num_hidden_layers: 80
    rms_norm_eps: 1e-05
    tie_word_embeddings: false
    torch_dtype: bfloat16
    sliding_window: null
    architectures: [LlamaForCausalLM]
    transformers_version: "4.43"
    rope_scaling: {factor: 8.0}
"""
    assert text(source).values["workload.model_config"] == {
        "num_hidden_layers": 80,
        "rms_norm_eps": 1e-05,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "sliding_window": None,
        "architectures": ("LlamaForCausalLM",),
        "transformers_version": "4.43",
        "rope_scaling": {"factor": 8.0},
    }


def test_anchors_aliases_and_merges_serve_in_moderation() -> None:
    source = """
workloads:
- &base {name: a, model: llama-3.1-8b, concurrency: 4}
- {<<: *base, name: b}
- <<: [{name: c}, *base]
"""
    assert [record["name"] for record in text(source).values["workloads"]] == ["a", "b", "c"]  # type: ignore[attr-defined]


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + YAML.replace("\n", "\r\n").encode())
    assert read_answers(path) == text(YAML)


def test_dotted_keys_at_the_top_are_the_same_keys() -> None:
    answers = text(YAML)
    assert read_answers(answers.values) == answers


def test_overrides_win_and_the_last_of_two_equal_ones_does() -> None:
    sets = ["workload.context_tokens=64k", "workload.context_tokens=10k", "hardware.gpu="]
    answers = text(YAML, sets=sets)
    assert answers.values["workload.context_tokens"] == 10_000
    assert not answers.is_given("hardware.gpu")
    assert answers.origin["workload.context_tokens"].file == "--set"


def test_an_override_mends_a_bad_value_of_the_file() -> None:
    answers = text("workload: {concurrency: many}", sets=["workload.concurrency=8"])
    assert answers.values == {"workload.concurrency": 8}


@pytest.mark.parametrize(
    ("given", "key", "value"),
    [
        ("ask=gpu, sharing", "ask", ("gpu", "sharing")),
        ("ask=[]", "ask", ()),
        ("hardware.gpu=h100-sxm,l4", "hardware.gpu", ("h100-sxm", "l4")),
        ("hardware.gpu=[h100-sxm, l4]", "hardware.gpu", ("h100-sxm", "l4")),
        ("platform.kubernetes_version=1.30", "platform.kubernetes_version", "1.30"),
        ("symptoms=RuntimeError: a, b: c", "symptoms", ("RuntimeError: a, b: c",)),
        ("platform.env={A: 1}", "platform.env", {"A": "1"}),
        ('workload.model="x"', "workload.model", "x"),
        ("workloads=[{name: a}, {name: b}]", "workloads", ({"name": "a"}, {"name": "b"})),
    ],
)
def test_an_override_is_read_as_the_key_needs_it(given: str, key: str, value: object) -> None:
    assert read_answers({}, sets=[given]).values == {key: value}


def test_overriding_keeps_the_origin_of_the_rest() -> None:
    before = text(YAML)
    after = override(before, ["workload.kind=unknown", "hardware.nodes=2"])
    assert after.unknown == {"workload.kind"}
    assert after.values["hardware.nodes"] == 2
    assert after.origin["workload.model"] == before.origin["workload.model"]
    assert after == text(YAML, sets=["workload.kind=unknown", "hardware.nodes=2"])
    assert list(after.values) == list(
        text(YAML, sets=["hardware.nodes=2", "workload.kind=?"]).values
    )


def test_answers_cannot_be_changed_and_serve_as_cache_keys() -> None:
    answers = text(YAML)
    with pytest.raises(AttributeError):
        answers.unknown = frozenset()  # type: ignore[misc]
    with pytest.raises(TypeError):
        answers.values["ask"] = ()  # type: ignore[index]
    assert {answers: 1}[read_answers(json.loads(JSON))] == 1
    assert copy.deepcopy(answers) == answers
    assert pickle.loads(pickle.dumps(answers)) == answers  # noqa: S301


def test_importing_the_package_loads_neither_yaml_nor_pydantic() -> None:
    code = "import sys, advisor.answers; print({'yaml', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
