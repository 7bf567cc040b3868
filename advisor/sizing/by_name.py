"""Size by the names people write: the one function behind the command and the cases."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from advisor.errors import InputError, Problem
from advisor.sizing.layouts import size
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeProblem, SizeResult
from advisor.sizing.size import SizingFacts
from advisor.sizing.unknown_card import unknown_card
from advisor.store.gpu import Gpu
from advisor.store.model import Model

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["build_id", "resolve_card", "resolve_model", "size_by_name", "sizing_facts"]


@lru_cache(maxsize=4)
def sizing_facts(knowledge: Knowledge) -> SizingFacts:
    """Return what sizing needs from ``knowledge``: formats and engine behaviour."""
    from advisor.sizing.engine_versions import rules_for

    return SizingFacts(formats=knowledge.formats, rules_for=rules_for(knowledge))


def size_by_name(
    knowledge: Knowledge, model: str | Model, gpu: str | None, request: SizeRequest
) -> SizeResult:
    """Answer ``request`` for a model and a GPU given by any of their names.

    Args:
        knowledge: The knowledge base.
        model: Catalogue id, alias or hub id; or a model read from a ``config.json``.
        gpu: Catalogue id or alias; ``None`` takes ``request.gpu_memory_gib`` as the card.
        request: Everything else.

    Raises:
        InputError: unknown names (with the nearest ones) or impossible sizes.
    """
    record, request, notes = resolve_model(knowledge, model, request)
    card, card_notes = resolve_card(knowledge, gpu, request)
    result = size(request, record, card, sizing_facts(knowledge))
    return result.model_copy(update={"problems": (*notes, *card_notes, *result.problems)})


def resolve_model(
    knowledge: Knowledge, model: str | Model, request: SizeRequest
) -> tuple[Model, SizeRequest, tuple[SizeProblem, ...]]:
    """Return the model, the request with the build its name implies, and what was assumed."""
    request = replace(request, weight_format=_format_id(knowledge, request.weight_format))
    if isinstance(model, Model):
        # what reading its config took for granted
        taken = (SizeProblem(code="assumption", text=note, section="7.3") for note in model.notes)
        return model, request, tuple(taken) if knowledge.model(model.id) is None else ()
    found = knowledge.resolve_model(model)
    notes: tuple[SizeProblem, ...] = ()
    if found.assumed is not None:
        notes = (_assumed(found.assumed),)
    hint = found.format_hint
    if request.weight_format is None and hint is not None:
        request = replace(request, weight_format=hint)
    if request.weight_format in {None, hint}:
        request = replace(request, build=build_id(found.record, model))
    return found.record, request, notes


def _format_id(knowledge: Knowledge, text: str | None) -> str | None:
    """Return the catalogue's id of a weight format that is written in another usual way."""
    if text is None or text in knowledge.formats:
        return text
    wanted = _plain(text)
    for record in knowledge.formats.values():
        if wanted in map(_plain, (record.id, *record.aliases)):
            return record.id
    return text


def _plain(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def build_id(model: Model, text: str) -> str | None:
    """Return the hub id of the published weights that ``text`` names, if it names some."""
    wanted = text.strip().casefold()
    for build in model.builds:
        names = {name.casefold() for name in (build.hf_id, *build.aliases) if name is not None}
        if wanted in names:
            return build.hf_id
    return None


def resolve_card(
    knowledge: Knowledge, gpu: str | None, request: SizeRequest
) -> tuple[Gpu, tuple[SizeProblem, ...]]:
    """Return the GPU record, or one made of the stated figures, and what was assumed."""
    if gpu is None:
        if request.gpu_memory_gib is None:
            raise InputError(
                Problem(
                    "gpu_missing",
                    "Name a GPU (--gpu) or what its runtime reports (--gpu-memory-gib).",
                    key="gpu",
                )
            )
        return unknown_card(request), ()
    found = knowledge.resolve_gpu(gpu)
    if found.assumed is None:
        return found.record, ()
    return found.record, (_assumed(found.assumed),)


def _assumed(assumed: str) -> SizeProblem:
    return SizeProblem(code="name_assumed", text=f"{assumed}.", section="2.1")
