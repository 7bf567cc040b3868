"""Random legal answers from the vocabulary, the same for the same seed."""

from __future__ import annotations

import random

from advisor.answers.questions import Question, load_questions

TEXTS = [
    "h100-sxm",
    "a b",
    "1.30",
    "1e5",
    "null-ish",
    "~x",
    "yes",
    "no",
    "#x",
    "é漢🙂",
    "a: b",
    "-",
]
LOGS = ["RuntimeError: CUDA out of memory.\n  at step 3", "unknown", "a\tb", *TEXTS]
VERSIONS = ["1.30", "0.10", "26", "1e3", "1.34.2-eks-1", "2026.01.30", "580.95.05"]
CONFIG: list[object] = [
    "./config.json",
    {"num_hidden_layers": 80, "eps": 1e-05, "flag": False, "none": None, "text": "1e5"},
    {"deep": {"list": [1, [2.5, "true"], {"a": "~"}]}, "<<": "x", "1": "0.1"},
]


def random_document(seed: int) -> dict[str, object]:
    """Return a nested document that gives about a third of all keys."""
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    vocabulary = load_questions()
    document: dict[str, object] = {}
    for question in vocabulary.values():
        if dice.random() > 0.35:
            continue
        inner = document.setdefault(question.group, {}) if question.group else document
        assert isinstance(inner, dict)
        inner[question.name] = _answer(question, dice)
    return document


def _answer(question: Question, dice: random.Random) -> object:
    if dice.random() < 0.1 and not question.multiline:
        return "unknown"
    if question.kind == "list_of_records":
        return [_record(question, dice, index) for index in range(dice.randint(1, 3))]
    if not question.list:
        return _value(question, dice)
    count = dice.randint(0 if question.empty else 1, 3)
    if question.kind == "enum":
        ids = [choice.id for choice in question.values]
        return dice.sample(ids, min(count, len(ids)))
    if question.nested and dice.random() < 0.5:
        return [[_value(question, dice) for _ in range(2)] for _ in range(2)]
    return [_value(question, dice) for _ in range(count)]


def _record(question: Question, dice: random.Random, index: int) -> dict[str, object]:
    keys = load_questions().record_keys(question.key)
    record = {name: _answer(keys[name], dice) for name in keys if dice.random() < 0.3}
    if question.record is not None and question.record.unique in record:
        record[question.record.unique] = f"name {index}"
    return record


def _value(question: Question, dice: random.Random) -> object:
    choices: dict[str, list[object]] = {
        "enum": [choice.id for choice in question.values],
        "bool": [True, False],
        "version": ["9.0", "gfx942"] if question.pattern else [*VERSIONS],
        "text": [question.example]
        if question.pattern
        else [*(LOGS if question.multiline else TEXTS)],
        "text_or_mapping": CONFIG,
        "mapping": [{"NCCL_DEBUG": "INFO", "A": "", "B": "~", "C": "1.0"}, {}],
    }
    values = choices.get(question.kind)
    return dice.choice(values) if values else _number(question, dice)


def _number(question: Question, dice: random.Random) -> int | float:
    assert question.max is not None
    low = question.min if question.min is not None else question.above or 0.0
    if question.kind in {"integer", "size_tokens"}:
        return dice.randint(int(low), int(question.max))
    # Powers spread the numbers over all magnitudes up to the limit.
    return max(low, question.max * dice.random() ** dice.randint(1, 6)) or question.max
