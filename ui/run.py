"""Holds the interview on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .app import AdvisorApp

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["run"]

_OFF = frozenset({"0", "off", "no", "false"})


def run(begin: Callable[[], Interview]) -> int:
    """Hold the interview; return 0, also where somebody leaves early.

    What is kept, and how to go on with it, is printed even where a fault ends it.

    Args:
        begin: Makes the interview; called in a thread once the screen stands.

    Raises:
        GpuAdvisorError: the interview cannot begin as it was asked for.
    """
    app = AdvisorApp(begin)
    mouse = os.environ.get("GPU_ADVISOR_MOUSE", "").casefold() not in _OFF
    code = app.run(mouse=mouse)
    interview = app.desk.interview
    if interview is not None:
        from advisor.interview.keeping import farewell

        last = farewell(interview)
        if last:
            sys.stdout.write(f"{last}\n")
    if app.error is not None:
        sys.stdout.flush()
        raise app.error
    return code or 0
