"""Cards that the newest engine leaves behind keep working on the last release that lists them."""

from __future__ import annotations

from typing import Any

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation

_LOAD = {"kind": "serving", "model": "mistral-7b", "context_tokens": 8192, "concurrency": 4}
_OWNED = {"acquisition": "owned", "gpu": "v100-16", "gpus_per_node": 4, "nodes": 1}


def _advise(**workload: Any) -> Consultation:
    return advise(read_answers({"workload": {**_LOAD, **workload}, "hardware": _OWNED}))


def test_owned_cards_are_used_with_the_last_release_that_lists_them() -> None:
    found = _advise()
    choice = found.decisions["gpu"].choice
    assert choice is not None
    assert choice.option == "use_owned"
    assumed = {note.key: note.value for note in found.assumptions}
    assert assumed["workload.engine_version"] == "0.19"
    assert found.sizing is not None
    assert found.sizing.engine_version is not None
    assert found.sizing.engine_version.startswith("0.19")
    assert "warn-older-engine-release" in {warned.id for warned in found.warnings}


def test_a_stated_release_is_kept_even_where_it_does_not_run() -> None:
    choice = _advise(engine_version="0.33.0").decisions["gpu"].choice
    assert choice is not None
    assert choice.option == "change_owned"


def test_nothing_is_assumed_where_the_newest_release_runs() -> None:
    answers = {"workload": _LOAD, "hardware": {**_OWNED, "gpu": "t4"}}
    found = advise(read_answers(answers))
    assert "workload.engine_version" not in {note.key for note in found.assumptions}
