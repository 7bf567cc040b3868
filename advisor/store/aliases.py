"""Resolving what people write to a record: GPUs and models by any of their names.

Names are compared without case, punctuation, spaces and vendor words. A name with several
meanings resolves to the most common one *and says so*; a misspelt name never resolves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from advisor.errors import Problem, UnknownNameError
from advisor.store.aliases_data import AmbiguousName
from advisor.store.aliases_models import bracketed_format, format_hint, without_suffixes
from advisor.store.gpu import Gpu
from advisor.store.loader import Knowledge
from advisor.store.loader_errors import nearest_names
from advisor.store.model import Model

__all__ = ["Resolved", "gpu_names", "model_names", "resolve_gpu", "resolve_model", "squash"]


class _Named(Protocol):
    """What every record that can be looked up by name has."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...


_R_co = TypeVar("_R_co", bound=_Named, covariant=True)


@dataclass(frozen=True, slots=True)
class Resolved(Generic[_R_co]):
    """What a name means."""

    record: _R_co
    assumed: str | None = None
    """What had to be assumed, as a clause to show; ``None`` when the name says it all."""
    candidates: tuple[str, ...] = ()
    """Ids of everything the name could mean; empty when it is unique."""
    format_hint: str | None = None
    """Weight format that the name of a build implies (``...-FP8``)."""


_VENDOR_WORDS = re.compile(
    r"\b(?:nvidia|amd|intel|tesla|quadro|geforce|instinct|gpus?|graphics|accelerator|card)\b"
)
_SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?(?:gib?|gb|g)\b")
_MEMORY_WORDS = re.compile(r"\b(?:hbm\d?e?|gddr\d[a-z]?|lpddr\d[a-z]?|vram|unified(?: memory)?)\b")
_LABEL_SUFFIX = re.compile(r"-(?:shared|mig-[\w.+-]+)$")
_SAME_SIZE_GB = 1.0
"""People write 79.2, 79 or 80 for one card; another card is never that close."""


def squash(text: str) -> str:
    """Return the form in which names are compared: ``"NVIDIA H100-SXM5"`` is ``"h100sxm"``."""
    return _joined(_words(text))


def gpu_names(gpu: Gpu) -> tuple[str, ...]:
    """Return every name under which ``gpu`` can be found."""
    return (gpu.id, gpu.name, *gpu.aliases, *gpu.feature_labels, *gpu.smi_names)


def model_names(model: Model) -> tuple[str, ...]:
    """Return every name under which ``model`` can be found, builds apart.

    Hub ids count with and without the name of their organisation.
    """
    hub = (model.hf_id,) if model.hf_id else ()
    names = (model.id, model.name, *model.aliases, *hub)
    return tuple(dict.fromkeys((*names, *(name.rsplit("/", 1)[-1] for name in names))))


def resolve_gpu(knowledge: Knowledge, text: str) -> Resolved[Gpu]:
    """Return the GPU that ``text`` means.

    Raises:
        UnknownNameError: Nothing has that name, or it has no usual meaning.
    """
    label = _LABEL_SUFFIX.sub("", text.strip().lower())
    if (exact := _label_index(knowledge).get(label)) is not None:
        return Resolved(exact)
    words = _words(label)
    sizes = [float(size) for size in _SIZE.findall(words)]
    index, usual = _gpu_index(knowledge), _ambiguous_index(knowledge, "gpus")
    bare = _joined(_MEMORY_WORDS.sub(" ", _SIZE.sub(" ", words)))
    for key in (_joined(words), bare):  # the whole text first, then without the memory
        if (entry := usual.get(key)) is not None:
            return _assume(knowledge.gpus, entry, text, sizes)
        if (found := index.get(key)) is None:
            continue
        if key == bare and not _matches(found, sizes):
            raise _other_size(text, found)
        return Resolved(found)
    names = ((gpu.id, gpu_names(gpu)) for gpu in knowledge.gpus.values())
    raise _unknown(text, "GPU", _keys(knowledge, "gpus", names))


def resolve_model(knowledge: Knowledge, text: str) -> Resolved[Model]:
    """Return the model that ``text`` means; a format in the name comes back as a hint.

    Raises:
        UnknownNameError: Nothing has that name, or it has no usual meaning.
    """
    if (exact := knowledge.model(text)) is not None:
        return Resolved(exact, format_hint=format_hint(text))  # without building any index
    builds = _build_index(knowledge)
    if (build := builds.get(text.strip().lower())) is not None:
        record_id, weight_format = build
        return Resolved(knowledge.models[record_id], format_hint=weight_format)
    index, usual = _model_index(knowledge), _ambiguous_index(knowledge, "models")
    plain, stated = bracketed_format(text)
    if stated is not None and (build := builds.get(plain.lower())) is not None:
        return Resolved(knowledge.models[build[0]], format_hint=stated)
    stripped = plain.rsplit("/", 1)[-1]
    hint = stated or format_hint(stripped)
    for name in (text, plain, stripped, *without_suffixes(stripped)):
        key = squash(name)
        if (found := index.get(key)) is not None:
            return Resolved(found, format_hint=hint)
        if (entry := usual.get(key)) is not None:
            return _assume(knowledge.models, entry, text, [], hint)
    names = ((model.id, model_names(model)) for model in knowledge.models.values())
    raise _unknown(text, "model", _keys(knowledge, "models", names))


