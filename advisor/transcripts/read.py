"""A transcript read from its Markdown file, every line accounted for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from advisor.errors import InputError, Problem
from advisor.transcripts.markup import split_cites, uncoded
from advisor.transcripts.model import END, Asked, Item, Prose, Said, Told, Transcript
from advisor.transcripts.read_advice import read_advice
from advisor.transcripts.write import ADVICE, INTERVIEW, NOTHING_LEFT

__all__ = ["read_transcript", "read_transcript_text"]

_QUESTION = re.compile(r"^\*\*(?P<text>.+)\*\* `(?P<key>[a-z0-9_.]+)`(?P<rest>.*)$")
_DECIDES = re.compile(r"^\*Decides: (.*)\.\*$")
_REPLY = re.compile(r"^(?:((?:  )*)- )?(.*)$")
_YOU = "You:"
_KEYS = ("title", "knowledge", "tags", "ask")
_NEEDED = ("title", "knowledge")


def read_transcript(path: Path) -> Transcript:
    """Return the transcript in a file.

    Raises:
        InputError: it cannot be read, or a line is not one of a transcript; with file and line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        message = f"The file cannot be read: {reason}."
        raise InputError(Problem("unreadable", message, file=str(path))) from error
    return read_transcript_text(text, str(path))


def read_transcript_text(text: str, name: str) -> Transcript:
    """Return the transcript in ``text``.

    Raises:
        InputError: a line is not one of a transcript; with ``name`` and line.
    """
    return _Reader(text, name).transcript()


class _Reader:
    """Reads the parts of a file in their order."""

    def __init__(self, text: str, name: str) -> None:
        self._lines = text.splitlines()
        self._name = name

    def transcript(self) -> Transcript:
        """Return what the file holds."""
        head, at = self._front_matter()
        interview = self._heading(INTERVIEW, at)
        advice = self._heading(ADVICE, interview)
        intro = self._intro(head["title"], at, interview)
        items = tuple(self._items(interview + 1, advice))
        if not any(isinstance(item, Said) for item in items):
            raise self._fault("nothing_said", "Nobody says anything here.", interview + 1)
        blocks = read_advice(self._lines, advice + 1, self._name)
        return Transcript(
            title=head["title"],
            knowledge=head["knowledge"],
            items=items,
            advice=blocks,
            tags=_listed(head.get("tags", "")),
            ask=_listed(head["ask"]) if "ask" in head else None,
            intro=intro,
        )

    def _fault(self, what: str, message: str, line: int, key: str | None = None) -> InputError:
        return InputError(Problem(what, message, file=self._name, line=line, key=key))

    def _front_matter(self) -> tuple[dict[str, str], int]:
        """Return what stands between the first two ``---``, and where the rest begins."""
        lines = self._lines
        if not lines or lines[0] != "---" or "---" not in lines[1:]:
            message = "A transcript begins with its title and more between two lines of ---."
            raise self._fault("no_front_matter", message, 1)
        end = lines.index("---", 1)
        found: dict[str, str] = {}
        for number, line in enumerate(lines[1:end], 2):
            key, colon, value = line.partition(":")
            if not colon or key not in _KEYS or key in found:
                allowed = ", ".join(_KEYS)
                message = f"Here stand {allowed}, each once: {line!r} is none of them."
                raise self._fault("bad_front_matter", message, number, key)
            found[key] = self._value(key, value.strip(), number)
        for key in _NEEDED:
            if not found.get(key):
                raise self._fault("bad_front_matter", f"There is no {key}.", 1, key)
        return found, end + 1

    def _value(self, key: str, value: str, line: int) -> str:
        if key in {"tags", "ask"}:
            if not re.fullmatch(r"\[[\w\-, ]*\]", value):
                raise self._fault("bad_front_matter", f"{key} is a list: [one, two].", line, key)
            return value[1:-1]
        if not value.startswith('"'):
            return value
        try:
            return str(json.loads(value))
        except ValueError as error:
            raise self._fault("bad_front_matter", "The quotation does not end.", line) from error

    def _heading(self, heading: str, start: int) -> int:
        for number in range(start, len(self._lines)):
            if self._lines[number].rstrip() == heading:
                return number
        message = f"The heading “{heading}” is missing."
        raise self._fault("no_heading", message, len(self._lines))

    def _intro(self, title: str, start: int, end: int) -> str:
        text = "\n".join(self._lines[start:end]).strip("\n")
        first, _, rest = text.partition("\n")
        if first.strip() != f"# {title}":
            message = f"The page begins with the heading “# {title}”, the title of its head."
            raise self._fault("bad_title", message, start + 1)
        return rest.strip("\n")

    def _items(self, start: int, end: int) -> Iterator[Item]:
        """Yield what was asked, said, and written between."""
        items: list[Item] = []
        at = start
        while at < end:
            line = self._lines[at]
            if not line.strip():
                at += 1
            elif line.startswith(">"):
                at = self._quotation(items, at, end)
            elif line.startswith(_YOU):
                text = uncoded(line.removeprefix(_YOU).strip())
                if not text:
                    raise self._fault("nothing_said", "Nothing stands after “You:”.", at + 1)
                items.append(Said(text, line=at + 1))
                at += 1
            else:
                at = self._prose(items, at, end)
        yield from items

    def _quotation(self, items: list[Item], start: int, end: int) -> int:
        """Add a question, or the reply to what was said last; return the line after it."""
        stop = start
        while stop < end and self._lines[stop].startswith(">"):
            stop += 1
        lines = [line[1:].removeprefix(" ") for line in self._lines[start:stop]]
        asked = self._asked(lines, start)
        if asked is not None:
            items.append(asked)
            return stop
        last = items[-1] if items else None
        if not isinstance(last, Said) or last.reply:
            message = "This quotation is no question with its key, and nothing was said before it."
            raise self._fault("bad_quotation", message, start + 1)
        items[-1] = replace(last, reply=tuple(_told(lines)))
        return stop

    def _asked(self, lines: list[str], start: int) -> Asked | None:
        if lines[0].startswith(NOTHING_LEFT):
            text, cites = split_cites(lines[0].removeprefix(NOTHING_LEFT).strip())
            return Asked(END, "", cites, text, start + 1)
        found = _QUESTION.match(lines[0])
        if found is None:
            return None
        decides = _DECIDES.match(lines[1]) if len(lines) > 1 else None
        if len(lines) > 1 + (decides is not None):
            message = "Below a question stands only what it decides: *Decides: GPU.*"
            raise self._fault("bad_quotation", message, start + 2)
        _, cites = split_cites(found["rest"])
        said = decides[1] if decides is not None else ""
        return Asked(found["key"], found["text"], cites, said, start + 1)

    def _prose(self, items: list[Item], start: int, end: int) -> int:
        stop = start
        while stop < end and not self._lines[stop].startswith((">", _YOU)):
            stop += 1
        text = "\n".join(self._lines[start:stop]).strip("\n")
        items.append(Prose(text, line=start + 1))
        return stop


def _told(lines: list[str]) -> Iterator[Told]:
    for line in lines:
        if not line.strip():
            continue
        found = _REPLY.match(line)
        assert found is not None  # noqa: S101 - every group may be empty
        text, cites = split_cites(found[2])
        yield Told(text, cites, -1 if found[1] is None else len(found[1]) // 2)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[,\s]+", text) if word)
