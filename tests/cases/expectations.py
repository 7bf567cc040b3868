"""Reading and checking the expectations of the case files: structured fields only, no wording.

One expectation is a mapping with ``says`` (what it is about), exactly one of the checks below
and perhaps ``pending`` (what is wrong today: the test must fail until it is removed).

==================== ============================================================================
``gpu``              fields of the GPU choice
``pattern``          fields of the parallelism choice
``sharing``          fields of the sharing choice
``provisioning``     fields of the provisioning choice
``offered``          the GPU choice or one of its alternatives has these fields
``among``            decision to fields: its choice or one of its alternatives has them
``alternative``      decision to fields: one of its alternatives has them
``never``            neither the GPU choice nor an alternative has these fields
``not_pattern``      neither the parallelism choice nor an alternative has these fields
``not_sharing``      neither the sharing choice nor an alternative has these fields
``not_provisioning`` neither the provisioning choice nor an alternative has these fields
``rejected``         a rejection of any decision has these fields (option, gpu, weight_format, rule)
``warned``           one of these warning ids is shown
``not_warned``       none of these warning ids is shown
``diagnosed``        the first cause of one of the symptoms has one of these ids
``also_diagnosed``   one of the causes of the symptoms has one of these ids
``not_diagnosed``    no symptom has one of these causes first
``asked``            the key stands among the next questions or what a decision depends on
``asked_next``       the key stands among the next questions
``status``           decision to acceptable statuses
``sized``            fields of the sizing, dotted
``corrected``        one of these corrections is shown
``unsaid``           the record of this id ought to say it and does not; always pending
==================== ============================================================================

A field's wanted value is a list of acceptable values, or a mapping with ``min`` and ``max``. A
dotted field goes into a mapping. A check of what is never there (``not_sharing`` and the like)
also fails where nothing is decided and nothing is rejected: silence is no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.consult.consultation import Consultation

__all__ = ["CHECKS", "check", "named_ids", "parameters", "read_cases"]

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


def named_ids(records: list[dict[str, Any]], *kinds: str) -> set[str]:
    """Return the ids that the checks of these kinds name, without those that are pending."""
    return {
        name
        for record in records
        for wanted in record["expect"]
        if "pending" not in wanted
        for kind in kinds
        for name in wanted.get(kind, ())
    }


def check(found: Consultation, wanted: Mapping[str, Any]) -> None:
    """Assert one expectation."""
    (kind,) = set(wanted) & set(CHECKS)
    CHECKS[kind](found, wanted[kind])


def _matches(fields: Fields, wanted: Fields) -> bool:
    return all(_is(_field(fields, name), accepted) for name, accepted in wanted.items())


def _field(fields: Any, path: str) -> Any:
    if not isinstance(fields, Mapping):
        return None
    if path in fields:
        return fields[path]
    head, _, rest = path.partition(".")
    return _field(fields.get(head), rest) if rest else None


def _is(value: Any, accepted: Any) -> bool:
    if isinstance(accepted, dict):
        if not isinstance(value, int | float):
            return False
        return accepted.get("min", value) <= value <= accepted.get("max", value)
    return bool(value in accepted)


def _choice(found: Consultation, decision: str) -> dict[str, Any]:
    made = found.decisions[decision]  # type: ignore[index]
    return made.choice.model_dump() if made.choice is not None else {}


def _alternatives(found: Consultation, decision: str) -> list[dict[str, Any]]:
    made = found.decisions[decision]  # type: ignore[index]
    return [alternative.choice.model_dump() for alternative in made.alternatives]


def _options(found: Consultation, decision: str) -> list[dict[str, Any]]:
    return [_choice(found, decision), *_alternatives(found, decision)]


def _chosen(found: Consultation, wanted: Fields, *, decision: str) -> None:
    choice = _choice(found, decision)
    assert _matches(choice, wanted), choice


def _nowhere(found: Consultation, wanted: Fields, *, decision: str) -> None:
    hits = [option for option in _options(found, decision) if _matches(option, wanted)]
    assert not hits


def _ruled_out(found: Consultation, wanted: Fields, *, decision: str) -> None:
    made = found.decisions[decision]  # type: ignore[index]
    assert made.choice is not None or made.rejected, made.because
    _nowhere(found, wanted, decision=decision)


def _offered(found: Consultation, wanted: Fields) -> None:
    _among(found, {"gpu": wanted})


def _among(found: Consultation, wanted: Mapping[str, Fields]) -> None:
    for decision, fields in wanted.items():
        options = _options(found, decision)
        assert any(_matches(option, fields) for option in options), options


def _alternative(found: Consultation, wanted: Mapping[str, Fields]) -> None:
    for decision, fields in wanted.items():
        options = _alternatives(found, decision)
        assert any(_matches(option, fields) for option in options), options


def _rejected(found: Consultation, wanted: Fields) -> None:
    lines = [line.model_dump() for made in found.decisions.values() for line in made.rejected]
    assert any(_matches(line, wanted) for line in lines), lines


def _warned(found: Consultation, wanted: list[str]) -> None:
    shown = {warning.id for warning in found.warnings}
    assert shown & set(wanted), shown


def _not_warned(found: Consultation, wanted: list[str]) -> None:
    assert not {warning.id for warning in found.warnings} & set(wanted)


def _causes(found: Consultation) -> list[list[str]]:
    return [[str(cause["id"]) for cause in one.causes] for one in found.diagnoses]


def _diagnosed(found: Consultation, wanted: list[str]) -> None:
    causes = _causes(found)
    assert {ids[0] for ids in causes if ids} & set(wanted), causes


def _also_diagnosed(found: Consultation, wanted: list[str]) -> None:
    causes = _causes(found)
    assert {name for ids in causes for name in ids} & set(wanted), causes


def _not_diagnosed(found: Consultation, wanted: list[str]) -> None:
    first = {ids[0] for ids in _causes(found) if ids}
    assert first, "no symptom was recognised"
    assert not first & set(wanted), first


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


def _unsaid(_found: Consultation, wanted: str) -> None:
    raise AssertionError(f"the text of {wanted} does not say it")


CHECKS: Mapping[str, Callable[[Consultation, Any], None]] = {
    "gpu": partial(_chosen, decision="gpu"),
    "pattern": partial(_chosen, decision="parallelism"),
    "sharing": partial(_chosen, decision="sharing"),
    "provisioning": partial(_chosen, decision="provisioning"),
    "offered": _offered,
    "among": _among,
    "alternative": _alternative,
    "never": partial(_nowhere, decision="gpu"),
    "not_pattern": partial(_nowhere, decision="parallelism"),
    "not_sharing": partial(_ruled_out, decision="sharing"),
    "not_provisioning": partial(_ruled_out, decision="provisioning"),
    "rejected": _rejected,
    "warned": _warned,
    "not_warned": _not_warned,
    "diagnosed": _diagnosed,
    "also_diagnosed": _also_diagnosed,
    "not_diagnosed": _not_diagnosed,
    "asked": _asked,
    "asked_next": _asked_next,
    "status": _status,
    "sized": _sized,
    "corrected": _corrected,
    "unsaid": _unsaid,
}
"""Check name to the function that asserts it."""
