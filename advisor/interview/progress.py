"""How many questions are left: a range, and a word whenever it grows."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from advisor.answers.model import Answers
from advisor.explain.adviser import Adviser
from advisor.interview.next_question import askable
from advisor.interview.plan import load_plan
from advisor.interview.view import LineView

__all__ = ["left", "more_to_ask"]


def left(
    adviser: Adviser, answers: Answers, skipped: Collection[str], *, asking: bool
) -> tuple[int, int]:
    """Return how many questions are left at least and at most.

    The most is every question that a decision still depends on; what changes nothing when it is
    tried is left out on the way, so the least is one while something is asked.
    """
    if not asking:
        return (0, 0)
    most = sum(key not in skipped for key in askable(adviser, answers))
    return (1, max(1, most))


def more_to_ask(
    adviser: Adviser, before: Answers, after: Answers, said: Collection[str]
) -> Iterator[LineView]:
    """Yield a line where an answer opens more questions than it settles.

    Args:
        adviser: Consults and remembers.
        before: The answers before.
        after: The answers after.
        said: The keys that were answered.
    """
    then, now = askable(adviser, before), askable(adviser, after)
    if len(now) <= len(then):
        return
    new = [key for key in now if key not in then and key not in said]
    topics = (load_plan(adviser.knowledge).topic_of(key) for key in new)
    titles = dict.fromkeys(topic.title for topic in topics if topic is not None)
    about = f" ({'; '.join(titles).lower()})" if titles else ""
    count = len(now) - len(then)
    yield LineView(f"Up to {count} more question{'s' if count > 1 else ''} may come{about}.")
