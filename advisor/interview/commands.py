"""The commands of the interview, one registry for every face; a line is one or an answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["COMMANDS", "Command", "command_of", "matching"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    name: str
    usage: str
    help: str
    aliases: tuple[str, ...] = ()
    bare: tuple[str, ...] = ()
    """Words that mean it without a slash."""

    @property
    def takes_words(self) -> bool:
        """Whether anything may stand behind the name: its usage says what."""
        return " " in self.usage or self.name == "quit"


COMMANDS = (
    Command(
        "why",
        "/why [QUESTION]",
        "why this question is asked, and what each answer would do",
        (),
        ("?",),
    ),
    Command(
        "how", "/how NAME [all]", "on what a decision, number or warning rests, down to the answers"
    ),
    Command(
        "whynot",
        "/whynot OPTION",
        "what speaks against an option, and what would make it the choice",
    ),
    Command("whatif", "/whatif KEY=VALUE ...", "what would move; /keep takes it over"),
    Command("keep", "/keep", "take over what /whatif tried"),
    Command("limits", "/limits [KEY]", "how far each number may go before the advice flips"),
    Command("compare", "/compare A B", "two options side by side at the same load"),
    Command("back", "/back [N]", "take back the last answer", ("undo",), ("back", "undo")),
    Command("redo", "/redo [N]", "put it on again", (), ("redo",)),
    Command(
        "edit", "/edit N VALUE", "change answer N and keep the later ones; shows what moves first"
    ),
    Command("unknown", "/unknown", "I don't know (also 0)"),
    Command("skip", "/skip", "ask another question first"),
    Command("set", "/set KEY=VALUE ...", "answer any question, asked or not"),
    Command("cite", "/cite 3.3", "open a section of the handbook", ("section",)),
    Command("find", "/find WORDS", "search the handbook"),
    Command("facts", "/facts", "what is known and what is assumed", ("answers",)),
    Command(
        "so-far", "/so-far [all]", "every decision as it stands, and what will bite", ("sofar",)
    ),
    Command("open", "/open [all]", "questions that could still change a decision"),
    Command(
        "copy", "/copy [FORM]", "the advice with its citations, to the clipboard; answers as yaml"
    ),
    Command(
        "export",
        "/export FILE [--force]",
        "the advice as .md, .html, .json or .txt, the answers as .yaml, by the ending",
    ),
    Command("save", "/save NAME", "name the case"),
    Command("cases", "/cases [all]", "the cases that were kept"),
    Command("restart", "/restart", "start anew; the old case is kept"),
    Command("help", "/help [WORD]", "this list", (), ("help",)),
    Command(
        "quit", "/quit", "leave; everything is saved", ("exit", "q"), ("quit", "exit", ":q", ":wq")
    ),
)
"""In the order in which help lists them."""


def command_of(line: str) -> tuple[str, str] | None:
    """Return the command's name and its arguments, or ``None`` where the line is an answer.

    An unknown word after a slash is returned as it is, so that it can be told.
    """
    text = line.strip()
    if text.startswith("/") and len(text) > 1:
        word, _, rest = text[1:].partition(" ")
        return _named(word.casefold()), rest.strip()
    for command in COMMANDS:
        if text.casefold() in command.bare:
            return command.name, ""
    return None


def _named(word: str) -> str:
    for command in COMMANDS:
        if word == command.name or word in command.aliases:
            return command.name
    begun = [command.name for command in matching(word)]
    return begun[0] if len(begun) == 1 else word


def matching(start: str) -> Iterator[Command]:
    """Yield the commands whose name begins so."""
    yield from (command for command in COMMANDS if command.name.startswith(start.casefold()))
