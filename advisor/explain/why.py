"""Why a question is asked: what it can move, by which rules, and what each answer would do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.answers.record_places import value_at
from advisor.consult.consultation import Consultation, DecisionName
from advisor.consult.live import live_rules
from advisor.errors import InputError
from advisor.explain.effects import Effect, Trial, open_values, tried
from advisor.explain.explanation import Explanation, Line, line
from advisor.explain.grid import grid_of
from advisor.explain.words import basis_of, full_key, sections, title_of, value_words

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser
    from advisor.rules.model import Rule

__all__ = ["next_key", "why"]

_RECORD = re.compile(r"(workloads|hardware\.inventory)\[\d+\]\.(\w+)")
_SIZED = 6_000
"""Layouts that may be sized for all values; what a consultation takes goes by it."""
_MOST, _LEAST = 24, 4
_RULES = 3
_FACTORS = (0.5, 2, 4)
_TYPICAL = {
    "workload.concurrency": (1, 8, 32, 128, 512),
    "workload.context_tokens": (4096, 16384, 32768, 131072),
    "workload.typical_context_tokens": (1024, 4096, 16384),
    "workload.prompt_tokens": (512, 2048, 8192, 32768),
    "workload.output_tokens": (128, 512, 2048),
    "objectives.tokens_per_second_per_user": (10, 20, 50, 100),
    "objectives.ttft_ms": (500, 2000, 10000),
    "objectives.budget_usd_per_hour": (5, 20, 100),
    "tenancy.workloads_per_gpu": (1, 2, 4, 7),
    "hardware.gpus_per_node": (1, 4, 8),
    "hardware.nodes": (1, 2, 4),
}
"""Values worth a look where nothing is said; they are no advice."""


def next_key(told: Consultation) -> str | None:
    """Return the question that is to be asked next, or ``None``."""
    first = next(iter(told.next_questions), None)
    return None if first is None else first.key


def why(adviser: Adviser, answers: Answers, key: str | None = None) -> Explanation:
    """Return why a question is asked.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        key: The question; by default the next one.

    Raises:
        UnknownNameError: no such question; names the nearest.
        InputError: the answers lead to an error.
    """
    told = adviser.consult(answers)
    wanted = next_key(told) if key is None else key
    if wanted is None:
        only = line("No question is open: nothing that is missing can change the advice.", ("8",))
        return Explanation("why", "Why?", (only,), {"key": None})
    return _Why(adviser, answers, told, wanted).explanation()


class _Why:
    """One question."""

    def __init__(self, adviser: Adviser, answers: Answers, told: Consultation, key: str) -> None:
        self._adviser, self._answers, self._told = adviser, answers, told
        inside = _RECORD.fullmatch(key.strip())
        if inside is not None and inside[2] in adviser.questions.record_keys(inside[1]):
            self._key = key.strip()
            self._question = adviser.questions.record_keys(inside[1])[inside[2]]
            self._of_record = True
            self._checked(inside[1], adviser)
        else:
            self._key = full_key(adviser, key)
            self._question = adviser.questions[self._key]
            self._of_record = False
        self._cited = (self._question.section,)
        self._moved: set[str] = set()
        self._needs = dict(self._depending())

    def _checked(self, listed: str, adviser: Adviser) -> None:
        """Raise InputError unless the record that the key stands in is given."""
        if listed in self._answers.values:
            adviser.override(self._answers, [f"{self._key}="])

    def _depending(self) -> Iterator[tuple[DecisionName, str]]:
        """Yield the decisions that depend on it while it is open, and why."""
        told = self._told
        if value_at(self._answers, self._key) is not None:
            try:
                told = self._adviser.consult_with(self._answers, [f"{self._key}="])
            except InputError:  # without it nothing can be said at all
                return
        for name, made in told.decisions.items():
            for need in made.depends_on:
                if need.question == self._key:
                    yield name, need.then

    def explanation(self) -> Explanation:
        rules = dict(self._rules())
        trials = tuple(self._trials())
        self._moved = {effect.decision for trial in trials for effect in trial.effects}
        lines = [
            *self._decides(rules),
            *self._by_rules(rules, trials),
            *self._would(trials),
            *self._until_then(),
        ]
        data = {
            "key": self._key,
            "decides": self._moves(rules),
            "rules": {name: [rule.id for rule in found] for name, found in rules.items()},
            "effects": [
                {
                    "value": trial.value,
                    "refused": trial.refused,
                    "moves": [
                        {
                            "decision": e.decision,
                            "before": e.before,
                            "after": e.after,
                            "kind": e.kind,
                            "numbers": list(e.numbers),
                        }
                        for e in trial.effects
                    ],
                }
                for trial in trials
            ],
            "find_out": self._question.find_out,
        }
        return Explanation("why", f"{self._question.text} ({self._key})", tuple(lines), data)

    def _rules(self) -> Iterator[tuple[DecisionName, tuple[Rule, ...]]]:
        key = self._question.key if self._of_record else self._key
        for name in self._told.decisions:
            alive = live_rules(self._adviser.rules, name).reading(key, self._answers)
            if alive:
                yield name, alive

    def _moves(self, rules: dict[DecisionName, tuple[Rule, ...]]) -> list[str]:
        """Return the decisions that depend on it, have rules that read it, or were seen to move."""
        found = {*self._needs, *rules, *self._moved}
        return [name for name in self._told.decisions if name in found]

    def _decides(self, rules: dict[DecisionName, tuple[Rule, ...]]) -> Iterator[Line]:
        moves = self._moves(rules)
        if not moves:
            yield line("Nothing turns on it with the answers that are given.", self._cited)
            return
        names = ", ".join(title_of(name) for name in moves)
        then = next(iter(self._needs.values()), "")
        text = f"It can move: {names}{f': {then}' if then else ''}."
        more = [section for name in moves for section in sections(None, name)]
        yield line(text, (*self._cited, *more))

    def _by_rules(
        self, rules: dict[DecisionName, tuple[Rule, ...]], trials: tuple[Trial, ...]
    ) -> Iterator[Line]:
        for name, found in rules.items():
            shown = ", ".join(rule.id for rule in found[:_RULES])
            more = f" and {len(found) - _RULES} more" if len(found) > _RULES else ""
            cited = dict.fromkeys(section for rule in found[:_RULES] for section in rule.cite)
            yield line(f"{title_of(name)}, read by {shown}{more}", [*cited][:3], indent=1)
        if rules or not self._moves(rules):
            return
        turned = [*dict.fromkeys(rule for trial in trials for rule in trial.rules)]
        if not turned:
            text = "No rule tests it by its name: it is read in sizing, ranking or the catalogues."
            yield line(text, ("7.3", "8.1"), indent=1)
            return
        more = f" and {len(turned) - _RULES} more" if len(turned) > _RULES else ""
        text = f"Rules turn on what is worked out from it: {', '.join(turned[:_RULES])}{more}"
        named = (self._adviser.rules.by_id.get(rule) for rule in turned[:_RULES])
        cited = dict.fromkeys(s for rule in named if rule is not None for s in rule.cite)
        yield line(text, [*cited][:3] or self._cited, indent=1)

    def _trials(self) -> Iterator[Trial]:
        considered = 0 if self._told.candidates is None else self._told.candidates.considered
        most = max(_LEAST, min(_MOST, _SIZED // max(1, considered)))
        yield from tried(self._adviser, self._answers, self._key, self._values()[:most])

    def _values(self) -> tuple[tuple[str, str], ...]:
        question, now = self._question, value_at(self._answers, self._key)
        if question.kind in {"enum", "bool"}:
            return open_values(question)
        grid = grid_of(question)
        if grid is None:
            return ()
        plain = isinstance(now, int | float) and not isinstance(now, bool)
        usual = _TYPICAL.get(self._key, ())
        values = [now * factor for factor in _FACTORS] if plain else list(usual)  # type: ignore[operator]
        found = []
        for value in values:
            at = grid.around(value)
            if at.first <= at.index(value) <= at.last:
                number = at.value(at.index(value))
                found.append((f"{number:.12g}", value_words(number)))
        return tuple(found)

    def _would(self, trials: tuple[Trial, ...]) -> Iterator[Line]:
        same: list[str] = []
        beside: dict[tuple[str, ...], list[str]] = {}
        for trial in trials:
            if trial.refused is not None:
                yield line(f"if {trial.label}: {trial.refused}", self._cited, indent=1, detail=True)
            elif trial.beside:
                beside.setdefault(trial.beside, []).append(trial.label)
            elif not trial.effects:
                same.append(trial.label)
            else:
                shown = [*_leading(trial)]
                moved = "; ".join(f"{title_of(e.decision)}{e.words}" for e in shown)
                cited = [s for e in shown for s in sections(None, e.decision)]
                yield line(f"if {trial.label}: {moved}", cited, indent=1)
        for rest, labels in beside.items():
            text = f"if {', '.join(labels)}: the choices stay; beside them: {'; '.join(rest)}"
            yield line(text, self._cited, indent=1)
        if same:
            text = f"if {', '.join(same)}: the advice stays as it is"
            yield line(text, self._cited, indent=1)

    def _until_then(self) -> Iterator[Line]:
        if not self._of_record:
            basis = basis_of(self._key, self._answers, self._told, self._adviser)
            start = "Answered" if basis.given else "Until then"
            yield line(f"{start}: {basis.words}", (basis.section,))
        if self._question.find_out:
            yield line(f"How to find out: {self._question.find_out}", self._cited)
        yield line(self._question.help, self._cited, detail=True)


def _leading(trial: Trial) -> Iterator[Effect]:
    """Yield what a value moves, without what only follows another GPU or number of GPUs."""
    leads = trial.on("gpu") is not None
    for effect in trial.effects:
        follows = not effect.kind and effect.decision in {"sharing", "provisioning"}
        if not (leads and follows):
            yield effect
