"""Questions in people's words lead to the section that answers them."""

from __future__ import annotations

import pytest

from advisor.store.handbook import Section, load_handbook
from advisor.store.handbook_search import SearchIndex, stems


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("do I need passthrough", "6"),
        ("does a 70B fit on two H100", "7.3"),
        ("how do I share one GPU between tenants", "8.2"),
        ("which GPU should I buy", "8.1"),
        ("MIG slice sizes", "3.3"),
        ("tensor parallel or pipeline parallel", "7.2"),
        ("NVLink vs PCIe bandwidth", "2.4"),
        ("what changed with Blackwell", "2.2"),
        ("is the MI300X an option", "2.3"),
        ("who installs the driver", "5.2"),
        ("driver upgrade evicts pods", "5.5"),
        ("DCGM metrics and Xid alerts", "5.6"),
        ("is DRA ready", "5.3"),
        ("how much memory for full fine-tuning", "7.5"),
        ("InfiniBand not visible in the pod", "3.5"),
        ("bare metal or VM", "3.4"),
        ("is decode memory bound", "1"),
        ("fabric manager error 802", "4.3"),
        ("node image for EKS", "8.4"),
        ("what does MLA mean", "glossary"),
        ("which versions are newest", "versions"),
    ],
)
def test_the_best_hit_answers_the_question(question: str, number: str) -> None:
    assert load_handbook().search(question)[0].section.number == number


def test_the_same_question_gives_the_same_ranking() -> None:
    book = load_handbook()

    first = [(hit.section.number, hit.score) for hit in book.search("share a GPU", 10)]
    second = [(hit.section.number, hit.score) for hit in book.search("share a GPU", 10)]

    assert first == second
    assert first == sorted(first, key=lambda pair: -pair[1])


@pytest.mark.parametrize("question", ["", "the of and", "zyzzyva"])
def test_a_question_without_a_known_word_finds_nothing(question: str) -> None:
    assert load_handbook().search(question) == ()


def test_the_limit_is_kept() -> None:
    assert len(load_handbook().search("GPU", 3)) == 3


@pytest.mark.parametrize(
    ("one", "many"), [("policy", "policies"), ("GPU", "GPUs"), ("class", "classes"), ("bus", "bus")]
)
def test_plurals_meet_their_singular(one: str, many: str) -> None:
    assert stems(one) == stems(many)


def test_a_listed_question_outranks_a_passing_mention() -> None:
    listed = _section("1", "<!-- asked: can I overclock -->\n\nNo.")
    mention = _section("2", "Some people overclock. Others never overclock anything.")

    best = SearchIndex([mention, listed]).search("overclock", 2)[0]

    assert best.section is listed


def test_sources_are_not_searched() -> None:
    cited = _section("1", "Plain words.\n\n**Sources**\n\n- Datasheet of the flux capacitor, 2026")

    assert SearchIndex([cited]).search("flux capacitor", 1) == ()


def _section(number: str, text: str) -> Section:
    return Section(number, "Untitled", f"anchor-{number}", 1, "handbook/x.md", 1, text, 3)
