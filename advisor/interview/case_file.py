"""One case as a file: what was answered, turn by turn, in JSON that a person can read.

Owns the form. Nothing is trusted: a file that was cut short, belongs to something else or comes
from a newer version is an error that names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from advisor.answers.model import Answers, Origin
from advisor.answers.plain import FrozenMapping, thawed
from advisor.answers.validate import read_answers
from advisor.errors import InputError, Problem
from advisor.interview.session import Session, Turn, turn

__all__ = ["SUFFIX", "Case", "Stated", "case_of", "case_text"]

SUFFIX = ".json"
_FORMAT = "gpu-advisor case"
_VERSION = 1
_MAX_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Stated:
    """A decision as it stood when the case was kept."""

    status: str
    said: str
    core: tuple[object, ...]
    """Option and sizes, as :func:`advisor.explain.change.core` gives them."""


@dataclass(frozen=True, slots=True)
class Case:
    """One interview that is kept."""

    name: str
    session: Session
    knowledge: str
    """Version of the knowledge under which it was kept."""
    changed: str
    """When, in ISO 8601."""
    decided: Mapping[str, Stated]
    revision: int = 0
    writer: str = ""
    """Who wrote this revision; two writers never believe that one file is theirs."""
    left_out: tuple[str, ...] = ()
    """What the file holds and this version cannot take: sentences."""


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Origin(_Form):
    file: str
    line: int | None = None
    text: str
    understood: str | None = None


class _Start(_Form):
    name: str = "answers"
    answers: dict[str, Any] = Field(default_factory=dict)
    origin: dict[str, _Origin] = Field(default_factory=dict)


class _Turn(_Form):
    said: str
    answers: dict[str, Any]
    asked: str = ""
    topic: str = ""
    understood: dict[str, str] = Field(default_factory=dict)


class _Decided(_Form):
    status: str
    said: str
    core: list[Any]


class _Case(_Form):
    name: str
    revision: int
    writer: str
    knowledge: str
    changed: str
    decided: dict[str, _Decided] = Field(default_factory=dict)
    start: _Start = Field(default_factory=_Start)
    turns: list[_Turn]
    undone: list[_Turn] = Field(default_factory=list)
    skipped: list[str] = Field(default_factory=list)


def case_text(case: Case) -> str:
    """Return the case as the text of its file."""
    session = case.session
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "name": case.name,
        "revision": case.revision,
        "writer": case.writer,
        "knowledge": case.knowledge,
        "changed": case.changed,
        "decided": {
            name: {"status": one.status, "said": one.said, "core": thawed(one.core)}
            for name, one in case.decided.items()
        },
        "start": _start(session.start),
        "turns": [_written(said) for said in session.turns],
        "undone": [_written(said) for said in session.undone],
        "skipped": list(session.skipped),
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _start(start: Answers) -> dict[str, object]:
    origin = {
        key: {"file": o.file, "line": o.line, "text": o.text, "understood": o.understood}
        for key, o in start.origin.items()
    }
    return {"name": start.name, "answers": start.as_dict(), "origin": origin}


def _written(said: Turn) -> dict[str, object]:
    return {
        "said": said.text,
        "asked": said.asked,
        "topic": said.topic,
        "answers": {key: thawed(value) for key, value in said.values},
        "understood": dict(said.understood),
    }


def case_of(path: Path) -> Case:
    """Return the case in a file.

    An answer that this version's questions do not take is left out, and told in ``left_out``.

    Raises:
        InputError: the file cannot be read, is damaged, or is no case of this version.
    """
    form = _form(path)
    left_out: list[str] = []
    turns = tuple(_turns(form.turns, left_out))
    undone = tuple(_turns(form.undone, []))
    start = _start_of(form.start, left_out)
    decided = {
        name: Stated(one.status, one.said, tuple(one.core)) for name, one in form.decided.items()
    }
    session = Session(start, turns, undone, tuple(form.skipped))
    return Case(
        path.stem, session, form.knowledge, form.changed, decided, form.revision, form.writer,
        tuple(left_out),
    )  # fmt: skip


def _form(path: Path) -> _Case:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(_damaged(path, "it is far too large"))
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        message = f"The case cannot be read: {error.strerror or error}."
        raise InputError(Problem("unreadable", message, file=str(path))) from error
    except json.JSONDecodeError as error:
        fault = f"it is cut short or damaged ({error.msg})"
        raise InputError(_damaged(path, fault, error.lineno)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(_damaged(path, "it is no text that was written here")) from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise InputError(_damaged(path, "it belongs to something else"))
    if data.get("version") != _VERSION:
        fault = f"its version is {data.get('version')}, and this program reads {_VERSION}"
        raise InputError(_damaged(path, fault))
    try:
        return _Case.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(_damaged(path, f"{key}: {first['msg']}")) from error


def _damaged(path: Path, fault: str, line: int | None = None) -> Problem:
    message = f"This is no case that can be gone on with: {fault}. It is left as it is."
    return Problem("bad_case", message, file=str(path), line=line)


def _turns(said: list[_Turn], left_out: list[str]) -> Iterator[Turn]:
    for number, one in enumerate(said, 1):
        try:
            yield turn(
                one.said,
                one.answers,
                asked=one.asked,
                understood=one.understood,
                topic=one.topic,
            )
        except InputError as error:
            left_out.append(f"Answer {number} (“{one.said}”): {error.problems[0].message}")


def _start_of(start: _Start, left_out: list[str]) -> Answers:
    """Return what was known before the first question, with where it came from."""
    answers = start.answers
    while True:
        try:
            read = read_answers(answers, name=start.name)
        except InputError as error:
            keys = {problem.key or "" for problem in error.problems}
            less = {
                group: {n: v for n, v in inner.items() if f"{group}.{n}" not in keys}
                if isinstance(inner, dict)
                else inner
                for group, inner in answers.items()
                if group not in keys
            }
            if less == answers:  # a fault without a place: nothing of it can be told good
                less = {}
            left_out.extend(str(problem) for problem in error.problems)
            answers = less
            continue
        origin = {
            key: Origin(o.file, o.line, o.text, o.understood) for key, o in start.origin.items()
        }
        known = {key: origin.get(key, read.origin[key]) for key in read.origin}
        return replace(read, origin=FrozenMapping(known), name=start.name)
