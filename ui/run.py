"""Holds the interview on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .app import AdvisorApp

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["run"]


def run(begin: Callable[[], Interview]) -> int:
    """Hold the interview; return 0, also where somebody leaves early.

    Args:
        begin: Makes the interview; called in a thread once the screen stands.

    Raises:
        GpuAdvisorError: the interview cannot begin as it was asked for.
    """
    app = AdvisorApp(begin)
    code = app.run()
    if app.error is not None:
        raise app.error
    view = app.view
    if view is not None and view.so_far:
        sys.stdout.write(f"{view.progress}\n")
    return code or 0
