"""What every example and case leads to, in ids: changed on purpose or not at all.

``GPU_ADVISOR_UPDATE_GOLDEN=1 pytest -n 0 tests/cases/test_corpus.py`` writes the files anew
(the names of some of them in place of ``1``: only those); their difference is then what a change
of a rule does to the advice, to be read before it is committed.
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
GOLDEN = Path(__file__).with_name("corpus")
UPDATE = "GPU_ADVISOR_UPDATE_GOLDEN"
CORPUS = read_corpus(ROOT)
PARTS = sorted({name.partition("/")[0] for name in CORPUS})


@cache
def kept(part: str) -> dict[str, Summary]:
    text = (GOLDEN / f"{part}.yaml").read_text("utf-8")
    found: dict[str, Summary] = yaml.load(text, yaml.CSafeLoader)
    return found


def summary(name: str) -> Summary:
    knowledge = load_knowledge()
    engine = select_engine("reference")
    return consulted(CORPUS[name], knowledge, load_rule_base(knowledge), engine)


def write(part: str) -> None:
    found = {name: summary(name) for name in CORPUS if name.startswith(f"{part}/")}
    text = yaml.safe_dump(found, sort_keys=False, width=100, allow_unicode=True)
    (GOLDEN / f"{part}.yaml").write_text(text, "utf-8")


@pytest.fixture(scope="session", autouse=True)
def _updated() -> None:
    wanted = os.environ.get(UPDATE, "").split(",")
    for part in PARTS:
        if part in wanted or wanted == ["1"]:
            write(part)


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPUS)
def test_the_advice_is_in_its_ids_what_was_kept(name: str) -> None:
    found = kept(name.partition("/")[0])[name]
    assert summary(name) == found, f"if that is meant: {UPDATE}=1, and read the difference"


def test_nothing_is_kept_of_answers_that_are_gone() -> None:
    assert sorted(path.stem for path in GOLDEN.glob("*.yaml")) == PARTS
    assert {name for part in PARTS for name in kept(part)} == set(CORPUS)


def test_answers_near_a_border_have_names_of_their_own_and_lead_to_advice() -> None:
    for path in (ROOT / EXTRA).glob("*.yaml"):
        names = [record["name"] for record in yaml.safe_load(path.read_text("utf-8"))]
        assert len(set(names)) == len(names)
        found = kept(path.stem)
        assert not [name for name in names if "error" in found[f"{path.stem}/{name}"]]
