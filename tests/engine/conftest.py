"""Fixtures of the engine tests."""

from __future__ import annotations

import pytest
from trap_support import RICH, Recorder


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    from advisor.engine import durable

    ruleset = durable._ruleset_of(RICH)
    recording = Recorder(ruleset.library)
    monkeypatch.setattr(ruleset, "library", recording)
    return recording
