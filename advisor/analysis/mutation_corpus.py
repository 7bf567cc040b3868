"""The answers files that the rules are tried on."""

from __future__ import annotations

from pathlib import Path

from advisor.analysis.mutation_summary import Summary, summary_of
from advisor.answers.model import Answers
from advisor.answers.validate import read_answers, read_answers_text
from advisor.consult.advise import _Consultant
from advisor.consult.attempt import Desk
from advisor.consult.places import placed
from advisor.engine.select import Engine
from advisor.errors import InputError
from advisor.rules.model import RuleBase
from advisor.store.loader import Knowledge

__all__ = ["EXTRA", "consulted", "read_corpus"]

EXTRA = Path("tests/cases/corpus_answers.yaml")
"""Answers that stand near a rule's boundary; a list of ``{name, answers}``."""
_FOLDERS = {
    "example": "examples",
    "question": "examples/cases",
    "case": "tests/cases/answers",
    "cluster": "tests/cases/answers/platform",
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
    for record in yaml.safe_load((root / EXTRA).read_text(encoding="utf-8")):
        found[f"near/{record['name']}"] = read_answers(record["answers"], name=record["name"])
    return found


def consulted(answers: Answers, knowledge: Knowledge, base: RuleBase, engine: Engine) -> Summary:
    """Return the summary of what ``answers`` lead to under ``base``.

    Answers that lead to an error have its codes as their summary.
    """
    desk = Desk(knowledge, base, engine)
    try:
        with placed(answers):
            return summary_of(_Consultant(answers, desk).consult())
    except InputError as error:
        return {"error": ", ".join(problem.code for problem in error.problems)}
