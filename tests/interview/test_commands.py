from __future__ import annotations

import pytest
from interview_support import adviser, said, texts

from advisor.answers.validate import read_answers
from advisor.interview.commands import COMMANDS
from advisor.interview.completing import completions
from advisor.interview.interview import Interview
from advisor.interview.session import Session
from advisor.interview.showing import closing_of, evidence_of, view_of


@pytest.fixture
def empty() -> Interview:
    return Interview(adviser())


@pytest.fixture
def begun() -> Interview:
    found = Interview(adviser())
    said(found, "serving", "llama 3.1 8b for 20 users at 8k")
    return found


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/nonsense", "There is no /nonsense"),
        ("/bakc", "Nearest: /back"),
        ("/back", "Nothing to take back."),
        ("/redo", "Nothing was taken back."),
        ("/back many", "Nothing to take back."),
        ("/edit 1 x", "no answer to change"),
        ("/keep", "Nothing was tried"),
        ("/how", "/how gpu"),
        ("/how nonsense", "nonsense"),
        ("/whynot", "which option"),
        ("/compare h100-sxm", "two options"),
        ("/whatif", "key=value"),
        ("/whatif workload.concurrency=-1", "-1"),
        ("/set", "key=value"),
        ("/set workload.kind=nonsense", "nonsense"),
        ("/set nonsense=1", "nonsense"),
        ("/set workload.kind=", "is not one of the values"),
        ("/set workload.model=no-such-model", "no-such-model"),
        ("/cite", "which section"),
        ("/cite 99.9", "99.9"),
        ("/find", "Say what"),
        ("/save x", "not kept"),
        ("/cases", "not kept"),
        ("gibberish blargh", "is none of the options"),
    ],
)
def test_a_command_says_what_it_cannot_do_and_nothing_changes(
    empty: Interview, line: str, why: str
) -> None:
    before = empty.session
    reply = empty.say(line)

    assert why in texts(reply)
    assert not reply.accepted or reply.entry is not None
    assert empty.session is before


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/edit", "from 1 to 2"),
        ("/edit 3 x", "from 1 to 2"),
        ("/edit 2", "Answer 2 is “llama 3.1 8b for 20 users at 8k”"),
        ("/edit 1 gibberish blargh", "gibberish"),
        ("/back x", "“x” is not a number of answers"),
        ("/back 0", "“0” is not a number of answers"),
    ],
)
def test_what_cannot_be_edited_or_taken_back_is_told(begun: Interview, line: str, why: str) -> None:
    before = begun.session
    reply = begun.say(line)

    assert not reply.accepted
    assert why in texts(reply)
    assert begun.session is before


def test_when_nothing_is_asked_there_is_no_why_and_no_unknown(empty: Interview) -> None:
    said(empty, "/set ask=[]", "serving", "llama 3.1 8b")
    while empty.ask is not None:
        said(empty, "/skip")

    for line in ("?", "/unknown", "/skip"):
        assert texts(empty.say(line)).strip() == "No question is open."


def test_what_was_put_off_is_told_when_nothing_is_left_to_ask(begun: Interview) -> None:
    told = closing_of(begun.consultation, begun.session.skip("tenancy.sla"))

    assert "Put off: tenancy.sla. /set KEY=VALUE answers them." in [line.text for line in told]


def test_help_lists_every_command_and_finds_by_word(empty: Interview) -> None:
    listed = texts(said(empty, "/help"))

    assert all(command.usage in listed for command in COMMANDS)
    assert "/cite" in texts(said(empty, "/help handbook"))
    assert "No command speaks of" in texts(said(empty, "/help zebra"))


def test_an_edit_shows_what_moves_and_changes_nothing_until_yes(begun: Interview) -> None:
    before = begun.session
    shown = texts(said(begun, "/edit 2 llama 3.3 70b"))

    assert "GPU: " in shown
    assert " -> " in shown
    assert "The rest of answer 2 stays: concurrency, context tokens." in shown
    assert begun.session is before
    assert texts(said(begun, "yes")) == "Answer 2 is “llama 3.3 70b” now."
    assert begun.session.answers.values["workload.model"] == "llama-3.3-70b"
    assert begun.session.answers.values["workload.concurrency"] == 20
    assert len(begun.session.turns) == 2


