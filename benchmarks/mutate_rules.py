"""Make faults in rules, one at a time, and count those that no consultation notices.

    python benchmarks/mutate_rules.py [--only TEXT] [--write] [--part N/M] [--keep FILE]

Prints each mutant that no consultation of the corpus notices, then the rates. ``--only`` takes
the rules whose id contains TEXT; ``--write`` writes docs/mutation.md and the sample that the
tests try. Which consultation noticed a mutant is kept in FILE and tried first the next time:
after a change of a few rules that takes two minutes instead of twenty. ``--part 1/4`` to ``4/4``
may run at different times. Exits 1 when less than 95 % are noticed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import yaml

from advisor.analysis.mutation import Corpus, Verdict, judge, screened
from advisor.analysis.mutation_corpus import read_corpus
from advisor.analysis.mutation_equal import Sameness
from advisor.analysis.mutation_mutants import Mutant, mutants_of
from advisor.analysis.mutation_report import Result, written
from advisor.consult.vocabulary import rule_vocabulary
from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "mutation.md"
ACCEPTED = ROOT / "tests" / "cases" / "corpus_accepted.yaml"
SAMPLE = ROOT / "tests" / "cases" / "corpus_sample.yaml"
SAMPLED = 40
LIGHT = 400
"""Facts of a consultation that is quick enough for the tests."""
WANTED = 95.0


def main(only: str, part: tuple[int, int], keep: Path | None, *, write: bool) -> int:
    knowledge = load_knowledge()
    base, vocabulary = load_rule_base(knowledge), rule_vocabulary()
    mutants = [
        mutant
        for rule in base.rules
        if only in rule.id
        for mutant in mutants_of(rule, base, vocabulary)
    ]
    corpus = Corpus(read_corpus(ROOT), knowledge, base)
    known = _read(keep, mutants[part[0] - 1 :: part[1]], corpus)
    todo = [mutant for mutant in mutants[part[0] - 1 :: part[1]] if mutant.id not in known]
    changed = screened(corpus, todo)
    for number, mutant in enumerate(todo):
        verdict = known[mutant.id] = judge(corpus, mutant, changed[mutant.id])
        if verdict.state == "unnoticed":
            print(f"{mutant.id}  [{', '.join(verdict.tried[:3]) or verdict.near}]", flush=True)
        if keep is not None and number % 100 == 0:
            _keep(keep, known)
    if keep is not None:
        _keep(keep, known)
    verdicts = [known[mutant.id] for mutant in mutants if mutant.id in known]
    left = [verdict for verdict in verdicts if verdict.state == "unnoticed"]
    accepted = yaml.safe_load(ACCEPTED.read_text("utf-8")) if ACCEPTED.exists() else []
    same = Sameness(base, vocabulary, accepted).reasons(verdict.mutant for verdict in left)
    result = Result(
        knowledge.version, knowledge.as_of, len(base.rules), len(corpus.answers), verdicts, same
    )
    page = written(result)
    total = result.count(verdicts)
    print(f"{total.noticed} of {total.all - total.equivalent} noticed: {total.rate:.1f} %")
    if write:
        PAGE.write_text(page, "utf-8")
        sample = _sample(verdicts, corpus)
        SAMPLE.write_text(yaml.safe_dump(sample, sort_keys=False), "utf-8")
    return 0 if total.rate >= WANTED else 1


def _read(keep: Path | None, mutants: list[Mutant], corpus: Corpus) -> dict[str, Verdict]:
    """Return what an earlier run noticed of these mutants, as far as that is still so."""
    if keep is None or not keep.exists():
        return {}
    noticed = json.loads(keep.read_text("utf-8"))
    return {
        mutant.id: Verdict(mutant, "noticed", by)
        for mutant in mutants
        if (by := noticed.get(mutant.id)) in corpus.answers and corpus.notices(by, mutant)
    }


def _keep(keep: Path, known: dict[str, Verdict]) -> None:
    before = json.loads(keep.read_text("utf-8")) if keep.exists() else {}
    found = {name: verdict.by for name, verdict in known.items() if verdict.by is not None}
    keep.write_text(json.dumps({**before, **found}, indent=0), "utf-8")


def _sample(verdicts: list[Verdict], corpus: Corpus) -> list[dict[str, str]]:
    """Return some of what was noticed, from all over the rules, for the tests."""
    quick = [
        {"rule": v.mutant.original.id, "kind": v.mutant.kind, "by": v.by}
        for v in verdicts
        if v.by is not None and corpus.weights.get(v.by, LIGHT) < LIGHT
    ]
    step = max(1, len(quick) // SAMPLED)
    return quick[step // 2 :: step][:SAMPLED]


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    return int(number), int(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="N/M")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    sys.exit(main(given.only, given.part, given.keep, write=given.write))
