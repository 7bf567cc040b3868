"""The laws over random answers can fail: each sees a consultation that was tampered with."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import serving, told
from laws import broken_laws
from random_pairs import broken_between

from advisor.consult.consultation import Choice, Citation, Consultation, Decision

DOCUMENT = serving("llama-3.3-70b", "h100-sxm", context_tokens=8192, concurrency=32)


def tampered(name: str, **changes: Any) -> Consultation:
    """Return good advice with fields of one decision replaced."""
    good = told(DOCUMENT)
    decision: Decision = good.decisions[name]  # type: ignore[index]
    decisions = {**good.decisions, name: decision.model_copy(update=changes)}
    return good.model_copy(update={"decisions": decisions})


def choice(name: str, **changes: Any) -> Choice:
    """Return the choice of good advice with parameters replaced."""
    found = told(DOCUMENT).decisions[name].choice  # type: ignore[index]
    assert found is not None
    return Choice(**{**found.model_dump(), **changes})


def test_good_advice_breaks_none() -> None:
    assert list(broken_laws(DOCUMENT, told(DOCUMENT))) == []


@pytest.mark.parametrize(
    ("name", "changes", "law"),
    [
        ("gpu", {"replicas": 7}, "counts do not multiply"),
        ("gpu", {"room_requests_per_replica": 7}, "room for 7 requests, and gpu says"),
        ("parallelism", {"replicas": 7}, "7 replicas here"),
        ("parallelism", {"tensor_parallel": 8}, "ranks take 8 GPUs"),
        ("parallelism", {"option": "pipeline"}, "is not what the sizes say"),
        ("parallelism", {"expert_parallel": 3}, "3 expert ranks"),
        ("gpu", {"gpu_memory_gib": 30.0}, "size calls"),
        ("gpu", {"max_model_len": 131072, "gpu_memory_gib": 40.0}, "size calls"),
        ("gpu", {"count_per_replica": 3, "total_gpus": 3}, "the sizing is that of another layout"),
    ],
)
def test_a_choice_that_contradicts_itself_is_seen(
    name: str, changes: dict[str, Any], law: str
) -> None:
    consultation = tampered(name, choice=choice(name, **changes))

    assert any(law in broken for broken in broken_laws(DOCUMENT, consultation))


@pytest.mark.parametrize(
    ("citation", "law"),
    [
        (Citation(section="8.9", title="No such", anchor="no-such"), "does not exist"),
        (Citation(section="8.1", title="Another title", anchor="which-gpu"), "another title"),
    ],
)
def test_a_citation_that_leads_nowhere_is_seen(citation: Citation, law: str) -> None:
    consultation = tampered("gpu", citations=(citation,))

    assert any(law in broken for broken in broken_laws(DOCUMENT, consultation))


def test_a_harder_case_in_place_of_an_easier_one_is_seen() -> None:
    few = {**DOCUMENT, "workload": {**DOCUMENT["workload"], "concurrency": 1}}
    many = {**DOCUMENT, "workload": {**DOCUMENT["workload"], "concurrency": 500}}

    assert list(broken_between("fewer_users", many, few)) == []
    assert list(broken_between("fewer_users", few, many)) != []
