"""A transcript in memory: what was asked and said, and what came out, as Markdown pieces.

Texts are Markdown already, on one line each, so that what is read from a file and what an
interview says now compare character by character.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["END", "Asked", "Block", "Bullet", "Item", "Prose", "Said", "Told", "Transcript"]

END = ""
"""Key under which is said what is said when nothing is left to ask."""


@dataclass(frozen=True, slots=True)
class Told:
    """One line that the advisor says."""

    text: str
    cites: tuple[str, ...] = ()
    """Sections, as links where there is something to link to."""
    indent: int = -1
    """-1 for a line of its own, from 0 for bullets."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question when it comes up, or that nothing is left to ask."""

    key: str
    """Its key; :data:`END` when nothing is left."""
    text: str
    cites: tuple[str, ...] = ()
    decides: str = ""
    """What it decides, or what is said at the end."""
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody typed, and what the advisor said to that."""

    text: str
    reply: tuple[Told, ...] = ()
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Prose:
    """Free text of the author; kept as it is."""

    text: str
    line: int | None = field(default=None, compare=False)


Item = Asked | Said | Prose


@dataclass(frozen=True, slots=True)
class Bullet:
    """One piece of advice."""

    id: str
    """What it is about: the title of a decision, the id of a warning, a key."""
    text: str
    """Without sections and rules."""
    cites: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines below it: the check, the fix."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the advice: bullets, or text in a fence."""

    title: str
    bullets: tuple[Bullet, ...] = ()
    text: str | None = None
    """What the fence holds, without a final newline; ``None`` where there are bullets."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One consultation."""

    title: str
    knowledge: str
    """Version of the knowledge that it was recorded against."""
    items: tuple[Item, ...]
    advice: tuple[Block, ...]
    tags: tuple[str, ...] = ()
    ask: tuple[str, ...] | None = None
    """Decisions that are asked for; ``None``: all."""
    intro: str = ""
    """What the author says before the interview; kept as it is."""

    def block(self, title: str) -> Block | None:
        """Return a part of the advice."""
        return next((block for block in self.advice if block.title == title), None)
