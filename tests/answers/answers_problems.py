"""What a bad answers text is told."""

from __future__ import annotations

import pytest

from advisor.answers.validate import read_answers_text
from advisor.errors import InputError, Problem


def problems_of(source: str, form: str = "yaml", **more: object) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        read_answers_text(source, name=f"a.{form}", form=form, **more)  # type: ignore[arg-type]
    for problem in caught.value.problems:
        assert "\n" not in str(problem)
        assert problem.file
    return caught.value.problems


def the_problem(source: str, form: str = "yaml", **more: object) -> Problem:
    (problem,) = problems_of(source, form, **more)
    return problem
