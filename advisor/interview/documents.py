"""The commands that put the case down: export and copy."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from advisor.errors import InputError, Problem
from advisor.interview.interview import Interview, Reply
from advisor.interview.view import EntryView

__all__ = ["ACTIONS", "document"]

FORMS = ("md", "json", "html", "yaml", "yml", "txt")
"""Endings that say in which form a case is written."""


def document(interview: Interview, form: str) -> str:
    """Return the case in a form: the advice, or for YAML the answers.

    Args:
        interview: The interview.
        form: One of :data:`FORMS`.

    Raises:
        InputError: another form.
    """
    told = interview.consultation
    if form in {"yaml", "yml"}:
        from advisor.answers.dump import dump_answers

        return dump_answers(interview.session.answers)
    if form == "json":
        return json.dumps(told.model_dump(mode="json", by_alias=True), indent=2) + "\n"
    if form == "html":
        from advisor.reports.advice_html import advice_html

        return advice_html(told)
    if form == "md":
        from advisor.reports.advice_markdown import advice_markdown

        return advice_markdown(told)
    if form == "txt":
        from advisor.reports.advice_text import advice_text

        return advice_text(told)
    message = f"A case is written as {', '.join('.' + one for one in FORMS)}: by the ending."
    raise InputError(Problem("bad_form", message))


def _export(interview: Interview, arguments: str, said: str) -> Reply:
    words, force = _without_force(arguments)
    if not words:
        raise InputError(Problem("usage", "Say where: /export advice.md"))
    path = Path(words).expanduser()
    text = document(interview, path.suffix.lstrip(".").casefold())
    again, interview.refused_path = interview.refused_path == words, ""
    try:
        with path.open("w" if force or again else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        interview.refused_path = words
        message = f"{path} is there already; the same again, or --force, overwrites it."
        raise InputError(Problem("exists", message)) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"{path} cannot be written: {reason}."
        raise InputError(Problem("unwritable", message)) from error
    return Reply(EntryView(said, f"Written to {path}.", ()))


def _without_force(arguments: str) -> tuple[str, bool]:
    """Return the path, which may hold blanks and stand in quotes, and whether to overwrite."""
    words = arguments.split(" ")
    force = words[-1] == "--force" or words[0] == "--force"
    path = arguments.removeprefix("--force ").removesuffix(" --force").strip()
    if path == "--force":
        return "", True
    quoted = len(path) > 1 and path[0] == path[-1] and path[0] in "\"'"
    return (path[1:-1] if quoted else path), force


def _copy(interview: Interview, arguments: str, said: str) -> Reply:
    from advisor.interview.clipboard import copied

    form = arguments.casefold().lstrip(".") or "md"
    form = {"answers": "yaml", "advice": "md"}.get(form, form)
    text = document(interview, form)
    try:
        where = copied(text, interview.terminal, os.environ, ending=form)
    except OSError as error:
        message = f"There is no clipboard here, and no file can be made: {error.strerror}."
        raise InputError(Problem("no_clipboard", message)) from error
    what = "The answers went" if form in {"yaml", "yml"} else "The advice went"
    return Reply(EntryView(said, f"{what} {where}.", ()))


ACTIONS: Mapping[str, Callable[[Interview, str, str], Reply]] = {
    "export": _export,
    "copy": _copy,
}
