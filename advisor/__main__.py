"""Entry point of ``gpu-advisor`` and ``python -m advisor``."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from advisor.cli.main import run

    return run(sys.argv[1:] if argv is None else argv)


if __name__ == "__main__":
    sys.exit(main())
