"""Text, Markdown and HTML say the same: no fact of one is missing from another."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from reports_support import Page, consultation

from advisor.reports.advice_html import advice_html
from advisor.reports.advice_markdown import advice_markdown
from advisor.reports.advice_text import advice_text
from advisor.reports.advice_view import advice_view
from advisor.reports.advice_words import headline

TAME = ("serving", "platform")


def flat(text: str) -> str:
    return " ".join(text.split())


def reports(name: str) -> dict[str, str]:
    """Return what a reader sees of each report, without markup and line breaks."""
    found = consultation(name)
    rendered = MarkdownIt("commonmark").enable("table").render(advice_markdown(found))
    return {
        "text": flat(advice_text(found, verbose=True)),
        "markdown": Page(rendered).text,
        "html": Page(advice_html(found)).text,
    }


@pytest.mark.parametrize("name", TAME)
def test_all_three_show_every_fact_of_the_text_report(name: str) -> None:
    found = consultation(name)
    facts = [decision.because for decision in found.decisions.values()]
    facts += [headline(d.choice) for d in found.decisions.values() if d.choice]
    facts += [r.because for d in found.decisions.values() for r in d.rejected]
    facts += [o.would_be_chosen_if for d in found.decisions.values() for o in d.alternatives]
    facts += [q.then for d in found.decisions.values() for q in d.depends_on]
    facts += [part for w in found.warnings for part in (w.text, w.symptom, w.check, w.fix) if part]
    facts += [a.why for a in found.assumptions]
    facts += [part for c in found.corrections for part in (c.claim, c.right)]
    facts += [found.knowledge.version, found.knowledge.as_of]
    for form, shown in reports(name).items():
        assert [fact for fact in facts if flat(fact) not in shown] == [], form


@pytest.mark.parametrize("name", TAME)
def test_markdown_and_html_show_every_text_of_the_view(name: str) -> None:
    view = advice_view(consultation(name))
    texts = [value for decision in view.decisions for _, value in decision.parameters]
    texts += [value for _, value in (*view.numbers, *view.considered, *view.answers)]
    texts += [*view.arithmetic, *(title for _, title in view.sections)]
    texts += [
        text
        for notes in (view.diagnoses, view.assumptions, view.questions, view.corrections)
        for note in notes
        for text in (note.head, note.text, *(value for _, value in note.details))
    ]
    shown = reports(name)
    assert texts
    for form in ("markdown", "html"):
        assert [text for text in texts if text not in shown[form]] == [], form


def test_status_of_every_decision_is_the_same_word_in_all_three() -> None:
    shown = reports("platform")
    assert "Provisioning [open]" in shown["text"]
    assert "Provisioning: open" in shown["markdown"]
    assert "Provisioning [open]" in shown["html"]


def test_questions_that_two_decisions_share_are_listed_once() -> None:
    view = advice_view(consultation("serving"))
    first, second = view.decisions
    assert [note.head for note in first.depends] == ["workload.kv_format", "objectives.priority"]
    assert (second.depends, second.depends_like) == ((), "GPU")


def test_rejections_for_one_reason_share_a_line() -> None:
    (note,) = advice_view(consultation("serving")).decisions[0].rejected
    assert note.head == "l4 in bf16, t4 in bf16"


def test_a_rate_without_an_estimate_gives_its_reason_instead_of_a_number() -> None:
    numbers = dict(advice_view(consultation("serving")).numbers)
    assert numbers["time to first token"] == "no estimate: no prompt length given"
    assert numbers["cache per GPU"] == "36.20 GiB (34.10 to 37.90)"
