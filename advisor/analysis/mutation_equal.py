"""Mutants that mean the same as their rule: proven, or accepted for a reason that is written down.

Proof is by the analysis of the rules as cases (``study``): where the mutant matches the rule does,
and the other way round. A reason covers mutants of one rule whose fault contains a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from advisor.analysis.mutation_mutants import Mutant
from advisor.analysis.study import Study
from advisor.rules.model import RuleBase
from advisor.rules.vocabulary import Vocabulary

__all__ = ["PROVEN", "Sameness"]

PROVEN = "No combination of values that a rule can see tells them apart (proven by cases):"


@dataclass(frozen=True)
class Sameness:
    """Finds mutants that mean the same."""

    base: RuleBase
    vocabulary: Vocabulary
    accepted: Sequence[Mapping[str, str]]
    """``{rule, fault, because}``: rule id, a part of the mutant's words, why it is the same."""

    def reasons(self, mutants: Iterable[Mutant]) -> dict[str, str]:
        """Return why some mutants mean the same, by mutant id; the others are not in it."""
        found = {mutant.id: self._reason(mutant) for mutant in mutants}
        return {mutant: why for mutant, why in found.items() if why is not None}

    def unused(self, mutants: Iterable[Mutant]) -> list[Mapping[str, str]]:
        """Return the accepted reasons that are about no mutant at all."""
        ids = [mutant.id for mutant in mutants]
        return [
            record
            for record in self.accepted
            if not any(_about(record, mutant_id) for mutant_id in ids)
        ]

    def _reason(self, mutant: Mutant) -> str | None:
        for record in self.accepted:
            if _about(record, mutant.id):
                return record["because"]
        return PROVEN if self._proven(mutant) else None

    def _proven(self, mutant: Mutant) -> bool:
        rule, faulty = mutant.original, mutant.rule
        if faulty is None or mutant.same_matches or rule.negations != faulty.negations:
            return False
        faulty = replace(faulty, id=f"{rule.id} (faulty)")  # a study keeps what it finds by id
        study = Study(self.base, self.vocabulary)
        return study.implies(rule, faulty) and study.implies(faulty, rule)


def _about(record: Mapping[str, str], mutant_id: str) -> bool:
    return mutant_id.startswith(f"{record['rule']}: ") and record["fault"] in mutant_id
