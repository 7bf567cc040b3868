"""Argument parsing that fails with our errors instead of leaving the process."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NoReturn

from advisor.errors import InputError, Problem

__all__ = ["Parser", "add_format", "integer", "number"]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are :class:`InputError`, so that JSON callers get JSON."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing usage and exiting."""
        text = f"{message[:1].upper()}{message[1:]}."
        hint = f" See `{self.prog} --help`."
        raise InputError(Problem("usage", text + hint))


def add_format(parser: argparse.ArgumentParser, *choices: str) -> None:
    """Add ``--format``."""
    values = choices or ("text", "json")
    parser.add_argument("--format", choices=values, default=values[0], help="form of the output")


def _quantity(text: str, unit: str) -> float:
    from advisor.answers.units import UnitError, parse_quantity

    try:
        return float(parse_quantity(text, unit))
    except UnitError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from error


def integer(low: int = 1, high: int = 10**9, *, unit: str = "count") -> Callable[[str], int]:
    """Return a converter for whole numbers from ``low`` to ``high``.

    ``unit="tokens"`` understands ``128k``.
    """

    def convert(text: str) -> int:
        value = _quantity(text, unit)
        if value != int(value):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{int(value)} is outside {low} to {high}")
        return int(value)

    return convert


def number(low: float, high: float, *, unit: str) -> Callable[[str], float]:
    """Return a converter for finite numbers from ``low`` to ``high`` of a unit in ``UNITS``."""

    def convert(text: str) -> float:
        value = _quantity(text, unit)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{value:g} is outside {low:g} to {high:g}")
        return value

    return convert
