"""The reference of commands, from their parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from reference_words import cell, code, table

from advisor.cli.main import COMMANDS, build_parser

__all__ = ["commands_page"]

_TAKES_NOTHING = (argparse._StoreTrueAction, argparse._StoreFalseAction, argparse._HelpAction)
_EVERYWHERE = frozenset({"--help", "--knowledge"})
"""Told once at the top."""


def commands_page() -> Iterator[str]:
    """Yield the lines of the page."""
    parser = build_parser()
    yield from ("# Commands", "", "What `gpu-advisor COMMAND --help` says, command by command.", "")
    yield "stdout is data, stderr is talk."
    yield "With `--format json` an error is one JSON object on stderr, and stdout stays empty."
    yield "Exit codes: 0 done, 1 findings, 2 bad usage or input, 3 a fault of the program."
    yield from ("", "Every command takes these:", "")
    shared = [a for a in parser._actions if set(a.option_strings) & _EVERYWHERE]
    yield from table(("option", "meaning"), map(_row, shared))
    yield from ("## gpu-advisor", "", "Without a command it holds the interview.", "")
    yield from _arguments(parser)
    chosen = _children(parser)
    for name in COMMANDS:
        yield from _command(f"gpu-advisor {name}", chosen[name], 2)


def _command(name: str, parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield from (f"{'#' * level} {name}", "")
    if parser.description:
        text = cell(parser.description)
        yield from (f"{text[0].upper()}{text[1:]}.", "")
    yield from _arguments(parser)
    for child, below in _children(parser).items():
        yield from _command(f"{name} {child}", below, level + 1)


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for group in parser._action_groups:
        actions = [a for a in group._group_actions if _is_told(a)]
        if not actions:
            continue
        if group.title not in {"options", "positional arguments"}:
            yield from (f"{cell(str(group.title))}:", "")
        kind = "argument" if group.title == "positional arguments" else "option"
        yield from table((kind, "meaning"), map(_row, actions))


def _is_told(action: argparse.Action) -> bool:
    hidden = action.help == argparse.SUPPRESS or set(action.option_strings) & _EVERYWHERE
    return not hidden and not isinstance(action, argparse._SubParsersAction)


def _row(action: argparse.Action) -> Iterable[str]:
    return code(_usage(action)), _meaning(action)


def _usage(action: argparse.Action) -> str:
    name = action.metavar or _choices(action) or action.dest.upper()
    value = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(
        str(action.nargs), str(name)
    )
    if not action.option_strings:
        return value
    return max(action.option_strings, key=len) + (
        "" if isinstance(action, _TAKES_NOTHING) else f" {value}"
    )


def _meaning(action: argparse.Action) -> str:
    default = action.default
    parts = [cell((action.help or "") % {"default": default, "prog": "gpu-advisor"})]
    if action.metavar and _choices(action):
        parts.append(f"one of {code(_choices(action))}")
    told = default in (None, False, argparse.SUPPRESS, []) or "default" in str(action.help)
    if action.option_strings and not told:
        parts.append(f"default {code(str(default))}")
    return "; ".join(part for part in parts if part)


def _choices(action: argparse.Action) -> str:
    return f"{{{','.join(map(str, action.choices))}}}" if action.choices else ""


def _children(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
