"""A folder of one's own knowledge on top of the shipped one: what changes and what does not."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from pack import FILES, PRICES, RULES, VERSION, write_pack

from advisor.answers.questions import load_questions
from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation
from advisor.errors import InputError
from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.interview.showing import view_of
from advisor.store.corrections import load_corrections
from advisor.store.handbook import load_handbook
from advisor.store.in_use import using
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.rules import load_rule_base
from advisor.transcripts.markup import Linker
from advisor.ui.desk import Desk

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = {
    "workload": {"model": "llama-3.1-8b", "context_tokens": 8192, "concurrency": 4},
    "objectives": {"priority": "cost"},
    "ask": ["gpu"],
}


@pytest.fixture
def own(tmp_path: Path) -> Knowledge:
    return load_knowledge(overlays=[write_pack(tmp_path / "nord")])


def told(knowledge: Knowledge, **more: object) -> Consultation:
    answers = read_answers({**ANSWERS, **more}, knowledge=knowledge)
    return advise(answers, knowledge, engine="reference")


def test_a_price_of_ones_own_takes_the_place_of_the_shipped_one(own: Knowledge) -> None:
    def rents(knowledge: Knowledge) -> set[float]:
        rows = [p for p in knowledge.prices if (p.instance, p.kind) == ("g6e.xlarge", "on_demand")]
        return {row.usd_per_hour for row in rows}

    assert rents(load_knowledge()) == {1.861}
    assert rents(own) == {0.11}
    assert len(own.prices) == len(load_knowledge().prices) + 1


def test_the_advice_takes_the_own_card_at_the_own_price(own: Knowledge) -> None:
    choice = told(own).decisions["gpu"].choice

    assert choice is not None
    assert (choice.gpu, choice.usd_per_hour) == ("nord-card", 0.01)
    assert told(load_knowledge()).decisions["gpu"].choice.gpu != "nord-card"  # type: ignore[union-attr]


def test_the_rent_names_the_folder_that_its_price_comes_from(own: Knowledge) -> None:
    decision = told(own).decisions["gpu"]
    brought = tuple(price for price in own.own_prices if price.gpu == "nord-card")
    file = advise(read_answers(ANSWERS, knowledge=own), own, engine="reference", prices=brought)

    assert "as of 2026-11-30, by your knowledge folder nord." in decision.because
    assert decision.choice is not None
    assert decision.choice.model_dump()["price_source"] == "knowledge folder nord"
    assert "by your price file" in file.decisions["gpu"].because


def test_a_section_is_linked_where_the_knowledge_in_use_has_it(own: Knowledge) -> None:
    linker = Linker(ROOT / "transcripts" / "case.md")
    before = linker(["nord.1", "3.3"])
    with using(own):
        inside = linker(["nord.1", "3.3"])

    assert before == inside, "a page of another folder lies nowhere that is known"
    assert before[0] == "§nord.1"
    assert before[1].startswith("[§3.3](../knowledge/handbook/03-virtualization.md#")


def test_a_section_is_linked_by_the_title_that_the_knowledge_in_use_gives_it(
    tmp_path: Path,
) -> None:
    other = tmp_path / "knowledge"
    shutil.copytree(load_knowledge().path, other)
    page = other / "handbook" / "03-virtualization.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("## 3.3 ", "## 3.3 Newly "), encoding="utf-8")
    linker = Linker(ROOT / "transcripts" / "case.md")
    now = linker(["3.3"])
    with using(load_knowledge(other)):
        assert linker(["3.3"]) != now


def test_a_house_rule_rejects_and_is_cited_with_its_own_section(own: Knowledge) -> None:
    decision = told(own, nord={"zone": "inside"}, hardware={"vendors": "nvidia"}).decisions["gpu"]
    rejected = [one for one in decision.rejected if one.rule == "nord-no-l4"]

    assert {(one.gpu, one.because) for one in rejected} == {("l4", "The inner zone has no l4.")}
    [citation] = rejected[0].citations
    assert (citation.section, citation.title, citation.anchor) == ("nord.1", "Zones", "nord-zones")
    assert load_handbook(own).section(citation.section).title == "Zones"


def test_the_consultation_says_whose_knowledge_took_part(own: Knowledge) -> None:
    stamp = told(own).knowledge

    assert [one.model_dump() for one in stamp.overlays] == [
        {"name": "nord", "version": "7", "as_of": "2026-11-30"}
    ]
    assert stamp.text.endswith("with nord 7 of 2026-11-30")
    assert told(load_knowledge()).knowledge.overlays == ()


def test_nothing_of_ones_own_is_left_behind(own: Knowledge) -> None:
    before = told(load_knowledge())
    told(own, nord={"zone": "inner"})

    assert told(load_knowledge()) == before
    assert "nord.zone" not in load_questions()
    with pytest.raises(InputError, match="answers: nord: There is no such key"):
        read_answers({"nord": {"zone": "inner"}})


def test_every_look_up_inside_a_block_reads_the_same_knowledge(own: Knowledge) -> None:
    with using(own):
        assert load_knowledge() is own
        assert load_questions()["nord.zone"].section == "nord.1"
        assert load_handbook().citation("nord-zones").section == "nord.1"
        assert load_corrections() is load_corrections(own)
    assert load_knowledge() is not own


def test_threads_do_not_see_each_others_knowledge(own: Knowledge) -> None:
    seen: list[Knowledge] = []
    with using(own):
        other = threading.Thread(target=lambda: seen.append(load_knowledge()))
        other.start()
        other.join()

    assert seen == [load_knowledge()]


def test_the_last_folder_has_the_last_word(tmp_path: Path) -> None:
    first = write_pack(tmp_path / "a")
    second = write_pack(
        tmp_path / "b",
        {name: FILES[name] for name in ("version.yaml", "catalogues/prices.yaml")},
        version=VERSION.replace("nord", "sued"),
        catalogues=PRICES.replace("0.11", "0.22"),
    )

    def rent(*folders: Path) -> float:
        rows = load_knowledge(overlays=folders).prices
        return next(p.usd_per_hour for p in rows if p.instance == "g6e.xlarge")

    assert (rent(first, second), rent(second, first)) == (0.22, 0.11)


def test_a_rule_with_a_shipped_id_replaces_it_where_it_stands(tmp_path: Path) -> None:
    shipped = load_rule_base(load_knowledge())
    replaced = RULES.replace("nord-no-l4", "gpu-over-budget")
    own = load_knowledge(overlays=[write_pack(tmp_path / "nord", rules=replaced)])

    base = load_rule_base(own)

    assert [rule.id for rule in base.rules] == [rule.id for rule in shipped.rules]
    assert base.rule("gpu-over-budget").cite == ("nord.1",)


def test_new_rules_of_the_house_come_before_the_shipped_ones(own: Knowledge) -> None:
    shipped = [rule.id for rule in load_rule_base(load_knowledge()).rules]

    assert [rule.id for rule in load_rule_base(own).rules] == ["nord-no-l4", *shipped]


def test_a_shipped_question_may_get_another_default_and_more_values(tmp_path: Path) -> None:
    values = ", ".join(
        f"{{id: {choice.id}, label: x}}" for choice in load_questions()["platform.cloud"].values
    )
    text = f"""
