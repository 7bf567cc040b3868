"""Which model the answers mean: a catalogue entry, a config, or just a size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from advisor.answers.model import Answers
from advisor.answers.names import model_not_known
from advisor.answers.plain import thawed
from advisor.consult.places import placed
from advisor.errors import InputError, Problem, UnknownNameError
from advisor.sizing.by_name import build_id
from advisor.store.model import Build, Model

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["model_of"]

_NO_KNOWN_WINDOW = 1_048_576
"""A window that cuts nothing, for a model whose own is not known."""


class _Notes(Protocol):
    def note(self, key: str, value: object, why: str, section: str) -> None: ...


def model_of(
    answers: Answers, knowledge: Knowledge, taken: _Notes
) -> tuple[Model | None, str, str | None, str | None]:
    """Return the model, its name, the build the name implies and the format it hints at.

    Raises:
        UnknownNameError: a model outside the catalogue without config or size.
        InputError: a config that cannot be used.
    """
    name = answers.get("workload.model")
    config = answers.get("workload.model_config")
    if config is not None:
        from advisor.store.known_cache import with_known_cache

        model = _from_config(answers, config, str(name) if name else None)
        model = with_known_cache(model, knowledge.models.values())
        return model, str(name) if name else model.name, None, None
    if name is None:
        return _by_size(answers, knowledge, "", taken)
    try:
        found = knowledge.resolve_model(str(name))
    except UnknownNameError as error:
        sized = _by_size(answers, knowledge, str(name), taken)
        if sized[0] is None:
            problem = model_not_known(error.problems[0], answers, "workload.model")
            raise UnknownNameError(problem) from error
        return sized
    if found.assumed is not None:
        taken.note("workload.model", found.record.id, found.assumed, "7.3")
    return found.record, str(name), build_id(found.record, str(name)), found.format_hint


def _from_config(answers: Answers, config: object, label: str | None) -> Model:
    from advisor.store.hub_config import model_from_config

    source: Any = thawed(config)
    if isinstance(source, str):
        # a path is meant from the answers file, like one in any other configuration
        beside = Path(answers.name).parent / source
        source = beside if beside.is_file() else Path(source)
    with placed(answers, "workload.model_config"):
        return model_from_config(source, name=label)


def _by_size(
    answers: Answers, knowledge: Knowledge, name: str, taken: _Notes
) -> tuple[Model | None, str, str | None, str | None]:
    size = answers.get("workload.parameters_b")
    if not isinstance(size, int | float):
        return None, name, None, None
    active = answers.get("workload.active_parameters_b")
    if isinstance(active, int | float) and active > size:
        raise InputError(
            Problem(
                "impossible_value",
                f"{active:g} billion active parameters exceed the total of {size:g}.",
                key="workload.active_parameters_b",
            )
        )
    label = name or f"{size:g}B model"
    pattern = _like_model(knowledge, float(size))
    taken.note("workload.model", label, _stands_in(pattern, answers), "7.3")
    return _stand_in(pattern, label, float(size), active), label, None, None


def _stands_in(pattern: Model, answers: Answers) -> str:
    """Return whose shapes stand in for unknown ones, and what rests on them."""
    own = "Give its config.json as workload.model_config to be sure."
    if answers.get("workload.kind") in {"fine_tuning", "pretraining"}:
        return (
            f"not in the catalogue: layers, widths and vocabulary of {pattern.name} stand in for "
            f"it, so the activations and logits are guesses. {own}"
        )
    return (
        f"not in the catalogue: attention shapes of {pattern.name} stand in for it, of the models "
        "of its size that share key heads the one with the largest cache. Without such sharing "
        f"it would be {_ungrouped_times(pattern):g} times as large, so the cache and the longest "
        f"request are guesses. {own}"
    )


_LIKE = 1.25
"""Models up to so many times larger or smaller count as of one size."""


def _like_model(knowledge: Knowledge, size: float) -> Model:
    """Return the model whose shapes stand in for unknown ones: the cautious one of its size.

    Of the models that group their queries, as nearly all of 2024 and later do, the one with the
    largest cache; a single KV head for all queries is rare and would promise the smallest of all.
    """
    usual = [model for model in knowledge.models.values() if _groups_queries(model)]
    like = [m for m in usual if size / _LIKE <= m.parameters_b <= size * _LIKE]
    if not like:
        return min(usual, key=lambda model: (abs(model.parameters_b - size), model.id))
    return min(like, key=lambda m: (-_cache_row(m), abs(m.parameters_b - size), m.id))


def _groups_queries(model: Model) -> bool:
    return (
        len(model.attention) == 1
        and model.attention[0].kind == "full"
        and 1 < model.attention[0].kv_heads < model.attention[0].heads
        and all(ffn.kind == "dense" for ffn in model.ffn)
        and model.modality == "text"
    )


def _cache_row(model: Model) -> int:
    """Return the elements that one token keeps over all layers."""
    return sum(
        a.layers * a.kv_heads * (a.head_dim + (a.value_head_dim or a.head_dim))
        for a in model.attention
        if a.kind == "full"
    )


def _ungrouped_times(model: Model) -> float:
    """Return by what plain multi-head attention of the same shape enlarges the cache."""
    first = model.attention[0]
    return first.heads / first.kv_heads if first.kind == "full" else 1.0


def _stand_in(pattern: Model, label: str, size: float, active: object) -> Model:
    return pattern.model_copy(
        update={
            "id": "stated-model",
            "name": label,
            "aliases": (),
            "hf_id": None,
            "parameters_b": size,
            "active_parameters_b": float(active) if isinstance(active, int | float) else None,
            "ffn": (),
            "unknown_shapes": ("ffn",),
            "builds": (Build(format="bf16"),),
            "published_format": "bf16",
            "measured_kv": (),
            # the like model's own window says nothing about this one: the answers set the length
            "max_context_tokens": max(pattern.max_context_tokens, _NO_KNOWN_WINDOW),
            "notes": (f"shapes of {pattern.id}",),
        }
    )
