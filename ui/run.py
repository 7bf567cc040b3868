"""Holds the interview on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, MutableMapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["run"]

_OFF = frozenset({"0", "off", "no", "false"})
_COLOURS = frozenset({"auto", "standard", "256", "truecolor", "windows"})


def run(begin: Callable[[], Interview]) -> int:
    """Hold the interview; return 0, also where somebody leaves early.

    What is kept, and how to go on with it, is printed even where a fault ends it.

    Args:
        begin: Makes the interview; called in a thread once the screen stands.

    Raises:
        GpuAdvisorError: the interview cannot begin as it was asked for.
    """
    _without_developers_settings(os.environ)
    from .app import AdvisorApp
    from .terminal import end_with_terminal

    end_with_terminal(sys.__stdin__.fileno() if sys.__stdin__ else 0)
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


def _without_developers_settings(environment: MutableMapping[str, str]) -> None:
    """Drop what Textual reads for its developers: what it does not know there would end us."""
    for name in tuple(environment):
        if name.startswith("TEXTUAL"):
            if name == "TEXTUAL_COLOR_SYSTEM" and environment[name] in _COLOURS:
                continue
            del environment[name]
