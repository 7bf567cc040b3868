"""Fixtures: the shipped knowledge base, and small ones with planted faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_knowledge import CARD, SOURCES, Plant

from advisor.store.loader import Knowledge, load_knowledge


@pytest.fixture
def knowledge() -> Knowledge:
    """The knowledge base that is shipped."""
    return load_knowledge()


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Return a function that writes files into an empty knowledge folder and opens it."""

    def write(**files: str) -> Knowledge:
        root = tmp_path / "kb"
        for name, text in files.items():
            file = root / f"{name.replace('__', '/')}.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return Knowledge(root)

    return write


@pytest.fixture
def card() -> str:
    """A GPU file without a fault."""
    return CARD + SOURCES
