"""Effects: what is said that an open answer would change, it changes."""

from __future__ import annotations

import pytest
from explain_support import POOL, adviser, case, with_answers

from advisor.errors import InputError
from advisor.explain.change import changes
from advisor.explain.effects import effects, tried, with_effects


@pytest.mark.parametrize("name", POOL)
def test_values_that_are_said_to_change_a_choice_change_it(name: str) -> None:
    before = adviser().consult(case(name))
    told = with_effects(adviser(), case(name), before)
    for decision, made in told.decisions.items():
        kept = {need.question: need for need in before.decisions[decision].depends_on}
        assert {need.question for need in made.depends_on} == set(kept)
        for need in made.depends_on:
            if need == kept[need.question]:
                continue
            for value in need.if_:
                try:
                    after = adviser().consult_with(case(name), [f"{need.question}={value}"])
                except InputError:
                    pytest.fail(f"{need.question}={value} is refused")
                changed = {one.decision for one in changes(before, after) if one.reworded}
                assert decision in changed
            assert bool(need.if_) == need.then.startswith("if ")


def test_a_value_under_which_more_gpus_are_needed_is_no_value_that_changes_nothing() -> None:
    """The kind of the choice stays, and the bill does not."""
    answers = with_answers("one card", hardware__acquisition="rent", workload__concurrency=40)
    before = adviser().consult(answers)
    for trial in tried(adviser(), answers, "workload.concurrency", [("80", "80")]):
        effect = trial.on("gpu")
        after = adviser().consult_with(answers, ["workload.concurrency=80"])
        old, new = (one.decisions["gpu"].choice.model_dump() for one in (before, after))  # type: ignore[union-attr]

        assert old["gpu"] == new["gpu"]
        assert effect is not None
        assert f"GPUs {old['total_gpus']} -> {new['total_gpus']}" in effect.numbers
        assert effect.words.startswith(": GPUs")


def test_questions_that_change_the_choice_come_first() -> None:
    told = with_effects(adviser(), case("turns"), adviser().consult(case("turns")))
    needs = told.decisions["sharing"].depends_on
    moving = [need.then.startswith("if ") for need in needs]

    assert any(moving)
    assert moving == sorted(moving, reverse=True)


def test_nothing_else_of_a_consultation_changes() -> None:
    before = adviser().consult(case("mig"))
    told = with_effects(adviser(), case("mig"), before)

    def rest(one: object) -> object:
        document = one.model_dump()  # type: ignore[attr-defined]
        for made in document["decisions"].values():
            del made["depends_on"]
        return document

    assert rest(told) == rest(before)
    assert told == with_effects(adviser(), case("mig"), before)


def test_effects_are_words_with_the_value_what_it_becomes_and_what_it_was() -> None:
    found = effects(adviser(), case("turns"), "sharing")

    assert found
    assert all(text.startswith("if ") and " instead of " in text for text in found)


def test_a_decision_that_is_not_there_has_no_effects() -> None:
    assert effects(adviser(), case("mig"), "gpu") == ()
