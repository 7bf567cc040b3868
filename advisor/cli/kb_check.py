"""Everything that can be wrong with a knowledge folder, in one list.

Each room checks what it owns; this module calls them all, adds what needs two rooms at once
(citations, part sums, dates) and gives every problem its file and line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.analysis.analyse import WARNINGS
from advisor.cli.kb_check_analysis import analysis_problems
from advisor.cli.kb_check_dates import dated_sources, future_days, old_records
from advisor.errors import KnowledgeError, Problem
from advisor.store.check import INFORMATION, check_knowledge
from advisor.store.in_use import using
from advisor.store.loader import Knowledge
from advisor.store.loader_layout import CATALOGUES

if TYPE_CHECKING:
    from advisor.store.handbook import Handbook
    from advisor.store.model import Model
    from advisor.store.overlays import Overlay

__all__ = ["Findings", "check_everything"]

_PART_TOLERANCE = 0.04
"""Norms, biases and rounding of a published size explain less than this share."""
_OF_GOTCHA = re.compile(r"rules\[gotcha-(?P<id>[a-z0-9-]+)(?:\.[a-z]+)?\]")
_SOURCES = re.compile(r"^\*\*Sources\*\*$(?P<list>.*)\Z", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Findings:
    """What a check found, in the order of files and lines."""

    faults: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    """To be looked at, such as a question that nothing reads; not a fault."""
    information: tuple[Problem, ...]
    """Worth knowing, such as prices that have grown old; not a fault."""


def check_everything(
    root: Path, today: date, *, analyse: bool = True, overlays: tuple[Overlay, ...] = ()
) -> Findings:
    """Check a knowledge folder as a whole, together with what lies on top of it.

    Args:
        root: The folder with ``gpus``, ``handbook``, ``questions`` and so on.
        overlays: Folders of one's own on top, lowest first.
        analyse: Whether rules are searched as decision tables too, which takes seconds.
        today: Dates after it are faults; the age of prices is counted to it. When the
            folder as a whole is dated later, that is one fault, and other dates are held
            against the folder's: a wrong clock must not bury what else is wrong.
    """
    knowledge = Knowledge(root, overlays=overlays)
    with using(knowledge):
        problems = _problems(knowledge, today, analyse=analyse)
    once = _told_once(problems)
    placed = sorted(dict.fromkeys(_place(knowledge, once)), key=_reading_order)
    harmless = INFORMATION | WARNINGS
    return Findings(
        tuple(problem for problem in placed if problem.code not in harmless),
        tuple(problem for problem in placed if problem.code in WARNINGS),
        tuple(problem for problem in placed if problem.code in INFORMATION),
    )


def _problems(knowledge: Knowledge, today: date, *, analyse: bool) -> list[Problem]:
    """Return what every room finds wrong, in the order of the rooms."""
    book, problems = _handbook(knowledge)
    problems += [fault for overlay in knowledge.overlays for fault in overlay.faults]
    problems += _version_problems(knowledge, today)
    reviewed = _reviewed(knowledge)
    today = max(today, reviewed or today)
    problems += check_knowledge(knowledge, today)
    problems += _part_sum_problems(knowledge)
    problems += _source_date_problems(knowledge, today)
    problems += _question_problems(knowledge, book, today)
    problems += _phrase_problems(knowledge)
    problems += _rule_problems(knowledge, book, today)
    if book is not None:
        problems += _handbook_problems(book, knowledge, today)
    problems += _correction_problems(knowledge, book, today)
    problems += _behaviour_problems(knowledge, book)
    if analyse:
        problems += analysis_problems(knowledge, reviewed)
    return problems


def _told_once(problems: list[Problem]) -> list[Problem]:
    """Leave out what a rule made of a gotcha says where the check of that gotcha said it."""
    wrong = {
        key.split(".")[1]
        for problem in problems
        if (key := problem.key or "").startswith("gotchas.")
    }
    return [
        problem
        for problem in problems
        if (match := _OF_GOTCHA.match(problem.key or "")) is None or match["id"] not in wrong
    ]


def _handbook(knowledge: Knowledge) -> tuple[Handbook | None, list[Problem]]:
    from advisor.store.handbook import read_handbook

    try:
        return read_handbook(knowledge.path / "handbook", knowledge.overlays), []
    except KnowledgeError as error:
        return None, list(error.problems)
    except UnicodeDecodeError:
        return None, list(_unreadable_pages(knowledge))


def _unreadable_pages(knowledge: Knowledge) -> Iterator[Problem]:
    pages = [(p, f"handbook/{p.name}") for p in sorted(knowledge.path.glob("handbook/*.md"))]
    for page, name in (
        *pages,
        *(o for one in knowledge.overlays for o in one.files("handbook/*.md")),
    ):
        try:
            page.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            yield Problem("unreadable", "The page is not UTF-8 text.", name)


def _handbook_problems(book: Handbook, knowledge: Knowledge, today: date) -> Iterator[Problem]:
    from advisor.store.handbook_check import check_handbook
    from advisor.store.tables import catalogue_tables

    yield from check_handbook(book, catalogue_tables(knowledge), knowledge.overlays)
    for section in book.sections:
        match = _SOURCES.search(section.text_markdown)
        if match is None:
            continue
        first = section.body_line + section.text_markdown.count("\n", 0, match.start("list"))
        for offset, line in enumerate(match["list"].splitlines()):
            for day in future_days(line, today):
                message = f"The source's date {day} lies in the future."
                yield Problem("bad_date", message, section.file, first + offset)


def _reviewed(knowledge: Knowledge) -> date | None:
    """Return the day on which the folder was reviewed as a whole, or ``None`` if unreadable."""
    try:
        return date.fromisoformat(knowledge.as_of)
    except (KnowledgeError, ValueError):
        return None


def _version_problems(knowledge: Knowledge, today: date) -> Iterator[Problem]:
    reviewed = _reviewed(knowledge)
    # a day of grace: the author may live east of the machine that checks
    if reviewed is not None and (reviewed - today).days > 1:
        message = f"{reviewed} lies in the future; today is {today}."
        yield Problem("bad_date", message, "version.yaml", key="as_of")


def _part_sum_problems(knowledge: Knowledge) -> Iterator[Problem]:
    """Compare each model's published size with what its shapes add up to."""
    from advisor.sizing.parameters import total_parameters

    for file, model in _records(knowledge, "models", "models"):
        counted_b = total_parameters(model) / 1e9
        gap = counted_b / model.parameters_b - 1
        if abs(gap) <= _PART_TOLERANCE or _explains(model, gap):
            continue
        message = (
            f"The shapes add up to {counted_b:.2f} billion parameters, {gap:+.1%} against "
            f"{model.parameters_b:g}. Mend a shape, or name what is not known in unknown_shapes."
        )
        yield Problem("part_sum", message, file, key=f"models.{model.id}.parameters_b")


