"""Records an interview that an answers file answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from advisor.answers.model import Answers
from advisor.answers.validate import read_answers
from advisor.errors import InputError, Problem
from advisor.explain.adviser import Adviser
from advisor.interview.plan import load_plan
from advisor.interview.session import Session
from advisor.transcripts.hearing import Heard
from advisor.transcripts.holding import Held, hold
from advisor.transcripts.markup import Linker
from advisor.transcripts.model import Transcript
from advisor.transcripts.speakers import FromAnswers, set_line
from advisor.transcripts.telling import advice_of

__all__ = ["Words", "begun", "put_down", "read_script", "recorded"]

_ASK = "ask"
_END_WORD = "end"


@dataclass(frozen=True, slots=True)
class Words:
    """What the author says about a case."""

    title: str
    intro: str = ""
    tags: tuple[str, ...] = ()


def begun(adviser: Adviser, ask: Sequence[str] | None, file: Path | None) -> Heard:
    """Return an interview about some decisions, or all, that is put down for ``file``.

    Raises:
        InputError: a decision that there is not.
    """
    start = Session() if ask is None else Session(start=read_answers({_ASK: list(ask)}))
    return Heard(adviser, start, Linker(file))


def put_down(interview: Heard, words: Words, linker: Linker) -> Transcript:
    """Return the transcript of an interview that was held.

    Raises:
        InputError: its answers lead to an error.
    """
    ask = interview.session.start.values.get(_ASK)
    return Transcript(
        title=words.title,
        knowledge=interview.consultation.knowledge.version,
        items=interview.finished(),
        advice=advice_of(interview, linker),
        tags=words.tags,
        ask=tuple(ask) if isinstance(ask, tuple) else None,
        intro=words.intro,
    )


def recorded(
    adviser: Adviser,
    answers: Answers,
    words: Words,
    *,
    file: Path | None = None,
    script: Mapping[str, Iterable[str]] | None = None,
) -> Transcript:
    """Return the transcript of an interview that ``answers`` answer.

    What the interview never asks is said first, with ``/set``.

    Args:
        adviser: Advises; should be new, or the engine of a replay.
        answers: What is answered; the rest is not known.
        words: What the author says about it.
        file: Where the transcript will stand, for its links.
        script: Further lines by the key of the question at which they are said.

    Raises:
        InputError: an answer is not understood, or a line of the script cannot be said.
    """
    volunteered = _never_asked(adviser, answers)
    script = {key: tuple(lines) for key, lines in (script or {}).items()}
    while True:
        interview = begun(adviser, _asked_for(answers), file)
        first = _lines(answers, volunteered)
        speaker = FromAnswers(adviser, answers, first=first, script=script)
        held = hold(interview, speaker)
        left = [key for key in answers.values if key not in {*interview.session.answers.values}]
        if not left or not set(left) - set(volunteered):
            _complain(held, speaker)
        if not left:
            return put_down(interview, words, Linker(file))
        volunteered = [key for key in answers.values if key in {*volunteered, *left}]


def _asked_for(answers: Answers) -> tuple[str, ...] | None:
    ask = answers.values.get(_ASK)
    return tuple(map(str, ask)) if isinstance(ask, tuple) else None


def _never_asked(adviser: Adviser, answers: Answers) -> list[str]:
    plan = load_plan(adviser.knowledge)
    asked = {one.key for topic in plan.topics for one in topic.questions}
    return [key for key in answers.values if key != _ASK and key not in asked]


def _lines(answers: Answers, keys: Sequence[str]) -> tuple[str, ...]:
    """Return the commands that say ``keys``, those of one group together."""
    groups = groupby(keys, key=lambda key: key.partition(".")[0])
    return tuple(set_line({key: answers.values[key] for key in some}) for _, some in groups)


def _complain(held: Held, speaker: FromAnswers) -> None:
    """Raise for what was not understood.

    Raises:
        InputError: with every line.
    """
    problems = [
        Problem("not_accepted", f"“{one.text}” was not accepted: {one.why}", key=one.key or None)
        for one in held.refused
    ]
    problems += [
        Problem("never_said", f"“{line}” was never said: the question did not come up.", key=key)
        for key, line in speaker.unsaid
    ]
    if problems:
        raise InputError(problems)


def read_script(text: str, name: str, known: Iterable[str]) -> dict[str, list[str]]:
    """Return the lines of a script by the key of the question at which they are said.

    Each line is ``KEY: what is said``, ``end: …`` for what is said when nothing is left to ask.

    Raises:
        InputError: a line without a key that is known; with file and line.
    """
    from advisor.answers.nearest import nearest_words

    keys = (*known, _END_WORD)
    found: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, _, said = line.partition(":")
        if key.strip() not in keys or not said.strip():
            message = f"Say at which question: workload.concurrency: /why; {_END_WORD}: /how gpu."
            nearest = tuple(nearest_words(key.strip(), keys))
            raise InputError(Problem("bad_script", message, name, number, nearest=nearest))
        place = "" if key.strip() == _END_WORD else key.strip()
        found.setdefault(place, []).append(said.strip())
    return found
