"""``kb check`` of the catalogues: shipped data is clean, planted faults are found."""

from __future__ import annotations

from datetime import date

import pytest
from planted_knowledge import CARD, SOURCES, Plant

from advisor.errors import Problem
from advisor.store import check
from advisor.store.loader import Knowledge

TODAY = date(2026, 11, 30)


def test_the_shipped_knowledge_has_no_fault(knowledge: Knowledge) -> None:
    problems = check.check_knowledge(knowledge, date.fromisoformat(knowledge.as_of))
    assert [str(problem) for problem in problems if problem.code not in check.INFORMATION] == []


def only(problems: list[Problem]) -> Problem:
    (problem,) = problems
    return problem


def test_faults_of_the_schema_come_first(plant: Plant, card: str) -> None:
    knowledge = plant(gpus__a=card.replace("hopper", "hoper"))
    assert "bad_value" in {problem.code for problem in check.check_knowledge(knowledge, TODAY)}


def two_cards(second_alias: str) -> str:
    second = (
        CARD.removeprefix("gpus:\n")
        .replace("card-a", "card-b")
        .replace("Card A", "Card B")
        .replace("first card", second_alias)
    )
    return CARD + second + SOURCES


def test_a_name_of_two_cards_is_found(plant: Plant) -> None:
    problem = only(check.check_names(plant(gpus__a=two_cards("First-Card")), None))
    assert (problem.code, problem.key) == ("shared_name", "gpus.card-b")
    assert problem.line == 27
    assert "card-a" in problem.message


def test_a_shared_name_is_fine_once_its_usual_meaning_is_declared(plant: Plant) -> None:
    declared = """\
ambiguous_names:
  - id: first
    names: [first card]
    candidates: [card-a, card-b]
    differs: one is older
"""
    files = {"gpus__a": two_cards("First-Card"), "gpus__names": declared}
    codes = {problem.code for problem in check.check_names(plant(**files), None)}
    assert codes == {"shadowed_name"}  # the aliases are now dead weight, and said to be


def test_a_reference_to_nothing_is_found_with_the_nearest(plant: Plant, card: str) -> None:
    mig = """\
mig_tables:
  - id: table-a
    gpu: Card A
    compute_slices: 7
    memory_slices: 8
    profiles: [{profile: 1g.10gb, memory_gb: 10, compute_slices: 1, memory_slices: 1,
      max_instances: 7}]
    sources: [sheet]
    as_of: '2026-11-29'
"""
    knowledge = plant(
        gpus__a=card.replace(
            "mig: {supported: false}", "mig: {supported: true, profile_table: table-b}"
        ),
        catalogues__mig=mig + SOURCES,
    )
    problem = only(check.check_references(knowledge, None))
    assert (problem.code, problem.nearest) == ("unknown_id", ("table-a",))
    assert (problem.file, problem.line) == ("kb/gpus/a.yaml", 21)


def test_an_unverified_entry_must_name_a_field(plant: Plant, card: str) -> None:
    for faulty in ("tflop", "tflops.fp9"):
        text = card.replace("sources: [sheet]", f"unverified: [{faulty}]\n    sources: [sheet]")
        problem = only(check.check_unverified(plant(gpus__a=text), None))
        assert (problem.code, problem.line) == ("unknown_key", 25)


def test_a_source_that_nobody_cites_is_found(plant: Plant, card: str) -> None:
    problem = only(check.check_sources_used(plant(gpus__a=card + "  other: {title: B}\n"), None))
    assert (problem.code, problem.key, problem.line) == ("unused_source", "sources.other", 29)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("engine_memory_gib: 79.2", "engine_memory_gib: 81", "engine_memory_gib"),
        ("fp8: true", "fp8: false", "tflops.fp8"),
        ("fp8: 1979", "fp4: 1979", "tflops.fp4"),
        ("    compute_capability: '9.0'\n", "", "compute_capability"),
    ],
)
def test_figures_that_contradict_each_other_are_found(
    plant: Plant, card: str, old: str, new: str, field: str
) -> None:
    problem = only(check.check_gpu_figures(plant(gpus__a=card.replace(old, new)), None))
    assert problem.key == f"gpus.card-a.{field}"


MIG_TABLE = """\
mig_tables:
  - id: table-a
    gpu: Card A
    compute_slices: 7
    memory_slices: 8
    profiles:
      - {profile: 3g.40gb, memory_gb: 40, compute_slices: 3, memory_slices: 4, max_instances: 2}
    sources: [sheet]
    as_of: '2026-11-29'
"""


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("max_instances: 2", "max_instances: 3", "3 x 3g.40gb need more than one GPU"),
        ("memory_gb: 40", "memory_gb: 20", "another memory than its name"),
        ("profile: 3g.40gb", "profile: 2g.40gb", "other slices or another memory"),
    ],
)
def test_a_mig_profile_that_does_not_fit_or_belies_its_name_is_found(
    plant: Plant, old: str, new: str, says: str
) -> None:
    assert check.check_mig_figures(plant(catalogues__mig=MIG_TABLE + SOURCES), None) == []

    text = MIG_TABLE.replace(old, new) + SOURCES
    problem = only(check.check_mig_figures(plant(catalogues__mig=text), None))
    assert (problem.line, problem.code) == (7, "contradiction")
    assert says in problem.message


def test_a_date_in_the_future_or_no_date_at_all_is_found(plant: Plant, card: str) -> None:
    for wrong, says in (("2027-01-01", "future"), ("2026-13", "no date")):
        knowledge = plant(gpus__a=card.replace("2026-11-29", wrong))
        problem = only(check.check_dates(knowledge, TODAY))
        assert (problem.code, problem.line) == ("bad_date", 26)
        assert says in problem.message


def test_old_records_are_information_counted_by_collection(plant: Plant, card: str) -> None:
    problem = only(check.check_age(plant(gpus__a=card.replace("2026-11-29", "2024-06")), TODAY))
    assert problem.code in check.INFORMATION
    assert "1 of 1" in problem.message


def test_age_needs_to_know_what_day_it_is(plant: Plant, card: str) -> None:
    assert check.check_age(plant(gpus__a=card.replace("2026-11-29", "2020")), None) == []
