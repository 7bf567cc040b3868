"""``gpu-advisor limits``: how far the numbers may go."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "up to which value of a number the advice stays what it is"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``limits``."""
    add_common(parser)
    parser.add_argument(
        "key", nargs="?", metavar="KEY", help="a numeric answer; all that are given or assumed"
    )


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.limits import limits

    adviser, answers = opened(args)
    return printed(limits(adviser, answers, args.key), args)
