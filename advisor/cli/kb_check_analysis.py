"""The part of ``kb check`` that looks at the rules as decision tables, and at who reads what."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any

from advisor.cli.kb_check_dates import old_records
from advisor.errors import KnowledgeError, Problem
from advisor.store.loader import Knowledge

if TYPE_CHECKING:
    from advisor.analysis.analyse import Asked
    from advisor.analysis.cases import Case, Value
    from advisor.answers.questions import Question, Vocabulary
    from advisor.rules.model import RuleBase

__all__ = ["analysis_problems"]


def analysis_problems(knowledge: Knowledge, day: date | None) -> Iterator[Problem]:
    """Yield what only shows when rules, questions and code are looked at together.

    Args:
        knowledge: What to check. Where rules or questions do not load, nothing is said here:
            their own checks have said why.
        day: The day of the knowledge base; without it nothing is called stale.
    """
    from advisor.answers.questions_files import read_vocabulary
    from advisor.store.rules import load_rule_base

    try:
        questions = read_vocabulary(knowledge.path / "questions", overlays=knowledge.overlays)
        base = load_rule_base(knowledge)
    except (KnowledgeError, UnicodeDecodeError):
        return
    yield from _rules(knowledge, base, _asked(questions), day)
    yield from _unused(knowledge, base, questions)
    dated = [(f"questions/{g.group}.yaml", "as_of", g.as_of) for g in questions.groups]
    yield from old_records(dated, day)


def _asked(questions: Vocabulary) -> Asked:
    from advisor.analysis.analyse import Asked

    return Asked(
        kinds={key: question.kind for key, question in questions.items()},
        limits={key: _limits(question) for key, question in questions.items()},
        defaults=frozenset(key for key, q in questions.items() if q.default is not None),
    )


def _limits(question: Question) -> tuple[float | None, float | None]:
    return (question.above if question.min is None else question.min), question.max


def _rules(
    knowledge: Knowledge, base: RuleBase, asked: Asked, day: date | None
) -> Iterator[Problem]:
    from advisor.analysis.analyse import analyse_rules
    from advisor.consult.vocabulary import rule_vocabulary
    from advisor.store.rules import read_rule_files

    findings = analyse_rules(base, rule_vocabulary(knowledge), asked, day, _worlds(knowledge))
    if not findings:
        return
    _, places = read_rule_files(knowledge.path, overlays=knowledge.overlays)
    locate = places.with_gotchas(knowledge)
    for finding in findings:
        file, line = locate(finding.key)
        yield Problem(finding.code, finding.message, file, line, finding.key)


def _worlds(knowledge: Knowledge) -> dict[str, list[Case]]:
    """Return the situations that the catalogues list: which pools of nodes a place has."""
    from advisor.rules.conditions import Ref

    worlds: list[Case] = []
    try:
        platforms, options = knowledge.platforms, tuple(knowledge.provisioners)
    except KnowledgeError:  # the check of the catalogues says what is wrong
        return {}
    for platform in platforms.values():
        world: dict[Ref, Value] = {
            Ref("cluster", "platform"): platform.id,
            Ref("cluster", "orchestrator"): platform.orchestrator,
        }
        for option in options:
            here = option in platform.provisioners
            world[Ref(f"pool#{option}", "here")] = here
            world[Ref(f"pool#{option}", "usual")] = option == platform.provisioners[0]
        worlds.append(world)
    return {"pool": worlds}


def _unused(knowledge: Knowledge, base: RuleBase, questions: Vocabulary) -> Iterator[Problem]:
    from advisor.analysis.analyse import unused_questions
    from advisor.answers.questions_own import files_of

    groups = {q.key: group.group for group in questions.groups for q in group.questions}
    own = files_of(knowledge.overlays)
    for key in unused_questions(base, list(questions), _hinted(knowledge)):
        message = "No rule, no hint and no code reads the answer: use it, or drop the question."
        file = own.get(key, f"questions/{groups[key]}.yaml")
        yield Problem("unused_question", message, file, key=key)


def _hinted(knowledge: Knowledge) -> frozenset[str]:
    """Return the keys that records of the Kubernetes layer name."""
    from advisor.store.check_kubernetes_world import World

    world = World(knowledge)
    keys = {
        key
        for _, entries in world.all_entries()
        for entry in entries
        for key in _keys(entry.record)
    }
    return frozenset(keys)


def _keys(value: Any) -> Iterator[str]:  # noqa: ANN401 - any part of a record
    from advisor.store.cited import Hint

    if isinstance(value, tuple):
        for item in value:
            yield from _keys(item)
    elif isinstance(value, Hint):
        yield value.key
    elif hasattr(type(value), "model_fields"):
        if getattr(value, "answers_key", None):
            yield value.answers_key
        for name in type(value).model_fields:
            yield from _keys(getattr(value, name))
