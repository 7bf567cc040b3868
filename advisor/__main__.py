"""Entry point of ``gpu-advisor`` and ``python -m advisor``."""

from __future__ import annotations

import gc
import sys

__all__ = ["main"]

_OBJECTS_PER_COLLECTION = 50_000
"""A command allocates much, frees little and ends: looking for cycles less often saves a tenth
of its time."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from advisor.cli.main import run

    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
