"""Replies without options: versions, names, environment variables, MIG profiles; and the reply."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.questions import Question
from advisor.interview.reading.answer import dont_know, understood, unit_of
from advisor.interview.reading.lexicon import Lexicon, lexicon_of
from advisor.interview.reading.model import Reading, Understood
from advisor.interview.reading.words import longest, words_of

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Reply", "listed", "one", "plain_form", "read_free", "without_polite"]

_PAIR = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*)\s*(?:=|:\s|\s(?=\S+$))\s*(\"[^\"]*\"|'[^']*'|[^\s,;]+)"
)
_PROFILE = re.compile(
    r"(?:(\d{1,2})\s*[x\u00d7]\s*)?([1-7][cg][\w.+-]*)(?:\s*[x\u00d7]\s*(\d{1,2}))?", re.IGNORECASE
)


@dataclass(frozen=True)
class Reply:
    """What is read, and with what."""

    text: str
    """Without space around it."""
    start: int
    question: Question
    knowledge: Knowledge
    known: Answers | None
    lexicon: Lexicon

    @property
    def span(self) -> tuple[int, int]:
        """Return where the reply stands in what was typed."""
        return self.start, self.start + len(self.text)

    def read(self, written: object, *, shown: str = "", note: str = "") -> Understood | None:
        """Return the whole reply as an answer, or None where that is not legal."""
        return understood(
            self.question, written, self.text, self.span, self.knowledge, shown=shown, note=note
        )


def one(read: Understood | None) -> Reading | None:
    """Return the reading that holds one answer."""
    return Reading(found=(read,)) if read is not None else None


@lru_cache(maxsize=32)
def listed(knowledge: Knowledge, name: str) -> frozenset[str]:
    """Return a word list in the plain form of replies."""
    return frozenset(map(plain_form, lexicon_of(knowledge).book.words(name)))


def plain_form(text: str) -> str:
    """Return a reply without case, apostrophes, and signs around it."""
    bare = re.sub(r"['\u2019]", "", text.casefold()).strip(' .,!;"')
    return re.sub(r"\s+", " ", bare.replace(",", " "))


def read_free(reply: Reply, plain: str) -> Reading | None:  # noqa: PLR0911 - likewise
    """Return a reply to a question without options."""
    question = reply.question
    denied = plain in listed(reply.knowledge, "no")
    if unit_of(question) is not None:
        return one(reply.read("0", shown="zero")) if denied and question.min == 0 else None
    if denied:
        return one(dont_know(question, reply.text, reply.span))
    if question.kind == "version":
        return one(reply.read(without_polite(reply)))
    if question.kind == "mapping":
        pairs = {name: value.strip("\"'") for name, value in _PAIR.findall(reply.text)}
        return one(reply.read(pairs)) if pairs else None
    if question.nested:
        profiles = tuple(_profiles(reply.text))
        return one(reply.read(profiles)) if profiles else None
    if question.kind == "list_of_records":
        return None
    return _named(reply)


def _profiles(text: str) -> Iterator[str]:
    """Yield MIG profiles, as often as they are counted: "2x 3g.40gb"."""
    parts = [
        part
        for part in re.split(r"[,;]\s*|\band\b|\s+(?![x\u00d7]\s*\d|\d+g|[1-7]c)", text)
        if part.strip()
    ]
    for part in (
        piece for one in parts for piece in re.split(r"\s+(?=[1-7][gc]\.)(?<![x\u00d7]\s)", one)
    ):
        match = _PROFILE.fullmatch(part.strip())
        times = int(match[1] or match[3] or 1) if match else 1
        yield from [match[2] if match else part.strip()] * min(times, 8)


def without_polite(reply: Reply) -> str:
    """Return a reply without the small talk before it: "it's version 1.31"."""
    words = words_of(reply.text)
    polite = reply.lexicon.lists["polite"]
    at = 0
    while at < len(words) - 1:
        found = longest(words, at, polite, spaced=True)
        if found is not None and found[0] < len(words):
            at = found[0]
        elif words[at].text in {"version", "v", "release"}:
            at += 1
        else:
            break
    return reply.text[words[at].start :].rstrip(" .!") if words else reply.text


def _named(reply: Reply) -> Reading | None:
    """Return a free text, such as a region or a path; a pattern in it counts first."""
    question = reply.question
    pattern = next((p for key, p in reply.lexicon.patterns if key == question.key), None)
    if pattern is not None and pattern.search(reply.text):
        return None  # the sentence reader finds it, and what stands beside it
    text = without_polite(reply)
    if question.list:
        parts = [part for part in re.split(r"\s*[,;]\s*|\s+(?:and|or)\s+", text) if part]
        return one(reply.read(tuple(parts)))
    return one(reply.read(text))
