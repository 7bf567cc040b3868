"""The catalogue as the loader reads it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from advisor.store.engine_behaviour import EngineBehaviours
from advisor.store.loader_files import read_catalogue
from advisor.store.loader_layout import Catalogue

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"


@pytest.fixture(scope="session")
def engines() -> Mapping[str, EngineBehaviours]:
    schema = ("advisor.store.engine_behaviour", "EngineBehaviours")
    layout = Catalogue("engines", "engines/*.yaml", {"engines": schema})
    return read_catalogue(KNOWLEDGE, layout).by_id("engines")


@pytest.fixture
def vllm(engines: Mapping[str, EngineBehaviours]) -> EngineBehaviours:
    return engines["vllm"]