def _explains(model: Model, gap: float) -> bool:
    """Tell whether the record itself says what the sum lacks."""
    tower_counted = model.vision is not None and model.vision.parameters_b > 0
    sees = model.vision is not None or model.modality in {"vision_language", "omni"}
    return bool(model.unknown_shapes) or (gap < 0 and sees and not tower_counted)


def _records(knowledge: Knowledge, catalogue: str, collection: str) -> Iterator[tuple[str, Any]]:
    """Yield file and record, or nothing when the catalogue is broken (said elsewhere)."""
    try:
        entries = knowledge.catalogue(catalogue).entries[collection]
    except KnowledgeError:
        return
    for entry in entries:
        yield entry.file, entry.record


def _source_date_problems(knowledge: Knowledge, today: date) -> Iterator[Problem]:
    for catalogue in CATALOGUES.values():
        try:
            loaded = knowledge.catalogue(catalogue.name)
        except KnowledgeError:
            continue
        for entries in loaded.entries.values():
            for entry in entries:
                yield from dated_sources(entry.file, entry.sources, today)


def _question_problems(
    knowledge: Knowledge, book: Handbook | None, today: date
) -> Iterator[Problem]:
    from advisor.answers.questions_files import check_questions, read_vocabulary
    from advisor.answers.questions_own import files_of
    from advisor.interview.plan import check_plan

    folder = knowledge.path / "questions"
    problems = check_questions(folder, knowledge.overlays)
    yield from problems
    try:
        vocabulary = read_vocabulary(folder, overlays=knowledge.overlays)
    except KnowledgeError:
        return
    own = files_of(knowledge.overlays)
    for group in vocabulary.groups:
        shipped = f"questions/{group.group}.yaml"
        file = shipped if (folder / f"{group.group}.yaml").exists() else own[group.questions[0].key]
        for day in future_days(group.as_of, today):
            yield Problem("bad_date", f"{day} lies in the future.", file, key="as_of")
        for question in group.questions:
            place = own.get(question.key, shipped)
            yield from _broken(book, question.section, place, f"{question.key}.section")
    yield from check_plan(knowledge, vocabulary)


