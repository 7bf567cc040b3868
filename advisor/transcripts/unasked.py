"""Which questions of the plan an interview did not ask, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.interview.next_question import relevant
from advisor.interview.plan import load_plan
from advisor.transcripts.markup import code
from advisor.transcripts.model import Bullet

if TYPE_CHECKING:
    from advisor.interview.interview import Interview

__all__ = ["unasked"]

_REASONS = (
    "Said without being asked",
    "Put off",
    "Make no sense here",
    "No decision depends on them",
    "No answer that was tried changes a decision",
    "Not reached",
)


def unasked(interview: Interview) -> Iterator[Bullet]:
    """Yield the questions that were not asked, by reason.

    Raises:
        InputError: the answers lead to an error.
    """
    by_reason: dict[str, list[str]] = {reason: [] for reason in _REASONS}
    for key, reason in _reasons(interview):
        by_reason[reason].append(key)
    for reason, keys in by_reason.items():
        if keys:
            yield Bullet(reason, f"**{reason}**: {', '.join(code(key) for key in keys)}")


def _reasons(interview: Interview) -> Iterator[tuple[str, str]]:
    session = interview.session
    plan = load_plan(interview.adviser.knowledge)
    asked = {said.asked for said in session.turns}
    known = {*session.answers.values, *session.answers.unknown}
    open_keys = relevant(interview.consultation)
    unlocking = {one.key for _, one in plan.unlocking(session.answers)}
    for topic in plan.topics:
        sensible = {one.key for one in plan.applicable(topic, session.answers)}
        listed = [one for one in topic.questions if not one.unlocks or one.key in unlocking]
        for key in (one.key for one in listed if one.key not in asked):
            if key in known:
                yield key, "Said without being asked"
            elif key in session.skipped:
                yield key, "Put off"
            elif key not in sensible:
                yield key, "Make no sense here"
            elif key not in open_keys:
                yield key, "No decision depends on them"
            elif interview.ask is None:
                yield key, "No answer that was tried changes a decision"
            else:
                yield key, "Not reached"
