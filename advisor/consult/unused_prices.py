"""What is said of prices that the user brought and that the answers leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation, Warned
from advisor.consult.prices import left_out

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.store.loader import Knowledge
    from advisor.store.prices import Price

__all__ = ["UNUSED", "with_unused_prices"]

UNUSED = "prices-left-out"
"""Id of the warning."""


def with_unused_prices(
    told: Consultation, answers: Answers, knowledge: Knowledge, prices: tuple[Price, ...]
) -> Consultation:
    """Return a consultation that says among its warnings how many prices could not be used.

    Args:
        told: What the answers lead to at these prices.
        answers: Name the cloud, the way of buying and instance types.
        knowledge: Its prices say which providers are known.
        prices: What the user brought.
    """
    reasons = left_out(answers, knowledge, prices) if prices else {}
    if not reasons:
        return told
    used = len(prices) - sum(reasons.values())
    why = "; ".join(f"{count} not: {reason}" for reason, count in reasons.items())
    warned = Warned(
        id=UNUSED,
        kind="limit",
        severity="info" if used else "warning",
        decision="gpu",
        text=f"Of {len(prices)} prices of your file {used} can be used here ({why}).",
        fix="Check provider, kind and instance of the rows (of a CSV: --prices-provider) against "
        "the answers.",
        citations=next((d.citations[:1] for d in told.decisions.values()), ()),
    )
    first = () if used else (warned,)
    last = (warned,) if used else ()
    return told.model_copy(update={"warnings": (*first, *told.warnings, *last)})
