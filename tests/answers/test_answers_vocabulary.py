from __future__ import annotations

import pytest
from answers_contract import ENUMS, SECTIONS, YES_NO, all_keys

from advisor.answers.questions import (
    Question,
    QuestionGroup,
    load_questions,
    same_word,
)
from advisor.answers.units import UNITS
from advisor.answers.validate import read_answers

QUESTIONS = load_questions()
OPEN_ENUM = "platform.operating_system"
"""The contract names the key and leaves its values to the question file."""
EVERY = [*QUESTIONS.values(), *(q for key in ("workloads", "hardware.inventory")
                                for q in QUESTIONS.record_keys(key).values())]  # fmt: skip


def test_every_key_of_the_contract_is_a_question_and_nothing_else_is() -> None:
    assert sorted(QUESTIONS) == sorted(all_keys())


@pytest.mark.parametrize("key", sorted(ENUMS))
def test_an_enum_has_exactly_the_values_of_the_contract(key: str) -> None:
    assert [choice.id for choice in QUESTIONS[key].values] == ENUMS[key].split()
    assert QUESTIONS[key].kind == "enum"


def test_no_question_is_an_enum_or_a_yes_no_question_outside_the_contract() -> None:
    assert {k for k, q in QUESTIONS.items() if q.kind == "enum"} == {*ENUMS, OPEN_ENUM}
    assert {k for k, q in QUESTIONS.items() if q.kind == "bool"} == set(YES_NO.split())


@pytest.mark.parametrize("question", EVERY, ids=lambda q: q.key)
def test_a_question_names_a_section_of_the_handbook_and_a_known_unit(question: Question) -> None:
    assert question.section in SECTIONS.split()
    assert question.unit is None or question.unit in UNITS
    assert question.text.endswith("?")


@pytest.mark.parametrize("key", [k for k in QUESTIONS if not QUESTIONS[k].multiline])
def test_unknown_is_an_answer_to_every_question_but_a_pasted_text(key: str) -> None:
    answers = read_answers({key: "Unknown"})
    assert answers.unknown == {key}
    assert not answers.is_given(key)


@pytest.mark.parametrize(
    "question", [q for q in EVERY if q.default is not None], ids=lambda q: q.key
)
def test_a_default_is_a_legal_answer_in_normal_form(question: Question) -> None:
    if question.key in QUESTIONS:
        read = read_answers({question.key: question.default}).values[question.key]
    else:
        name = question.key.rpartition(".")[2]
        record = read_answers({"workloads": [{name: question.default}]}).values["workloads"][0]  # type: ignore[index]
        read = record[name]
    expected = tuple(question.default) if question.list else question.default
    assert read == expected


@pytest.mark.parametrize("key", sorted(ENUMS))
def test_each_synonym_is_understood_in_any_case_and_with_any_separator(key: str) -> None:
    for choice in QUESTIONS[key].values:
        for word in (choice.id, *choice.synonyms):
            for spelling in (word, word.upper(), word.replace(" ", "_"), word.replace("_", "-")):
                value = read_answers({key: spelling}).values[key]
                assert value in (choice.id, (choice.id,)), spelling


def test_a_synonym_leaves_a_note_of_how_it_was_understood_and_an_id_does_not() -> None:
    origin = read_answers({"platform": {"orchestrator": "K8s", "cloud": "AWS"}}).origin
    assert origin["platform.orchestrator"].understood == "kubernetes"
    assert origin["platform.cloud"].understood is None


def test_records_of_workloads_take_every_key_of_a_workload() -> None:
    own = {"name", "instances", "tenant", "duty"}
    names = {q.name for q in QUESTIONS.values() if q.group == "workload"}
    assert set(QUESTIONS.record_keys("workloads")) == own | names


def test_records_of_the_inventory_take_the_figures_of_an_unknown_card() -> None:
    names = """gpu gpus_per_node nodes nvlink island_gpus node gpu_memory_gib
        gpu_memory_bandwidth_gbs gpu_compute_capability"""
    assert set(QUESTIONS.record_keys("hardware.inventory")) >= set(names.split())


def test_every_group_says_when_and_from_what_it_was_written() -> None:
    for group in QUESTIONS.groups:
        assert group.as_of >= "2026-01-01"
        assert all(source.startswith("https://") for source in group.sources)
        assert group.sources


def test_no_word_of_an_enum_reads_as_unknown() -> None:
    words = {same_word(word) for q in EVERY for c in q.values for word in (c.id, *c.synonyms)}
    assert "unknown" not in words


def _question(**changes: object) -> dict[str, object]:
    base: dict[str, object] = {
        "key": "a.b",
        "text": "What?",
        "help": "",
        "kind": "enum",
        "section": "1",
        "values": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}],
    }
    return base | changes


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"values": []}, "an enum needs values"),
        ({"kind": "number", "values": []}, "needs `max`"),
        ({"kind": "integer", "min": 1, "above": 0, "max": 3, "values": []}, "one of"),
        ({"min": 1}, "only numbers have a range"),
        ({"default": "x"}, "come together"),
        ({"values": [{"id": "x", "label": "X", "synonyms": ["Y "]}, {"id": "y", "label": "Y"}]},
         "names both x and y"),
        ({"values": [{"id": "x", "label": "X", "synonyms": ["un-known"]}]}, "unknown"),
        ({"record": {"fields": []}}, "list_of_records"),
        ({"also_called": ["B"]}, "other names than the key's own"),
        ({"colour": "red"}, "Extra inputs"),
        ({"section": "see chapter three"}, "pattern"),
    ],
)  # fmt: skip
def test_a_question_that_contradicts_itself_is_refused(
    changes: dict[str, object], complaint: str
) -> None:
    group = {"group": "g", "title": "", "text": "", "as_of": "2026-11-29", "sources": []}
    QuestionGroup.model_validate({**group, "questions": [_question()]})
    with pytest.raises(ValueError, match=complaint):
        QuestionGroup.model_validate({**group, "questions": [_question(**changes)]})
