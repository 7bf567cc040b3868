"""Before GPUs are bought: settings of the engine that leave more room for the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from advisor.answers.model import Answers
from advisor.consult.attempt import Attempt, Desk
from advisor.consult.consultation import Assumption
from advisor.consult.situation import Card, Load, Situation

__all__ = ["beside_the_system", "with_roomier_settings"]

_SHARE_BESIDE_A_SYSTEM = 0.85
"""Of memory that the operating system uses too (handbook 7.3)."""


def beside_the_system(
    load: Load, cards: tuple[Card, ...], answers: Answers, note: Callable[..., None]
) -> Load:
    """Return the load with a share of memory that leaves room for the operating system.

    Only where the CPU uses the same memory, and the answers name no share.
    """
    if not _shared(load, cards, any) or answers.is_given("layout.gpu_memory_utilization"):
        return load
    if not _shared(load, cards, all):  # every other card keeps the engine's own share
        return replace(load, share_beside_a_system=_SHARE_BESIDE_A_SYSTEM)
    why = "the operating system uses the same memory; the engine's default may not be free"
    note("layout.gpu_memory_utilization", _SHARE_BESIDE_A_SYSTEM, why, "7.3")
    return replace(load, settings=(("gpu_memory_utilization", _SHARE_BESIDE_A_SYSTEM),))


def _shared(
    load: Load, cards: tuple[Card, ...], which: Callable[[Iterable[bool]], bool] = all
) -> bool:
    serves = load.engine == "vllm" and not load.trains and load.kind != "platform"
    return serves and bool(cards) and which(card.gpu.unified_memory for card in cards)


_KNOBBED = frozenset({"vllm", "sglang"})
"""Engines of which these settings are sized."""
_ROOMIER: tuple[tuple[tuple[str, float], ...], ...] = (
    (("max_num_batched_tokens", 2048),),
    (("gpu_memory_utilization", 0.95),),
    (("max_num_batched_tokens", 2048), ("gpu_memory_utilization", 0.95)),
)
"""Gentlest first: smaller steps of a prompt cost some prefill speed, a higher share some safety."""
_WHY = {
    "max_num_batched_tokens": "smaller prompt steps leave room for the cache; prompts take longer",
    "gpu_memory_utilization": (
        "a higher share leaves room for the cache; nothing else may use the GPU"
    ),
}


def with_roomier_settings(desk: Desk, failed: Attempt) -> Attempt | None:
    """Return what owned or named GPUs carry with settings that leave more room for the cache.

    ``None`` where nothing was missing but that, where the cards may still be chosen, or where
    the answers state the setting themselves.
    """
    situation = failed.situation
    load, answers = situation.load, situation.answers
    named = situation.owned or answers.is_given("hardware.gpu")
    if not named or load.trains or load.engine not in _KNOBBED or not _short_of_cache(failed):
        return None
    shared = _shared(load, situation.cards)
    for settings in _ROOMIER:
        if shared and any(name == "gpu_memory_utilization" for name, _ in settings):
            continue
        if any(answers.is_given(f"layout.{name}") for name, _ in settings):
            continue
        attempt = desk.attempt(_with(situation, settings))
        if attempt.best is not None and not attempt.best.borderline:
            return attempt
    return None


def _short_of_cache(failed: Attempt) -> bool:
    """Tell whether a little more cache would do: the weights fit, the requests do not."""
    reasons = {"kv_too_small_for_max_model_len", "no_kv_memory_left", "owned_gpus_too_few"}
    return any(unfit.reason in reasons for unfit in failed.found.unfit)


def _with(situation: Situation, settings: tuple[tuple[str, float], ...]) -> Situation:
    notes = tuple(
        Assumption(key=f"layout.{name}", value=value, why=_WHY[name], section="7.3")
        for name, value in settings
    )
    load = replace(situation.load, settings=(*situation.load.settings, *settings))
    return replace(situation, load=load, assumptions=(*situation.assumptions, *notes))