group: platform
title: Platform
text: Where it runs.
as_of: '2026-11-30'
sources: [House rules]
questions:
- key: platform.cloud
  text: Which cloud is it?
  help: Ours is called nord.
  kind: enum
  values: [{values}, {{id: nord, label: Nord}}]
  section: '8.4'
"""
    folder = write_pack(tmp_path / "nord")
    (folder / "questions" / "platform.yaml").write_text(text, encoding="utf-8")
    own = load_knowledge(overlays=[folder])

    asked = load_questions(own)

    assert asked["platform.cloud"].text == "Which cloud is it?"
    assert read_answers({"platform.cloud": "nord"}, knowledge=own).get("platform.cloud") == "nord"
    assert list(asked)[: len(load_questions())] == list(load_questions())


def test_what_if_and_the_interview_know_the_questions_of_the_house(own: Knowledge) -> None:
    adviser = Adviser(own, engine="reference")
    answers = read_answers({**ANSWERS, "hardware": {"gpu": "l4"}}, knowledge=own)

    changed = adviser.consult_with(answers, ["nord.zone=inner"])
    interview = Interview(adviser)
    interview.say("/set nord.zone=inside")

    assert any(given.key == "nord.zone" for given in changed.answers)
    assert interview.session.answers.get("nord.zone") == "inner"
    assert view_of(interview).answered == 1


def test_a_rule_holds_from_the_day_on_that_its_own_folder_is_of(tmp_path: Path) -> None:
    later = RULES.replace("    as_of:", "    since: '2026-12-10'\n    as_of:")

    def rules(day: str) -> list[str]:
        folder = write_pack(tmp_path / day, version=VERSION.replace("2026-11-30", day), rules=later)
        from advisor.store.rules import rules_in_force

        return [rule.id for rule in rules_in_force(load_knowledge(overlays=[folder])).rules]

    assert "nord-no-l4" not in rules("2026-12-09")
    assert "nord-no-l4" in rules("2026-12-10")


def test_a_folder_edited_between_two_loads_is_read_anew(tmp_path: Path) -> None:
    folder = write_pack(tmp_path / "nord")
    load_handbook(load_knowledge(overlays=[folder]))
    page = folder / "handbook" / "nord.md"
    page.write_text(page.read_text(encoding="utf-8").replace("Zones", "Belts"), encoding="utf-8")

    assert load_handbook(load_knowledge(overlays=[folder])).section("nord.1").title == "Belts"


def test_words_of_the_house_are_read_beside_the_shipped_ones(tmp_path: Path) -> None:
    phrases = "phrases:\n- {say: [behind the wall], gives: {nord.zone: inner}}\n"
    folder = write_pack(tmp_path / "nord", {**FILES, "phrases/house.yaml": phrases})
    interview = Interview(Adviser(load_knowledge(overlays=[folder]), engine="reference"))

    interview.say("chat on llama 3.1 8b behind the wall")

    answers = interview.session.answers
    assert answers.get("workload.kind") == "serving"
    assert answers.get("nord.zone") == "inner"


def test_a_thread_of_the_terminal_interview_reads_the_knowledge_in_use(own: Knowledge) -> None:
    seen: list[Knowledge] = []
    done = threading.Event()

    def begin() -> Interview:
        seen.append(load_knowledge())
        done.set()
        raise RuntimeError("seen enough")

    with using(own):
        Desk(begin, lambda _: None).start()
        assert done.wait(timeout=60)

    assert seen == [own]
