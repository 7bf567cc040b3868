"""What only a screen can do: commands of this face alone, keys, and the help that lists them."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from advisor.interview.commands import COMMANDS, Command

from .rows import Row

__all__ = ["KEYS", "LOCAL", "completions", "help_rows", "local_of", "needs_words", "suggestions"]

LOCAL = (
    Command("panels", "/panels [so-far|evidence|help]", "next panel, on screens without room"),
    Command("pin", "/pin [3.3]", "keep the section that is open; again: follow the answers"),
    Command("theme", "/theme dark|light|terminal", "other colours"),
)
"""Beside the commands of the interview."""

KEYS = (
    ("1-9, 0", "pick an option, 0: I don't know; on an empty line"),
    ("1 Space", "go on with a sentence: the digit comes back, Enter says the whole line instead"),
    ("↑ ↓ Enter", "move over the options and choose; with text: earlier lines"),
    ("?", "why this is asked (/why)"),
    ("[ ]", "previous and next citation (/cite); /pin keeps a section open"),
    ("PgUp PgDn", "scroll the conversation; Home and End on an empty line"),
    ("Tab", "complete; on an empty line the next panel (/panels)"),
    ("Ctrl+O", "panels (/panels)"),
    ("Ctrl+Z Ctrl+Y", "take back, put on again (/back, /redo)"),
    ("Ctrl+C Ctrl+D", "copy what is marked; else clear the line; twice: leave"),
    ("Ctrl+P", "palette (/)"),
    ("F1", "this help (/help)"),
    ("Esc", "stop a look-up, leave a panel or what was typed; never loses anything"),
)
"""What each key does, with the word that does the same."""


def local_of(line: str) -> tuple[str, str] | None:
    """Return the command of this face that a line is, with its arguments; else ``None``."""
    word, _, rest = line.strip().partition(" ")
    for command in LOCAL:
        if word.casefold() == f"/{command.name}":
            return command.name, rest.strip().casefold()
    return None


def needs_words(command: Command) -> bool:
    """Tell whether a command says nothing without more words; those in brackets may be left off."""
    _, _, rest = command.usage.partition(" ")
    return bool(rest) and not rest.startswith("[")


def suggestions(typed: str) -> tuple[Command, ...]:
    """Return the commands that begin as typed, while the word is being typed."""
    if not typed.startswith("/") or " " in typed:
        return ()
    return tuple(c for c in (*COMMANDS, *LOCAL) if f"/{c.name}".startswith(typed.casefold()))


def completions(typed: str, sections: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the line may become with Tab."""
    found = suggestions(typed)
    if found:
        return tuple(f"/{c.name} " if needs_words(c) else f"/{c.name}" for c in found)
    word, _, rest = typed.partition(" ")
    pool = {"/cite": sections, "/how": names, "/whynot": names, "/panels": ("so-far", "evidence")}
    known = pool.get(word, ())
    return tuple(f"{word} {one}" for one in known if one.startswith(rest))


def help_rows() -> Iterator[Row]:
    """Yield the keys, then the commands."""
    yield Row(Content.styled("Keys", "bold"))
    for keys, does in KEYS:
        yield Row(Content.styled(f"{keys:<15}", "$said") + Content(does), 1, 15)
    yield Row(Content())
    yield Row(Content.styled("Commands", "bold"))
    for command in (*COMMANDS, *LOCAL):
        yield Row(Content.styled(command.usage, "$said") + Content(f"  {command.help}"), 1, 4)
    yield Row(Content())
    yield Row(Content("Anything else is read as an answer; 0 always means: I don't know."), 1, 2)
