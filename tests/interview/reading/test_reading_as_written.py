"""Sentences as engineers write them: data in ``sentences.yaml``, to be added to without code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from reading_cases import offers, sentence, values

DATA: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("sentences.yaml").read_text("utf-8"))


def plain(value: object) -> object:
    return [plain(part) for part in value] if isinstance(value, tuple) else value


@pytest.mark.parametrize("case", DATA["sentences"], ids=lambda case: case["say"][:60])
def test_a_sentence_is_read_so(case: dict[str, Any]) -> None:
    reading = sentence(case["say"])
    assert reading.problem is None
    assert {key: plain(value) for key, value in values(reading).items()} == case["gives"]
    assert [offer.text for offer in reading.ambiguous] == case.get("asks", [])
    told = [re.findall("“(.*?)”", note)[0] for note in reading.notes]
    assert told == case.get("tells", [])
    assert list(reading.rest) == case.get("left", [])


@pytest.mark.parametrize("text", DATA["never"])
def test_what_says_nothing_gives_nothing(text: str) -> None:
    reading = sentence(text)
    assert values(reading) == {}
    assert offers(reading) == []


def test_there_are_enough_of_both() -> None:
    assert len(DATA["sentences"]) >= 120
    assert len(DATA["never"]) >= 30
