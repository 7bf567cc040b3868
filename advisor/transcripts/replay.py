"""Holds the interview of a transcript again: what drifted, and what an update would lose."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.errors import InputError
from advisor.transcripts.drift import Drift, DriftClass, compared
from advisor.transcripts.holding import Held, hold
from advisor.transcripts.markup import Linker, cited
from advisor.transcripts.model import Asked, Said, Transcript
from advisor.transcripts.read import read_transcript_text
from advisor.transcripts.record import Words, begun, put_down
from advisor.transcripts.speakers import FromTranscript
from advisor.transcripts.write import written

if TYPE_CHECKING:
    from advisor.explain.adviser import Adviser
    from advisor.transcripts.hearing import Heard

__all__ = ["Replayed", "replayed"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of holding an interview again."""

    old: Transcript
    new: Transcript
    drifts: tuple[Drift, ...]
    losses: tuple[str, ...]
    """What an update would lose, in sentences; empty where it is safe."""

    def updated(self, take: Collection[DriftClass]) -> str:
        """Return the file with what is new in some classes."""
        return written(compared(self.old, self.new, take)[0])


def replayed(adviser: Adviser, transcript: Transcript, file: Path) -> Replayed:
    """Hold the interview of a transcript again and compare.

    Args:
        adviser: Advises; sharing it among transcripts saves time.
        transcript: As read.
        file: Where it stands, for its links.

    Raises:
        InputError: the interview cannot be held at all; with the file.
    """
    try:
        interview = begun(adviser, transcript.ask, file)
        speaker = FromTranscript(transcript.items)
        held = hold(interview, speaker)
        words = Words(transcript.title, transcript.intro, transcript.tags)
        new = put_down(interview, words, Linker(file))
    except InputError as error:
        raise InputError([replace(p, file=str(file)) for p in error.problems]) from error
    # read back, so that both sides have gone through the same file format
    new = read_transcript_text(written(replace(new, ask=transcript.ask)), str(file))
    _, drifts = compared(transcript, new)
    path = (*_answers_lost(held, speaker.unsaid), *_answers_missing(interview, held))
    losses = [drift.where for drift in path]
    if transcript.block("Settings") is not None and new.block("Settings") is None:
        losses.append("no decision comes out any more")
    return Replayed(transcript, new, (*path, *drifts), tuple(losses))


def _answers_lost(held: Held, unsaid: tuple[tuple[str, Said], ...]) -> Iterator[Drift]:
    for key, said in unsaid:
        where = f"“{said.text}” is not used any more: {key or 'the end'} does not come up"
        yield Drift("path", where, f"You: {said.text}", "", said.line)
    for one in held.refused:
        where = f"“{one.text}” is not accepted any more at {one.key or 'the end'}"
        yield Drift("path", where, f"You: {one.text}", one.why)


def _answers_missing(interview: Heard, held: Held) -> Iterator[Drift]:
    for one in held.missing:
        yield Drift("path", f"no answer to {one.key}", "", _to_paste(interview, one.key))


def _to_paste(interview: Heard, key: str) -> str:
    """Return a question with its options and why it is asked, ready to paste and complete."""
    question = interview.adviser.questions[key]
    asked = next(item for item in interview.items if isinstance(item, Asked) and item.key == key)
    head = f"> {cited(f'**{asked.text}** `{key}`', asked.cites)}"
    options = ("yes", "no") if question.kind == "bool" else tuple(c.id for c in question.values)
    choice = " | ".join(options) or question.example or "..."
    return f"{head}\n> *Decides: {asked.decides}.*\n\nYou: {choice}"
