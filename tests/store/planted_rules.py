"""The shipped rule files in a folder of their own, into which tests plant faults."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.analysis.study import Finding, Study
from advisor.consult.vocabulary import rule_vocabulary
from advisor.rules import Vocabulary, load_rules
from advisor.store.loader import load_knowledge
from advisor.store.rules import read_rule_files

Check = Callable[[Study], Iterator[Finding]]
Found = tuple[str, str, str, int]
"""Code, rule, file, line."""


@dataclass
class RuleFolder:
    """A folder ``kb/rules`` with some of the shipped files."""

    root: Path

    @classmethod
    def copied(cls, root: Path, names: Sequence[str]) -> RuleFolder:
        (root / "rules").mkdir(parents=True)
        for name in names:
            shutil.copy(load_knowledge().path / "rules" / f"{name}.yaml", root / "rules")
        return cls(root)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace the first occurrence of a text in a file."""
        path = self.root / "rules" / f"{name}.yaml"
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def write(self, name: str, rules: str) -> None:
        """Write a file of rules, or append them to one that is there."""
        path = self.root / "rules" / f"{name}.yaml"
        before = path.read_text(encoding="utf-8") if path.exists() else "rules:\n"
        path.write_text(before + rules, encoding="utf-8")

    def study(self, vocabulary: Vocabulary | None = None) -> Study:
        records, places = read_rule_files(self.root)
        words = vocabulary or rule_vocabulary()
        return Study(load_rules(records, words, places.locate), words)

    def found(self, check: Check, vocabulary: Vocabulary | None = None) -> list[Finding]:
        return list(check(self.study(vocabulary)))

    def places(self, check: Check, vocabulary: Vocabulary | None = None) -> list[Found]:
        """Return what a check finds, with file and line."""
        _, places = read_rule_files(self.root)
        told: list[Found] = []
        for finding in self.found(check, vocabulary):
            file, line = places.locate(finding.key)
            assert file is not None
            assert line is not None
            told.append((finding.code, finding.rule, file, line))
        return told

    def line(self, name: str, rule: str, key: str) -> int:
        """Return the line of a key of a rule, found by reading the text."""
        lines = (self.root / "rules" / f"{name}.yaml").read_text(encoding="utf-8").splitlines()
        start = next(n for n, text in enumerate(lines) if text.strip() == f"- id: {rule}")
        return next(n for n in range(start, len(lines)) if lines[n].strip().startswith(key)) + 1


def rule(name: str, when: str, **keys: str) -> str:
    """Return one rule as it stands in a file."""
    written = {
        "decision": "sharing",
        "for": "{w: way}",
        "when": when,
        "effect": "recommend",
        "strength": "must",
        "because": "Because.",
        "cite": "['8.2']",
        **keys,
    }
    written["when"], written["because"] = (
        json.dumps(written[key]) for key in ("when", "because")
    )  # quoted, whatever they hold
    return f"  - id: {name}\n" + "".join(f"    {key}: {text}\n" for key, text in written.items())
