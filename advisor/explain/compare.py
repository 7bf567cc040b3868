"""Compare: two things that could be chosen, at the same load, with the numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from advisor.consult.consultation import Consultation, Decision
from advisor.errors import InputError, Problem
from advisor.explain.column import Column, by_name_words, column_of
from advisor.explain.explanation import Explanation, Line, line, sections_of
from advisor.explain.failures import against
from advisor.explain.figures import Row, rows_of
from advisor.explain.recording import recorded
from advisor.explain.target import Target, target_of
from advisor.explain.words import decided, sections, sentences, title_of

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["compare"]

_WALLS = (
    ("memory", "wall of memory"),
    ("faults", "wall against faults"),
    ("compute", "wall of compute"),
    ("bandwidth", "wall of bandwidth"),
)


def compare(adviser: Adviser, answers: Answers, first: str, second: str) -> Explanation:
    """Return two GPUs, formats, layouts or options side by side, under the same answers.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        first: ``h100-sxm``, ``h200-sxm fp8``, ``tp4``, ``mig``, ``karpenter``.
        second: Another of the same kind.

    Raises:
        UnknownNameError: nothing of that name could be chosen.
        InputError: they belong to different questions, or the answers lead to an error.
    """
    targets = (target_of(adviser, first), target_of(adviser, second))
    if targets[0].decision != targets[1].decision:
        names = " and ".join(f"{t.words} ({title_of(t.decision)})" for t in targets)
        text = f"Only two of a kind can be compared; {names} answer different questions."
        raise InputError(Problem("not_comparable", text))
    told = adviser.consult(answers)
    sized = all(target.sets() for target in targets)
    pair = _sized(adviser, answers, targets) if sized else _options(adviser, answers, targets)
    lines = (_verdict(told, targets), *pair.lines)
    title = f"{targets[0].words} | {targets[1].words}"
    chosen = [target.words for target in targets if target.holds(told)]
    data: dict[str, object] = {
        "decision": targets[0].decision,
        "compared": [target.words for target in targets],
        "chosen": chosen[0] if chosen else None,
        "rows": [row.as_dict() for row in pair.rows],
    }
    return Explanation("compare", title, lines, data)


class _Pair:
    """Rows and lines about two targets."""

    def __init__(
        self, rows: Iterable[Row], lines: Iterable[Line], first: Iterable[Line] = ()
    ) -> None:
        self.rows, more = tuple(rows), tuple(lines)
        self.lines = (
            *first,
            *(line(f"{r.label}: {r.first} | {r.second}", r.sections, detail=r.detail)
              for r in self.rows),
            *more,
        )  # fmt: skip


def _verdict(told: Consultation, targets: tuple[Target, Target]) -> Line:
    name = targets[0].decision
    decision = told.decisions.get(name)  # type: ignore[call-overload]
    cited = sections(decision, name)
    chosen = next((target for target in targets if target.holds(told)), None)
    if chosen is None:
        return line(f"Neither is the choice, which is: {decided(decision)}", cited)
    return line(f"The choice is {chosen.words}: {decided(decision)}", cited)


# ---- GPUs, formats and layouts: each asked for ----


def _sized(adviser: Adviser, answers: Answers, targets: tuple[Target, Target]) -> _Pair:
    found = [_column(adviser, answers, target) for target in targets]
    good = [one for one in found if isinstance(one, Column)]
    first: list[Line] = []
    for target, one in zip(targets, found, strict=True):
        if isinstance(one, InputError):
            first.append(line(f"{target.words}: {one.problems[0].message}", ("8.1",)))
    first += [*_asked_for(adviser, answers, targets)]
    if len(good) < 2:
        return _Pair((), _loses(adviser, answers, targets), first)
    both = (good[0].told, good[1].told)
    lines = [*_own_warnings(targets, both), *_loses(adviser, answers, targets)]
    return _Pair(rows_of(*both), lines, first)


def _column(adviser: Adviser, answers: Answers, target: Target) -> Column | InputError:
    try:
        return column_of(adviser, answers, target)
    except InputError as error:
        return error


def _asked_for(
    adviser: Adviser, answers: Answers, targets: tuple[Target, Target]
) -> Iterator[Line]:
    """Yield what comes out where one is asked for by name, where that is something else."""
    for target in targets:
        words = by_name_words(adviser, answers, target, differing=True)
        if words:
            yield line(f"{target.words}: {words}", ("8.1",))


def _own_warnings(
    targets: tuple[Target, Target], told: tuple[Consultation, Consultation]
) -> Iterator[Line]:
    ids = [{warned.id for warned in one.warnings} for one in told]
    for number, target in enumerate(targets):
        for warned in told[number].warnings:
            if warned.id in ids[1 - number]:
                continue
            text = f"only {target.words}: {warned.text} ({warned.severity})"
            detail = warned.severity == "info"
            yield line(text, sections_of(warned.citations) or ("10",), detail=detail)


def _loses(adviser: Adviser, answers: Answers, targets: tuple[Target, Target]) -> Iterator[Line]:
    """Yield what the open comparison says against each."""
    told = adviser.consult(answers)
    decision = told.decisions.get("gpu")
    if decision is None or targets[0].decision != "gpu":
        return
    for target in targets:
        for gone in decision.rejected:
            if target.is_kind(gone.gpu, gone.weight_format) and not target.holds(told):
                what = " in ".join(part for part in (gone.gpu, gone.weight_format) if part)
                cited = sections_of(gone.citations) or ("8.1",)
                yield line(f"against {what}: {gone.because}", cited, detail=True)


# ---- options of sharing and provisioning ----


def _options(adviser: Adviser, answers: Answers, targets: tuple[Target, Target]) -> _Pair:
    name = targets[0].decision
    decision = adviser.consult(answers).decisions.get(name)  # type: ignore[call-overload]
    rows: tuple[Row, ...] = ()
    if name in {"sharing", "provisioning"}:
        rows = tuple(_facts(adviser, name, targets))
    lines = [*_standing(adviser, answers, targets, decision)]
    return _Pair(rows, lines)


def _facts(adviser: Adviser, name: str, targets: tuple[Target, Target]) -> Iterator[Row]:
    """Yield what the catalogue says of both."""
    knowledge = adviser.knowledge
    found: Mapping[str, Any] = (
        knowledge.sharing_modes if name == "sharing" else knowledge.provisioners
    )
    both = [found.get(target.option or "") for target in targets]
    if None in both:
        return
    cited = tuple(dict.fromkeys(s for one in both for s in one.sections[:2]))  # type: ignore[union-attr]
    values = [dict(_catalogued(one, name)) for one in both]
    for number, label in enumerate(dict.fromkeys((*values[0], *values[1]))):
        pair = (values[0].get(label, "nothing known"), values[1].get(label, "nothing known"))
        yield Row(label, *pair, cited, detail=number >= 5)


def _catalogued(one: Any, name: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - two schemas
    if name == "sharing":
        for key, label in _WALLS:
            yield label, str(getattr(one.isolation, key)).replace("_", " ")
        yield "fit for tenants", one.trust.replace("_", " ")
        yield "good for", one.good_for
        yield "bad for", one.bad_for
        yield "most tenants", one.most_tenants or "nothing known"
        yield "maturity", one.maturity
        return
    yield "when", one.when
    yield "not when", one.not_when
    yield "scales to zero", one.scale_to_zero
    yield "resource claims", one.dra.replace("_", " ")
    yield "knows partitions", one.knows_partitions
    yield "a new node waits for", one.start_up


def _standing(
    adviser: Adviser,
    answers: Answers,
    targets: tuple[Target, Target],
    decision: Decision | None,
) -> Iterator[Line]:
    """Yield where each stands here: chosen, an alternative, forbidden, or not offered."""
    if decision is None:
        return
    recording = recorded(adviser, answers)
    cited = sections(decision, targets[0].decision)
    for target in targets:
        if decision.choice is not None and target.fits(decision.choice):
            first = next(sentences(decision.because), decided(decision))
            yield line(f"{target.words}: {first}", cited)
            continue
        other = next((o for o in decision.alternatives if target.fits(o.choice)), None)
        if other is not None:
            text = f"{target.words}: {other.because} {other.would_be_chosen_if}"
            yield line(text, sections_of(other.citations) or cited)
            continue
        forbidden = [one for one in against(recording, target) if one.must]
        for one in forbidden[:2]:
            text = f"{target.words}: {one.fired.because} (rule {one.fired.rule.id})"
            yield line(text, one.fired.rule.cite)
        if not forbidden:
            yield line(f"{target.words}: not offered here; see whynot {target.words}", cited)
