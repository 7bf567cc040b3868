"""What does not count, or contradicts, is told on the turn on which it is said."""

from __future__ import annotations

import pytest
from interview_support import adviser, plain_text, said, texts

from advisor.interview.interview import Interview
from advisor.interview.plan import load_plan

MODEL = "llama-3.3-70b"


def lines(interview: Interview) -> str:
    """Return what came of the last answer."""
    return "\n".join(line.text for line in interview.lines_of(len(interview.session.turns)))


def test_a_rate_without_lengths_is_said_not_to_count_and_the_lengths_are_asked_next() -> None:
    interview = Interview(adviser())
    said(interview, f"{MODEL}, 100 rps")
    assert "100 requests a second were not taken into account" in lines(interview)
    assert interview.ask is not None
    assert interview.ask.key == "workload.prompt_tokens"
    said(interview, "2k")
    assert "only the prompts were counted" in lines(interview)
    assert interview.ask is not None
    assert interview.ask.key == "workload.output_tokens"
    said(interview, "300")
    assert interview.ask is not None
    assert interview.ask.key == "workload.kind"


def test_lengths_are_not_asked_without_a_rate_or_where_requests_are_none() -> None:
    interview = Interview(adviser())
    said(interview, MODEL)
    assert interview.ask is not None
    assert interview.ask.key == "workload.kind"
    said(interview, "fine-tuning", "/set objectives.requests_per_second=5")
    assert interview.ask is not None
    assert not interview.ask.key.startswith("workload.prompt")


def test_a_length_that_is_not_known_is_not_asked_again() -> None:
    interview = Interview(adviser())
    said(interview, f"{MODEL}, 100 rps", "0", "0")
    assert interview.ask is not None
    assert interview.ask.key == "workload.kind"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ttft under 500 ms", "to the first token were not taken into account"),
        ("H100 SXM, no NVLink", "joins its GPUs by NVLink"),
        ("amd only, H100 SXM", "hardware.vendors leaves it out"),
        ("purchase budget of $250k", "was not taken into account"),
        ("/set workload.parameters_b=70", "not taken into account"),
        ("/set training.lora_rank=8", "not taken into account"),
    ],
)
def test_an_answer_that_does_not_count_is_told_at_once(text: str, words: str) -> None:
    interview = Interview(adviser())
    said(interview, f"serving, {MODEL}", text)
    assert words in lines(interview)


def test_what_was_told_is_not_told_again() -> None:
    interview = Interview(adviser())
    said(interview, f"serving, {MODEL}, H100 SXM, no NVLink", "16k context")
    assert "NVLink" not in lines(interview)


def test_every_warning_that_is_told_at_once_is_one() -> None:
    from advisor.store.rules import load_rule_base

    knowledge = adviser().knowledge
    known = {rule.id for rule in load_rule_base(knowledge).rules} | {"answers-not-used"}
    assert set(load_plan(knowledge).told_at_once) <= known


def test_the_longest_request_is_asked_before_a_typical_one() -> None:
    asked = [asked for topic in load_plan(adviser().knowledge).topics for asked in topic.questions]
    after = {one.key: one.after for one in asked if one.after}
    assert after == {"workload.typical_context_tokens": "workload.context_tokens"}


def test_several_words_that_mean_several_things_are_chosen_one_after_another() -> None:
    interview = Interview(adviser())
    text = f"serving {MODEL} on two L40S, not fp8, no AWS"
    first = interview.say(text)
    assert first.accepted
    assert interview.pending is not None
    assert interview.pending.text == "What is “two L40S”?"
    interview.say("2")
    assert interview.pending is not None
    assert interview.pending.text == "What is “not fp8”?"
    last = interview.say("1")
    assert "no AWS" in texts(last)
    given = interview.session.answers.values
    assert given["platform.gpu_quota"] == 2
    assert given["workload.quantization"] == "not_allowed"
    assert given["workload.model"] == MODEL
    assert "hardware.gpus_per_node" not in given


def test_none_of_the_readings_leaves_the_words_out_and_keeps_the_rest() -> None:
    interview = Interview(adviser())
    interview.say(f"serving {MODEL} on two L40S")
    reply = interview.say("0")
    assert reply.accepted
    given = interview.session.answers.values
    assert given["workload.model"] == MODEL
    assert given["hardware.gpu"] == ("l40s",)
    assert not {"hardware.gpus_per_node", "platform.gpu_quota"} & set(given)
    assert "Not read: “two L40S”" in texts(reply)


def test_gpus_that_are_there_are_taken_with_that() -> None:
    interview = Interview(adviser())
    interview.say("64 H100")
    interview.say("1")
    given = interview.session.answers.values
    assert given["hardware.acquisition"] == "owned"
    assert given["hardware.gpus_per_node"] == 8
    assert given["hardware.nodes"] == 8


def test_without_anything_certain_none_of_the_readings_changes_nothing() -> None:
    interview = Interview(adviser())
    interview.say("not fp8")
    assert "Nothing is changed" in texts(interview.say("0"))
    assert not interview.session.turns


def test_what_no_answer_keeps_is_told_on_the_turn() -> None:
    shown = plain_text(Interview(adviser()), [f"serving, {MODEL}, no AWS", "/quit"])
    assert "Watch out: “no AWS”" in shown


def test_a_budget_of_a_month_is_one_of_an_hour_and_says_how() -> None:
    shown = plain_text(Interview(adviser()), [f"{MODEL}, budget $20k a month", "/quit"])
    assert "27.3973 USD/h; 20,000 USD a month" in shown.replace("\n  ", " ")


def test_an_edit_tells_what_no_answer_keeps_and_what_was_not_read() -> None:
    interview = Interview(adviser())
    said(interview, f"serving, {MODEL}", "16k context")
    shown = texts(interview.say("/edit 2 32k context, no AWS, purple"))
    assert "no AWS" in shown
    assert "Not read: “purple”" in shown


def test_an_answer_that_may_count_later_is_not_said_to_be_beyond_this_version() -> None:
    interview = Interview(adviser())
    interview.say("8 H100 per node, 2 nodes, llama 3.1 8b for 20 users at 8k")

    assert "not taken into account with these answers: hardware.nodes" in lines(interview)
