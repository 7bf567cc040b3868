"""Cards that the newest engine release no longer lists: the last release that did is assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.consult.candidate import Candidates
from advisor.consult.consultation import Assumption
from advisor.consult.situation import Situation

if TYPE_CHECKING:
    from advisor.store.engine_behaviour import EngineBehaviours
    from advisor.store.loader import Knowledge

__all__ = ["with_older_release"]

_DROPPED = "engine_unsupported"


def with_older_release(
    situation: Situation, found: Candidates, knowledge: Knowledge
) -> Situation | None:
    """Return the situation with an engine release that still lists the cards.

    ``None`` where the user stated a version, where something is carried as it is, or where the
    cards were neither named nor owned: nobody buys a card that engines have left behind.
    """
    load = situation.load
    if found.kept or load.trains or load.engine_version is not None:
        return None
    named = situation.owned or situation.answers.is_given("hardware.gpu")
    dropped = [u.card.gpu for u in found.unfit if u.reason == _DROPPED]
    capabilities = [float(gpu.compute_capability) for gpu in dropped if gpu.compute_capability]
    engine = knowledge.engines.get(load.engine)
    if not named or not capabilities or engine is None:
        return None
    release = _last_release(engine, min(capabilities))
    if release is None:
        return None
    note = Assumption(
        key="workload.engine_version",
        value=release,
        why=f"later releases of {engine.name} no longer list {dropped[0].name}",
        section="versions",
    )
    return replace(
        situation,
        load=replace(load, engine_version=release),
        assumptions=(*situation.assumptions, note),
    )


def _last_release(engine: EngineBehaviours, capability: float) -> str | None:
    """Return the last release series whose least capability is not above ``capability``."""
    behaviour = engine.behaviour("min_capability")
    listed = False
    for value in behaviour.values if behaviour else ():
        least = value.value.get("fp16") if isinstance(value.value, dict) else None
        if not isinstance(least, int | float):
            continue
        if least <= capability:
            listed = True
        elif listed:
            return _before(value.since)
    return None


def _before(version: str) -> str | None:
    """Return the release series before one that begins with patch 0."""
    major, minor, *_ = (int(part) for part in version.split("."))
    return f"{major}.{minor - 1}" if minor > 0 else None
