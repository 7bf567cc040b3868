"""The answers files that the rules are tried on."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from advisor.analysis.mutation_summary import Summary, summary_of
from advisor.answers.model import Answers
from advisor.answers.validate import read_answers, read_answers_text
from advisor.consult import advise
from advisor.consult.advise import Consultant
from advisor.consult.attempt import Desk
from advisor.consult.consultation import DecisionName
from advisor.consult.places import placed
from advisor.consult.platform.consult import SecondHalf, second_half
from advisor.consult.platform.settled import Settled
from advisor.engine.select import Engine
from advisor.errors import InputError
from advisor.rules.model import RuleBase
from advisor.store.loader import Knowledge

__all__ = ["EXTRA", "Half", "consulted", "read_corpus"]

EXTRA = Path("tests/cases/corpus_answers")
"""Answers that stand near a rule's boundary; each file is a list of ``{name, answers}``."""
_FOLDERS = {
    "example": "examples",
    "question": "examples/cases",
    "case": "tests/cases/answers",
    "cluster": "tests/cases/answers/platform",
    "thread": "tests/cases/answers/threads",
}
_ROWS = Path("tests/cases/framework.yaml")
"""Rows of the decision framework, with answers as texts."""


def read_corpus(root: Path) -> dict[str, Answers]:
    """Return the answers of all examples and cases of the project at ``root``, by name."""
    import yaml

    found: dict[str, Answers] = {}
    for word, folder in _FOLDERS.items():
        for path in sorted((root / folder).glob("*.yaml")):
            found[f"{word}/{path.stem}"] = read_answers(path)
    rows = yaml.safe_load((root / _ROWS).read_text(encoding="utf-8"))["cases"]
    for row in rows:
        found[f"row/{row['id']}"] = read_answers_text(row["answers"], name=row["id"])
    for path in sorted((root / EXTRA).glob("*.yaml")):
        for record in yaml.safe_load(path.read_text(encoding="utf-8")):
            name = f"{path.stem}/{record['name']}"
            found[name] = read_answers(record["answers"], name=record["name"])
    return found


@dataclass(frozen=True, slots=True)
class Half:
    """What the second half of a consultation starts from."""

    settled: Settled
    asked: tuple[DecisionName, ...]

    def summary(self, base: RuleBase, engine: Engine) -> Summary:
        """Return the summary of the second half under other rules."""
        desk = replace(self.settled.desk, base=base, engine=engine)
        later = second_half(replace(self.settled, desk=desk), self.asked)
        decisions = {name: found for name, found in later.decisions.items() if name in self.asked}
        return summary_of(decisions, later.warnings)


def consulted(
    answers: Answers,
    knowledge: Knowledge,
    base: RuleBase,
    engine: Engine,
    halves: list[Half] | None = None,
) -> Summary:
    """Return the summary of what ``answers`` lead to under ``base``.

    Answers that lead to an error have its codes as their summary.

    Args:
        answers: As read.
        knowledge: The catalogues.
        base: All rules.
        engine: Fires them.
        halves: Gets what the second half starts from.
    """
    desk = Desk(knowledge, base, engine)
    try:
        with placed(answers), _noted([] if halves is None else halves):
            found = Consultant(answers, desk).consult()
    except InputError as error:
        return {"error": ", ".join(problem.code for problem in error.problems)}
    return summary_of(found.decisions, found.warnings)


@contextmanager
def _noted(halves: list[Half]) -> Iterator[None]:
    """Note what the second half of each consultation starts from.

    The consultation has no such hook, and nobody else needs one: its function is wrapped.
    """
    module: Any = advise
    original = module.second_half

    def noting(settled: Settled, asked: Collection[DecisionName]) -> SecondHalf:
        halves.append(Half(settled, tuple(asked)))
        found: SecondHalf = original(settled, asked)
        return found

    module.second_half = noting
    try:
        yield
    finally:
        module.second_half = original
