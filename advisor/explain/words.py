"""How keys, values and decisions are said in explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from advisor.consult.consultation import Choice, Consultation, Decision
from advisor.errors import Problem, UnknownNameError
from advisor.explain.change import short
from advisor.explain.explanation import sections_of
from advisor.reports.advice_words import TITLES, headline, said

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = [
    "SECTIONS",
    "Basis",
    "basis_of",
    "decided",
    "full_key",
    "key_sections",
    "sections",
    "sentences",
    "title_of",
    "value_words",
]

SECTIONS = {"gpu": "8.1", "sharing": "8.2", "parallelism": "8.3", "provisioning": "8.4"}
"""The section of the decision framework behind each decision."""


def value_words(value: object) -> str:
    """Return a value as it is said; whole numbers with separators."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.10g}"
    return said(value)


def full_key(adviser: Adviser, word: str) -> str:
    """Return the key that a word names: in full, or its last part where only one key ends so.

    Raises:
        UnknownNameError: no key, or several; names the nearest.
    """
    from advisor.answers.nearest import homes_of, nearest_keys
    from advisor.answers.nodes import shown
    from advisor.answers.record_places import question_at

    key, given, _ = word.strip().partition("=")
    if not given and question_at(adviser.questions, key) is not None:
        return key
    homes = homes_of(key, adviser.questions) if "." not in key else ()
    if len(homes) == 1 and not given:
        return homes[0]
    near = homes[:3] or nearest_keys(key, adviser.questions)
    text = f"There is no such answer: {shown(word.strip())}."
    if given:
        text += " A key is meant, without a value; whatif takes KEY=VALUE."
    if not near:
        text += " `gpu-advisor kb show questions` lists them."
    raise UnknownNameError(Problem("unknown_key", text, nearest=near))


def key_sections(adviser: Adviser, key: str) -> tuple[str, ...]:
    """Return the section of a question, also of a place such as ``workloads[0].model``."""
    from advisor.answers.record_places import question_at

    question = question_at(adviser.questions, key)
    return () if question is None else (question.section,)


def sections(decision: Decision | None, name: str) -> tuple[str, ...]:
    """Return the sections of a decision: its own, else that of the framework."""
    found = () if decision is None else sections_of(decision.citations)
    return found or (SECTIONS[name],)


def decided(decision: Decision | None, *, brief: bool = False) -> str:
    """Return a decision in words: its choice, else its status."""
    if decision is None:
        return "not asked for"
    if decision.choice is None:
        return decision.status.replace("_", " ")
    return _in_short(decision.choice) if brief else headline(decision.choice)


def _in_short(choice: Choice) -> str:
    """Return a choice in few words that still tell replicas, stages and sizes apart."""
    values: Mapping[str, Any] = choice.model_dump()
    if "gpu" in values and "total_gpus" in values and not values.get("loads"):
        text = short(choice).removesuffix(f" in {values.get('weight_format')}")
        text = text.removesuffix(f", {values.get('weight_format')}")
        text += f" in {values['weight_format']}" if values.get("weight_format") else ""
        many = (values.get("replicas") or 1) > 1
        each = values.get("count_per_replica")
        return f"{text}, {values['replicas']} replicas of {each}" if many else text
    return headline(choice)


class Basis:
    """Where the value of an answer comes from."""

    def __init__(self, key: str, words: str, given: bool, section: str) -> None:
        self.key, self.words, self.given, self.section = key, words, given, section

    def as_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"key": self.key, "basis": self.words, "given": self.given}


def basis_of(key: str, answers: Answers, told: Consultation, adviser: Adviser) -> Basis:
    """Return where ``key`` got its value: given (file and line), assumed (why), or nothing said.

    Args:
        key: A key of the questions, or a place inside a record.
        answers: As given.
        told: What they led to.
        adviser: Knows the questions.
    """
    section = next(iter(key_sections(adviser, key)), "8")
    given = next((one for one in told.answers if one.key == key), None)
    if given is not None:
        place = given.file if given.line is None else f"{given.file}:{given.line}"
        return Basis(key, f"{key} = {value_words(given.value)} (given, {place})", True, section)
    unknown = "answered with unknown" if key in answers.unknown else "not given"
    assumed = next((one for one in told.assumptions if one.key == key), None)
    if assumed is not None:
        why = assumed.why.rstrip(".")
        text = f"{key} = {value_words(assumed.value)} (assumed, {unknown}: {why})"
        return Basis(key, text, False, assumed.section)
    question = adviser.questions.get(key)
    if question is None or question.default is None:
        return Basis(key, f"{key} is {unknown}", False, section)
    why = (question.default_because or "").rstrip(".")
    text = f"{key} = {value_words(question.default)} (assumed, {unknown}: {why})"
    return Basis(key, text, False, section)


def title_of(name: str) -> str:
    """Return the title of a decision."""
    return TITLES.get(name, name)


_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a reason."""
    for sentence in _END.split(text.strip()):
        if sentence.strip(" .;:"):
            yield sentence.strip()
