"""Where common wisdom is wrong: schema, look-up and check of ``knowledge/corrections``.

A consultation that touches a topic of a correction shows it. The claim is told in our own
words, with what is right, the arithmetic and the source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field, field_validator

from advisor.errors import Problem, UnknownNameError
from advisor.store.loader_errors import nearest_names
from advisor.store.loader_files import Entry
from advisor.store.loader_layout import Catalogue
from advisor.store.records import Record, Source

if TYPE_CHECKING:
    from advisor.store.handbook import Handbook
    from advisor.store.loader import Knowledge

__all__ = [
    "CATALOGUE",
    "NAME_PREFIXES",
    "TOPICS",
    "Correction",
    "Corrections",
    "check_corrections",
    "load_corrections",
]

CATALOGUE = Catalogue(
    "corrections",
    "corrections/*.yaml",
    {"corrections": ("advisor.store.corrections", "Correction")},
)

TOPICS = (
    "bandwidth", "bare_metal", "concurrency", "confidential", "container_runtime", "cooling",
    "data_parallel", "device_plugin", "disaggregated", "dra", "driver_upgrade", "expert_parallel",
    "fabric", "gpu_operator", "isolation", "job_stack", "karpenter", "kubernetes", "kv_cache",
    "latency", "memory", "mig", "mla", "mps", "nccl", "nvlink", "observability", "offload",
    "operator_choice", "operator_chosen", "passthrough", "pcie", "pipeline_parallel", "precision",
    "provisioning", "queueing", "rdma", "software", "sriov", "tensor_parallel", "throughput",
    "time_slicing", "topology", "training", "vgpu", "vm", "weights",
)  # fmt: skip
"""Plain topics; anything else must be a prefix of :data:`NAME_PREFIXES` with a name."""

NAME_PREFIXES = ("architecture", "format", "gpu", "model", "vendor")
"""Topics such as ``gpu:h200-sxm``: the correction touches that record of a catalogue."""

_WORD = r"[a-z0-9]+(?:-[a-z0-9]+)*"


class Correction(Record):
    """One claim that is heard often, and what is right."""

    id: str = Field(pattern=rf"^{_WORD}$")
    section: str
    """Handbook section that treats the matter, plain: ``7.3``."""
    claim: str
    """The claim in our own words, never a quotation."""
    right: str
    arithmetic: str | None = None
    topics: tuple[str, ...] = Field(min_length=1)
    kind: Literal["wrong", "contradiction", "imprecise", "unsourced", "stale"]
    """``contradiction``: its usual source contradicts itself; ``stale``: was true once."""
    touched_by: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    """Situations that touch the claim, in the words of ``advisor.store.touch``: any of them,
    whole. Without, the topics decide."""

    @field_validator("touched_by", mode="before")
    @classmethod
    def _as_texts(cls, situations: object) -> object:
        if not isinstance(situations, list):
            return situations
        return [
            {key: test if isinstance(test, list) else [test] for key, test in situation.items()}
            if isinstance(situation, Mapping)
            else situation
            for situation in situations
        ]


@dataclass(frozen=True)
class Corrections:
    """All corrections in file order."""

    entries: tuple[Entry, ...]

    def __iter__(self) -> Iterator[Correction]:
        return (entry.record for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, correction_id: str) -> Correction:
        """Return one correction.

        Raises:
            UnknownNameError: There is none with this id; carries the nearest ids.
        """
        correction: Correction = self._entry(correction_id).record
        return correction

    def sources_of(self, correction_id: str) -> tuple[Source, ...]:
        """Return the sources of one correction, resolved.

        Raises:
            UnknownNameError: There is none with this id; carries the nearest ids.
        """
        entry = self._entry(correction_id)
        return tuple(entry.sources[source] for source in entry.record.sources)

    def about(self, topics: Collection[str]) -> tuple[Correction, ...]:
        """Return the corrections that share a topic, those sharing most first."""
        wanted = frozenset(topics)
        shared = [(len(wanted.intersection(record.topics)), record) for record in self]
        # sorted() is stable, so equals keep the order of the files.
        ranked = sorted(shared, key=lambda pair: -pair[0])
        return tuple(record for count, record in ranked if count)

    def _entry(self, correction_id: str) -> Entry:
        for entry in self.entries:
            if entry.record.id == correction_id:
                return entry
        nearest = nearest_names(correction_id, [record.id for record in self])
        message = f"There is no correction {correction_id!r}."
        raise UnknownNameError(Problem("unknown_correction", message, nearest=nearest))


def load_corrections(root: Path | Knowledge | None = None) -> Corrections:
    """Return the corrections of a knowledge base or folder, by default of the one in use.

    Raises:
        KnowledgeError: A file is not as the schema wants it; carries every problem.
    """
    from advisor.store.loader import load_knowledge

    knowledge = load_knowledge(root) if root is None or isinstance(root, Path) else root
    return _corrections(knowledge)


@lru_cache(maxsize=8)
def _corrections(knowledge: Knowledge) -> Corrections:
    return Corrections(knowledge.read(CATALOGUE).entries["corrections"])


def check_corrections(
    corrections: Corrections | None = None,
    handbook: Handbook | None = None,
    names: Mapping[str, Collection[str]] | None = None,
) -> list[Problem]:
    """Return what the schema cannot see: sections, topics and sources that lead nowhere.

    Args:
        corrections: Those to check; default the ones that ship.
        handbook: Against which sections are checked; default the one that ships.
        names: Known ids by prefix, such as ``{"gpu": knowledge.gpus}``; prefixes that are
            absent here are checked for form only.
    """
    from advisor.store.handbook import load_handbook

    book = handbook or load_handbook()
    problems: list[Problem] = []
    for entry in (corrections or load_corrections()).entries:
        problems += _section_problems(entry, book)
        problems += _topic_problems(entry, names or {})
        problems += _touch_problems(entry, names or {})
        problems += _source_problems(entry)
    return problems


def _section_problems(entry: Entry, book: Handbook) -> Iterator[Problem]:
    number = entry.record.section
    if number in {section.number for section in book.sections}:
        return
    numbers = [section.number for section in book.sections]
    message = f"The handbook has no section {number!r}."
    yield _problem(entry, "broken_citation", "section", message, nearest_names(number, numbers))


def _topic_problems(entry: Entry, names: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    for topic in entry.record.topics:
        prefix, colon, name = topic.partition(":")
        if not colon and topic not in TOPICS:
            message = f"The topic {topic!r} is not known."
            yield _problem(entry, "unknown_topic", "topics", message, nearest_names(topic, TOPICS))
        elif colon and prefix not in NAME_PREFIXES:
            message = f"The topic {topic!r} starts with an unknown prefix."
            nearest = nearest_names(prefix, NAME_PREFIXES)
            yield _problem(entry, "unknown_topic", "topics", message, nearest)
        elif colon and name not in names.get(prefix, (name,)):
            message = f"The topic {topic!r} names no {prefix} of the catalogue."
            nearest = nearest_names(name, list(names[prefix]))
            yield _problem(entry, "unknown_topic", "topics", message, nearest)


def _touch_problems(entry: Entry, names: Mapping[str, Collection[str]]) -> Iterator[Problem]:
    from advisor.store.touch import unknown_words

    for situation in entry.record.touched_by:
        for message, nearest in unknown_words(situation, names):
            yield _problem(entry, "unknown_situation", "touched_by", message, nearest)


def _source_problems(entry: Entry) -> Iterator[Problem]:
    for source in entry.record.sources:
        if entry.sources[source].date is None:
            yield _problem(entry, "undated_source", "sources", f"The source {source} has no date.")


def _problem(
    entry: Entry, code: str, key: str, message: str, nearest: tuple[str, ...] = ()
) -> Problem:
    place = f"corrections.{entry.record.id}.{key}"
    return Problem(code, message, file=entry.file, key=place, nearest=nearest)
