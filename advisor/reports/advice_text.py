"""The text form of a consultation: decision first, then what decided it, then details."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from advisor.consult.consultation import (
    Choice,
    Citation,
    Consultation,
    Decision,
    Dependency,
    Rejection,
    Warned,
)
from advisor.reports.advice_words import TITLES, headline, said, same_reason

__all__ = ["advice_text"]

_WIDTH = 98
_WARNINGS = 10
_REJECTED = 3
_OUTRANKED = 5
_CORRECTIONS = 2
_DEPENDS = 3
_NAMES = 6

_MARKS = {"critical": "!!", "warning": "!", "info": "-"}


def advice_text(consultation: Consultation, *, verbose: bool = False) -> str:
    """Return the report as plain text with a final newline.

    Args:
        consultation: What to report.
        verbose: All warnings, rejections and open questions instead of the first few.
    """
    lines: list[str] = []
    told: set[str] = set()
    for name, decision in consultation.decisions.items():
        lines += _decision(name, decision, verbose=verbose)
        # questions that an earlier decision names already are not repeated
        fresh = [d for d in decision.depends_on if d.question not in told]
        lines += _depends(fresh, verbose=verbose)
        told.update(d.question for d in fresh)
        lines.append("")
    lines += _warnings(consultation, verbose=verbose)
    lines += _assumptions(consultation, verbose=verbose)
    lines += _corrections(consultation, verbose=verbose)
    lines += _diagnoses(consultation)
    stamp = consultation.knowledge
    lines.append(
        f"knowledge {stamp.version} of {stamp.as_of}, rule engine {consultation.engine}; "
        "read a section with: gpu-advisor cite 7.3"
    )
    return "\n".join(lines) + "\n"


def _wrap(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _cites(citations: Iterable[Citation]) -> str:
    return " ".join(f"§{citation.section}" for citation in citations)


def _decision(name: str, decision: Decision, *, verbose: bool) -> Iterator[str]:
    status = decision.status.replace("_", " ")
    yield f"{TITLES[name]}  [{status}]"
    if decision.choice is not None:
        yield from _wrap(headline(decision.choice), "  => ", "     ")
    yield from _wrap(f"{decision.because} {_cites(decision.citations)}", "     ", "     ")
    if decision.choice is not None:
        yield from _parameters(decision.choice)
    for alternative in decision.alternatives:
        text = f"{alternative.because} {alternative.would_be_chosen_if}"
        yield from _wrap(text, "  or ", "     ")
    yield from _rejected(decision, verbose=verbose)


_SHOWN = (
    "engine", "kv_format", "max_model_len", "max_num_seqs", "max_num_batched_tokens",
    "gpu_memory_utilization", "nodes", "instance_type", "fabric", "training_method", "sharding",
    "optimizer", "recompute", "offload", "micro_batch",
)  # fmt: skip


def _parameters(choice: Choice) -> list[str]:
    values = choice.model_dump()
    parts = [f"{key} {values[key]}" for key in _SHOWN if values.get(key) is not None]
    return _wrap("; ".join(parts), "     ", "     ") if parts else []


def _rejected(decision: Decision, *, verbose: bool) -> Iterator[str]:
    if verbose:
        told: tuple[Rejection, ...] = decision.rejected
    else:
        yield from _outranked(decision)
        told = tuple(line for line in decision.rejected if not line.outranked)
    groups = same_reason(told)
    shown = groups if verbose else groups[:_REJECTED]
    for names, line in shown:
        some = names if verbose else names[:_NAMES]
        more = f" and {len(names) - len(some)} more" if len(names) > len(some) else ""
        text = f"{', '.join(some)}{more}: {line.because} {_cites(line.citations)}"
        yield from _wrap(text, "  no ", "     ")
    hidden = len(groups) - len(shown)
    if hidden > 0:
        yield f"     {hidden} more reasons (--verbose)"


def _outranked(decision: Decision) -> Iterator[str]:
    """Yield one paragraph: of each GPU that is not shown and carries the load, the nearest."""
    choices = [other.choice for other in decision.alternatives]
    if decision.choice is not None:
        choices.append(decision.choice)
    seen = {choice.model_dump().get("gpu") for choice in choices}
    first = {line.gpu: line for line in reversed(decision.rejected) if line.outranked}
    nearest = [line for line in decision.rejected if first.get(line.gpu) is line]
    nearest = [line for line in nearest if line.gpu not in seen]
    if not nearest:
        return
    parts = [
        f"{line.gpu} in {line.weight_format} ({_in_short(line.because)})"
        for line in nearest[:_OUTRANKED]
    ]
    text = f"These carry the load too, and lose: {'; '.join(parts)}"
    hidden = len(nearest) - len(parts)
    if hidden:
        text += f"; and {hidden} more GPU{'s' if hidden > 1 else ''} (--verbose)"
    yield from _wrap(f"{text}.", "  no ", "     ")


def _in_short(because: str) -> str:
    """Return a reason without its second thoughts, for a list of several."""
    return because.partition("; ")[0].rstrip(".").replace(" than the choice", "")


def _depends(depends: Sequence[Dependency], *, verbose: bool) -> Iterator[str]:
    shown = depends if verbose else depends[:_DEPENDS]
    for dependency in shown:
        yield from _wrap(f"{dependency.question}: {dependency.then}", "  ?  ", "     ")
    hidden = len(depends) - len(shown)
    if hidden > 0:
        yield f"     {hidden} more open questions (--verbose)"


def _warnings(consultation: Consultation, *, verbose: bool) -> list[str]:
    if not consultation.warnings:
        return []
    shown = consultation.warnings if verbose else consultation.warnings[:_WARNINGS]
    lines = ["What will bite"]
    for warned in shown:
        lines += _warned(warned, verbose=verbose)
    hidden = len(consultation.warnings) - len(shown)
    if hidden:
        lines.append(f"     {hidden} more (--verbose)")
    return [*lines, ""]


def _warned(warned: Warned, *, verbose: bool) -> Iterator[str]:
    mark = _MARKS[warned.severity]
    yield from _wrap(f"{warned.text} {_cites(warned.citations)}", f"  {mark:<3}", "     ")
    parts = (("symptom", warned.symptom), ("cause", warned.cause), ("check", warned.check))
    for label, text in parts if verbose else ():
        if text:
            yield from _wrap(f"{label}: {text}", "     ", "       ")
    if warned.fix:
        yield from _wrap(f"fix: {warned.fix}", "     ", "       ")


def _assumptions(consultation: Consultation, *, verbose: bool) -> list[str]:
    found = consultation.assumptions
    if not found:
        return []
    if not verbose:
        told = "; ".join(f"{a.key} = {said(a.value)} (§{a.section})" for a in found)
        return [*_wrap(f"Assumed: {told}. Reasons: --verbose", "", "     "), ""]
    lines = ["Assumed"]
    for assumption in found:
        value = said(assumption.value)
        text = f"{assumption.key} = {value}: {assumption.why} §{assumption.section}"
        lines += _wrap(text, "  -  ", "     ")
    return [*lines, ""]


def _corrections(consultation: Consultation, *, verbose: bool) -> list[str]:
    found = consultation.corrections if verbose else consultation.corrections[:_CORRECTIONS]
    if not found:
        return []
    lines = ["Often heard, and wrong"]
    for correction in found:
        text = f'"{correction.claim}" {correction.right} {_cites(correction.citations)}'
        lines += _wrap(text, "  -  ", "     ")
    return [*lines, ""]


def _diagnoses(consultation: Consultation) -> list[str]:
    lines = [
        f"  ?  not known: {diagnosis.input}"
        for diagnosis in consultation.diagnoses
        if not diagnosis.causes
    ]
    return ["Symptoms", *lines, ""] if lines else []
