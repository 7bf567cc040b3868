"""Answers that do not count, or contradict others: told on the turn on which they are given."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.consult.consultation import Consultation, Warned
from advisor.interview.plan import Plan
from advisor.interview.view import LineView

__all__ = ["unheeded_lines"]

_MOST = 3
_MOST_SECTIONS = 2


def unheeded_lines(before: Consultation, after: Consultation, plan: Plan) -> Iterator[LineView]:
    """Yield what a turn brought of warnings that say that an answer does not count.

    Critical ones are told with what the turn settled; they are left out here.

    Args:
        before: The consultation without the turn.
        after: The consultation with it.
        plan: Says which warnings these are, beside contradictions.
    """
    known = {(warned.id, warned.text) for warned in before.warnings} if before.answers else set()
    new = [
        warned
        for warned in after.warnings
        if warned.severity != "critical"
        and (warned.kind == "conflict" or warned.id in plan.told_at_once)
        and (warned.id, warned.text) not in known
    ]
    for warned in new[:_MOST]:
        yield LineView(warned.text, _sections(warned), "!")
    if len(new) > _MOST:
        yield LineView(f"{len(new) - _MOST} more of the kind: /so-far", (), "!")


def _sections(warned: Warned) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.section for c in warned.citations))[:_MOST_SECTIONS]
