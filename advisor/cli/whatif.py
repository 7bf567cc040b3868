"""``gpu-advisor whatif``: some answers replaced, before and after."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "what moves when answers are replaced: decisions, price, warnings, assumptions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``whatif``."""
    add_common(parser)
    parser.add_argument(
        "changes", nargs="+", metavar="K=V", help="an answer and its new value; empty takes it away"
    )


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.whatif import whatif

    adviser, answers = opened(args)
    return printed(whatif(adviser, answers, args.changes), args)
