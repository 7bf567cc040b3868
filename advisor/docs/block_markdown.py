"""A consultation as the Markdown of a block: short, stable, flat.

Nothing volatile goes in: no engine, no version, no age in days; only what somebody would want
to know to have changed. Paragraphs and flat lists alone, since every reader takes those the same
way, in lists and quotations too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.consult.consultation import Citation, Consultation, Decision, Diagnosis, Warned
from advisor.docs.citations import Citations
from advisor.docs.prose import code, plain, prose
from advisor.docs.spec import DECISIONS, BlockOptions
from advisor.errors import InputError, Problem
from advisor.reports.advice_view import AdviceView, AlternativeView, DecisionView, advice_view
from advisor.reports.advice_words import TITLES, said, same_reason

__all__ = ["block_markdown", "choices_in"]

_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")
_AGED = re.compile(r"^The price of [\d-]+ is \d+ days old")
"""Grows by itself from day to day; the date of the price is said beside it."""
_REASONS, _REJECTED = 2, 5
_QUESTIONS = {False: 3, True: 12}
"""How many open questions are named, by whether the details are full."""
_TITLE = "|".join(TITLES.values())
_HEAD = re.compile(rf"^\*\*(?P<title>{_TITLE})\*\* \((?P<status>[a-z ]+)\)(?:: (?P<choice>.*))?$")


def block_markdown(consultation: Consultation, options: BlockOptions) -> str:
    """Return a consultation as Markdown without a final newline.

    Args:
        consultation: What to show.
        options: Which parts of it, and how.

    Raises:
        InputError: a decision is to be shown that was not asked for.
    """
    return "\n\n".join(_Block(consultation, options).parts())


def choices_in(markdown: str) -> dict[str, str]:
    """Return decision to status and choice as a block that was written earlier tells them."""
    found: dict[str, str] = {}
    names = {title: name for name, title in TITLES.items()}
    for line in markdown.splitlines():
        match = _HEAD.match(line.strip())
        if match:
            choice = f"{plain(match['choice'])} " if match["choice"] else ""
            found[names[match["title"]]] = f"{choice}({match['status']})"
    return found


class _Block:
    """Writes one consultation under one set of options."""

    def __init__(self, consultation: Consultation, options: BlockOptions) -> None:
        self._all, self._options = consultation, options
        self._full = options.details == "full"
        self._view: AdviceView = advice_view(consultation)
        self._cites = Citations(options.links)
        shown = [name for name in options.show if name in DECISIONS]
        self._decisions = tuple(shown) if options.show else tuple(consultation.decisions)

    def parts(self) -> Iterator[str]:
        """Yield paragraphs and lists."""
        views = {view.name: view for view in self._view.decisions}
        by_name: Mapping[str, Decision] = {str(k): v for k, v in self._all.decisions.items()}
        for name in self._decisions:
            if name not in views:
                raise InputError(Problem("not_asked", _not_asked(name, views)))
            yield from self._decision(views[name], by_name[name])
        yield from self._open(by_name)
        yield from self._warnings()
        if self._full:
            yield from self._assumptions()
            yield from self._corrections()
        if "diagnoses" in self._options.show:
            yield from self._diagnoses(self._all.diagnoses)

    def _decision(self, view: DecisionView, decision: Decision) -> Iterator[str]:
        head = f"**{view.title}** ({view.status})"
        yield f"{head}: {prose(view.headline)}" if view.headline else head
        if self._full and view.figures:
            yield _list(f"{prose(label)}: {prose(text)}" for label, text in view.figures)
        reasons = [s for s in _SENTENCE_END.split(view.because) if not _AGED.match(s)]
        because = " ".join(reasons if self._full else reasons[:_REASONS])
        yield self._cited(because, decision.citations)
        if self._full:
            yield from self._others(view, decision)

    def _others(self, view: DecisionView, decision: Decision) -> Iterator[str]:
        others = [
            self._cited(_alternative(seen), other.citations)
            for seen, other in zip(view.alternatives, decision.alternatives, strict=True)
        ]
        if others:
            yield from (f"{view.title}, alternatives:", _list(others))
        rejected = same_reason(decision.rejected)
        lines = [
            f"{prose(', '.join(names))}: {self._cited(line.because, line.citations)}"
            for names, line in rejected[:_REJECTED]
        ]
        if len(rejected) > _REJECTED:
            lines.append("and others")
        if lines:
            yield from (f"{view.title}, rejected:", _list(lines))

    def _open(self, decisions: Mapping[str, Decision]) -> Iterator[str]:
        shown = [decisions[name] for name in self._decisions]
        keys = list(dict.fromkeys(d.question for each in shown for d in each.depends_on))
        if not keys:
            return
        few = keys[: _QUESTIONS[self._full]]
        more = " and others" if len(keys) > len(few) else ""
        yield f"Not answered, and could change it: {', '.join(code(key) for key in few)}{more}."

    def _warnings(self) -> Iterator[str]:
        lines = [self._warning(warned) for warned in self._all.warnings if self._tells(warned)]
        if lines:
            yield from ("What will bite:", _list(lines))

    def _tells(self, warned: Warned) -> bool:
        """Tell whether a warning is shown: all where asked for, else what must not be missed."""
        if "warnings" in self._options.show:
            return True
        if warned.decision not in self._decisions:
            return False
        must = warned.severity == "critical"
        return must or (warned.severity == "warning" and (self._full or warned.kind != "gotcha"))

    def _warning(self, warned: Warned) -> str:
        text = self._cited(warned.text, warned.citations)
        if self._full and warned.fix:
            text += f" Fix: {prose(warned.fix)}"
        return f"**{warned.severity}**: {text}"

    def _assumptions(self) -> Iterator[str]:
        titles = {c.section: c for c in _citations(self._all)}
        lines = []
        for note in self._all.assumptions:
            section = titles.get(note.section) or _citation_of(note.section)
            lines.append(f"{code(note.key)} is {prose(said(note.value))}: ")
            lines[-1] += self._cited(note.why, (section,))
        if lines:
            yield from ("Assumed:", _list(lines))

    def _corrections(self) -> Iterator[str]:
        lines = [
            f'often heard: "{prose(c.claim)}" What is right: {self._cited(c.right, c.citations)}'
            for c in self._all.corrections
        ]
        if lines:
            yield from ("Often heard, and wrong:", _list(lines))

    def _diagnoses(self, diagnoses: Sequence[Diagnosis]) -> Iterator[str]:
        if not diagnoses:
            message = "Diagnoses are to be shown, and the answers hold no symptoms."
            raise InputError(Problem("not_asked", message))
        for seen, note in zip(diagnoses, self._view.diagnoses, strict=True):
            yield f"**Symptom**: {prose(seen.input)}"
            yield _list(f"{prose(a)}: {prose(b)}" for a, b in note.details) or prose(note.text)

    def _cited(self, text: str, citations: Iterable[Citation]) -> str:
        return " ".join(part for part in (prose(text), self._cites.write(citations)) if part)


def _not_asked(name: str, there: Iterable[str]) -> str:
    return (
        f"{name} is to be shown, and the answers do not ask for it (ask: "
        f"{', '.join(there) or 'nothing'})."
    )


def _alternative(seen: AlternativeView) -> str:
    what = seen.headline.partition(": ")[2].partition(", ")[0]
    told = bool(what) and what in seen.because
    parts = ("" if told else seen.headline, seen.because, seen.would_be_chosen_if)
    return " ".join(part.rstrip(".") + "." for part in parts if part)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _citations(consultation: Consultation) -> Iterator[Citation]:
    for decision in consultation.decisions.values():
        yield from decision.citations


def _citation_of(section: str) -> Citation:
    from advisor.store.handbook import load_handbook

    found = load_handbook().section(section)
    return Citation(section=found.number, title=found.title, anchor=found.anchor)
