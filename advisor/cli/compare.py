"""``gpu-advisor compare``: two things side by side."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "two GPUs, formats, layouts or options side by side, at the same load"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``compare``."""
    add_common(parser)
    parser.add_argument("first", metavar="A", help="h100-sxm, 'h200-sxm fp8', tp4, mig")
    parser.add_argument("second", metavar="B", help="another of the same kind")


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.compare import compare

    adviser, answers = opened(args)
    return printed(compare(adviser, answers, args.first, args.second), args)
