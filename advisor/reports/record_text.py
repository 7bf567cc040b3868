"""Records of the knowledge base as text: questions, corrections, engines, prices.

GPUs, models and the small catalogues are shown field by field by ``advisor.store.provenance``;
what reads better in an order of its own is here. No trailing newline.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence

from advisor.answers.questions import Question, QuestionGroup
from advisor.store.corrections import Correction
from advisor.store.engine_behaviour import Behaviour, BehaviourValue, EngineBehaviours, When
from advisor.store.loader_files import Entry
from advisor.store.prices import Price
from advisor.store.records import Source
from advisor.store.tables_cells import cell_text

__all__ = ["correction_text", "engine_text", "prices_text", "question_text", "sources_text"]

_WIDTH = 100


def sources_text(sources: Mapping[str, Source], used: Iterable[str]) -> list[str]:
    """Return the lines of a list of sources: id, title, date, how it is known, address."""
    lines = ["Sources:"]
    for source_id in used:
        source = sources[source_id]
        facts = ", ".join(part for part in (source.date, source.how) if part)
        lines += _wrapped(f"  {source_id}: ", f"{source.title} ({facts})")
        lines += [f"    {source.url}"] if source.url else []
    return lines


def correction_text(entry: Entry) -> str:
    """Return claim, what is right, the arithmetic, topics and sources."""
    record: Correction = entry.record
    lines = [record.id, f"in {entry.file}, checked {record.as_of}; §{record.section}", ""]
    lines += _field(f"claim ({record.kind})", record.claim)
    lines += _field("right", record.right)
    lines += _field("arithmetic", record.arithmetic)
    lines += _field("topics", ", ".join(record.topics))
    lines += _field("unverified", ", ".join(record.unverified))
    for note in record.notes:
        lines += _wrapped("- ", note)
    return "\n".join([*lines, "", *sources_text(entry.sources, record.sources)])


def question_text(question: Question, group: QuestionGroup, file: str) -> str:
    """Return the question, what it means, its values and default, and how to find out."""
    lines = [f"{question.key}: {question.text}"]
    lines += [f"in {file}, checked {group.as_of}; §{question.section}", ""]
    lines += _field("means", question.help)
    lines += _field("kind", _kind(question))
    for choice in question.values:
        also = f" (also: {', '.join(choice.synonyms)})" if choice.synonyms else ""
        lines += _wrapped("    ", f"{choice.id}: {choice.label}{also}")
    lines += _field("example", question.example)
    if question.default is not None:
        default = cell_text(_as_tuple(question.default))
        lines += _field("default", f"{default}. {question.default_because}")
    lines += _field("to find out", question.find_out)
    lines += ["", "Sources:", *(f"  {source}" for source in group.sources)]
    return "\n".join(lines)


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _kind(question: Question) -> str:
    """Return kind, unit and range in one clause."""
    parts = [question.kind.replace("_", " ")]
    if question.list:
        parts.append("one or several")
    if question.unit:
        parts.append(f"in {question.unit}")
    if question.above is not None:
        parts.append(f"above {cell_text(question.above)}")
    if question.min is not None:
        parts.append(f"from {cell_text(question.min)}")
    if question.max is not None:
        parts.append(f"up to {cell_text(question.max)}")
    return ", ".join(parts)


def engine_text(entry: Entry) -> str:
    """Return what an engine does with memory, release by release."""
    record: EngineBehaviours = entry.record
    releases = f"releases {record.oldest_version} to {record.newest_version}"
    lines = [
        f"{record.id}: {record.name}",
        f"in {entry.file}, checked {record.as_of}; {releases}",
        "",
    ]
    for behaviour in record.behaviours:
        lines += [*_behaviour(behaviour), ""]
    lines += _field("unverified", ", ".join(record.unverified))
    for note in record.notes:
        lines += _wrapped("- ", note)
    return "\n".join([*lines, "", *sources_text(entry.sources, record.sources)])


def _behaviour(behaviour: Behaviour) -> list[str]:
    lines = [f"{behaviour.key} ({behaviour.unit}, §{behaviour.section})"]
    lines += _wrapped("  ", behaviour.meaning)
    for value in behaviour.values:
        lines += _value_lines(value)
    return lines


def _value_lines(value: BehaviourValue) -> list[str]:
    until = f" until {value.until}" if value.until else ""
    mark = ", unverified" if value.unverified else ""
    text = f"{_value(value.value)}{_when(value.when)} [{value.source}{mark}]"
    lines = _wrapped(f"  since {value.since}{until}: ", text)
    lines += _wrapped("      ", value.note) if value.note else []
    for seen in value.measured:
        text = f"measured {cell_text(seen.value)}: {seen.what}, {seen.version} [{seen.source}]"
        lines += _wrapped("      ", text)
    return lines


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name} {_value(part)}" for name, part in value.items())
    return cell_text(value)


def _when(when: When | None) -> str:
    """Return the conditions of a value as a clause, in the words of its fields."""
    if when is None:
        return ""
    given = when.model_dump(exclude_defaults=True)
    parts = [f"{name.replace('_', ' ')} {_value(value)}" for name, value in given.items()]
    return f" when {' and '.join(parts)}"


def prices_text(title: str, entries: Sequence[Entry]) -> str:
    """Return rental prices as given, each with its date; a price without a date is no price."""
    lines = [title, f"in {entries[0].file}; Linux, no discount, tax, storage or egress", ""]
    for entry in entries:
        lines += _price(entry.record)
    sources = {name: entry.sources[name] for entry in entries for name in entry.record.sources}
    return "\n".join([*lines, "", *sources_text(sources, sources)])


def _price(price: Price) -> list[str]:
    text = (
        f"{price.provider} {price.instance}, {price.gpu_count} x {price.gpu}, {price.kind}, "
        f"{price.region}: {price.usd_per_hour:,.2f} USD/h"
    )
    if price.gpu_count > 1:
        text += f", {price.usd_per_gpu_hour:,.2f} per GPU"
    lines = _wrapped(f"{price.as_of:<11}", f"{text} [{', '.join(price.sources)}]")
    for label, remark in (("uncertain", price.uncertain), ("note", price.note)):
        lines += _wrapped(" " * 11, f"{label}: {remark}") if remark else []
    return lines


def _field(name: str, text: str | None) -> list[str]:
    return _wrapped(f"{name}: ", text) if text else []


def _wrapped(head: str, text: str) -> list[str]:
    indent = " " * min(len(head), 12)
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
