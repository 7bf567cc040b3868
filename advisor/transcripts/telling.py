"""What a consultation came to, as the parts of a transcript's advice. Nothing volatile goes in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from advisor.answers.plain import thawed
from advisor.consult.consultation import Choice, Citation, Consultation, Decision, Warned
from advisor.reports.advice_words import TITLES, headline, said
from advisor.transcripts.markup import Linker, code, md
from advisor.transcripts.model import Block, Bullet
from advisor.transcripts.unasked import unasked

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["ANSWERS", "advice_of"]

ANSWERS = "Answers, as a file"
"""The part that holds the final answers."""


def advice_of(interview: Interview, linker: Linker) -> tuple[Block, ...]:
    """Return the advice that the interview has come to.

    Args:
        interview: The interview, at its end.
        linker: Makes sections links.

    Raises:
        InputError: its answers lead to an error.
    """
    from advisor.answers.dump import dump_answers

    told = interview.consultation
    blocks = (
        Block("", tuple(_decision(name, one, linker) for name, one in told.decisions.items())),
        Block("What will bite", tuple(_warnings(told, linker))),
        Block("Symptoms", tuple(_symptoms(told, linker))),
        Block("Often heard, and wrong", tuple(_corrections(told, linker))),
        Block("Assumed", tuple(_assumptions(told, linker))),
        Block("Settings", text=_settings(told)),
        Block(ANSWERS, text=dump_answers(interview.session.answers).rstrip("\n")),
        Block("Rules, in the order in which they fired", text=_fired(told)),
        Block("Not asked", tuple(unasked(interview))),
    )
    return tuple(block for block in blocks if block.bullets or block.text)


def _decision(name: str, decision: Decision, linker: Linker) -> Bullet:
    title, status = TITLES[name], decision.status.replace("_", " ")
    text = f"**{title}** ({status}):"
    if decision.choice is not None:
        text += f" *{md(headline(decision.choice))}*."
    cites = _cites(decision.citations, linker)
    return Bullet(title, f"{text} {md(decision.because)}".rstrip(), cites, decision.rules)


def _cites(citations: Iterable[Citation], linker: Linker) -> tuple[str, ...]:
    return linker(citation.section for citation in citations)


def _warnings(told: Consultation, linker: Linker) -> Iterator[Bullet]:
    for warned in told.warnings:
        if warned.severity != "info":
            yield _warning(warned, linker)


def _warning(warned: Warned, linker: Linker) -> Bullet:
    text = f"**{warned.severity.capitalize()}** {code(warned.id)}: {md(warned.text)}"
    rules = () if warned.rule in {None, warned.id} else (str(warned.rule),)
    notes = (f"Fix: {md(warned.fix)}",) if warned.fix else ()
    return Bullet(warned.id, text, _cites(warned.citations, linker), rules, notes)


def _symptoms(told: Consultation, linker: Linker) -> Iterator[Bullet]:
    for number, found in enumerate(told.diagnoses, 1):
        head = f"**{number}** “{md(found.input)}”"
        if not found.causes:
            yield Bullet(str(number), f"{head}: not known.")
        for cause in found.causes[:1]:
            yield _cause(str(number), head, cause, linker)


def _cause(number: str, head: str, cause: dict[str, Any], linker: Linker) -> Bullet:
    cites = linker(str(citation["section"]) for citation in cause.get("citations", ()))
    words = (("Check", "check"), ("Fix", "fix"))
    notes = tuple(f"{label}: {md(str(cause[key]))}" for label, key in words if cause.get(key))
    return Bullet(number, f"{head}: {md(str(cause['cause']))}", cites, (), notes)


def _corrections(told: Consultation, linker: Linker) -> Iterator[Bullet]:
    for one in told.corrections:
        text = f"{code(one.id)}: “{md(one.claim)}” {md(one.right)}"
        yield Bullet(one.id, text, _cites(one.citations, linker))


def _assumptions(told: Consultation, linker: Linker) -> Iterator[Bullet]:
    for note in told.assumptions:
        text = f"{code(note.key)} = {md(said(note.value))}: {md(note.why)}"
        yield Bullet(note.key, text, linker((note.section,)))


def _settings(told: Consultation) -> str:
    """Return every parameter of every choice."""
    import yaml

    chosen = {name: one.choice for name, one in told.decisions.items() if one.choice is not None}
    plain = {name: _parameters(choice) for name, choice in chosen.items()}
    if not plain:
        return ""
    return str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)).rstrip("\n")


def _parameters(choice: Choice) -> dict[str, object]:
    values: dict[str, object] = thawed(choice.model_dump(mode="json"))  # type: ignore[assignment]
    return {key: value for key, value in values.items() if value is not None}


def _fired(told: Consultation) -> str:
    return "\n".join(dict.fromkeys(step.rule for step in told.trace))
