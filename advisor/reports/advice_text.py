"""The text form of a consultation: decision first, then what decided it, then details.

The default is for two screens; every list that is cut says how many more there are, and
``verbose`` shows them.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from advisor.consult.consultation import (
    Alternative,
    Choice,
    Citation,
    Consultation,
    Decision,
    Diagnosis,
    Rejection,
    Warned,
)
from advisor.reports.advice_bites import MARKS, left_untold, parts_told, told_first
from advisor.reports.advice_figures import decisive_figures
from advisor.reports.advice_platform import platform_rows
from advisor.reports.advice_rejected import carries_and_loses
from advisor.reports.advice_words import TITLES, headline, said, same_reason

__all__ = ["WIDTH", "advice_text"]

WIDTH = 100
"""Columns where nothing says how wide the reader's screen is."""

_REJECTED = 2
_OUTRANKED = 2
_CAUSES = 2
_CORRECTIONS = 1
_DEPENDS = 3
_NAMES = 6
_REASONS = 3
_OTHERS = 2
_OTHER_GPUS = 3
_MANY_REASONS = frozenset({"sharing", "provisioning"})
_TOLD_OF_A_CLAIM = 2
"""Sentences of what is right instead of a common claim; the rest stands behind --verbose."""
_OWNERS = ("driver by", "toolkit by")
_WATCHED = "monitor-"
"""Of the ids of rules that say what to watch."""
_REPEATED = re.compile(r"One machine with |One replica \(.* it takes 1\.$|Image: ")
"""Reasons that the figures of power and room, or the first line, say again."""

_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z0-9])")


def advice_text(consultation: Consultation, *, verbose: bool = False, width: int = WIDTH) -> str:
    """Return the report as plain text with a final newline.

    Args:
        consultation: What to report.
        verbose: All warnings, rejections and open questions instead of the first few.
        width: Columns that a line may take; only what cannot be broken takes more.
    """
    return "\n".join(_Report(consultation, verbose, width).lines()) + "\n"


def _cites(citations: Iterable[Citation]) -> str:
    return " ".join(f"§{citation.section}" for citation in citations)


_SHOWN = (
    "engine", "engine_version", "kv_format", "max_model_len", "max_num_seqs",
    "max_num_batched_tokens", "gpu_memory_utilization", "nodes", "instance_type", "fabric",
    "stage_fabric",
    "training_method", "sharding", "optimizer", "recompute", "offload", "micro_batch",
    "sequence_tokens", "loss", "context_parallel",
)  # fmt: skip


def _parameters(choice: Choice, told: str) -> list[str]:
    """Return the settings, without an instance type that was named before."""
    values = choice.model_dump()
    shown = {key: values[key] for key in _SHOWN if values.get(key) is not None}
    if str(shown.get("instance_type")) in told:
        del shown["instance_type"]
    return [f"{key} {value}" for key, value in shown.items()]


