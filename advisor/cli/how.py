"""``gpu-advisor how``: on what a conclusion rests."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "on what a conclusion rests: rules, facts, answers, assumptions, sums"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``how``."""
    add_common(parser)
    parser.add_argument(
        "name",
        metavar="NAME",
        help="gpu, sharing, parallelism, provisioning, a parameter such as gpu.replicas, or the id "
        "of a warning",
    )


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.how import how

    adviser, answers = opened(args)
    return printed(how(adviser, answers, args.name), args)
