"""Forward chaining behind one seam: ``fire(base, facts) -> Outcome``.

Two back ends give the same outcome: ``reference`` (plain Python, everywhere) and ``durable``
(the durable-rules library, where it is installed and passes a self-test). The meaning of
rules is written down in ``advisor.rules``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from advisor.engine.certainty import settle as settle
    from advisor.engine.outcome import DEFAULT_LIMIT as DEFAULT_LIMIT
    from advisor.engine.outcome import Blocked as Blocked
    from advisor.engine.outcome import Firing as Firing
    from advisor.engine.outcome import Outcome as Outcome
    from advisor.engine.select import ENGINE_NAMES as ENGINE_NAMES
    from advisor.engine.select import Engine as Engine
    from advisor.engine.select import engine_from_environment as engine_from_environment
    from advisor.engine.select import engine_name as engine_name
    from advisor.engine.select import fire as fire
    from advisor.engine.select import select_engine as select_engine
    from advisor.rules.facts import Fact as Fact

_HOMES = {
    "Blocked": "advisor.engine.outcome",
    "DEFAULT_LIMIT": "advisor.engine.outcome",
    "ENGINE_NAMES": "advisor.engine.select",
    "Engine": "advisor.engine.select",
    "Fact": "advisor.rules.facts",
    "Firing": "advisor.engine.outcome",
    "Outcome": "advisor.engine.outcome",
    "engine_from_environment": "advisor.engine.select",
    "engine_name": "advisor.engine.select",
    "fire": "advisor.engine.select",
    "select_engine": "advisor.engine.select",
    "settle": "advisor.engine.certainty",
}

__all__ = [  # noqa: PLE0604 - every name is a key of the table above
    *sorted(_HOMES),
]


def __getattr__(name: str) -> object:
    """Import the module of a public name on first use: importing this package is free."""
    if name not in _HOMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    found: object = getattr(import_module(_HOMES[name]), name)
    return found
