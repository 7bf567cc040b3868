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
        ("how many concurrent users can one h100 serve", "8.1"),
        ("how big should dev shm be", "7.5"),
        ("what nccl env vars do i need", "3.5"),
        ("why is my gpu at 100% but tokens are slow", "5.6"),
        ("my container can't find libcuda", "4.1"),
        ("split a model over two servers", "7.1"),
        ("pass a GPU through to KVM", "3.1"),
        ("how much does vgpu cost", "3.2"),
        ("scale gpus to zero", "8.4"),
        ("which kubernetes version do i need for dynamic resource allocation", "5.3"),
        ("attention heads not divisible", "7.1"),
        ("secure boot driver not loading", "4.3"),
        ("noisy neighbour", "3.2"),
        ("can i mix A100 and H100 in one tensor parallel group", "7.1"),
        ("pod disruption budgets and drivers", "5.5"),
        ("huge pages for EFA", "3.5"),
        ("two models on one card", "8.2"),
        ("differences between device plugin and dra", "5.3"),
        ("k3s gpu runtime not configured", "4.2"),
        ("should I choose TP8 or 2xTP4", "8.3"),
        ("can I put a GPU with 24gb and one with 48gb together", "7.1"),
        ("what is a DaemonSet", "glossary"),
    ],
)
def test_the_best_hit_answers_the_question(question: str, number: str) -> None:
    assert load_handbook().search(question)[0].section.number == number


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("karpentr consolidation", "karpenter consolidation"),
        ("kv cashe per token", "kv cache per token"),
        ("confidental computing", "confidential computing"),
        ("mps vs timeslicing", "MPS vs time-slicing"),
        ("quantization quality", "quantisation quality"),
        ("multi-instance GPU sizes", "MIG sizes"),
        ("vGPU license", "vGPU licence"),
        ("Fabric Manager in a virtual machine", "Fabric Manager in a VM"),
        ("tensor parallelism over PCIe", "TP over PCIe"),
        ("p2p is off", "peer-to-peer is off"),
        ("80gb card", "80 GB card"),
    ],
)
def test_spelling_and_short_forms_do_not_matter(wrong: str, right: str) -> None:
    book = load_handbook()

    found = [book.search(question, 1)[0].section.number for question in (wrong, right)]

    assert found[0] == found[1]


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


@pytest.mark.parametrize(
    "family",
    ["share shares shared sharing", "split splitting", "allocate allocated allocation",
     "quantise quantised quantization quantisation", "load loads loading", "fit fits fitting"],
)  # fmt: skip
def test_forms_of_a_word_meet(family: str) -> None:
    assert len({tuple(stems(word)) for word in family.split()}) == 1


def test_words_that_a_page_calls_alike_count_as_one() -> None:
    page = "<!-- alike: VM, virtual machine; price, cost -->\n\nA guest is a VM. It has a price."
    index = SearchIndex([_section("1", page), _section("2", "A machine is real, not virtual.")])

    assert index.search("virtual machines", 1)[0].section.number == "1"
    assert index.search("cost", 2)[0].section.number == "1"


def test_a_word_that_no_page_has_is_taken_for_the_nearest() -> None:
    index = SearchIndex([_section("1", "A scheduler places pods."), _section("2", "A bus.")])

    assert [hit.section.number for hit in index.search("schedular", 2)] == ["1"]
    assert index.search("abacus", 2) == ()


def test_words_in_one_line_outrank_words_far_apart() -> None:
    near = _section("1", "A red fox ran.\nThe dog slept.\nNothing else.")
    far = _section("2", "A red hen ran.\nThe fox slept.\nNothing else.")

    assert SearchIndex([far, near]).search("red fox", 2)[0].section is near


def test_a_whole_question_outranks_its_words_in_two_questions() -> None:
    whole = _section("1", "<!-- asked: share a card; boot a node -->\n\nText.")
    parts = _section("2", "<!-- asked: share a node; boot a card -->\n\nText.")

    assert SearchIndex([parts, whole]).search("share a card", 2)[0].section is whole


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
