"""``kb coverage``: which rules, answers, options and sections do consultations reach?

Consultations are answers files and transcripts; of a transcript its final answers count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.analysis.coverage import Coverage, Group, Run
    from advisor.answers.model import Answers
    from advisor.consult.consultation import Consultation

__all__ = ["answers_files", "coverage_document", "coverage_text", "measure"]

_ANSWERS = frozenset({".yaml", ".yml", ".json", ".toml"})
_RECORD = re.compile(r"^\s*- \{?id: *([\w.-]+)")
_TRANSCRIPT = ".md"
_USUAL = ("transcripts", "examples")
"""Folders that are looked for where the command is run."""


def answers_files(names: Sequence[str]) -> list[Path]:
    """Return the answers files and transcripts that ``names`` mean.

    A folder means all below it, but what belongs to knowledge or to a site.

    Raises:
        InputError: There is no such file, a folder holds none, or nothing was named and the
            folders ``transcripts`` and ``examples`` are not here.
    """
    usual = [name for name in _USUAL if Path(name).is_dir()]
    if not names and not usual:
        message = "Name files or folders; there is no folder 'transcripts' or 'examples' here."
        raise InputError(Problem("usage", message, key="FILE"))
    found: list[Path] = []
    for path in map(Path, names or usual):
        below = _below(path) if path.is_dir() else []
        if not path.exists() or (path.is_dir() and not below):
            message = "There is no such file." if not path.exists() else "No answers files below."
            raise InputError(Problem("no_such_file", message, str(path)))
        found += below or [path]
    return found


def _below(folder: Path) -> list[Path]:
    """Return the files of a folder that count, without those of knowledge or of a site in it."""
    own = {path.parent for path in folder.rglob("version.yaml")}
    own |= set(folder.rglob("mkdocs.yml"))
    found = sorted(filter(_counts, folder.rglob("*")))
    return [path for path in found if own.isdisjoint((path, *path.parents))]


def _counts(path: Path) -> bool:
    """Tell whether a file is one of answers or a transcript; notes beside them are neither."""
    if path.suffix == _TRANSCRIPT:
        return "\n## Interview\n" in path.read_text(encoding="utf-8", errors="replace")
    return path.suffix in _ANSWERS


def measure(files: Sequence[Path]) -> Coverage:
    """Advise on every file and return what that reaches.

    Raises:
        InputError: An answers file cannot be used.
    """
    from advisor.analysis.coverage import coverage_of
    from advisor.answers.questions import load_questions
    from advisor.interview.plan import load_plan
    from advisor.store.choices import CHOICES
    from advisor.store.handbook import load_handbook
    from advisor.store.loader import load_knowledge
    from advisor.store.rules import load_rule_base

    choices = {
        key: ("yes", "no") if q.kind == "bool" else tuple(choice.id for choice in q.values)
        for key, q in load_questions().items()
    }
    options = {
        key.split(".")[1]: values for key, values in CHOICES.items() if key.endswith(".option")
    }
    knowledge = load_knowledge()
    plan = load_plan(knowledge)
    return coverage_of(
        load_rule_base(knowledge),
        choices,
        options,
        [_run(file) for file in files],
        sections=[section.number for section in load_handbook().sections],
        askable=[asked.key for topic in plan.topics for asked in topic.questions],
    )


def _run(file: Path) -> Run:
    from advisor.analysis.coverage import Run
    from advisor.consult.advise import advise
    from advisor.engine import engine_from_environment

    answers, asked = _answers_of(file)
    found = advise(answers, engine=engine_from_environment())
    options: dict[str, str] = {
        name: decision.choice.option
        for name, decision in found.decisions.items()
        if decision.choice
    }
    fired = frozenset(step.rule for step in found.trace)
    return Run(answers.values, fired, options, _sections(found), asked)


def _answers_of(file: Path) -> tuple[Answers, frozenset[str]]:
    """Return the answers that a file comes to, and the questions that were asked in it."""
    from advisor.answers.validate import read_answers, read_answers_text

    if file.suffix != _TRANSCRIPT:
        return read_answers(file), frozenset()
    from advisor.transcripts.model import Asked
    from advisor.transcripts.read import read_transcript
    from advisor.transcripts.telling import ANSWERS

    transcript = read_transcript(file)
    block = transcript.block(ANSWERS)
    asked = frozenset(item.key for item in transcript.items if isinstance(item, Asked))
    text = "" if block is None else block.text or ""
    return read_answers_text(text, name=str(file)), asked - {""}


def _sections(found: Consultation) -> frozenset[str]:
    cited = [c for decision in found.decisions.values() for c in decision.citations]
    cited += [c for warned in found.warnings for c in warned.citations]
    cited += [c for correction in found.corrections for c in correction.citations]
    return frozenset(citation.section for citation in cited)


Place = tuple[str, int]
"""File and 1-based line."""


def rule_places() -> dict[str, Place]:
    """Return where each rule stands; for a rule made of a gotcha, where the gotcha does."""
    from advisor.store.loader import load_knowledge
    from advisor.store.rules import load_rule_base

    knowledge = load_knowledge()
    found: dict[str, Place] = {}
    for folder in ("rules", "gotchas"):
        for file in sorted((knowledge.path / folder).rglob("*.yaml")):
            name = file.relative_to(knowledge.path.parent).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                record = _RECORD.match(line)
                if record is not None:
                    prefix = "gotcha-" if folder == "gotchas" else ""
                    found[f"{prefix}{record[1]}"] = (name, number)
    rules = (rule.id for rule in load_rule_base(knowledge).rules)
    bare = {rule: found.get(rule) or found.get(rule.partition(".")[0]) for rule in rules}
    return {rule: place for rule, place in bare.items() if place is not None}


def coverage_document(found: Coverage, files: Sequence[Path], *, never: bool) -> dict[str, Any]:
    """Return the coverage for ``--format json``."""

    def shown(group: Group) -> dict[str, Any]:
        return {} if never else {"reached": dict(group.reached)}

    def groups(named: Mapping[str, Group], word: str) -> dict[str, Any]:
        return {
            name: {**({} if never else {word: dict(g.reached)}), "never": list(g.never)}
            for name, g in named.items()
        }

    rules, places = found.rules.values(), rule_places()
    return {
        "files": [file.as_posix() for file in files],
        "rules": {
            "total": sum(group.total for group in rules),
            "fired": sum(len(group.reached) for group in rules),
        },
        "decisions": groups(found.rules, "fired"),
        "never_fired": [
            {"rule": rule, "file": place[0], "line": place[1]}
            for group in rules
            for rule in group.never
            for place in (places.get(rule, (None, None)),)
        ],
        "questions_asked": {**shown(found.asked), "never": list(found.asked.never)},
        "sections": {**shown(found.sections), "never": list(found.sections.never)},
        "answers": {**shown(found.answers), "never": list(found.answers.never)},
        "values": groups(found.values, "reached"),
        "options": groups(found.options, "reached"),
    }


def coverage_text(found: Coverage, *, never: bool) -> str:
    """Return the coverage as text."""
    return "\n\n".join(_blocks(found, never=never)) + "\n"


def _blocks(found: Coverage, *, never: bool) -> Iterator[str]:
    rules, places = found.rules.values(), rule_places()
    fired, total = sum(len(g.reached) for g in rules), sum(g.total for g in rules)
    files = f"{found.runs} file{'s'[: found.runs != 1]}"
    yield f"{files}: {fired} of {total} rules fired, {total - fired} never."
    for name, group in found.rules.items():
        yield "\n".join(_of_group(name, group, places, never=never))
    yield _listed("options never chosen", found.options)
    yield _keys("sections never cited", found.sections.never)
    yield _keys("questions of the interview never asked", found.asked.never)
    yield _keys("questions never answered", found.answers.never)
    # a key that is never answered is told above; its values would only repeat that
    given = {key: group for key, group in found.values.items() if key in found.answers.reached}
    yield _listed("values never given, of questions that were answered", given)


def _of_group(
    name: str, group: Group, places: Mapping[str, Place], *, never: bool
) -> Iterator[str]:
    yield f"{name}: {len(group.reached)} of {group.total} fired"
    if not never:
        ranked = sorted(group.reached.items(), key=lambda item: -item[1])
        yield from (f"  {count:4}  {rule}" for rule, count in ranked)
    for rule in group.never:
        file, line = places.get(rule, ("", 0))
        yield f"     -  {rule}  {file}:{line}" if file else f"     -  {rule}"


def _listed(title: str, groups: Mapping[str, Group]) -> str:
    lines = [f"  {name}: {', '.join(group.never)}" for name, group in groups.items() if group.never]
    return "\n".join([f"{title}:", *(lines or ["  none"])])


def _keys(title: str, keys: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"  {key}" for key in keys or ["none"])])
