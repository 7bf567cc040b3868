"""``kb check`` of alerts: expressions that Prometheus would refuse or that match no series.

No PromQL parser: what a slip of the editor leaves behind is looked for, which is brackets and
quotes that do not close, windows without a unit, patterns that a folded line put a blank into, and
names of series that no metric of the alert has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.store.check_kubernetes_world import World
from advisor.store.loader_errors import nearest_names
from advisor.store.loader_files import Entry

__all__ = ["alert_faults"]

Told = tuple[Entry, str, tuple[str, ...]]
"""Record, message, names that come near."""

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_LABELS = re.compile(r"\{[^{}]*\}")
_WINDOW = re.compile(r"\[([^\[\]]*)\]")
_DURATION = re.compile(r"(?:\d+(?:ms|[smhdwy]))+")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
_PATTERN = re.compile(r'[=!]~\s*"((?:[^"\\]|\\.)*)"')
_NAME = re.compile(r"(?<![\w:.])[a-zA-Z_:][\w:]*(?!\s*\(|[\w:])")
_WORDS = frozenset({"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring"})
_PAIRS = {")": "(", "]": "[", "}": "{"}
_FOREIGN = ("kube_",)
"""Series of kube-state-metrics, which the catalogue of GPU metrics does not hold."""


def alert_faults(world: World) -> Iterator[Told]:
    """Yield what is wrong with the expression of an alert."""
    series = {entry.record.id: entry.record.series for entry in world.entries("metrics", "metrics")}
    for entry in world.entries("metrics", "alerts"):
        text = entry.record.expr
        bare = _TEXT.sub('""', text)
        if (message := _unbalanced(bare) or _windows(bare) or _patterns(text)) is not None:
            yield entry, message, ()
            continue
        known = [name for metric in entry.record.metrics for name in series.get(metric, ())]
        for name in _names(bare):
            if known and name not in known and not name.startswith(_FOREIGN):
                message = f"No metric of this alert has the series {name}."
                yield entry, message, nearest_names(name, known)


def _unbalanced(bare: str) -> str | None:
    """Return what is wrong with brackets and quotes of a text whose quoted parts are empty."""
    if bare.count('"') % 2:
        return "A quote in it does not close."
    open_ones: list[str] = []
    for sign in bare:
        if sign in _PAIRS.values():
            open_ones.append(sign)
        elif sign in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[sign]):
            return f"Nothing opens the {sign} in it."
    return f"The {open_ones[-1]} in it does not close." if open_ones else None


def _windows(bare: str) -> str | None:
    for window in _WINDOW.findall(bare):
        span, _, step = window.partition(":")
        if not _DURATION.fullmatch(span) or (step and not _DURATION.fullmatch(step)):
            return f"[{window}] is no window of time; write it as [10m]."
    return None


def _patterns(text: str) -> str | None:
    for pattern in _PATTERN.findall(text):
        if re.search(r"\s", pattern):
            return f'A blank stands in the pattern "{pattern}"; a folded line puts one there.'
        try:
            re.compile(pattern)
        except re.error as error:
            return f'"{pattern}" is no pattern: {error}.'
    return None


def _names(bare: str) -> Iterator[str]:
    """Yield the names of series in an expression, each once."""
    rest = _GROUPING.sub(" ", _WINDOW.sub(" ", _LABELS.sub(" ", bare)))
    for name in dict.fromkeys(_NAME.findall(rest)):
        if name.casefold() not in _WORDS:
            yield name
