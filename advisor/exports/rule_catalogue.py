"""All rules in one document of the form that ``gpu-advisor schema rules`` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["rule_catalogue"]


def rule_catalogue(knowledge: Knowledge) -> dict[str, Any]:
    """Return every rule in the order in which they count, those made from gotchas last.

    What a rule leaves out is left out here, too. The document is a rule file: read back, it gives
    the same rules.

    Raises:
        KnowledgeError: a rule is wrong; carries every problem with file and line.
    """
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.rules.record import RuleRecord
    from advisor.store.gotcha_rules import gotcha_rules
    from advisor.store.rules import load_rule_base, read_rule_files

    load_rule_base(knowledge)  # refuses what is wrong
    records, _ = read_rule_files(knowledge.path, knowledge.parse, knowledge.overlays)
    records += gotcha_rules(knowledge.gotchas.values(), rule_vocabulary(knowledge))
    return {
        "rules": [
            RuleRecord.model_validate(record).model_dump(
                mode="json", by_alias=True, exclude_unset=True
            )
            for record in records
        ]
    }
