"""The commands that put the case down: export and copy."""

from __future__ import annotations

import json
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
    message = f"A case is written as {', '.join('.' + one for one in FORMS)}."
    raise InputError(Problem("bad_form", message))


def _export(interview: Interview, arguments: str, said: str) -> Reply:
    if not arguments:
        raise InputError(Problem("usage", "Say where: /export advice.md"))
    path = Path(arguments).expanduser()
    text = document(interview, path.suffix.lstrip(".").casefold())
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}."
        raise InputError(Problem("unwritable", message)) from error
    return Reply(EntryView(said, f"Written to {path}.", ()))


ACTIONS: Mapping[str, Callable[[Interview, str, str], Reply]] = {"export": _export}
