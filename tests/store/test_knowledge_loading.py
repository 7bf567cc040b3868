"""Loading catalogues: laziness, and faults with file, line, key and nearest name."""

from __future__ import annotations

import subprocess
import sys

import pytest
from planted_knowledge import CARD, SOURCES, Plant

from advisor.errors import KnowledgeError, Problem
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.loader_layout import CATALOGUES


def problems_of(knowledge: Knowledge, catalogue: str = "gpus") -> tuple[Problem, ...]:
    with pytest.raises(KnowledgeError) as caught:
        knowledge.catalogue(catalogue)
    return caught.value.problems


def test_the_shipped_knowledge_loads(knowledge: Knowledge) -> None:
    knowledge.load_all()
    assert all(knowledge.is_loaded(name) for name in CATALOGUES)


def test_finding_a_gpu_reads_no_other_catalogue() -> None:
    knowledge = Knowledge(load_knowledge().path)
    assert knowledge.find_gpu("H200 NVL").id == "h200-nvl"
    assert [name for name in CATALOGUES if knowledge.is_loaded(name)] == ["gpus"]


def test_nothing_is_read_before_it_is_used() -> None:
    knowledge = Knowledge(load_knowledge().path)
    assert not any(knowledge.is_loaded(name) for name in CATALOGUES)


def test_importing_the_package_does_not_import_yaml_or_pydantic() -> None:
    script = "import sys, advisor; print(sorted({'yaml', 'pydantic'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert result.stdout.decode().strip() == "[]"


def test_records_cannot_be_changed(knowledge: Knowledge) -> None:
    with pytest.raises(TypeError):
        knowledge.gpus["h100-sxm"] = None  # type: ignore[index]
    with pytest.raises(ValueError, match="frozen"):
        knowledge.gpus["h100-sxm"].memory_gb = 1  # type: ignore[misc]


def test_a_file_without_faults_loads(plant: Plant, card: str) -> None:
    assert plant(gpus__cards=card).gpus["card-a"].memory_gb == 80


def test_an_unknown_key_names_file_line_and_the_nearest_key(plant: Plant, card: str) -> None:
    faulty = card.replace("memory_bandwidth_gbs:", "memory_bandwith_gbs:")
    unknown, missing = sorted(problems_of(plant(gpus__cards=faulty)), key=lambda p: p.code)[::-1]
    assert (unknown.code, missing.code) == ("unknown_key", "missing_key")
    assert unknown.file == "kb/gpus/cards.yaml"
    assert unknown.line == 13
    assert unknown.key == "gpus.card-a.memory_bandwith_gbs"
    assert unknown.nearest[0] == "memory_bandwidth_gbs"
    assert missing.key == "gpus.card-a.memory_bandwidth_gbs"
    assert missing.line == 2


def test_an_unknown_key_inside_a_nested_record_gets_its_siblings_as_nearest(
    plant: Plant, card: str
) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("fp8: 1979", "fp_8: 1979")))
    assert (problem.key, problem.line) == ("gpus.card-a.tflops.fp_8", 14)
    assert "fp8" in problem.nearest


def test_a_wrong_word_lists_what_is_allowed(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("hopper", "hoper")))
    assert (problem.code, problem.line) == ("bad_value", 5)
    assert problem.nearest == ("hopper",)
    assert {"ampere", "cdna4"} <= set(problem.allowed)


def test_a_version_without_quotes_is_told_to_get_quotes(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("'9.0'", "9.0")))
    assert (problem.code, problem.line) == ("wrong_type", 24)
    assert "quotes" in problem.message


def test_a_negative_memory_is_refused(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("memory_gb: 80", "memory_gb: -80")))
    assert problem.key == "gpus.card-a.memory_gb"


def test_a_source_that_is_not_in_the_file_is_named_with_the_nearest(
    plant: Plant, card: str
) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("[sheet]", "[sheat]")))
    assert (problem.code, problem.line) == ("unknown_source", 25)
    assert problem.nearest == ("sheet",)


def test_a_record_without_sources_is_refused(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("[sheet]", "[]")))
    assert problem.key == "gpus.card-a.sources"


def test_an_id_is_used_once_over_all_files_of_a_catalogue(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__a=card, gpus__b=card))
    assert (problem.code, problem.file, problem.line) == ("duplicate_id", "kb/gpus/b.yaml", 2)
    assert "kb/gpus/a.yaml" in problem.message


