"""The reply to one question, with whatever else it says beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.nodes import Scalar
from advisor.answers.plain import FrozenMapping
from advisor.answers.questions import Question
from advisor.answers.validate import override
from advisor.answers.values import Refused, read_value
from advisor.errors import InputError, Problem
from advisor.interview.reading.answer import dont_know, echo, understood, unit_of
from advisor.interview.reading.lexicon import lexicon_of
from advisor.interview.reading.model import Ambiguous, Reading, Understood
from advisor.interview.reading.nearest import unknown_gpu, unknown_model
from advisor.interview.reading.options import option_problem, own_words, read_options
from advisor.interview.reading.reply_forms import (
    Reply,
    listed,
    one,
    plain_form,
    read_free,
    without_polite,
)
from advisor.interview.reading.sentence import LONGEST_TEXT, scanned
from advisor.interview.reading.words import longest, words_of

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["read_reply"]

_CATALOGUED = {"workload.model": unknown_model, "hardware.gpu": unknown_gpu}
_FIGURES = {
    "workload.model": ("workload.model_config", "workload.parameters_b"),
    "hardware.gpu": ("hardware.gpu_memory_gib",),
}
"""What describes a model or a card outside the catalogue."""
_ASIDE = re.compile(r"\s*\([^()]*\)$")


def read_reply(
    text: str, question: Question, knowledge: Knowledge, *, known: Answers | None = None
) -> Reading:
    """Return what was typed in reply to a question.

    Args:
        text: a number of an option, words, an amount, a name, "I don't know", or a sentence
            that answers other questions as well.
        question: the question that is open.
        knowledge: names of GPUs and models, and the wording that is understood.
        known: answers given before.

    Raises:
        KnowledgeError: the knowledge base cannot be read.
    """
    trimmed = text.strip()
    if not trimmed:
        message = 'Nothing was typed: answer the question, or type 0 for "I don\'t know".'
        return Reading(problem=Problem("empty_reply", message, key=question.key))
    start = len(text) - len(text.lstrip())
    reply = Reply(trimmed, start, question, knowledge, known, lexicon_of(knowledge))
    reading = _whole(reply)
    if reading is not None:
        return reading
    if len(trimmed) > LONGEST_TEXT:
        return Reading(problem=_with_key(_too_long(trimmed), question.key))
    return _as_sentence(reply, text)


def _with_key(problem: Problem, key: str) -> Problem:
    """Return the problem as one of the open question, unless it has a key of its own."""
    return problem if problem.key else replace(problem, key=key)


def _too_long(text: str) -> Problem:
    message = f"The reply has {len(text):,} characters; at most {LONGEST_TEXT:,} are read."
    return Problem("text_too_long", message)


def _whole(reply: Reply) -> Reading | None:  # noqa: PLR0911 - one case after the other
    """Return the reply read as nothing but an answer to its question, or None."""
    question = reply.question
    plain = plain_form(reply.text)
    if reply.text.strip(" .!()[]") == "0" or (
        plain in listed(reply.knowledge, "unknown") and question.choice(reply.text) is None
    ):
        return one(dont_know(question, reply.text, reply.span))
    if question.multiline:
        return one(reply.read((reply.text,)))
    if reply.text[0] in "[{" and (read := _structured(reply)) is not None:
        return read
    if question.kind == "bool":
        return _yes_or_no(reply, plain)
    if question.values:
        options = read_options(reply.text, reply.start, question, reply.knowledge)
        if options is not None:
            return options
    if question.kind == "enum":
        return _agreed(reply, plain)
    if question.key in _CATALOGUED and plain not in listed(reply.knowledge, "no"):
        return None
    return read_free(reply, plain)


def _structured(reply: Reply) -> Reading | None:
    """Return a reply written as a list or a mapping, as an answers file would have it."""
    empty = Answers(FrozenMapping({}), frozenset(), FrozenMapping({}))
    one_line = " ".join(reply.text.splitlines())
    try:
        answers = override(empty, [f"{reply.question.key}={one_line}"])
    except InputError as error:
        if reply.question.kind != "list_of_records" and not reply.question.nested:
            return None
        return Reading(problem=replace(error.problems[0], file=None, line=None))
    value = answers.get(reply.question.key)
    if value is None:
        return None
    shown = echo(reply.question, value, reply.knowledge)
    if reply.question.kind == "list_of_records":
        shown = one_line
    return one(Understood(reply.question.key, value, reply.text, shown, reply.span))


def _yes_or_no(reply: Reply, plain: str) -> Reading | None:
    if plain in {"1", "2"}:
        return _by_number(reply, plain)
    stripped = without_polite(reply)
    for word in ("yes", "no"):
        if {plain, plain_form(stripped)} & listed(reply.knowledge, word):
            return one(reply.read(word))
    for text in (reply.text, stripped):
        if (read := reply.read(text)) is not None:
            return one(read)
    return _led_by_yes_or_no(reply)


def _by_number(reply: Reply, plain: str) -> Reading | None:
    """Return option 1 (yes) or 2 (no); where an amount means yes, a 2 may be either."""
    read = reply.read("yes" if plain == "1" else "no")
    if read is None or plain == "1" or not reply.question.counts:
        return one(read)
    amount = reply.read(plain, note="as an amount")
    offered = (replace(read, note="as option 2"), *((amount,) if amount else ()))
    return Reading(ambiguous=(Ambiguous(reply.text, reply.span, offered),))


def _led_by_yes_or_no(reply: Reply) -> Reading | None:
    """Return a yes or no with more behind it: "yes, on all nodes"; the rest is read by itself."""
    words = words_of(reply.text)
    for word in ("yes", "no"):
        found = longest(words, 0, reply.lexicon.lists[word], spaced=True)
        if found is None or found[0] >= len(words) or not words[found[0]].breaks:
            continue
        end = words[found[0] - 1].end
        answer = understood(
            reply.question,
            word,
            reply.text[:end],
            (reply.start, reply.start + end),
            reply.knowledge,
        )
        rest = scanned(
            " " * (reply.start + end) + reply.text[end:], reply.knowledge, known=reply.known
        )
        others = tuple(one for one in rest.found if one.key != reply.question.key)
        if answer is not None and len(others) == len(rest.found):
            offered = () if reply.question.counts else rest.ambiguous  # an amount of yes
            return replace(rest, found=(answer, *others), ambiguous=offered)
    return None


def _agreed(reply: Reply, plain: str) -> Reading | None:
    """Return a plain yes or no where one of the options is one."""
    for word in ("yes", "no"):
        if plain in listed(reply.knowledge, word) and (read := reply.read(word)) is not None:
            return one(read)
    return None


def _as_sentence(reply: Reply, text: str) -> Reading:
    """Return a reply read as a sentence, in which the open question's words count first."""
    question = reply.question
    own = own_words(question) if question.values else {}
    read = _ASIDE.sub("", text) if unit_of(question) is not None else text
    reading = scanned(read, reply.knowledge, known=reply.known, focus=question, own=own)
    keys = {one.key for one in reading.found} | {
        one.key for offer in reading.ambiguous for one in offer.readings
    }
    if question.key in keys:
        return reading
    if question.key in _CATALOGUED:
        return _unlisted(reply, reading)
    if keys or reading.problem is not None:
        return reading
    if reading.notes:
        told = Problem("not_an_answer", " ".join(reading.notes), key=question.key)
        return replace(reading, problem=told, notes=())
    return replace(reading, problem=_problem(reply))