def test_an_edit_that_is_refused_leaves_everything(begun: Interview) -> None:
    before = begun.session
    said(begun, "/edit 2 llama 3.3 70b", "no")

    assert begun.session is before
    assert begun.pending is None


def test_an_edit_tells_which_later_answers_would_not_matter(begun: Interview) -> None:
    said(begun, "/set workload.typical_context_tokens=4k", "/set tenancy.sla=hard")
    shown = texts(said(begun, "/edit 1 platform"))

    assert "Answer 3 (“/set workload.typical_context_tokens=4k”) is kept and would not" in shown
    assert "Answer 4" not in shown
    said(begun, "1")
    assert begun.session.answers.values["workload.typical_context_tokens"] == 4096


def test_an_edit_tells_when_a_later_answer_says_the_same_key(begun: Interview) -> None:
    said(begun, "/set workload.concurrency=5")

    assert "Answer 3 (“/set workload.concurrency=5”) says concurrency again" in texts(
        said(begun, "/edit 2 for 40 users")
    )


def test_what_if_changes_nothing_until_it_is_kept(begun: Interview) -> None:
    before = begun.session
    said(begun, "/whatif concurrency=500")
    assert begun.session is before
    said(begun, "/so-far", "/keep")

    assert begun.session.answers.values["workload.concurrency"] == 500
    assert begun.session.turns[-1].text == "/set workload.concurrency=500"


def test_anything_else_leaves_what_was_tried(begun: Interview) -> None:
    said(begun, "/whatif concurrency=500", "0")

    assert begun.pending is None
    assert begun.session.answers.values["workload.concurrency"] == 20


def test_several_meanings_are_asked_back_and_nothing_is_guessed(empty: Interview) -> None:
    said(empty, "serving")
    before = empty.session
    reply = empty.say("a100 or h100")
    if empty.pending is None:  # read as a list of two: then it was not ambiguous
        assert reply.turn is not None
        return
    assert empty.session is before


def test_words_that_say_nothing_are_told(empty: Interview) -> None:
    reply = said(empty, "llama 3.1 8b for 20 users and a blue horse")

    assert "Not read: “blue horse”" in texts(reply)


def test_all_that_was_read_from_a_sentence_is_echoed_with_its_key(begun: Interview) -> None:
    turn = view_of(begun).log[-1]

    assert turn.understood == (  # type: ignore[union-attr]
        "model: Llama 3.1 8B; concurrency: 20; context tokens: 8,192 tokens"
    )


def test_the_range_of_questions_left_never_grows_without_a_word(empty: Interview) -> None:
    most = view_of(empty).left[1]
    lines = ("serving", "llama 3.1 8b", "/set acquisition=owned", "/set platform.cloud=on_prem",
             "/set traffic=bursty", "/edit 1 fine-tuning", "yes")  # fmt: skip
    for line in lines:
        reply = said(empty, line)
        now = view_of(empty).left[1]
        lines_told = () if reply.turn is None else view_of(empty).log[-1].lines
        told = " ".join(one.text for one in lines_told)
        assert now <= most or "may come" in told
        most = now


@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [
        ("/wha", "/wha", ["/whatif"]),
        ("/set workload.conc", "workload.conc", ["workload.concurrency="]),
        ("/set workload.kind=se", "se", ["serving"]),
        ("/set tenancy.confidential=", "", ["yes", "no"]),
        ("/how par", "par", ["parallelism"]),
        ("/cite 7.3", "7.3", ["7.3"]),
        ("/compare h100-s", "h100-s", ["h100-sxm"]),
        ("pla", "pla", ["platform"]),
        ("what is this", "this", []),
    ],
)
def test_a_half_typed_line_is_completed(
    empty: Interview, line: str, word: str, offered: list[str]
) -> None:
    assert completions(empty, line, word) == offered