def test_an_unknown_collection_lists_the_known_ones(plant: Plant, card: str) -> None:
    (problem,) = problems_of(plant(gpus__cards=card.replace("gpus:", "gpu:")))
    assert (problem.code, problem.line) == ("unknown_key", 1)
    assert problem.nearest == ("gpus",)
    assert problem.allowed == ("sources", "gpus", "ambiguous_names")


def test_a_file_that_is_no_mapping_and_a_folder_without_files_are_errors(plant: Plant) -> None:
    assert problems_of(plant(gpus__cards="- 1\n"))[0].code == "wrong_type"
    assert problems_of(plant(), "prices")[0].code == "missing_file"


def test_a_file_that_is_not_utf8_is_an_error(plant: Plant, card: str) -> None:
    knowledge = plant(gpus__cards=card)
    (knowledge.path / "gpus" / "cards.yaml").write_bytes(b"gpus: \xff\n")
    assert "UTF-8" in problems_of(knowledge)[0].message


def test_all_faults_of_all_files_are_reported_together(plant: Plant, card: str) -> None:
    knowledge = plant(
        gpus__a=card.replace("hopper", "hoper").replace("[sheet]", "[sheat]"),
        gpus__b="gpus:\n\t- id: x\n",
        gpus__c="gpus:\n  - id: c\n    id: d\n",
    )
    codes = {(problem.file, problem.code) for problem in problems_of(knowledge)}
    assert codes == {
        ("kb/gpus/a.yaml", "bad_value"),
        ("kb/gpus/a.yaml", "unknown_source"),
        ("kb/gpus/b.yaml", "bad_yaml"),
        ("kb/gpus/c.yaml", "duplicate_key"),
    }


def test_load_all_reports_the_faults_of_every_catalogue(plant: Plant, card: str) -> None:
    knowledge = plant(gpus__a=card.replace("hopper", "hoper"))
    with pytest.raises(KnowledgeError) as caught:
        knowledge.load_all()
    codes = [problem.code for problem in caught.value.problems]
    assert codes.count("missing_file") == len(CATALOGUES)  # all but gpus, and version.yaml
    assert "bad_value" in codes


MODEL = """\
models:
  - id: model-a
    name: Model A
    parameters_b: 8
    layers: 32
    hidden_size: 4096
    max_context_tokens: 8192
    attention:
      - {kind: full, layers: 32, heads: 32, kv_head: 8, head_dim: 128}
    ffn:
      - {kind: dense, layers: 32, intermediate_size: 14336}
    published_format: bf16
    builds:
      - {format: bf16}
    sources: [sheet]
    as_of: '2026-11-29'
"""


def test_a_wrong_key_in_a_kind_of_attention_is_found_by_its_kind(plant: Plant) -> None:
    problems = {p.code: p for p in problems_of(plant(models__a=MODEL + SOURCES), "models")}
    unknown = problems["unknown_key"]
    assert (unknown.key, unknown.line) == ("models.model-a.attention.0.kv_head", 9)
    assert unknown.nearest[0] == "kv_heads"
    assert problems["missing_key"].key == "models.model-a.attention.0.kv_heads"


def test_a_wrong_kind_of_attention_lists_the_kinds(plant: Plant) -> None:
    text = MODEL.replace("kind: full", "kind: ful").replace("kv_head:", "kv_heads:") + SOURCES
    (problem,) = problems_of(plant(models__a=text), "models")
    assert problem.code == "bad_value"
    assert {"full", "mla", "mamba2"} <= set(problem.allowed)
    assert problem.nearest == ("full",)


def test_the_version_file_must_hold_quoted_text(plant: Plant) -> None:
    knowledge = plant(version="version: 2026.11\nas_of: '2026-11-29'\n", gpus__a=CARD + SOURCES)
    with pytest.raises(KnowledgeError, match="version"):
        _ = knowledge.version


def test_the_version_is_read(knowledge: Knowledge) -> None:
    assert knowledge.version.count(".") == 2
    assert knowledge.as_of.startswith("20")


def test_one_model_is_the_same_whether_its_file_or_all_files_are_read() -> None:
    whole = Knowledge(load_knowledge().path)
    for record_id, model in whole.models.items():
        assert whole.model(record_id) is model
    alone = Knowledge(load_knowledge().path)
    for record_id in ("llama-3.3-70b", "qwen3-32b", "gpt2"):
        assert alone.model(record_id) == whole.models[record_id]
    assert alone.model("llama-3.3-70") is None
    assert not alone.is_loaded("models")
