"""What records of the Kubernetes layer may point at, for :mod:`advisor.store.check_kubernetes`.

The vocabulary of questions is read as plain YAML, because this room must not import the answers;
what is wrong with those files themselves is said by the check of the questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from advisor.errors import KnowledgeError
from advisor.store.choices import CHOICES, FREE
from advisor.store.loader import Knowledge
from advisor.store.loader_files import Entry
from advisor.store.loader_yaml import parse_yaml

__all__ = ["ANSWERS", "COLLECTIONS", "POINTERS", "SAME_IDS", "Place", "World"]

Place = tuple[str, str]
"""Catalogue and collection."""

_YES_NO = ("yes", "no")
SAME_IDS = {
    ("node_images", "node_images"): "platform.node_image",
    ("provisioning", "capacity_kinds"): "platform.capacity",
    ("provisioning", "rdma_exposures"): "platform.rdma_exposure",
    ("sharing_modes", "sharing_modes"): "choice.sharing.option",
    ("provisioning", "provisioners"): "choice.provisioning.option",
}
"""(catalogue, collection) to the list of values that its ids must equal."""

POINTERS: dict[Place, dict[str, Place]] = {
    ("kubernetes_releases", "kubernetes_releases"): {
        "bugs": ("kubernetes_releases", "kubernetes_bugs")
    },
    ("kubernetes_releases", "kubernetes_bugs"): {"gates": ("dra_gates", "dra_gates")},
    ("components", "components"): {
        "part_of": ("components", "components"),
        "avoid.gotcha": ("gotchas", "gotchas"),
        "floors.component": ("components", "components"),
    },
    ("node_images", "node_images"): {"successor": ("node_images", "node_images")},
    ("metrics", "metrics"): {"exporter": ("components", "components")},
    ("metrics", "alerts"): {"metrics": ("metrics", "metrics")},
    ("sharing_modes", "sharing_modes"): {
        "components": ("components", "components"),
        "not_with": ("sharing_modes", "sharing_modes"),
    },
    ("provisioning", "provisioners"): {"components": ("components", "components")},
    ("platforms", "platforms"): {
        "node_images": ("node_images", "node_images"),
        "provisioners": ("provisioning", "provisioners"),
        "capacity_kinds": ("provisioning", "capacity_kinds"),
        "rdma_exposures": ("provisioning", "rdma_exposures"),
    },
    ("symptoms", "symptoms"): {"causes.gotcha": ("gotchas", "gotchas")},
}
"""Fields that hold ids of another collection, dotted through lists."""

ANSWERS = {
    ("components", "components"): {"answers_key": ""},
    ("node_images", "node_images"): {
        "providers": "platform.provider",
        "operating_systems": "platform.operating_system",
        "autoscalers": "platform.node_autoscaler",
    },
    ("platforms", "platforms"): {
        "clouds": "platform.cloud",
        "providers": "platform.provider",
    },
    ("provisioning", "capacity_kinds"): {"sold_as.cloud": "platform.cloud"},
}
"""Fields whose values must be those of a question; empty: the field holds a key itself."""


@dataclass
class World:
    """What the records may point at; read once."""

    knowledge: Knowledge
    _ids: dict[Place, tuple[str, ...]] = field(default_factory=dict)

    def all_entries(self) -> Iterator[tuple[Place, tuple[Entry, ...]]]:
        """Yield every collection of the layer with its records."""
        for catalogue, collection in COLLECTIONS:
            yield (catalogue, collection), self.entries(catalogue, collection)

    def entries(self, catalogue: str, collection: str) -> tuple[Entry, ...]:
        """Return the records of a collection, none if its catalogue is broken."""
        try:
            return self.knowledge.catalogue(catalogue).entries[collection]
        except KnowledgeError:  # the check of the schemas says what is wrong
            return ()

    def ids(self, place: Place) -> tuple[str, ...]:
        """Return the ids of a collection."""
        if place not in self._ids:
            self._ids[place] = tuple(entry.record.id for entry in self.entries(*place))
        return self._ids[place]

    @cached_property
    def sections(self) -> tuple[str, ...] | None:
        """Numbers and ids of the handbook's sections, or ``None`` if it cannot be read."""
        from advisor.store.handbook import read_handbook

        folder = self.knowledge.path / "handbook"
        try:
            book = read_handbook(folder, self.knowledge.overlays)
        except (KnowledgeError, OSError, UnicodeDecodeError):
            return None
        return tuple(section.number for section in book.sections)

    @cached_property
    def questions(self) -> Mapping[str, tuple[str, ...] | None]:
        """Keys of the questions with their values; ``None`` for free ones; empty if unreadable."""
        return {
            key: values
            for folder in self.knowledge.folders("questions")
            for key, values in _read_questions(folder)
        }

    @cached_property
    def rules(self) -> frozenset[str]:
        """Ids of the rules in rule files; empty where they cannot be read."""
        from advisor.store.rules import read_rule_files

        try:
            records, _ = read_rule_files(self.knowledge.path, overlays=self.knowledge.overlays)
        except (KnowledgeError, OSError, UnicodeDecodeError):
            return frozenset()
        return frozenset(str(record.get("id")) for record in records if isinstance(record, dict))

    def values(self, key: str) -> tuple[str, ...] | None:
        """Return the values that ``key`` may have, or ``None`` when any text may stand there."""
        if key in CHOICES or key in FREE:
            return CHOICES.get(key)
        if key == "gpu.id":
            return self.ids(("gpus", "gpus")) or None
        if key.startswith("gpu."):
            return _values_of(_gpu_field(key.removeprefix("gpu.")))
        return self.questions.get(key)

    def knows(self, key: str) -> bool:
        """Tell whether a hint may name ``key``; true when the questions cannot be read."""
        if key in CHOICES or key in FREE:
            return True
        if key.startswith(("choice.", "chosen.")):
            return False
        if key.startswith("gpu."):
            return _gpu_field(key.removeprefix("gpu.")) is not None
        return not self.questions or key in self.questions


