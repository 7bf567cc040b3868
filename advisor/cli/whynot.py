"""``gpu-advisor whynot``: what speaks against something."""

from __future__ import annotations

import argparse

from advisor.cli.explaining import add_common, opened, printed

__all__ = ["HELP", "add_arguments", "run"]

HELP = "what speaks against an option, a GPU or a layout, and which answers would have to differ"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``whynot``."""
    add_common(parser)
    parser.add_argument(
        "option",
        nargs="+",
        metavar="OPTION",
        help="mig, karpenter, tensor, h100-sxm, 'h200-sxm fp8', tp4",
    )


def run(args: argparse.Namespace) -> int:
    """Explain and print.

    Raises:
        InputError: the file, an answer or a name cannot be used.
    """
    from advisor.explain.whynot import whynot

    adviser, answers = opened(args)
    return printed(whynot(adviser, answers, " ".join(args.option)), args)