class _Report:
    """Writes one consultation for one width."""

    def __init__(self, consultation: Consultation, verbose: bool, width: int) -> None:
        self._all, self._verbose, self._width = consultation, verbose, width
        self._asked: set[str] = set()
        self._set: set[str] = set()
        """Settings that a decision before has said."""
        self._left: list[str] = []
        """What of a decision is left out, with its number."""
        self._said: set[str] = set()
        """Reasons that were given in full before."""
        self._told = " ".join(d.because for d in consultation.decisions.values())

    def lines(self) -> Iterator[str]:
        for name, decision in self._all.decisions.items():
            yield from self._decision(name, decision)
            yield from self._questions(name, decision)
            yield from self._left_out()
            yield ""
        yield from self._diagnoses()
        yield from self._warnings()
        yield from self._watched()
        yield from self._assumptions()
        yield from self._corrections()
        stamp = self._all.knowledge
        yield from self._wrap(
            f"knowledge {stamp.text}, rule engine {self._all.engine}; "
            "read a section with: gpu-advisor cite 7.3",
            "",
            "",
        )

    def _wrap(self, text: str, first: str = "     ", rest: str = "     ") -> list[str]:
        return textwrap.wrap(
            text,
            self._width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )

    def _sentences(self, text: str) -> Iterator[str]:
        """Yield each sentence from the start of a line: a reason each."""
        for sentence in _SENTENCE_END.split(text):
            yield from self._wrap(sentence, "     ", "       ")

    def _once(self, reason: str, again: str) -> str:
        """Return a reason the first time, then a reference to it."""
        bare = reason.removeprefix("If this did not count: ").rstrip(".")
        if bare in self._said and not self._verbose:
            return again
        self._said.add(bare)
        return reason

    def _leave(self, count: int, what: str, more: str = "") -> None:
        if count > 0:
            self._left.append(f"{count} {what}{'s' if count > 1 else ''}{more}")

    def _left_out(self) -> Iterator[str]:
        """Yield one line about all that a decision leaves out."""
        if self._left:
            yield from self._wrap(f"left out: {', '.join(self._left)} (--verbose)")
        self._left.clear()

    def _hidden(self, count: int, what: str, more: str = "") -> Iterator[str]:
        if count > 0:
            yield f"     {count} more {what}{'s' if count > 1 else ''}{more} (--verbose)"

    # ---- decisions ----

    def _decision(self, name: str, decision: Decision) -> Iterator[str]:
        yield f"{TITLES[name]}  [{decision.status.replace('_', ' ')}]"
        if decision.choice is not None:
            yield from self._wrap(headline(decision.choice), "  => ", "     ")
        for label, text in self._short_rows(self._figures(name, decision)):
            width = 8 if name == "gpu" else 15
            yield from self._wrap(text, f"     {label:<{width}} ", " " * (width + 6))
        yield from self._because(name, decision)
        yield from self._settings(decision)
        others = decision.alternatives
        if not self._verbose:
            others = others[: _OTHERS if name in _MANY_REASONS else _OTHER_GPUS]
        for other in others:
            yield from self._wrap(self._alternative(name, other), "  or ", "     ")
        self._leave(len(decision.alternatives) - len(others), "alternative")
        yield from self._rejected(decision)

    def _settings(self, decision: Decision) -> Iterator[str]:
        """Yield what to set; what a decision before said is not repeated."""
        if decision.choice is None:
            return
        settings = _parameters(decision.choice, self._told)
        fresh = [one for one in settings if self._verbose or one not in self._set]
        self._set.update(settings)
        if fresh:
            load = decision.choice.model_dump().get("workload")
            of = f" of {load}" if load else ""
            yield from self._wrap(f"settings{of}: {'; '.join(fresh)}", "     ", "       ")

    def _alternative(self, name: str, other: Alternative) -> str:
        """Return a runner-up and its condition; its merits too where they are figures."""
        when = self._once(other.would_be_chosen_if, "If the same did not count.")
        if name not in _MANY_REASONS:
            return f"{other.because} {when}"
        reason = f"{other.because} " if self._verbose else ""
        return f"{headline(other.choice)}: {reason}{when}"

    def _because(self, name: str, decision: Decision) -> Iterator[str]:
        """Yield the reasons; of nodes, with a reason for each setting, the first few."""
        told = _SENTENCE_END.split(decision.because)
        shown = told
        if name in _MANY_REASONS and not self._verbose:
            shown = told[:_REASONS]
        if not self._verbose and len(told) > 1:
            shown = [reason for reason in shown if not _REPEATED.match(reason)]
        yield from self._sentences(f"{' '.join(shown)} {_cites(decision.citations)}")
        of_what = " of its settings" if name in _MANY_REASONS else ""
        self._leave(len(told) - len(shown), "reason", of_what)

    def _figures(self, name: str, decision: Decision) -> Iterable[tuple[str, str]]:
        if name == "gpu":
            return decisive_figures(self._all)
        values = {} if decision.choice is None else decision.choice.model_dump()
        return platform_rows(name, values)

    def _short_rows(self, rows: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield the rows without the image, which the first line names, and owners in one."""
        told = list(rows)
        owners = {value for label, value in told if label in _OWNERS}
        for label, value in told:
            if self._verbose or label not in {"image", *_OWNERS} or len(owners) != 1:
                yield label, value
            elif label == _OWNERS[0]:
                yield "driver, toolkit", f"by {value}"

    def _rejected(self, decision: Decision) -> Iterator[str]:
        told: tuple[Rejection, ...] = decision.rejected
        if not self._verbose:
            nearest = carries_and_loses(decision)
            for lost in nearest[:_OUTRANKED]:
                figures, loses, reason = lost.partition(", and loses: ")
                again = self._once(reason, "for the reason above.") if reason else ""
                text = f"{figures}{loses}{again}"
                yield from self._wrap(text, "  no ", "     ")
            left = len(nearest) - _OUTRANKED
            self._leave(left, "GPU", " that could carry the load")
            told = tuple(line for line in decision.rejected if not line.outranked)
        groups = same_reason(told)
        shown = groups if self._verbose else groups[:_REJECTED]
        for names, line in shown:
            some = names if self._verbose else names[:_NAMES]
            more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
            text = f"{', '.join(some)}{more}: {line.because} {_cites(line.citations)}"
            yield from self._wrap(text, "  no ", "     ")
        self._leave(len(groups) - len(shown), "reason", " against others")

    def _questions(self, name: str, decision: Decision) -> Iterator[str]:
        """Yield what could still change it; what an earlier decision asked is not repeated.

        Why is told of the first decisions; of the others behind --verbose.
        """
        first = {question.key: question.why for question in self._all.next_questions}
        asked = {d.question: d.then for d in decision.depends_on}
        order = [key for key in first if key in asked]
        order += [key for key in asked if key not in first]
        fresh = [key for key in order if key not in self._asked]
        self._asked.update(fresh)
        shown = fresh if self._verbose else fresh[:_DEPENDS]
        if name in _MANY_REASONS and not self._verbose and shown:
            yield from self._wrap(", ".join(shown), "  ?  ", "     ")
            shown = []
        for key in shown:
            why = asked[key] if self._verbose else first.get(key, asked[key])
            yield from self._wrap(f"{key}: {why}", "  ?  ", "     ")
        left = len(fresh) - (len(fresh) if self._verbose else _DEPENDS)
        self._leave(left, "open question")

    # ---- what follows ----

    def _warnings(self) -> Iterator[str]:
        found = tuple(w for w in self._all.warnings if not w.id.startswith(_WATCHED))
        if not found:
            return
        yield "What will bite"
        shown = found if self._verbose else told_first(found)
        for warned in shown:
            yield from self._warned(warned)
        if not self._verbose and (told := left_untold(len(found) - len(shown), shown)):
            yield from self._wrap(told)
        yield ""

    def _warned(self, warned: Warned) -> Iterator[str]:
        mark = MARKS[warned.severity]
        yield from self._wrap(f"{warned.text} {_cites(warned.citations)}", f"  {mark:<3}", "     ")
        for label, text in parts_told(warned, whole=self._verbose):
            yield from self._wrap(f"{label}: {text}", "     ", "       ")

    def _watched(self) -> Iterator[str]:
        """Yield what to monitor: the alerts, whatever else there is to tell."""
        found = [w for w in self._all.warnings if w.id.startswith(_WATCHED)]
        if not found:
            return
        yield "What to watch"
        for warned in found:
            if self._verbose:
                yield from self._warned(warned)
            else:
                text = f"{warned.check} {_cites(warned.citations)}"
                yield from self._wrap(text, "  -  ", "     ")
        yield ""

    def _assumptions(self) -> Iterator[str]:
        found = self._all.assumptions
        if not found:
            return
        if self._verbose:
            yield "Assumed"
            for one in found:
                text = f"{one.key} = {said(one.value)}: {one.why} §{one.section}"
                yield from self._wrap(text, "  -  ", "     ")
        else:
            told = "; ".join(f"{a.key} = {said(a.value)} (§{a.section})" for a in found)
            yield from self._wrap(f"Assumed: {told}. Reasons: --verbose", "", "     ")
        yield ""

    def _corrections(self) -> Iterator[str]:
        found = self._all.corrections
        if not found:
            return
        yield "Often heard, and wrong"
        shown = found if self._verbose else found[:_CORRECTIONS]
        left = len(found) - len(shown)
        for correction in shown:
            right = correction.right
            if not self._verbose:
                right = " ".join(_SENTENCE_END.split(right)[:_TOLD_OF_A_CLAIM])
            text = f'"{correction.claim}" {right} {_cites(correction.citations)}'
            more = f" ({left} more claim{'s' if left > 1 else ''}: --verbose)" if left else ""
            yield from self._wrap(text + more, "  -  ", "     ")
        yield ""

    def _diagnoses(self) -> Iterator[str]:
        found: tuple[Diagnosis, ...] = self._all.diagnoses
        if not found:
            return
        yield "Symptoms"
        for diagnosis in found:
            if not diagnosis.causes:
                yield from self._wrap(f"not known: {diagnosis.input}", "  ?  ", "     ")
                continue
            yield from self._wrap(diagnosis.input, "  !  ", "     ")
            shown = diagnosis.causes if self._verbose else diagnosis.causes[:_CAUSES]
            for cause in shown:
                yield from self._cause(cause)
            yield from self._hidden(len(diagnosis.causes) - len(shown), "cause")
        yield ""

    def _cause(self, cause: dict[str, Any]) -> Iterator[str]:
        cites = " ".join(dict.fromkeys(f"§{c['section']}" for c in cause.get("citations", ())))
        text = f"{cause['rank']}. {cause['cause']} {f'[{cites}]' if cites else ''}".rstrip()
        yield from self._wrap(text, "     ", "        ")
        for name in ("check", "fix"):
            if cause.get(name):
                yield from self._wrap(f"{name}: {cause[name]}", "        ", "          ")
