from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview

FENCED = ("NO_COLOR", "COLORFGBG", "TMUX", "GPU_ADVISOR_THEME", "TEXTUAL_ANIMATIONS", "ACCESSIBLE")


@pytest.fixture(autouse=True)
def _fenced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in FENCED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("GPU_ADVISOR_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GPU_ADVISOR_CACHE", "off")


@pytest.fixture(scope="session")
def adviser() -> Adviser:
    """One for all: what was consulted once is known."""
    return Adviser()


@pytest.fixture
def begin(adviser: Adviser) -> Callable[[], Interview]:
    return lambda: Interview(adviser)
