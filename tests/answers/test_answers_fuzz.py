from __future__ import annotations

import json
import random

import pytest
from answers_random import random_document

from advisor.answers.document import Format
from advisor.answers.dump import dump_answers
from advisor.answers.validate import Answers, read_answers, read_answers_text
from advisor.errors import InputError

PIECES = [
    "\t", "\n", " ", ":", ": ", "- ", "[", "]", "{", "}", '"', "'", "&a ", "*a", "<<: ", "!!x ",
    "|\n", ">", "#", "%", "---\n", "\\", "\\u0000", "\\ud800", "unknown", "null", "nan", "1e999",
    "-", "0", "9" * 20, "\x85", "\u2028", "\ufeff", "\U0001f642", "= ", "[[a]]\n", ",",
]  # fmt: skip


def mangled(text: str, dice: random.Random) -> str:
    """Return the text with a few pieces put in, cut out or moved."""
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(text) + 1)
        to = min(len(text), at + dice.choice([0, 0, 1, 5, 40]))
        text = text[:at] + dice.choice([*PIECES, text[at:to] * 2]) + text[to:]
    return text


@pytest.mark.parametrize("form", ["yaml", "json", "toml"])
@pytest.mark.parametrize("seed", range(150))
def test_a_mangled_document_gives_answers_or_problems_and_nothing_else(
    form: Format, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    answers = read_answers(random_document(seed))
    text = json.dumps(answers.as_dict(), indent=1) if form == "json" else dump_answers(answers)
    if form == "toml":
        text = (
            'ask = ["gpu"]\n[workload]\nmodel = "x"\n[[workloads]]\nname = "a"\nkind = "serving"\n'
        )
    try:
        read = read_answers_text(mangled(text, dice), name="x", form=form)
    except InputError as error:
        for problem in error.problems:
            assert problem.message
            assert "\n" not in str(problem)
            assert str(problem).isprintable()
    else:
        assert isinstance(read, Answers)
        assert read_answers_text(dump_answers(read), name="y") == read
