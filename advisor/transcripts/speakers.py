"""Who answers: an answers file, or the transcript of an interview that was held before."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.plain import thawed
from advisor.errors import InputError
from advisor.interview.reading.reply import read_reply
from advisor.reports.advice_words import said
from advisor.transcripts.hearing import DONT_KNOW
from advisor.transcripts.model import END, Asked, Item, Said

if TYPE_CHECKING:
    from advisor.answers.questions import Question
    from advisor.explain.adviser import Adviser

__all__ = ["FromAnswers", "FromTranscript", "set_line", "visits"]

_QUOTED = "[]{}=\"' "


class FromAnswers:
    """Answers what an answers file says, and "I don't know" where it says nothing.

    Attributes:
        asked: The questions that came up.
    """

    def __init__(
        self,
        adviser: Adviser,
        answers: Answers,
        *,
        first: Sequence[str] = (),
        script: Mapping[str, Iterable[str]] | None = None,
    ) -> None:
        """Prepare to speak.

        Args:
            adviser: Knows questions and names.
            answers: What is answered.
            first: Lines that are said before the first question is answered.
            script: Lines that are said when a question comes up, before it is answered;
                under :data:`END` when nothing is left to ask.
        """
        self.asked: dict[str, None] = {}
        self._adviser, self._answers = adviser, answers
        self._first = deque(first)
        self._script = {key: deque(lines) for key, lines in (script or {}).items()}

    def next(self, key: str) -> str | None:
        """Return what to say now."""
        self.asked[key] = None
        if self._first:
            return self._first.popleft()
        if self._script.get(key):
            return self._script[key].popleft()
        if key == END:
            return None
        if key not in self._answers.values:
            return DONT_KNOW
        return answer_text(self._adviser, self._answers, self._adviser.questions[key])

    def refused(self, key: str, text: str) -> None:
        """Nothing to do: the recorder reports it."""

    @property
    def unsaid(self) -> tuple[tuple[str, str], ...]:
        """Lines of the script whose question never came up."""
        return tuple((key, line) for key, lines in self._script.items() for line in lines)


def answer_text(adviser: Adviser, answers: Answers, question: Question) -> str:
    """Return how somebody would type an answer so that it is read as it was meant."""
    value = answers.values[question.key]
    origin = answers.origin.get(question.key)
    for text in (said(value), "" if origin is None else origin.text):
        if not text or "\n" in text:
            continue
        found = read_reply(text, question, adviser.knowledge).found
        if len(found) != 1 or found[0].key != question.key:
            continue
        if found[0].value == value or _same_model(adviser, found[0].value, value):
            return text
    return set_line({question.key: value})


def _same_model(adviser: Adviser, read: object, meant: object) -> bool:
    """Tell whether two names are names of one model of the catalogue."""
    if not isinstance(read, str) or not isinstance(meant, str):
        return False
    try:
        return adviser.knowledge.find_model(read) is adviser.knowledge.find_model(meant)
    except InputError:
        return False


def set_line(values: Mapping[str, object]) -> str:
    """Return the command that answers questions without being asked."""
    return f"/set {' '.join(f'{key}={_text(value)}' for key, value in values.items())}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    plain = thawed(value)
    if isinstance(plain, list) and all(_is_plain(part) for part in plain) and len(plain) == 1:
        return str(plain[0])
    if isinstance(plain, list | dict):
        return json.dumps(plain, ensure_ascii=False)
    return str(plain) if _is_plain(plain) else json.dumps(plain, ensure_ascii=False)


def _is_plain(value: object) -> bool:
    if isinstance(value, int | float):
        return True
    return isinstance(value, str) and not any(sign in value for sign in _QUOTED)


class FromTranscript:
    """Says what was said when a question stood open before, whatever the order is now."""

    def __init__(self, items: Iterable[Item]) -> None:
        """Prepare to speak."""
        self._visits: dict[str, deque[deque[Said]]] = defaultdict(deque)
        for key, lines in visits(items):
            self._visits[key].append(deque(lines))
        self._now: tuple[str, deque[Said]] = (END, deque())

    def next(self, key: str) -> str | None:
        """Return what to say now."""
        before, lines = self._now
        if before != key or not lines:
            if lines:  # the question went away before all was said
                self._visits[before].appendleft(lines)
            waiting = self._visits[key]
            lines = waiting.popleft() if waiting else deque()
            self._now = (key, lines)
        return lines.popleft().text if lines else None

    def refused(self, key: str, text: str) -> None:
        """Nothing to do: the replay reports it."""

    @property
    def unsaid(self) -> tuple[tuple[str, Said], ...]:
        """What nobody asked for any more."""
        rest = [(self._now[0], one) for one in self._now[1]]
        for key, waiting in self._visits.items():
            rest += [(key, one) for lines in waiting for one in lines]
        return tuple(rest)


def visits(items: Iterable[Item]) -> list[tuple[str, list[Said]]]:
    """Return, for every time that a question stood open, what was said then."""
    found: list[tuple[str, list[Said]]] = []
    for item in items:
        if isinstance(item, Asked):
            found.append((item.key, []))
        elif isinstance(item, Said):
            if not found:
                found.append((END, []))
            found[-1][1].append(item)
    return found