def test_every_command_that_is_listed_is_there(begun: Interview) -> None:
    for command in COMMANDS:
        assert "There is no /" not in texts(begun.say(f"/{command.name}"))


@pytest.mark.parametrize("line", ["/restart now", "/skip 7", "/keep it", "/unknown 3"])
def test_words_behind_a_command_that_takes_none_stop_it(line: str) -> None:
    interview = Interview(adviser())
    said(interview, "serving")
    reply = interview.say(line)
    assert not reply.accepted
    assert f"Nothing stands behind {line.partition(' ')[0]}; it was not carried out" in texts(reply)
    assert interview.session.answers.values["workload.kind"] == "serving"
    assert not interview.session.skipped


@pytest.mark.parametrize(
    "line",
    [
        "/set workload.kind = serving workload.concurrency =20",
        "/set workload.kind= serving workload.concurrency = 20",
    ],
)
def test_blanks_around_an_equals_sign_do_no_harm(line: str) -> None:
    interview = Interview(adviser())
    said(interview, line)
    assert dict(interview.session.answers.values) == {
        "workload.kind": "serving",
        "workload.concurrency": 20,
    }


def test_blanks_inside_a_quotation_stay() -> None:
    interview = Interview(adviser())
    said(interview, '/set symptoms=["x y = b"] workload.kind= serving')
    assert interview.session.answers.values["symptoms"] == ("x y = b",)
    assert interview.session.answers.values["workload.kind"] == "serving"


def test_edit_points_to_set_where_the_answers_come_from_a_file() -> None:
    start = read_answers({"workload": {"kind": "serving", "model": "qwen3-32b"}}, name="gpu.yaml")
    interview = Interview(adviser(), Session(start))
    reply = interview.say("/edit 1 32k")
    assert not reply.accepted
    assert "2 answers come from a file: /set changes one" in texts(reply)


def test_a_key_of_one_load_is_set_and_tried_and_the_other_loads_stay() -> None:
    loads = [
        {"name": "chat", "model": "llama-3.1-8b", "concurrency": "unknown"},
        {"name": "embed", "kind": "embeddings", "model": "bge-m3", "concurrency": 8},
    ]
    start = read_answers({"workloads": loads, "hardware": {"gpu": "l4"}})
    found = Interview(adviser(), session=Session(start))
    said(found, "/set workloads[0].concurrency=20", "/whatif workloads[1].concurrency = 9", "/keep")

    expected = [{**loads[0], "concurrency": 20}, {**loads[1], "concurrency": 9}]
    assert (
        found.session.answers.as_dict()["workloads"]
        == read_answers({"workloads": expected}).as_dict()["workloads"]
    )


def test_an_anchor_opens_what_it_covers_and_nothing_else(begun: Interview) -> None:
    reply = said(begun, "/cite 7.3#worked-70b")
    opened = evidence_of(begun, begun.consultation)

    assert "Worked example" in texts(reply)
    assert opened is not None
    assert opened.section == "7.3"
    assert "Worked example" in opened.markdown.splitlines()[0]
    assert "Bytes per weight" not in opened.markdown
    said(begun, "/cite 7.3")
    whole = evidence_of(begun, begun.consultation)
    assert whole is not None
    assert "Bytes per weight" in whole.markdown


def test_a_number_is_no_name_of_a_model_that_only_its_figures_describe() -> None:
    interview = Interview(adviser())
    said(interview, "serve a model with 7b parameters for 20 users at 8k")
    assert interview.question is not None
    assert interview.question.key == "workload.model"
    reply = interview.say("1")

    assert not reply.accepted
    assert "'1' is no name" in texts(reply)
    said(interview, "our-own-7b")
    assert interview.session.answers.values["workload.model"] == "our-own-7b"


def test_what_was_tried_is_left_as_it_says(begun: Interview) -> None:
    before = begun.session
    assert "0 or an answer leaves it" in texts(said(begun, "/whatif concurrency=500"))
    said(begun, "/cite 7.3")
    assert begun.pending is not None
    said(begun, "0")
    assert begun.pending is None
    assert begun.session is before
