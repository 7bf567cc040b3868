"""The result of the mutation check as a page: counts, rates, and what nobody noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.analysis.mutation import Verdict
from advisor.rules.model import Rule

__all__ = ["Count", "Result", "group_of", "rule_count_line", "written"]

_HEAD = """# Mutation check of the rules

Faults were made in every rule, one at a time, and the corpus was consulted: the examples, the
answers of the tests, and answers near the borders of rules (`tests/cases/corpus_answers`).
A fault is **noticed** when at least one consultation differs in structure: a decision's option,
parameters, status or rules, what is rejected and by which rule, the alternatives, the warnings
and their severities. Wording does not count. `tests/cases/corpus` keeps that structure, and
`tests/cases/test_corpus.py` compares it, so what is noticed here fails a test there.

Written by `python benchmarks/mutate_rules.py --write`; made again after a change of the rules.
"""
_KINDS = {
    "negate": "the whole condition negated",
    "drop": "one test, or one negated pattern, left out",
    "flip": "one comparison turned into its opposite",
    "border": "a border moved in or out (`<`, `<=`)",
    "number": "a number halved or doubled",
    "value": "a word exchanged for another legal one, or a list of words one shorter or longer",
    "effect": "the rule left out, its strength, option, severity or a parameter changed",
}


@dataclass(frozen=True, slots=True)
class Count:
    """Mutants of one group."""

    all: int
    noticed: int
    equivalent: int

    @property
    def rate(self) -> float:
        """Percent noticed of those that mean something else than their rule."""
        different = self.all - self.equivalent
        return 100.0 if different == 0 else 100 * self.noticed / different


@dataclass(frozen=True, slots=True)
class Result:
    """A run of the check."""

    version: str
    as_of: str
    rules: int
    answers: int
    verdicts: Sequence[Verdict]
    equivalent: Mapping[str, str]
    """Mutant id to why it means the same."""

    def count(self, verdicts: Iterable[Verdict]) -> Count:
        """Count some of the verdicts; what was noticed is not equivalent, whatever was said."""
        listed = list(verdicts)
        noticed = sum(verdict.state == "noticed" for verdict in listed)
        same = sum(v.state == "unnoticed" and v.mutant.id in self.equivalent for v in listed)
        return Count(len(listed), noticed, same)


def group_of(rule: Rule) -> str:
    """Return the decision of a rule; what gotchas became is a group of its own."""
    return "gotchas" if rule.payload.get("kind") == "gotcha" else rule.decision


def rule_count_line(rules: int) -> str:
    """Return the line that tells how many rules the page is about."""
    return f"Rules: {rules}."


def written(result: Result) -> str:
    """Return the page."""
    total = result.count(result.verdicts)
    lines = [
        _HEAD,
        f"Knowledge {result.version} of {result.as_of}.",
        f"{rule_count_line(result.rules)} Answers: {result.answers}.",
        "",
        f"**{total.rate:.1f} % noticed: {total.noticed} of {total.all - total.equivalent}.**",
        f"{total.equivalent} more mean the same as their rule.",
        "",
        *_table("Decision", _by(result, lambda v: group_of(v.mutant.original))),
        "",
        *_table("Fault", {_KINDS[k]: c for k, c in _by(result, lambda v: v.mutant.kind).items()}),
        "",
        *_survivors(result),
        *_equivalents(result),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _by(result: Result, name_of: Callable[[Verdict], str]) -> dict[str, Count]:
    groups: dict[str, list[Verdict]] = {}
    for verdict in result.verdicts:
        groups.setdefault(name_of(verdict), []).append(verdict)
    return {name: result.count(found) for name, found in groups.items()}


def _table(head: str, counts: Mapping[str, Count]) -> Iterator[str]:
    yield f"| {head} | mutants | equivalent | noticed | rate |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, count in counts.items():
        numbers = f"{count.all} | {count.equivalent} | {count.noticed} | {count.rate:.1f} %"
        yield f"| {name} | {numbers} |"


def _survivors(result: Result) -> Iterator[str]:
    left = [
        v
        for v in result.verdicts
        if v.state == "unnoticed" and v.mutant.id not in result.equivalent
    ]
    if not left:
        return
    yield "## Not noticed"
    yield ""
    yield "With the answers that come nearest: where the mutant matches other facts and the advice"
    yield "stays the same, or else where its rule fires."
    yield ""
    yield "| Rule | Fault | Nearest |"
    yield "| --- | --- | --- |"
    for verdict in left:
        near = verdict.tried[0] if verdict.tried else verdict.near or "it fires nowhere"
        mutant = verdict.mutant
        yield f"| `{mutant.original.id}` | {_cell(mutant.kind, mutant.words)} | {near} |"
    yield ""


def _equivalents(result: Result) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for verdict in result.verdicts:
        why = result.equivalent.get(verdict.mutant.id)
        if why is not None and verdict.state == "unnoticed":
            mutant = verdict.mutant
            line = f"- `{mutant.original.id}`: {_cell(mutant.kind, mutant.words)}"
            found.setdefault(why, []).append(line)
    if not found:
        return
    yield "## Equivalent"
    yield ""
    for why, lines in found.items():
        yield f"{why}"
        yield ""
        yield from lines
        yield ""


def _cell(kind: str, words: str) -> str:
    shown = words.replace("|", "\\|")
    return f"{kind}: `{shown}`"