def _words(text: str) -> str:
    """Lower-case words without vendor names; a dot survives only between digits."""
    text = re.sub(r"\bpci-e(?:xpress)?\b", "pcie", text.lower().replace("+", " plus "))
    text = re.sub(r"(?<!\d)\.|\.(?!\d)|[^a-z0-9.]+", " ", text)
    text = re.sub(r"sxm[2-6]\b", "sxm", text)  # no other form factor was made
    return _VENDOR_WORDS.sub(" ", text)


def _joined(words: str) -> str:
    return re.sub(r"\s+", "", re.sub(r"(\d) ?gi?b\b", r"\1gb", words))


def _matches(gpu: Gpu, sizes: Sequence[float]) -> bool:
    """Tell whether the memory sizes that the text names are this card's."""
    known = (gpu.memory_gb, gpu.engine_memory_gib, gpu.board_memory_gib or gpu.memory_gb)
    return all(any(abs(size - own) <= _SAME_SIZE_GB for own in known) for size in sizes)


def _assume(
    records: Mapping[str, _R_co],
    entry: AmbiguousName,
    text: str,
    sizes: Sequence[float],
    hint: str | None = None,
) -> Resolved[_R_co]:
    """Return the most common meaning that agrees with the sizes named."""
    fits = [
        record
        for record in (records[record_id] for record_id in entry.candidates)
        if not isinstance(record, Gpu) or _matches(record, sizes)
    ]
    if len(fits) == 1 and len(entry.candidates) > 1:
        return Resolved(fits[0], format_hint=hint)
    if not fits or entry.refuse:
        names = tuple(record.id for record in fits) or entry.candidates
        message = f"{text!r} can mean several things: {entry.differs}. Say which one."
        raise UnknownNameError(Problem("ambiguous_name", message, nearest=names))
    assumed = f"{text!r} is taken as {fits[0].name}; {entry.differs}"
    return Resolved(fits[0], assumed, tuple(record.id for record in fits), hint)


def _keys(
    knowledge: Knowledge, catalogue: str, names: Iterable[tuple[str, tuple[str, ...]]]
) -> dict[str, str]:
    """Return every comparable name and the id it stands for."""
    usual = _ambiguous_index(knowledge, catalogue)
    keys = {squash(name): record_id for record_id, group in names for name in group}
    return keys | {name: entry.candidates[0] for name, entry in usual.items()}


def _unknown(text: str, what: str, keys: dict[str, str]) -> UnknownNameError:
    """Return the error for a name that nothing has, with the closest ids."""
    close = nearest_names(squash(text), list(keys))
    nearest = tuple(dict.fromkeys(keys[name] for name in close))
    message = f"The {what} {text!r} is not in the catalogue."
    return UnknownNameError(Problem(f"unknown_{what.lower()}", message, nearest=nearest))


def _other_size(text: str, gpu: Gpu) -> UnknownNameError:
    message = f"{text!r} is not in the catalogue: {gpu.name} has {gpu.memory_gb:g} GB."
    return UnknownNameError(Problem("unknown_gpu", message, nearest=(gpu.id,)))


@lru_cache(maxsize=8)
def _label_index(knowledge: Knowledge) -> dict[str, Gpu]:
    """What drivers and node labels print, to the letter: it is never ambiguous."""
    return {
        name.lower(): gpu
        for gpu in knowledge.gpus.values()
        for name in (*gpu.feature_labels, *gpu.smi_names)
    }


@lru_cache(maxsize=16)
def _ambiguous_index(knowledge: Knowledge, catalogue: str) -> dict[str, AmbiguousName]:
    return {
        squash(name): entry
        for entry in knowledge.ambiguous_names(catalogue)
        for name in entry.names
    }


@lru_cache(maxsize=8)
def _gpu_index(knowledge: Knowledge) -> dict[str, Gpu]:
    return {squash(name): gpu for gpu in knowledge.gpus.values() for name in gpu_names(gpu)}


@lru_cache(maxsize=8)
def _model_index(knowledge: Knowledge) -> dict[str, Model]:
    return {
        squash(name): model for model in knowledge.models.values() for name in model_names(model)
    }


@lru_cache(maxsize=8)
def _build_index(knowledge: Knowledge) -> dict[str, tuple[str, str | None]]:
    """Hub ids of builds that are not the original: id to (model, weight format)."""
    return {
        build.hf_id.lower(): (model.id, build.format)
        for model in knowledge.models.values()
        for build in model.builds
        if build.hf_id and build.hf_id != model.hf_id
    }
