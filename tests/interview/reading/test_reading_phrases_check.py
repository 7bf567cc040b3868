"""``kb check`` finds what is wrong with the files of phrases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from reading_cases import KNOWLEDGE, QUESTIONS

from advisor.errors import Problem
from advisor.interview.reading.check import check_phrases
from advisor.interview.reading.phrases import LISTS, load_phrases
from advisor.store.loader import load_knowledge


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(KNOWLEDGE.path / "phrases", tmp_path / "kb" / "phrases")
    return tmp_path / "kb"


def problems(folder: Path) -> list[Problem]:
    return check_phrases(load_knowledge(folder), QUESTIONS)


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / "phrases" / f"{name}.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_files_as_shipped_have_no_problem(folder: Path) -> None:
    assert problems(folder) == []


def test_every_word_list_that_reading_needs_is_there() -> None:
    assert set(load_phrases(KNOWLEDGE).lists) == set(LISTS)


@pytest.mark.parametrize(
    ("name", "old", "new", "words", "near"),
    [
        (
            "amounts",
            "key: workload.concurrency",
            "key: workload.concurency",
            "No question has the key",
            "workload.concurrency",
        ),
        ("amounts", "key: workload.concurrency", "key: workload.engine", "takes no number", ""),
        ("amounts", "{key: platform.rocm_version", "{key: platform.region", "takes no version", ""),
        (
            "amounts",
            "keys: [workload.context_tokens",
            "keys: [workload.context",
            "No question has the key",
            "workload.context_tokens",
        ),
        ("amounts", "match: '(?:us|eu", "match: '((?:us|eu", "no regular expression", ""),
        ("amounts", "match: '(?:us|eu", "match: '|(?:us|eu", "matches nothing at all", ""),
        (
            "answers",
            "{key: workload.engine, except",
            "{key: workload.model, except",
            "has no options",
            "",
        ),
        (
            "answers",
            "{key: workload.engine, except: [other]}",
            "{key: workload.engine, except: [sglangg]}",
            "No option is called 'sglangg'",
            "sglang",
        ),
        (
            "answers",
            "gives: {workload.kind: serving}",
            "gives: {workload.kind: server}",
            "'server' is not one",
            "serving",
        ),
        (
            "answers",
            "implies: {platform.cloud: aws}",
            "implies: {platform.clouds: aws}",
            "No question has the key",
            "platform.cloud",
        ),
        (
            "answers",
            "denied: {hardware.nvlink: 'no'}",
            "denied: {hardware.nvlink: never}",
            "is not one of the values",
            "",
        ),
        ("answers", "say: [reranking, rerank", "say: [embeddings, rerank", "is said by entry", ""),
        ("answers", "say: [reranking, rerank", "say: ['...', rerank", "has 0 words", ""),
        ("words", "id: about", "id: abouts", "word list 'about' is missing", ""),
        ("words", "id: about", "id: abouts", "No reading uses a word list 'abouts'", "about"),
        ("words", "unit: ms, say", "unit: msx, say", "No number is ever in the unit 'msx'", ""),
        ("words", "say: [w, watt, watts]", "say: [kw, watt, watts]", "'kw' is said by entry", ""),
    ],
)
def test_a_fault_is_named_with_its_file_and_what_is_nearest(
    folder: Path, name: str, old: str, new: str, words: str, near: str
) -> None:
    change(folder, name, old, new)
    found = [problem for problem in problems(folder) if words in problem.message]
    assert found
    assert found[0].file == f"kb/phrases/{name}.yaml"
    assert found[0].key
    assert not near or near in found[0].nearest


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("gives: {workload.kind: serving}", "give: {workload.kind: serving}", "give"),
        ("gives: {workload.kind: serving}", "implies: {workload.kind: serving}", "is needed"),
        ("gives: {workload.kind: serving}", "either: [{workload.kind: serving}]", "two or more"),
    ],
)
def test_a_record_of_the_wrong_form_is_refused_with_its_line(
    folder: Path, old: str, new: str, words: str
) -> None:
    change(folder, "answers", old, new)
    found = problems(folder)
    assert any(words in f"{problem.message} {problem.key}" for problem in found)
    assert all(problem.line is not None for problem in found)
