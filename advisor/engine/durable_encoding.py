"""How facts look to durable-rules: which properties they carry, under which names.

A property is a field that some rule tests, or a *marker*: the truth of a test on one fact
that is no plain comparison with a literal, computed when the fact is encoded. The library
takes at most 250 properties a fact; the answers, which can have more, are split into several
facts (*facets*), which needs no join since there is only one answers fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from advisor.engine.durable_names import Codes, Names
from advisor.engine.memory import Memory, Row
from advisor.engine.plan import compile_test, lists_hold
from advisor.errors import EngineError, Problem
from advisor.rules.conditions import Atom, ListAny, ListHas
from advisor.rules.facts import ANSWERS
from advisor.rules.vocabulary import TypeClass

__all__ = ["BUCKET", "FACET", "GRID", "Encoding", "too_large"]

GRID = 16
"""Bucket properties per axis; GRID + GRID + BUCKET tests pending on a fact stay under 64."""
BUCKET = 20
"""Patterns in one bucket. Equal ones count too: each rule is pending by itself."""
FACET = 150
"""Properties in one facet of the answers, buckets not counted."""
MAX_PROPERTIES = 240

Marker = Callable[[Row, Memory], bool]


@dataclass(slots=True)
class _Facet:
    """One shape of fact."""

    code: int
    fields: dict[str, tuple[str, TypeClass]] = field(default_factory=dict)
    markers: dict[str, Marker] = field(default_factory=dict)
    patterns: int = 0
    buckets: set[str] = field(default_factory=set)

    @property
    def properties(self) -> int:
        """Return how many properties of ours a fact may carry."""
        return len(self.fields) + len(self.markers)


class Encoding:
    """Properties by kind, assigned while rules are compiled."""

    def __init__(self, reads: Mapping[str, Mapping[str, TypeClass]]) -> None:
        self._reads = reads
        self._names = Names()
        self._grid = [(self._names.fresh("a"), self._names.fresh("b")) for _ in range(GRID)]
        self._codes = 0
        self._facets = {kind: [self._new_facet()] for kind in sorted(reads)}
        self._fields: dict[tuple[str, str], tuple[int, str]] = {}
        self._markers: dict[tuple[str, Atom], tuple[int, str]] = {}

    def knows(self, kind: str) -> bool:
        """Return whether any rule looks at facts of a kind."""
        return kind in self._facets

    def field(self, kind: str, name: str) -> tuple[int, str]:
        """Return (facet, property) of a field."""
        key = kind, name
        if key not in self._fields:
            number, facet = self._roomy(kind)
            short = self._names.fresh("p")
            facet.fields[name] = short, self._reads[kind][name]
            self._fields[key] = number, short
        return self._fields[key]

    def is_number(self, kind: str, name: str) -> bool:
        """Return whether a field holds numbers."""
        return self._reads[kind][name] == "number"

    def marker(self, kind: str, atom: Atom) -> tuple[int, str]:
        """Return (facet, property) of the marker of a test on one fact, alias ``""``."""
        key = kind, atom
        if key not in self._markers:
            number, facet = self._roomy(kind)
            short = self._names.fresh("m")
            facet.markers[short] = _marker_test(atom)
            self._markers[key] = number, short
        return self._markers[key]

    def head(self, kind: str, number: int) -> list[dict[str, int]]:
        """Return the first tests of one more pattern: its shape and its bucket."""
        facet = self._facets[kind][number]
        bucket = facet.patterns // BUCKET
        if bucket >= GRID * GRID:
            raise too_large(f"more than {facet.patterns} patterns of kind {kind!r}")
        facet.patterns += 1
        across, down = self._grid[bucket // GRID][0], self._grid[bucket % GRID][1]
        facet.buckets |= {across, down}
        return [{"k": facet.code}, {across: 1}, {down: 1}]

    def check(self) -> None:
        """Refuse what the library would not take; the validator's limits are tighter.

        Raises:
            EngineError: Too many properties on facts of one kind.
        """
        for kind, facets in self._facets.items():
            for facet in facets:
                if 4 + facet.properties + len(facet.buckets) > MAX_PROPERTIES:
                    raise too_large(f"{facet.properties} different tests on kind {kind!r}")

    def encoded(self, row: Row, memory: Memory, codes: Codes, first: int) -> Iterator[str]:
        """Yield the JSON of each facet of a fact, with ids from ``first`` on."""
        for number, facet in enumerate(self._facets[row.fact.kind], start=first):
            parts = [f'{{"id":"{number}","sid":"0","k":{facet.code},"one":1']
            parts += [f'"{name}":1' for name in sorted(facet.buckets)]
            for name, (short, _) in facet.fields.items():
                value = row.fields.get(name)
                if value is not None:
                    parts.append(f'"{short}":{codes.of_scalar(value)}')
            parts += [f'"{short}":1' for short, test in facet.markers.items() if test(row, memory)]
            yield ",".join(parts) + "}"

    def _roomy(self, kind: str) -> tuple[int, _Facet]:
        facets = self._facets[kind]
        if kind == ANSWERS and facets[-1].properties >= FACET:
            facets.append(self._new_facet())
        return len(facets) - 1, facets[-1]

    def _new_facet(self) -> _Facet:
        self._codes += 1
        return _Facet(self._codes)


def _marker_test(atom: Atom) -> Marker:
    if isinstance(atom, ListHas | ListAny):
        return lambda _row, memory: lists_hold((atom,), memory)
    test = compile_test(atom, {"": 0})
    return lambda row, _memory: test((row.fields,))


def too_large(what: str) -> EngineError:
    """Return the error for a rule base that the library cannot hold."""
    message = f"the rules are too many for the durable engine: {what}. Use 'reference'."
    return EngineError(Problem("limit_exceeded", message))
