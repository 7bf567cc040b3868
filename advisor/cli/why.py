"""``gpu-advisor why``: why a question is asked."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "why a question is asked: what it can move, and what each answer would do"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``why``."""
    add_common(parser)
    parser.add_argument("key", nargs="?", metavar="KEY", help="an answer key; the next question")


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.why import why

    adviser, answers = opened(args)
    return printed(why(adviser, answers, args.key), args)
