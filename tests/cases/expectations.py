"""Reading and checking the expectations of the case files: structured fields only, no wording.

One expectation is a mapping with ``says`` (what it is about), exactly one of the checks below
and perhaps ``pending`` (what is wrong today: the test must fail until it is removed).

============== ==================================================================================
``gpu``        fields of the GPU choice
``pattern``    fields of the parallelism choice
``offered``    the GPU choice or one of its alternatives has these fields
``never``      neither the GPU choice nor an alternative has these fields
``not_pattern`` neither the parallelism choice nor an alternative has these fields
``rejected``   a rejection has these fields (gpu, weight_format, rule)
``warned``     one of these warning ids is shown
``not_warned`` none of these warning ids is shown
``asked``      the key stands among the next questions or what a decision depends on
``asked_next`` the key stands among the next questions
``status``     decision to acceptable statuses
``sized``      fields of the sizing, dotted
``corrected``  one of these corrections is shown
============== ==================================================================================

A field's wanted value is a list of acceptable values, or a mapping with ``min`` and ``max``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.consult.consultation import Consultation

__all__ = ["CHECKS", "check", "parameters", "read_cases"]

Fields = Mapping[str, Any]


def read_cases(name: str) -> list[dict[str, Any]]:
    """Return the records of a case file beside this module."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    records: list[dict[str, Any]] = yaml.safe_load(text)["cases"]
    return records


def parameters(records: list[dict[str, Any]]) -> list[Any]:
    """Return one pytest parameter (record, expectation) per expectation."""
    return [_parameter(record, wanted) for record in records for wanted in record["expect"]]


def _parameter(record: dict[str, Any], wanted: dict[str, Any]) -> Any:
    marks = []
    if "pending" in wanted:
        marks.append(pytest.mark.xfail(strict=True, reason=wanted["pending"]))
    return pytest.param(record, wanted, id=f"{record['id']}: {wanted['says']}", marks=marks)


def check(found: Consultation, wanted: Mapping[str, Any]) -> None:
    """Assert one expectation."""
    (kind,) = set(wanted) & set(CHECKS)
    CHECKS[kind](found, wanted[kind])


def _matches(fields: Fields, wanted: Fields) -> bool:
    return all(_is(fields.get(name), accepted) for name, accepted in wanted.items())


def _is(value: Any, accepted: Any) -> bool:
    if isinstance(accepted, dict):
        if not isinstance(value, int | float):
            return False
        return accepted.get("min", value) <= value <= accepted.get("max", value)
    return bool(value in accepted)


def _choice(found: Consultation, decision: str) -> dict[str, Any]:
    made = found.decisions[decision]  # type: ignore[index]
    return made.choice.model_dump() if made.choice is not None else {}


def _options(found: Consultation, decision: str) -> list[dict[str, Any]]:
    made = found.decisions[decision]  # type: ignore[index]
    others = [alternative.choice.model_dump() for alternative in made.alternatives]
    return [_choice(found, decision), *others]


def _gpu(found: Consultation, wanted: Fields) -> None:
    choice = _choice(found, "gpu")
    assert _matches(choice, wanted), choice


def _pattern(found: Consultation, wanted: Fields) -> None:
    choice = _choice(found, "parallelism")
    assert _matches(choice, wanted), choice


def _offered(found: Consultation, wanted: Fields) -> None:
    options = _options(found, "gpu")
    assert any(_matches(option, wanted) for option in options), options


def _never(found: Consultation, wanted: Fields) -> None:
    hits = [option for option in _options(found, "gpu") if _matches(option, wanted)]
    assert not hits


def _not_pattern(found: Consultation, wanted: Fields) -> None:
    hits = [option for option in _options(found, "parallelism") if _matches(option, wanted)]
    assert not hits


def _rejected(found: Consultation, wanted: Fields) -> None:
    lines = [line.model_dump() for made in found.decisions.values() for line in made.rejected]
    assert any(_matches(line, wanted) for line in lines), lines


def _warned(found: Consultation, wanted: list[str]) -> None:
    shown = {warning.id for warning in found.warnings}
    assert shown & set(wanted), shown


def _not_warned(found: Consultation, wanted: list[str]) -> None:
    assert not {warning.id for warning in found.warnings} & set(wanted)


def _asked(found: Consultation, wanted: list[str]) -> None:
    depends = {d.question for made in found.decisions.values() for d in made.depends_on}
    keys = depends | {question.key for question in found.next_questions}
    assert keys & set(wanted), keys


def _asked_next(found: Consultation, wanted: list[str]) -> None:
    keys = {question.key for question in found.next_questions}
    assert keys & set(wanted), keys


def _status(found: Consultation, wanted: Mapping[str, list[str]]) -> None:
    statuses = {name: made.status for name, made in found.decisions.items()}
    assert all(statuses[name] in accepted for name, accepted in wanted.items()), statuses  # type: ignore[index]


def _sized(found: Consultation, wanted: Fields) -> None:
    assert found.sizing is not None
    plain = found.sizing.model_dump()
    for path, accepted in wanted.items():
        value: Any = plain
        for part in path.split("."):
            value = value[part]
        assert _is(value, accepted), (path, value)


def _corrected(found: Consultation, wanted: list[str]) -> None:
    shown = {correction.id for correction in found.corrections}
    assert shown & set(wanted), shown


CHECKS: Mapping[str, Callable[[Consultation, Any], None]] = {
    "gpu": _gpu,
    "pattern": _pattern,
    "offered": _offered,
    "never": _never,
    "not_pattern": _not_pattern,
    "rejected": _rejected,
    "warned": _warned,
    "not_warned": _not_warned,
    "asked": _asked,
    "asked_next": _asked_next,
    "status": _status,
    "sized": _sized,
    "corrected": _corrected,
}
"""Check name to the function that asserts it."""
