"""The words that rules may use of what was observed."""

from __future__ import annotations

__all__ = ["MEASURED_FIELDS"]

MEASURED_FIELDS: dict[str, str | tuple[str, ...]] = {
    "what": ("user", "total", "streams", "first", "step", "link"),
    "of": "str",
    "value": "number",
    "speed": "number",
    "running": "number",
    "wait_ms": "number",
    "step_s": "number",
    "link_gbps": "number",
    "low": "number",
    "high": "number",
    "percent_of_low": "number",
    "times_high": "number",
    "on": "str",
    "in_use": "bool",
    "as_advised": "bool",
    "gpus": "int",
    "streams": "int",
    "network_counted": "bool",
    "wanted": "number",
    "links": "str",
    "slow_link": "str",
    "fast_link": "str",
    "as_gbs": "number",
    "not_compared": "str",
    "give": "str",
}
"""Fields of kind ``measured``: one observed figure and what the estimate says of it.

The figure is ``speed``, ``running``, ``wait_ms``, ``step_s`` or ``link_gbps`` where it is compared,
``value`` where it is not.
"""
