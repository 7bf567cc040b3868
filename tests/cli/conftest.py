"""Running a command line in this process."""

from __future__ import annotations

import pytest
from running_commands import Command, Ran

from advisor.cli.main import run


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Return a function that runs ``gpu-advisor`` with the given words."""

    def call(*words: str) -> Ran:
        capsys.readouterr()
        code = run(list(words))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call