def _phrase_problems(knowledge: Knowledge) -> list[Problem]:
    from advisor.answers.questions_files import read_vocabulary
    from advisor.interview.reading.check import check_phrases

    try:
        questions = read_vocabulary(knowledge.path / "questions", overlays=knowledge.overlays)
    except KnowledgeError:
        return []  # said elsewhere
    return check_phrases(knowledge, questions)


def _correction_problems(
    knowledge: Knowledge, book: Handbook | None, today: date
) -> Iterator[Problem]:
    from advisor.store.corrections import CATALOGUE, Corrections, check_corrections

    try:
        corrections = Corrections(knowledge.read(CATALOGUE).entries["corrections"])
    except KnowledgeError as error:
        yield from error.problems
        return
    names = {
        "gpu": [record.id for _, record in _records(knowledge, "gpus", "gpus")],
        "model": [record.id for _, record in _records(knowledge, "models", "models")],
        "format": [record.id for _, record in _records(knowledge, "formats", "formats")],
    }
    known = {prefix: ids for prefix, ids in names.items() if ids}
    if book is not None:
        yield from check_corrections(corrections, book, known)
    for entry in corrections.entries:
        yield from dated_sources(entry.file, entry.sources, today)
        for day in future_days(entry.record.as_of, today):
            key = f"corrections.{entry.record.id}.as_of"
            yield Problem("bad_date", f"{day} lies in the future.", entry.file, key=key)
    dated = [
        (entry.file, f"corrections.{entry.record.id}.as_of", entry.record.as_of)
        for entry in corrections.entries
    ]
    yield from old_records(dated, _reviewed(knowledge))


def _behaviour_problems(knowledge: Knowledge, book: Handbook | None) -> Iterator[Problem]:
    for file, engine in _records(knowledge, "engines", "engines"):
        for position, behaviour in enumerate(engine.behaviours):
            key = f"engines.{engine.id}.behaviours.{position}.section"
            yield from _broken(book, behaviour.section, file, key)


def _rule_problems(knowledge: Knowledge, book: Handbook | None, today: date) -> Iterator[Problem]:
    """Check rules with the real vocabulary, and that each cites a section that exists."""
    from advisor.store.rule_ids import id_problems
    from advisor.store.rule_payload import payload_problems
    from advisor.store.rules import check_rule_files, read_rule_files

    try:
        yield from check_rule_files(knowledge)
        records, places = read_rule_files(knowledge.path, overlays=knowledge.overlays)
    except KnowledgeError as error:
        yield from error.problems
        return
    except UnicodeDecodeError as error:
        yield Problem("unreadable", f"A rule file is not UTF-8 text: {error.reason}.", "rules")
        return
    gpus = [gpu.id for _, gpu in _records(knowledge, "gpus", "gpus")]
    for record in records:
        if not isinstance(record, dict):
            continue  # the schema says so
        key = f"rules[{record.get('id')}]"
        file, line = places.locate(f"{key}.cite")
        for section in _texts(record.get("cite")):
            for problem in _broken(book, section, file or "rules", f"{key}.cite"):
                yield replace(problem, line=line)
        for day in future_days(str(record.get("as_of", "")), today):
            yield Problem("bad_date", f"{day} lies in the future.", file, line, f"{key}.as_of")
        for problem in (*payload_problems(record), *id_problems(record, gpus)):
            file, line = places.locate(problem.key or key)
            yield replace(problem, file=file, line=line)


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _broken(book: Handbook | None, section: str, file: str, key: str) -> Iterator[Problem]:
    """Yield a problem when ``section`` is nowhere in the handbook."""
    from advisor.errors import UnknownNameError

    if book is None:
        return
    try:
        book.citation(section)
    except UnknownNameError as error:
        message = f"The handbook has no section {section!r}."
        nearest = error.problems[0].nearest
        yield Problem("broken_citation", message, file, key=key, nearest=nearest)


def _place(knowledge: Knowledge, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Name files from the folder on, and find lines by key where a check gave none."""
    from advisor.cli.kb_places import Places

    places, root = Places(knowledge), knowledge.path
    own = tuple(f"{overlay.label}/" for overlay in knowledge.overlays)
    for problem in problems:
        file = problem.file
        if file is not None and not file.startswith((f"{root.name}/", str(root), *own)):
            file = f"{root.name}/{file}"
        line = problem.line or places.line(file, problem.key)
        yield replace(problem, file=file, line=line)


def _reading_order(problem: Problem) -> tuple[str, int]:
    return problem.file or "", problem.line or 0
