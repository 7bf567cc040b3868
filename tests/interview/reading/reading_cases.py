"""What the tests of reading share: the knowledge, and a reading as plain values."""

from __future__ import annotations

from advisor.answers.questions import load_questions
from advisor.interview.reading.model import Reading
from advisor.interview.reading.reply import read_reply
from advisor.interview.reading.sentence import read_sentence
from advisor.store.loader import load_knowledge

KNOWLEDGE = load_knowledge()
QUESTIONS = load_questions()


def sentence(text: str) -> Reading:
    return read_sentence(text, KNOWLEDGE)


def reply(key: str, text: str) -> Reading:
    return read_reply(text, QUESTIONS[key], KNOWLEDGE)


def values(reading: Reading) -> dict[str, object]:
    """Return the answers that were found, by key."""
    return {one.key: one.value for one in reading.found}


def offers(reading: Reading) -> list[list[tuple[str, object]]]:
    """Return the readings of everything that is ambiguous."""
    return [[(one.key, one.value) for one in offer.readings] for offer in reading.ambiguous]
