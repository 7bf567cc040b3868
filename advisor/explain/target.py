"""What a word names that could be chosen: an option, a GPU, a format, sizes of a layout."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from advisor.answers.nearest import nearest_words
from advisor.answers.nodes import shown
from advisor.errors import Problem, UnknownNameError
from advisor.reports.advice_platform import option_words
from advisor.store.choices import CHOICES

if TYPE_CHECKING:
    from advisor.consult.consultation import Choice, Consultation
    from advisor.explain.adviser import Adviser

__all__ = ["Target", "target_of"]

_SIZES = {
    "tp": "tensor_parallel",
    "pp": "pipeline_parallel",
    "dp": "data_parallel",
    "ep": "expert_parallel",
}
_SIZE = re.compile(r"(tp|pp|dp|ep)[\s=]?(\d{1,4})(?=$|[^0-9])")
_PROFILE = re.compile(r"\d+g\.\d+gb(?:\+\S+)?")


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that a decision could choose; what is None or empty may be anything."""

    decision: str
    words: str
    option: str | None = None
    gpus: tuple[str, ...] = ()
    """Any of these; the first is the usual meaning of the name."""
    weight_format: str | None = None
    parameters: tuple[tuple[str, object], ...] = ()
    """Sizes of a layout, the profile of a slice, the image of a node."""

    @property
    def of_gpus(self) -> bool:
        """Whether it is about GPUs and formats, which sizing compares."""
        return self.decision == "gpu" and self.option is None

    def sets(self) -> tuple[str, ...]:
        """Return answers that ask for it, as ``--set`` takes them; none where none can."""
        if self.decision == "gpu" and (self.gpus or self.weight_format):
            gpu = (f"hardware.gpu={self.gpus[0]}",) if self.gpus else ()
            wanted = self.weight_format
            return (*gpu, *((f"workload.weight_format={wanted}",) if wanted else ()))
        if self.decision == "parallelism" and self.parameters:
            sizes = (f"layout.{key}={value}" for key, value in self.parameters)
            return (*sizes, "layout.state=wanted")
        return ()

    def holds(self, told: Consultation) -> bool:
        """Tell whether it is the choice."""
        decision = told.decisions.get(self.decision)  # type: ignore[call-overload]
        return decision is not None and decision.choice is not None and self.fits(decision.choice)

    def fits(self, choice: Choice) -> bool:
        """Tell whether a choice, or a part of one for several machines or loads, is this."""
        values: dict[str, Any] = choice.model_dump()
        if self.option is not None and values["option"] != self.option:
            return False
        if self.gpus or self.weight_format:
            parts = [values, *(values.get("groups") or ()), *(values.get("loads") or ())]
            if not any(self._is_kind(part) for part in parts):
                return False
        return all(values.get(key) == value for key, value in self.parameters)

    def _is_kind(self, values: Mapping[str, Any]) -> bool:
        known = not self.gpus or values.get("gpu") in self.gpus
        return known and self.weight_format in {None, values.get("weight_format")}

    def is_kind(self, gpu: str | None, weight_format: str | None) -> bool:
        """Tell whether a GPU and a format are those that are meant."""
        return self._is_kind({"gpu": gpu, "weight_format": weight_format})


def target_of(adviser: Adviser, text: str) -> Target:
    """Return what ``text`` names.

    Raises:
        UnknownNameError: neither an option nor a GPU, a format or sizes; names the nearest.
    """
    word = " ".join(text.strip().casefold().split())
    by_word = _options()
    found = by_word.get(word) or by_word.get(_plain(word))
    if found is not None:
        return replace(found, words=_said(found, text))
    slice_of = _PROFILE.search(word)
    if slice_of is not None and word.removeprefix("mig").strip() == slice_of[0]:
        name = slice_of[0]
        return Target("sharing", f"MIG {name}", option="mig", parameters=(("profile", name),))
    images = adviser.knowledge.node_images
    if word in images:
        return Target("provisioning", word, parameters=(("node_image", word),))
    return _layout(word) or _gpu(adviser, word, text)


def _plain(word: str) -> str:
    return re.sub(r"[\s\-]+", "_", word)


@lru_cache(maxsize=1)
def _options() -> Mapping[str, Target]:
    """Return every option by its id and by the words of the reports; the first decision wins."""
    found: dict[str, Target] = {}
    for decision in ("sharing", "parallelism", "provisioning", "gpu"):
        for option in CHOICES[f"choice.{decision}.option"]:
            target = Target(decision, option, option=option)
            for word in (option, option_words(option) or option, f"{option}_parallel"):
                found.setdefault(word.casefold(), target)
                found.setdefault(_plain(word.casefold()), target)
    return found


def _said(target: Target, text: str) -> str:
    return option_words(target.option or "") or text.strip().replace("_", " ")


def _layout(word: str) -> Target | None:
    sizes = [(_SIZES[name], int(size)) for name, size in _SIZE.findall(word)]
    rest = _SIZE.sub("", word).replace("x", " ").replace("*", " ")
    if not sizes or rest.strip(" ,+/-") or min(size for _, size in sizes) < 1:
        return None
    return Target("parallelism", " x ".join(_sizes(sizes)), parameters=tuple(dict(sizes).items()))


def _sizes(sizes: list[tuple[str, int]]) -> Iterator[str]:
    short = {name: key.upper() for key, name in _SIZES.items()}
    for name, size in sizes:
        yield f"{short[name]}{size}"


def _gpu(adviser: Adviser, word: str, text: str) -> Target:
    question = adviser.questions["workload.weight_format"]
    parts = re.split(r"[\s,+]+", word)
    weight_format = None
    for count in (2, 1):
        choice = question.choice("_".join(parts[-count:])) if len(parts) >= count else None
        if choice is not None:
            weight_format, parts = choice.id, parts[:-count]
            break
    name = " ".join(part for part in parts if part not in {"in", "with", "and"})
    gpus = _family(adviser, name) if name else ()
    if not gpus and weight_format is None:
        raise _unknown(adviser, text)
    if name and not gpus:
        raise _unknown(adviser, name)
    words = " in ".join(part for part in (_gpu_words(gpus, name), weight_format) if part)
    return Target("gpu", words, gpus=gpus, weight_format=weight_format)


def _gpu_words(gpus: tuple[str, ...], name: str) -> str:
    return gpus[0] if len(gpus) == 1 else name


def _family(adviser: Adviser, name: str) -> tuple[str, ...]:
    """Return the GPUs of a name, its usual meaning first."""
    from advisor.store.aliases import resolve_gpu

    try:
        resolved = resolve_gpu(adviser.knowledge, name)
    except UnknownNameError:
        start = _plain(name).replace("_", "-")
        return tuple(gpu for gpu in adviser.knowledge.gpus if gpu.startswith(f"{start}-"))
    return tuple(dict.fromkeys((resolved.record.id, *resolved.candidates)))


def _unknown(adviser: Adviser, text: str) -> UnknownNameError:
    names = (*dict.fromkeys(t.option or "" for t in _options().values()), *adviser.knowledge.gpus)
    message = (
        f"{shown(text)} is nothing that could be chosen: an option (mig, karpenter, tensor), a GPU "
        "(h100-sxm), a GPU and a format (h200-sxm fp8) or sizes (tp4) is meant."
    )
    near = nearest_words(text, names)
    return UnknownNameError(Problem("unknown_option", message, nearest=near))
