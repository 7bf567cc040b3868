"""The knowledge base: catalogues that are read, checked and frozen on first use.

>>> from advisor.store.loader import load_knowledge
>>> knowledge = load_knowledge()
>>> knowledge.find_gpu("H200").memory_bandwidth_gbs
4800.0
"""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import KnowledgeError, Problem
from advisor.store.in_use import in_use
from advisor.store.loader_files import Loaded, read_catalogue, read_version
from advisor.store.loader_kubernetes import KubernetesCatalogues
from advisor.store.loader_layout import CATALOGUES
from advisor.store.loader_yaml import parse_yaml, parser_stamp

if TYPE_CHECKING:
    from advisor.store.aliases import Resolved
    from advisor.store.aliases_data import AmbiguousName
    from advisor.store.catalogues import Statement
    from advisor.store.engine_behaviour import EngineBehaviours
    from advisor.store.formats import KvFormatRecord, WeightFormatRecord
    from advisor.store.gpu import Gpu
    from advisor.store.interconnect import AllReduce, Link, MemoryGeneration, Ratio
    from advisor.store.loader_cache_file import Cache
    from advisor.store.loader_layout import Catalogue
    from advisor.store.mig import MigTable
    from advisor.store.model import Model
    from advisor.store.overlays import Overlay
    from advisor.store.prices import Price, Purchase, Trend

__all__ = ["Knowledge", "load_knowledge", "shipped_knowledge"]


@dataclass(frozen=True, eq=False)
class Knowledge(KubernetesCatalogues):
    """Everything in ``knowledge/``; each catalogue is read on first use and then kept.

    Any attribute may raise :class:`KnowledgeError` with every problem of its catalogue;
    :meth:`load_all` reports the problems of all catalogues at once.
    """

    path: Path
    cache: Cache | None = None
    """Remembers what was parsed in earlier runs; without it every file is parsed anew."""
    overlays: tuple[Overlay, ...] = ()
    """Folders of one's own on top of ``path``, lowest first."""

    def folders(self, name: str) -> tuple[Path, ...]:
        """Return the folders called ``name``, the shipped one first; some may not exist."""
        return tuple(root / name for root in (self.path, *(o.path for o in self.overlays)))

    def file(self, name: str) -> Path:
        """Return the file that messages call ``name``, such as ``knowledge/gpus/x.yaml``."""
        for overlay in self.overlays:
            if name.startswith(f"{overlay.label}/"):
                return Path(name)
        return self.path.parent / name

    def read(self, catalogue: Catalogue, containing: str = "") -> Loaded:
        """Return the records of a catalogue, anew; those of overlays in place of namesakes.

        Args:
            catalogue: Which files and schemas.
            containing: Files without this text are passed over.

        Raises:
            KnowledgeError: Something in its files is wrong; carries every problem.
        """
        return read_catalogue(self.path, catalogue, containing, self.parse, self.overlays)

    def parse(self, text: str, file: str) -> Any:  # noqa: ANN401 - whatever the file holds
        """Return the data of a YAML file.

        Args:
            text: What the file holds now.
            file: Its name, for error messages.

        Raises:
            KnowledgeError: The text is not YAML, or a mapping repeats a key.
        """
        if self.cache is None:
            return parse_yaml(text, file)
        made_from = (text, parser_stamp())
        return self.cache.remembered(file, made_from, lambda: parse_yaml(text, file))

    def catalogue(self, name: str) -> Loaded:
        """Return catalogue ``name`` (a key of ``loader_layout.CATALOGUES``).

        Raises:
            KnowledgeError: Something in its files is wrong; carries every problem.
        """
        cache: dict[str, Loaded] = self.__dict__.setdefault("_loaded", {})
        if name not in cache:
            cache[name] = self.read(CATALOGUES[name])
        return cache[name]

    def is_loaded(self, name: str) -> bool:
        """Tell whether catalogue ``name`` has been read yet."""
        return name in self.__dict__.get("_loaded", {})

    def load_all(self) -> None:
        """Read every catalogue.

        Raises:
            KnowledgeError: With every problem of every file.
        """
        problems: list[Problem] = []
        for step in (*CATALOGUES, "version"):
            try:
                _ = self._version if step == "version" else self.catalogue(step)
            except KnowledgeError as error:
                problems += error.problems
        if problems:
            raise KnowledgeError(problems)

    @cached_property
    def gpus(self) -> Mapping[str, Gpu]:
        """GPUs by id."""
        return self.catalogue("gpus").by_id("gpus")

    @cached_property
    def models(self) -> Mapping[str, Model]:
        """Models by id."""
        return self.catalogue("models").by_id("models")

    def model(self, record_id: str) -> Model | None:
        """Return the model with exactly this id, or ``None``.

        Reads only the file that holds it, unless all models are at hand: most runs need one.

        Raises:
            KnowledgeError: Something in that file is wrong; carries every problem.
        """
        if self.is_loaded("models"):
            return self.models.get(record_id)
        cache: dict[str, Model | None] = self.__dict__.setdefault("_models", {})
        if record_id not in cache:
            wanted = f"id: {record_id}\n"
            found = self.read(CATALOGUES["models"], wanted)
            cache[record_id] = found.by_id("models").get(record_id)
        return cache[record_id]

    @cached_property
    def engines(self) -> Mapping[str, EngineBehaviours]:
        """Memory behaviour of serving engines by id."""
        return self.catalogue("engines").by_id("engines")

    @cached_property
    def mig_tables(self) -> Mapping[str, MigTable]:
        """MIG profile tables by id."""
        return self.catalogue("mig").by_id("mig_tables")

    @cached_property
    def mig_facts(self) -> Mapping[str, Statement]:
        """How to read the MIG tables, by id."""
        return self.catalogue("mig").by_id("mig_facts")

    @cached_property
    def interconnects(self) -> Mapping[str, Link]:
        """Links inside and between machines by id."""
        return self.catalogue("interconnects").by_id("interconnects")

    @cached_property
    def ratios(self) -> Mapping[str, Ratio]:
        """Pairs of links worth comparing, by id."""
        return self.catalogue("interconnects").by_id("ratios")

    @cached_property
    def memory_generations(self) -> Mapping[str, MemoryGeneration]:
        """HBM generations by id."""
        return self.catalogue("interconnects").by_id("memory_generations")

    @cached_property
    def allreduce(self) -> Mapping[str, AllReduce]:
        """Measured all-reduce times by id."""
        return self.catalogue("allreduce").by_id("allreduce")

    @cached_property
    def prices(self) -> tuple[Price, ...]:
        """Rental prices; each is a dated snapshot."""
        return self.catalogue("prices").records("prices")

    @cached_property
    def own_prices(self) -> Mapping[Price, str]:
        """Those of the rental prices that come from overlays, with the overlay's name."""
        entries = self.catalogue("prices").entries["prices"] if self.overlays else ()
        found = ((entry, o) for entry in entries for o in self.overlays)
        return {e.record: o.name for e, o in found if e.file.startswith(f"{o.label}/")}

    @cached_property
    def purchases(self) -> tuple[Purchase, ...]:
        """Purchase prices; none is a quote."""
        return self.catalogue("prices").records("purchases")

    @cached_property
    def trends(self) -> tuple[Trend, ...]:
        """How rental prices moved."""
        return self.catalogue("prices").records("trends")

    @cached_property
    def formats(self) -> Mapping[str, WeightFormatRecord]:
        """Weight formats by the name that ``workload.weight_format`` uses."""
        return self.catalogue("formats").by_id("formats")

    @cached_property
    def kv_formats(self) -> Mapping[str, KvFormatRecord]:
        """KV-cache formats by id."""
        return self.catalogue("formats").by_id("kv_formats")

    @property
    def version(self) -> str:
        """Version of the knowledge base."""
        return self._version["version"]

    @property
    def as_of(self) -> str:
        """ISO date on which the knowledge base was last reviewed as a whole."""
        return self._version["as_of"]

    def ambiguous_names(self, name: str) -> tuple[AmbiguousName, ...]:
        """Return names with several meanings in catalogue ``gpus`` or ``models``."""
        return self.catalogue(name).records("ambiguous_names")

    def resolve_gpu(self, text: str) -> Resolved[Gpu]:
        """Return the GPU that ``text`` means and what had to be assumed.

        Raises:
            UnknownNameError: No GPU has that name; carries the nearest names.
        """
        from advisor.store.aliases import resolve_gpu

        return resolve_gpu(self, text)

    def resolve_model(self, text: str) -> Resolved[Model]:
        """Return the model that ``text`` means, with the weight format the name hints at.

        Raises:
            UnknownNameError: No model has that name; carries the nearest names.
        """
        from advisor.store.aliases import resolve_model

        return resolve_model(self, text)

    def find_gpu(self, text: str) -> Gpu:
        """Return the GPU that ``text`` means; see :meth:`resolve_gpu`."""
        return self.resolve_gpu(text).record

    def find_model(self, text: str) -> Model:
        """Return the model that ``text`` means; see :meth:`resolve_model`."""
        return self.resolve_model(text).record

    @cached_property
    def _version(self) -> dict[str, str]:
        return read_version(self.path, self.parse)


