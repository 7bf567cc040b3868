"""Entry point of ``gpu-advisor`` and ``python -m advisor``."""

from __future__ import annotations

import gc
import os
import sys

__all__ = ["main"]

_OBJECTS_PER_COLLECTION = 500_000
"""A command allocates much, leaves hardly any cycles and ends: looking for them less often saves
time and costs no memory that could be measured."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code.

    Without ``argv`` this is the program itself: it takes the words of the command line, keeps
    what it has parsed for the next run, and ends the process.
    """
    from advisor.cli.main import run

    if argv is not None:
        return run(argv)
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    # plug-ins of other packages could change how our files are read, and looking for them is slow
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    code = _with_cache(sys.argv[1:])
    if not _watched():
        _leave(code)
    return code


def _with_cache(argv: list[str]) -> int:
    from advisor.cli.main import run
    from advisor.store import loader_cache

    if argv[:1] != ["kb"]:  # who looks after the knowledge wants to see the files themselves
        loader_cache.switch_on()
    code = run(argv)
    loader_cache.save()
    return code


def _watched() -> bool:
    """Tell whether a debugger, profiler or coverage tool wants an orderly end."""
    monitoring = getattr(sys, "monitoring", None)  # Python 3.12
    tools = [monitoring.get_tool(number) for number in range(6)] if monitoring else []
    return bool(sys.gettrace() or sys.getprofile() or any(tools))


def _leave(code: int) -> None:
    """End the process now: giving back every object one by one takes a tenth of a second.

    ``run`` has written what stdout held, or answered for what could not be written.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the reader went away: nobody is left to tell
            continue
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
