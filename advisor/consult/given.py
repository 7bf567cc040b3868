"""The answers as a consultation lists them."""

from __future__ import annotations

from advisor.answers.model import Answers
from advisor.answers.plain import thawed
from advisor.consult.consultation import Given

__all__ = ["given_answers"]


def given_answers(answers: Answers) -> tuple[Given, ...]:
    """Return the answers as a consultation lists them, with where each came from."""
    given = []
    for key, value in answers.values.items():
        origin = answers.origin.get(key)
        given.append(
            Given(
                key=key,
                value=thawed(value),
                file=origin.file if origin else answers.name,
                line=origin.line if origin else None,
                text=origin.text if origin else None,
                understood=origin.understood if origin else None,
            )
        )
    return tuple(given)
