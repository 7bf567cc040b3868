"""Argument parsing that fails with our errors instead of leaving the process."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NoReturn

from advisor.errors import InputError, Problem

__all__ = ["Parser", "add_format", "integer", "knowledge_folders", "number"]


class Parser(argparse.ArgumentParser):
    """A parser whose errors are :class:`InputError`, so that JSON callers get JSON.

    Abbreviated flags are not taken: a script that relies on one breaks when a flag is added.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - passed on as they are
        kwargs.setdefault("allow_abbrev", False)
        super().__init__(*args, **kwargs)
        # a place of its own for each command, so that a flag before the command counts as well
        self.add_argument(
            "--knowledge",
            action="append",
            default=argparse.SUPPRESS,
            metavar="DIR",
            dest=f"knowledge_{len(self.prog.split())}",
            help="a folder of your own knowledge on top of the shipped one; may be repeated",
        )

    _words: tuple[str, ...] = ()
    """What is being parsed."""

    def parse_known_args(  # type: ignore[override]  # one of its overloads is all we need
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse as the class above does, and remember what: its errors do not carry it."""
        self._words = tuple(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing usage and exiting."""
        if "arguments are required" in message:
            # the wrong flag is why the right one is missing, or has taken its place
            words = (word for word in self._words if len(word) > 1 and word.startswith("-"))
            wrong = [w for w in words if w.partition("=")[0] not in self._option_string_actions]
            if wrong:
                raise self._unrecognized(wrong)
        raise self._usage(f"{message[:1].upper()}{message[1:]}.")

    def parse_args(  # type: ignore[override]  # one of its overloads is all we need
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Parse, and name the flags that come closest to one that is not known.

        Raises:
            InputError: The command line cannot be used.
        """
        found, left = self.parse_known_args(args, namespace)
        if left:
            raise self._chosen(found)._unrecognized(left)  # noqa: SLF001 - of its own class
        return found

    def _chosen(self, found: argparse.Namespace) -> Parser:
        """Return the parser of the command that was chosen, or this one where none was."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
                chosen = action.choices.get(str(getattr(found, action.dest, "")))
                if isinstance(chosen, Parser):
                    return chosen._chosen(found)  # noqa: SLF001 - of its own class
        return self

    def _unrecognized(self, left: Sequence[str]) -> InputError:
        """Return the error about words that no argument takes, with the flags that come closest."""
        flag = next((word for word in left if word.startswith("-")), left[0])
        name = flag.partition("=")[0]
        close = _nearest(name, self._option_string_actions) if name.startswith("-") else ()
        switch = self._switch_before(left[0])
        message = f"{switch} takes no value. " if switch else ""
        return self._usage(f"{message}Unrecognized arguments: {' '.join(left)}.", name, (), close)

    def _switch_before(self, word: str) -> str | None:
        """Return the flag without a value that stands before ``word``."""
        for flag, after in pairwise(self._words):
            action = self._option_string_actions.get(flag)
            if after == word and action is not None and action.nargs == 0:
                return flag
        return None

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a value outside ``choices``; argparse calls this, its own text varies."""
        if action.choices is None or value in action.choices:
            return
        allowed = tuple(str(choice) for choice in action.choices)
        close = _nearest(str(value), allowed)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - there is no other name
            message = f"There is no command {value!r}."
            raise self._usage(message, None, allowed, close, code="unknown_command")
        name = action.option_strings[-1] if action.option_strings else str(action.metavar)
        raise self._usage(f"{value!r} is not allowed.", name, allowed, close, code="bad_value")

    def _usage(
        self,
        message: str,
        key: str | None = None,
        allowed: tuple[str, ...] = (),
        nearest: tuple[str, ...] = (),
        *,
        code: str = "usage",
    ) -> InputError:
        text = message if allowed else f"{message} See `{self.prog} --help`."
        return InputError(Problem(code, text, key=key, allowed=allowed, nearest=nearest))


def _nearest(word: str, known: Iterable[str]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(word, list(known), n=3, cutoff=0.6))


def knowledge_folders(args: argparse.Namespace, environment: Mapping[str, str]) -> list[str]:
    """Return the folders of one's own knowledge, lowest first: the environment's, then flags."""
    from advisor.store.in_use import named_folders

    found = list(named_folders(environment))
    for name, folders in sorted(vars(args).items()):
        if name.startswith("knowledge_"):
            found += folders
    return list(dict.fromkeys(found))


def add_format(parser: argparse.ArgumentParser, *choices: str) -> None:
    """Add ``--format``."""
    values = choices or ("text", "json")
    parser.add_argument("--format", choices=values, default=values[0], help="form of the output")


def _quantity(text: str, unit: str) -> float:
    from advisor.answers.units import UnitError, parse_quantity

    try:
        return float(parse_quantity(text, unit))
    except (UnitError, OverflowError) as error:
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