@lru_cache(maxsize=1)
def shipped_knowledge() -> Knowledge:
    """Return the knowledge base that comes with the package, whatever is in use."""
    from advisor.store.loader_cache import active

    return Knowledge(Path(str(importlib.resources.files("advisor.knowledge"))), active())


def load_knowledge(
    path: str | Path | None = None,
    *,
    overlays: Sequence[str | Path] = (),
    keep_faults: bool = False,
) -> Knowledge:
    """Return the knowledge base; catalogues are not read until they are used.

    Without arguments it is the shipped one, or inside ``advisor.store.in_use.using`` the one
    that is in use there.

    Args:
        path: Another ``knowledge`` folder than the installed one; it is always parsed anew.
        overlays: Folders of one's own knowledge on top of it. A record with the id of an
            earlier one takes its place, others are added; the last folder has the last word.
        keep_faults: What is wrong with these folders ends nothing and stays with them, for a
            check that is to find everything.

    Raises:
        InputError: There is no such folder, or one is given twice.
        KnowledgeError: A folder's ``version.yaml`` cannot be used, two folders have one name,
            or one holds a file that nothing reads; carries every problem.
    """
    if path is None and not overlays:
        return in_use() or shipped_knowledge()
    base = shipped_knowledge() if path is None else Knowledge(Path(path))
    if not overlays:
        return base
    from advisor.store.overlays import read_overlays

    return Knowledge(
        base.path, base.cache, read_overlays(map(Path, overlays), keep_faults=keep_faults)
    )