def _unlisted(reply: Reply, reading: Reading) -> Reading:
    """Return the reading of a name that the catalogue does not have."""
    if reading.problem is not None:
        name = reading.problem.message.partition("'")[2].partition("'")[0]
    else:
        name = reading.rest[0] if reading.rest else reply.text
        if not reading.rest and reading.found:
            return reading
    figures = _FIGURES[reply.question.key]
    if not any(map(str.isalpha, reply.text)):
        message = f"{reply.text[:60]!r} is no name: say what it is called, or 0."
        return replace(reading, problem=Problem("no_name", message, key=reply.question.key))
    if reply.known is not None and any(map(reply.known.is_given, figures)) and not reading.found:
        note = "not in the catalogue; the figures that you gave describe it"
        if (read := reply.read(reply.text, note=note)) is not None:
            return Reading(found=(read,))
    problem = _CATALOGUED[reply.question.key](reply.knowledge, name or reply.text)
    hint = " or ".join(figures)
    message = f"{problem.message} To use one outside the catalogue, answer {hint} first."
    return replace(reading, problem=replace(problem, message=message))


def _problem(reply: Reply) -> Problem:
    """Return why a reply cannot be used, in one sentence."""
    question = reply.question
    if question.kind == "enum":
        return option_problem(reply.text, question)
    if question.kind == "list_of_records":
        message = (
            "Give the records as a list, such as [{gpu: H100, gpus_per_node: 8}, {gpu: L40S}]."
        )
        return Problem("needs_records", message, key=question.key)
    try:
        read_value(question, Scalar(reply.text))
    except Refused as refused:
        return _without_advice(reply, replace(refused.problems[0], key=question.key, line=None))
    message = f"{reply.text[:60]!r} could not be read as an answer to this question."
    return Problem("not_understood", message, key=question.key)


def _without_advice(reply: Reply, problem: Problem) -> Problem:
    """Return a problem without "write just the number 200": 200 million are not 200."""
    if "write just the number" not in problem.message or reply.question.kind == "size_gib":
        return problem
    shown = reply.text if len(reply.text) <= 60 else f"{reply.text[:57]}..."
    message = f"{shown!r} cannot be used: a number is needed, and nothing but what it counts."
    return replace(problem, message=message)
