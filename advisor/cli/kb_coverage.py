"""``kb coverage``: which rules, answers and options do some answers files reach?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError, Problem

if TYPE_CHECKING:
    from advisor.analysis.coverage import Coverage, Group, Run

__all__ = ["answers_files", "coverage_document", "coverage_text", "measure"]

_ENDINGS = frozenset({".yaml", ".yml", ".json", ".toml"})
_USUAL = "examples"
"""Folder of answers files, looked for where the command is run."""


def answers_files(names: Sequence[str]) -> list[Path]:
    """Return the answers files that ``names`` mean; a folder means all below it but knowledge.

    Raises:
        InputError: There is no such file, a folder holds none, or nothing was named and the
            folder ``examples`` is not here.
    """
    if not names and not Path(_USUAL).is_dir():
        message = f"Name answers files or folders; there is no folder {_USUAL!r} here."
        raise InputError(Problem("usage", message, key="FILE"))
    found: list[Path] = []
    for path in map(Path, names or [_USUAL]):
        below = _below(path) if path.is_dir() else []
        if not path.exists() or (path.is_dir() and not below):
            message = "There is no such file." if not path.exists() else "No answers files below."
            raise InputError(Problem("no_such_file", message, str(path)))
        found += below or [path]
    return found


def _below(folder: Path) -> list[Path]:
    """Return the answers files of a folder, without those of knowledge or of a site in it."""
    own = {path.parent for path in folder.rglob("version.yaml")}
    own |= set(folder.rglob("mkdocs.yml"))
    found = sorted(path for path in folder.rglob("*") if path.suffix in _ENDINGS)
    return [path for path in found if own.isdisjoint((path, *path.parents))]


def measure(files: Sequence[Path]) -> Coverage:
    """Advise on every file and return what that reaches.

    Raises:
        InputError: An answers file cannot be used.
    """
    from advisor.analysis.coverage import coverage_of
    from advisor.answers.questions import load_questions
    from advisor.store.choices import CHOICES
    from advisor.store.loader import load_knowledge
    from advisor.store.rules import load_rule_base

    choices = {
        key: ("yes", "no") if q.kind == "bool" else tuple(choice.id for choice in q.values)
        for key, q in load_questions().items()
    }
    options = {
        key.split(".")[1]: values for key, values in CHOICES.items() if key.endswith(".option")
    }
    runs = [_run(file) for file in files]
    return coverage_of(load_rule_base(load_knowledge()), choices, options, runs)


def _run(file: Path) -> Run:
    from advisor.analysis.coverage import Run
    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise
    from advisor.engine import engine_from_environment

    answers = read_answers(file)
    found = advise(answers, engine=engine_from_environment())
    options: dict[str, str] = {
        name: decision.choice.option
        for name, decision in found.decisions.items()
        if decision.choice
    }
    return Run(answers.values, frozenset(step.rule for step in found.trace), options)


def coverage_document(found: Coverage, files: Sequence[Path], *, never: bool) -> dict[str, Any]:
    """Return the coverage for ``--format json``."""

    def shown(group: Group) -> dict[str, Any]:
        return {} if never else {"reached": dict(group.reached)}

    def groups(named: Mapping[str, Group], word: str) -> dict[str, Any]:
        return {
            name: {**({} if never else {word: dict(g.reached)}), "never": list(g.never)}
            for name, g in named.items()
        }

    rules = found.rules.values()
    return {
        "files": [file.as_posix() for file in files],
        "rules": {
            "total": sum(group.total for group in rules),
            "fired": sum(len(group.reached) for group in rules),
        },
        "decisions": groups(found.rules, "fired"),
        "answers": {**shown(found.answers), "never": list(found.answers.never)},
        "values": groups(found.values, "reached"),
        "options": groups(found.options, "reached"),
    }


def coverage_text(found: Coverage, *, never: bool) -> str:
    """Return the coverage as text."""
    return "\n\n".join(_blocks(found, never=never)) + "\n"


def _blocks(found: Coverage, *, never: bool) -> Iterator[str]:
    rules = found.rules.values()
    fired, total = sum(len(g.reached) for g in rules), sum(g.total for g in rules)
    files = f"{found.runs} file{'s'[: found.runs != 1]}"
    yield f"{files}: {fired} of {total} rules fired, {total - fired} never."
    for name, group in found.rules.items():
        yield "\n".join(_of_group(name, group, never=never))
    yield _listed("options never chosen", found.options)
    yield _keys("questions never answered", found.answers.never)
    # a key that is never answered is told above; its values would only repeat that
    given = {key: group for key, group in found.values.items() if key in found.answers.reached}
    yield _listed("values never given, of questions that were answered", given)


def _of_group(name: str, group: Group, *, never: bool) -> Iterator[str]:
    yield f"{name}: {len(group.reached)} of {group.total} fired"
    if not never:
        ranked = sorted(group.reached.items(), key=lambda item: -item[1])
        yield from (f"  {count:4}  {rule}" for rule, count in ranked)
    yield from (f"     -  {rule}" for rule in group.never)


def _listed(title: str, groups: Mapping[str, Group]) -> str:
    lines = [f"  {name}: {', '.join(group.never)}" for name, group in groups.items() if group.never]
    return "\n".join([f"{title}:", *(lines or ["  none"])])


def _keys(title: str, keys: Sequence[str]) -> str:
    return "\n".join([f"{title}:", *(f"  {key}" for key in keys or ["none"])])
