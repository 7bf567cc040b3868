"""Fixtures of the engine tests."""

from __future__ import annotations

import pytest
from trap_support import Recorder


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    from advisor.engine import durable

    recording = Recorder(durable.library())
    monkeypatch.setattr(durable, "library", lambda: recording)
    return recording