COLLECTIONS = (
    ("kubernetes_releases", "kubernetes_releases"), ("kubernetes_releases", "kubernetes_bugs"),
    ("dra_gates", "dra_gates"), ("components", "components"), ("node_images", "node_images"),
    ("metrics", "metrics"), ("metrics", "alerts"), ("xids", "xids"),
    ("sharing_modes", "sharing_modes"), ("platforms", "platforms"),
    ("provisioning", "provisioners"), ("provisioning", "capacity_kinds"),
    ("provisioning", "rdma_exposures"), ("cold_start", "cold_start_parts"),
    ("gotchas", "gotchas"), ("symptoms", "symptoms"),
)  # fmt: skip


def _read_questions(folder: Path) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    for file in sorted(folder.glob("*.yaml")):
        try:
            data = parse_yaml(file.read_text(encoding="utf-8"), file.name)
        except (KnowledgeError, UnicodeDecodeError):
            continue
        for question in data.get("questions", ()) if isinstance(data, dict) else ():
            if not isinstance(question, dict) or not isinstance(question.get("key"), str):
                continue
            values = question.get("values") or ()
            ids = tuple(value["id"] for value in values if isinstance(value, dict))
            if question.get("kind") == "bool":
                ids = _YES_NO
            free = question.get("kind") not in {"enum", "bool"}
            yield question["key"], None if free else ids


def _gpu_field(dotted: str) -> Any:  # noqa: ANN401 - any annotation
    """Return the type of a field of the GPU catalogue, or ``None`` if there is none."""
    from advisor.store.gpu import Gpu

    schema: Any = Gpu
    for part in dotted.split("."):
        found = getattr(schema, "model_fields", {}).get(part)
        if found is None:
            return None
        schema = found.annotation
    return schema


def _values_of(annotation: Any) -> tuple[str, ...] | None:  # noqa: ANN401 - any annotation
    if annotation is bool:
        return _YES_NO
    return get_args(annotation) if get_origin(annotation) is Literal else None
