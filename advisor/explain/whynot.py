"""Why not: what speaks against something, and which answers would have to differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation, Decision
from advisor.counted import counted
from advisor.explain.changes_that import Tried, changes_that
from advisor.explain.column import (
    best_layout,
    by_name_words,
    left_out_cards,
    near_the_choice,
    set_words,
)
from advisor.explain.explanation import Explanation, Line, line, sections_of
from advisor.explain.failures import Against, Miss, against, keys_of_rule, layouts_of, misses
from advisor.explain.recording import Recording, recorded
from advisor.explain.target import Target, target_of
from advisor.explain.usual_keys import NEVER_CHANGED, usual_keys
from advisor.explain.words import basis_of, decided, key_sections, sections, title_of, value_words

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser
    from advisor.rules.conditions import Atom

__all__ = ["whynot"]

_SIZED = 6_000
"""Layouts that may be sized in the search; what a consultation takes goes by it."""
_MOST, _LEAST = 60, 16
_TOLD_MISSES = 2
_TOLD = 4
"""Reasons that are shown before what could differ."""


def whynot(
    adviser: Adviser, answers: Answers, text: str, *, most: int | None = None
) -> Explanation:
    """Return what speaks against an option, a GPU, a format or sizes.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        text: What was expected: ``mig``, ``h200-sxm fp8``, ``tp4``.
        most: Consultations that the search for changed answers may make.

    Raises:
        UnknownNameError: nothing of that name could be chosen.
        InputError: the answers lead to an error.
    """
    target = target_of(adviser, text)
    told = adviser.consult(answers)
    decision = told.decisions.get(target.decision)  # type: ignore[call-overload]
    title = f"Why not {target.words}?"
    data: dict[str, object] = {"target": target.words, "decision": target.decision}
    cited = sections(decision, target.decision)
    if decision is None or decision.status == "not_applicable":
        reason = "is not asked for (ask)" if decision is None else "does not arise here"
        only = line(f"The question {title_of(target.decision)} {reason}.", cited)
        return Explanation("whynot", title, (only,), {**data, "holds": False})
    if target.holds(told):
        said = f"It is the choice ({decided(decision)}); see how {target.decision}."
        return Explanation("whynot", title, (line(said, cited),), {**data, "holds": True})
    case = _Case(adviser, answers, target, recorded(adviser, answers), decision)
    tried = changes_that(adviser, answers, target, case.keys(), most or _bound(told))
    lines = (*case.reasons(), *_changes(adviser, target, tried), *case.named())
    data |= {
        "holds": False,
        "against": [one.fired.rule.id for one in case.against],
        "misses": [
            {"rule": miss.rule.id, "failed": [failure.text for failure in miss.failed]}
            for miss in case.misses
        ],
        "changes": [list(found.sets) for found in tried.found],
        "tried": {"singles": tried.singles, "pairs": tried.pairs, "complete": tried.complete},
        "keys": list(tried.keys),
    }
    return Explanation("whynot", title, lines, data)


def _bound(told: Consultation) -> int:
    considered = 0 if told.candidates is None else told.candidates.considered
    return max(_LEAST, min(_MOST, _SIZED // max(1, considered)))


class _Case:
    """What one consultation says of one target."""

    def __init__(
        self,
        adviser: Adviser,
        answers: Answers,
        target: Target,
        recording: Recording,
        decision: Decision,
    ) -> None:
        self._adviser, self._answers, self._target = adviser, answers, target
        self._told, self._decision = recording.told, decision
        self._cited = sections(decision, target.decision)
        near = near_the_choice(recording, target)
        self._layouts = layouts_of(recording, near)
        self._best = best_layout(recording, target)
        self.against: tuple[Against, ...] = against(recording, near)
        self.misses: tuple[Miss, ...] = misses(recording, near)

    # ---- what is said ----

    def reasons(self) -> Iterator[Line]:
        """Yield what speaks against it, nearest miss first."""
        found: dict[str, Line] = {}
        for one in (
            *self._others(),
            *self._rejected(),
            *self._outranked(),
            *self._rules_against(),
            *self._missing(),
        ):
            found.setdefault(one.text, one)
        if not found:
            yield self._not_offered()
        shown = 0
        for one in found.values():
            later = one.detail or shown >= _TOLD
            shown += not later
            yield replace(one, detail=later)

    def _others(self) -> Iterator[Line]:
        for other in self._decision.alternatives:
            if self._target.fits(other.choice):
                cited = sections_of(other.citations) or self._cited
                yield line(f"It is an alternative: {other.because}", cited)
                yield line(f"It would be chosen: {_lower(other.would_be_chosen_if)}", cited)

    def _rejected(self) -> Iterator[Line]:
        target = self._target
        for gone in self._decision.rejected:
            kind = target.option is None and target.is_kind(gone.gpu, gone.weight_format)
            same = kind if target.of_gpus else gone.option == target.option
            if same and not (target.parameters and target.option is None):
                what = " in ".join(part for part in (gone.gpu, gone.weight_format) if part)
                rule = f" (rule {gone.rule})" if gone.rule else ""
                start = f"{what}: " if what and target.of_gpus else ""
                cited = sections_of(gone.citations) or self._cited
                yield line(f"{start}{gone.because}{rule}", cited)

    def _outranked(self) -> Iterator[Line]:
        """Yield where layouts of the sizes stand among those that carry the load."""
        shown = () if self._told.candidates is None else self._told.candidates.shown
        if self._target.decision != "parallelism" or not shown:
            return
        for place, one in enumerate(shown, 1):
            if one["id"] in self._layouts:
                usd = one.get("usd_per_hour")
                rent = "" if usd is None else f", {usd:,.2f} USD an hour"
                what = f"{one['total_gpus']} x {one['gpu']} in {one['weight_format']}{rent}"
                text = f"{what}: it carries the load and ranks {place} of {len(shown)} layouts."
                yield line(text, ("8.1", *self._cited[:1]))
                return
        text = f"No layout of {self._target.words} is among the {len(shown)} that carry the load."
        yield line(text, ("8.1", *self._cited[:1]))

    def _rules_against(self) -> Iterator[Line]:
        told = {gone.rule for gone in self._decision.rejected}
        for one in self.against:
            rule = one.fired.rule
            if rule.id not in told:
                strong = "forbids it" if one.must else "makes it dearer"
                about = self._about(one)
                yield line(f"{about}{one.fired.because} (rule {rule.id} {strong})", rule.cite)

    def _about(self, one: Against) -> str:
        """Return of which layout a rule speaks, where it is not the best of what is meant."""
        sized = (fact for fact in one.fired.binding.values() if fact.kind == "candidate")
        fact = next(sized, None)
        if fact is None or fact.id == self._best or len(self._layouts) < 2:
            return ""
        fields = fact.fields
        sizes = f"TP{fields.get('tensor_parallel', 1)} x PP{fields.get('pipeline_parallel', 1)}"
        many = f" x {fields['replicas']} replicas" if fields.get("replicas", 1) != 1 else ""
        return f"Of {fields.get('gpu')} in {fields.get('weight_format')} as {sizes}{many}: "

    def _missing(self) -> Iterator[Line]:
        for number, miss in enumerate(self.misses):
            rule, later = miss.rule, number >= _TOLD_MISSES
            if miss.failed:
                wants = "; ".join(self._failure(miss, index) for index in range(len(miss.failed)))
                text = f"Rule {rule.id} would speak for it but for: {wants}"
            elif miss.layout is not None:
                where = miss.layout.partition("/")[0]
                text = f"Rule {rule.id} ({rule.strength}) speaks for it on {where}, by its sizes"
            else:
                first = next(iter(self._decision.rules), "the choice")
                text = f"Rule {rule.id} ({rule.strength}) speaks for it; {first} goes before it"
            yield line(text, rule.cite, detail=later)

    def _failure(self, miss: Miss, index: int) -> str:
        failure = miss.failed[index]
        seen = []
        for name, value in failure.values:
            if name in self._adviser.questions:
                basis = basis_of(name, self._answers, self._told, self._adviser)
                how = "given" if basis.given else "assumed" if value is not None else "not given"
                seen.append(f"{'nothing' if value is None else value_words(value)}, {how}")
            else:
                seen.append("not known" if value is None else value_words(value))
        return f"{failure.text} (is {' and '.join(seen)})" if seen else failure.text

    def _not_offered(self) -> Line:
        for key in ("hardware.gpu", "hardware.inventory"):
            if self._target.of_gpus and key in self._answers.values:
                basis = basis_of(key, self._answers, self._told, self._adviser)
                return line(f"Only what is named is compared: {basis.words}", (basis.section,))
        chosen = f"The choice is {decided(self._decision)}."
        if not self._target.of_gpus:
            return line(f"No rule speaks for it here, and none against it. {chosen}", self._cited)
        reasons = dict(left_out_cards(self._adviser, self._answers))
        name = next((gpu for gpu in self._target.gpus if gpu in reasons), None)
        if name is None:
            return line(f"No layout of it stands in the open comparison. {chosen}", self._cited)
        text = f"{name} is not among the GPUs that are compared: {reasons[name]}."
        return line(f"{text} {chosen}", self._cited)

    def named(self) -> Iterator[Line]:
        """Yield what comes out where the answers ask for it, so that nothing else is compared."""
        name, sets = self._target.decision, self._target.sets()
        if not sets:
            return
        words = by_name_words(self._adviser, self._answers, self._target)
        yield line(words, (*self._cited, *sections(None, name)))

    # ---- what could differ ----

    def keys(self) -> dict[str, list[Atom]]:
        """Return the answers whose change could help, with the failed tests on them."""
        found: dict[str, list[Atom]] = {}
        for miss in self.misses:
            for key, atoms in miss.keys.items():
                found.setdefault(key, []).extend(atoms)
        for one in self.against:
            for key in keys_of_rule(one.fired.rule):
                found.setdefault(key, [])
        for name in self._decision.rules:
            rule = self._adviser.rules.by_id.get(name)
            for key in () if rule is None else keys_of_rule(rule):
                found.setdefault(key, [])
        more = usual_keys(self._target.decision, self._answers)
        found |= {key: [] for key in more if key not in found}
        return {key: atoms for key, atoms in found.items() if self._may_differ(key)}

    def _may_differ(self, key: str) -> bool:
        """Leave out what names the target itself, and what asks for something else altogether."""
        if key == "workload.weight_format" and self._target.weight_format:
            return False
        if key == "hardware.gpu" and self._target.of_gpus and key not in self._answers.values:
            return False
        return key not in NEVER_CHANGED


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _changes(adviser: Adviser, target: Target, tried: Tried) -> Iterator[Line]:
    for found in tried.found:
        decision = found.told.decisions.get(target.decision)  # type: ignore[call-overload]
        keys = [text.partition("=")[0] for text in found.sets]
        cited = [section for key in keys for section in key_sections(adviser, key)]
        said = " and ".join(set_words(text) for text in found.sets)
        text = f"With {said} it would be the choice: {decided(decision)}"
        yield line(text, (*cited, *sections(decision, target.decision)[:1]))
    if not tried.found:
        pair = " and no pair of them" if tried.pairs else ""
        pairs = f" and {counted(tried.pairs, 'pair')}" if tried.pairs else ""
        text = (
            f"No other single value{pair} makes it the choice, of those that were tried: "
            f"{counted(tried.singles, 'value')} of {counted(len(tried.keys), 'answer')}{pairs}"
        )
        yield line(f"{text}{'' if tried.complete else '; there are more'}.", ("8",))
