"""What a command line did, for tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error object of a ``--format json`` run."""
        error: dict[str, Any] = json.loads(self.err)["error"]
        return error


Command = Callable[..., Ran]
