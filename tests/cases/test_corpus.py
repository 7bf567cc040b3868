"""What every example and case leads to, in ids: changed on purpose or not at all.

``GPU_ADVISOR_UPDATE_GOLDEN=1 pytest tests/cases/test_corpus.py`` writes the file anew; its
difference is then what a change of a rule does to the advice, to be read before it is committed.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
import yaml

from advisor.analysis.mutation_corpus import EXTRA, consulted, read_corpus
from advisor.analysis.mutation_summary import Summary
from advisor.engine.select import select_engine
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("corpus.yaml")
UPDATE = "GPU_ADVISOR_UPDATE_GOLDEN"
CORPUS = read_corpus(ROOT)


@cache
def kept() -> dict[str, Summary]:
    found: dict[str, Summary] = yaml.load(GOLDEN.read_text("utf-8"), yaml.CSafeLoader)
    return found


def summary(name: str) -> Summary:
    knowledge = load_knowledge()
    engine = select_engine("reference")
    return consulted(CORPUS[name], knowledge, load_rule_base(knowledge), engine)


def write_all() -> None:
    found = {name: summary(name) for name in CORPUS}
    text = yaml.safe_dump(found, sort_keys=False, width=100, allow_unicode=True)
    GOLDEN.write_text(text, "utf-8")


@pytest.fixture(scope="session", autouse=True)
def _updated() -> None:
    if os.environ.get(UPDATE) == "1":
        write_all()


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPUS)
def test_the_advice_is_in_its_ids_what_was_kept(name: str) -> None:
    assert summary(name) == kept()[name], f"if that is meant: {UPDATE}=1, and read the difference"


def test_nothing_is_kept_of_answers_that_are_gone() -> None:
    assert set(kept()) == set(CORPUS)


def test_answers_near_a_border_have_names_of_their_own_and_lead_to_advice() -> None:
    records = yaml.safe_load((ROOT / EXTRA).read_text("utf-8"))
    names = [record["name"] for record in records]
    assert len(set(names)) == len(names)
    assert not [name for name in names if "error" in kept()[f"near/{name}"]]
