"""The same answers, the same advice: whichever engine, order, process or day."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from consult_support import told

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.engine import ENGINE_NAMES, select_engine
from advisor.errors import InputError

FILES = sorted((Path(__file__).parents[1] / "cases" / "answers").glob("*.yaml"))


def durable_works() -> bool:
    try:
        select_engine("durable")
    except InputError:
        return False
    return True


def document(path: Path, engine: str) -> dict[str, Any]:
    consultation = advise(read_answers(path), engine=engine)
    found: dict[str, Any] = consultation.model_dump(mode="json", by_alias=True)
    assert found.pop("engine") == engine
    return found


def test_there_are_at_least_thirty_situations() -> None:
    assert len(FILES) >= 30


@pytest.mark.skipif(not durable_works(), reason="durable-rules is not installed here")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_all_engines_give_the_same_advice(path: Path) -> None:
    reference, durable, both = (document(path, name) for name in ("reference", "durable", "both"))

    assert durable == reference
    assert both == reference


def test_engines_are_named_in_the_consultation() -> None:
    assert told({"workload": {"kind": "platform"}}).engine in ENGINE_NAMES


def backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(list(value))}
    return [backwards(element) for element in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", FILES[::3], ids=lambda path: path.stem)
def test_the_order_of_the_answers_does_not_matter(path: Path) -> None:
    forwards = read_answers(path).as_dict()
    one, other = (
        advise(read_answers(answers, name="x"), engine="reference").model_dump(mode="json")
        for answers in (forwards, backwards(forwards))
    )

    assert one == other


def test_another_process_with_another_hash_seed_gives_the_same_text() -> None:
    code = (
        "import json, sys\n"
        "from advisor.answers.validate import read_answers\n"
        "from advisor.consult.advise import advise\n"
        "for name in sys.argv[1:]:\n"
        "    print(advise(read_answers(name), engine='reference').model_dump_json())\n"
    )
    names = [str(path) for path in FILES[::6]]
    texts = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code, *names],
            capture_output=True, text=True, check=True, env=environment,
        )  # fmt: skip
        texts.append(done.stdout)

    assert texts[0] == texts[1]
    assert all(json.loads(line) for line in texts[0].splitlines())


def test_no_clock_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = read_answers(FILES[0])
    advise(answers, engine="reference")

    def refuse(*_: object) -> float:
        raise AssertionError

    for name in ("time", "time_ns", "localtime", "gmtime"):
        monkeypatch.setattr(time, name, refuse)
    fresh = read_answers({"workload": {"model": "qwen3-14b", "concurrency": 7}})

    assert advise(fresh, engine="reference").decisions["gpu"].choice


def test_nothing_is_read_once_the_knowledge_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    advise(read_answers(FILES[0]), engine="reference")

    def refuse(*_: object, **__: object) -> object:
        raise AssertionError

    fresh = read_answers({"workload": {"model": "qwen3-14b", "concurrency": 9}})
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(Path, "read_text", refuse)
    monkeypatch.setattr(Path, "open", refuse)

    assert advise(fresh, engine="reference").decisions["gpu"].choice
