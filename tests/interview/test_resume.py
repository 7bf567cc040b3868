from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from interview_support import adviser, kept, plain_text, said, store_in

from advisor.interview.interview import Interview
from advisor.interview.keeping import case_lines, resumed
from advisor.interview.store import Store

NAME = "llama-3.1-8b-2026-11-30"
LINES = ("serving", "llama 3.1 8b for 20 users at 8k", "0", "/skip")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    found = store_in(tmp_path)
    said(kept(found), *LINES)
    return found


def again(store: Store) -> Interview:
    return resumed(adviser(), store, store.load(NAME), command="gpu-advisor")


def changed(store: Store, **values: Any) -> None:
    path = store.path(NAME)
    document = json.loads(path.read_text(encoding="utf-8"))
    document.update(values)
    path.write_text(json.dumps(document), encoding="utf-8")


def notes(interview: Interview) -> list[str]:
    return [line.text for _, entry in interview.entries for line in entry.lines]


def test_a_case_goes_on_where_it_was_left(store: Store) -> None:
    fresh = kept(store_in(store.folder / "other"))
    said(fresh, *LINES)
    interview = again(store)

    assert interview.session == fresh.session
    assert interview.ask == fresh.ask
    assert interview.case == NAME
    assert notes(interview) == []


def test_resuming_and_leaving_writes_the_case_back(store: Store) -> None:
    interview = again(store)
    said(interview, "/back", "/quit")

    assert store.load(NAME).session == interview.session
    assert store.names() == (NAME,)


def test_under_newer_knowledge_it_says_so_and_what_moved(store: Store) -> None:
    document = json.loads(store.path(NAME).read_text(encoding="utf-8"))
    decided = document["decided"]
    decided["gpu"] = {"status": "firm", "said": "use owned: 1 x t4", "core": ["use_owned", "t4"]}
    changed(store, knowledge="2025.1.0", decided=decided)
    told = notes(again(store))

    assert told[0] == f"Kept under knowledge 2025.1.0; this is {adviser().knowledge.version}."
    assert told[1].endswith("(was use owned: 1 x t4 [firm])")
    assert told[1].startswith("GPU: ")
    assert len(told) == 2


def test_under_newer_knowledge_it_says_when_nothing_moved(store: Store) -> None:
    changed(store, knowledge="2025.1.0")

    assert notes(again(store))[1:] == ["No decision moved with it."]


@pytest.mark.parametrize(
    "bad",
    [{"workload.no_such_key": 1}, {"workload.kind": "gone"}, {"workload.model": "model-gone"}],
)
def test_an_answer_that_cannot_be_taken_any_more_is_left_out_and_the_file_keeps_it(
    store: Store, bad: dict[str, object]
) -> None:
    turns = json.loads(store.path(NAME).read_text(encoding="utf-8"))["turns"]
    turns.append({"said": "once legal", "answers": bad})
    changed(store, turns=turns)
    before = store.path(NAME).read_bytes()
    interview = again(store)

    assert len(interview.session.turns) == 3
    assert "Answer 4 (“once legal”)" in notes(interview)[0]
    assert interview.case == f"{NAME}-2"
    assert store.path(NAME).read_bytes() == before


def test_a_start_from_a_file_is_kept_with_where_it_came_from(tmp_path: Path) -> None:
    from advisor.answers.validate import read_answers
    from advisor.interview.session import Session

    file = tmp_path / "my.yaml"
    file.write_text("workload:\n  model: llama-3.1-8b\n  concurrency: unknown\n")
    store = store_in(tmp_path)
    interview = kept(store)
    interview.become(Session(start=read_answers(file)))
    read = store.load(interview.case).session.start

    assert read == interview.session.start
    assert read.origin["workload.model"].line == 2
    assert read.origin["workload.model"].file == str(file)


def test_the_list_names_every_case_and_what_is_wrong_with_a_file(store: Store) -> None:
    store.path("bad").write_text("{")
    first, second = case_lines(store)

    assert first.startswith(f"{NAME}: 2026-11-30 12:00, 3 answers; ")
    assert second.startswith("bad: This is no case")


def test_an_empty_store_says_where_it_looks(tmp_path: Path) -> None:
    assert list(case_lines(store_in(tmp_path))) == [f"No case has been kept in {tmp_path}/cases."]


def test_plain_lines_show_what_was_said_before_and_how_to_go_on(store: Store) -> None:
    text = plain_text(again(store), [])

    assert f"Case {NAME}, 3 answered." in text
    assert "You: llama 3.1 8b for 20 users at 8k" in text
    assert text.rstrip().endswith(f"Saved as {NAME}. Go on with: gpu-advisor --resume {NAME}")
