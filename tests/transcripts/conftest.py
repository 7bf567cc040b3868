from __future__ import annotations

import pytest
from transcript_support import Ran, Run, adviser

from advisor.cli.main import run


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs ``gpu-advisor``, with one adviser that remembers for all."""
    monkeypatch.setattr("advisor.explain.adviser.Adviser", lambda **_: adviser())

    def call(*words: str) -> Ran:
        capsys.readouterr()
        code = run(list(words))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
