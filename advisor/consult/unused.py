"""Answers that were given and that nothing in this version reads: said, never passed over."""

from __future__ import annotations

from collections.abc import Collection

from advisor.answers.model import Answers
from advisor.consult.consultation import Warned
from advisor.consult.rulings import Rulings
from advisor.rules.facts import ANSWERS
from advisor.rules.model import RuleBase

__all__ = ["unused_answers"]

_OTHER_DECISIONS = ("platform.", "tenancy.", "observed.")
"""Groups that settle sharing and provisioning, and what was measured."""
_NO_FACTS = frozenset(
    {
        "ask",
        "symptoms",
        "workloads",
        "workload.quantization",
        "hardware.fabric",
        "training.dataset_tokens",
    }
)
"""Keys with a use of their own."""


def unused_answers(
    answers: Answers, read: Collection[str], base: RuleBase, rulings: Rulings
) -> tuple[Warned, ...]:
    """Return at most one notice that names answers which changed nothing here."""
    used = {*read, *_NO_FACTS, *base.reads.get(ANSWERS, {}), *base.list_keys}
    unused = [key for key in answers.values if key not in used]
    own = [key for key in unused if not key.startswith(_OTHER_DECISIONS)]
    if not own:
        return ()
    names = ", ".join(own)
    text = f"Given, and not taken into account by this version: {names}."
    return (
        Warned(
            id="answers-not-used",
            kind="limit",
            severity="warning",
            decision="gpu",
            text=text,
            check="If one of them decides your case, treat the advice as made without it.",
            citations=rulings.cite("8"),
        ),
    )
