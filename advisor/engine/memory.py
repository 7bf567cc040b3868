"""Working memory: facts by kind, with the filtered views and indices that rules share."""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from advisor.errors import EngineError, Problem
from advisor.rules.facts import ANSWERS, ITEM, Fact, Scalar
from advisor.rules.vocabulary import TypeClass

__all__ = ["EXACT", "FieldTest", "Filter", "Memory", "Row", "View", "checked_facts"]

EXACT = 2**53
"""Whole numbers above this have no exact double and are refused."""

FieldTest = Callable[[Mapping[str, Scalar]], bool]
Filter = tuple[str, frozenset[Any]]
"""A kind and the tests that a fact of it passes on its own."""


class Row:
    """A fact in working memory, with its fields as a plain dict (quicker than a proxy)."""

    __slots__ = ("fact", "fields", "id")

    def __init__(self, fact: Fact) -> None:
        self.fact = fact
        self.id = fact.id
        self.fields: dict[str, Scalar] = dict(fact.fields)

    def __lt__(self, other: Row) -> bool:
        return self.id < other.id


class View:
    """The rows of one kind that pass some tests, by id, with indices made on demand."""

    __slots__ = ("_indices", "rows", "tests")

    def __init__(self, rows: list[Row], tests: Sequence[FieldTest]) -> None:
        self.rows = rows
        self.tests = tests
        self._indices: dict[str, dict[Scalar, list[Row]]] = {}

    def where(self, field: str, value: Scalar) -> Sequence[Row]:
        """Return the rows whose field has that value."""
        index = self._indices.get(field)
        if index is None:
            index = self._indices[field] = {}
            for row in self.rows:
                found = row.fields.get(field)
                if found is not None:
                    index.setdefault(found, []).append(row)
        return index.get(value, ())

    def admit(self, row: Row) -> None:
        """Take in a row that was derived after the view was made, if it passes."""
        for test in self.tests:
            if not test(row.fields):
                return
        insort(self.rows, row)
        for field, index in self._indices.items():
            value = row.fields.get(field)
            if value is not None:
                insort(index.setdefault(value, []), row)


class Memory:
    """All facts of one consultation."""

    __slots__ = ("_kinds", "_views", "ids", "lists")

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._kinds: dict[str, View] = {}
        self._views: dict[str, dict[Filter, View]] = {}
        self.ids: dict[str, Row] = {}
        self.lists: dict[str, set[str]] = {}
        by_kind: dict[str, list[Row]] = {}
        for fact in facts:
            if fact.id in self.ids:
                raise _error("duplicate_fact", f"two facts have the id {fact.id!r}.", fact)
            row = self.ids[fact.id] = Row(fact)
            by_kind.setdefault(fact.kind, []).append(row)
            if fact.kind == ITEM:
                key, value = str(row.fields.get("key")), str(row.fields.get("value"))
                self.lists.setdefault(key, set()).add(value)
        for kind, rows in by_kind.items():
            self._kinds[kind] = View(sorted(rows), ())
        if len(by_kind.get(ANSWERS, ())) > 1:
            raise _error("duplicate_fact", "there is more than one fact of kind 'answers'.", None)

    def of_kind(self, kind: str) -> View:
        """Return all rows of a kind."""
        if kind not in self._kinds:
            self._kinds[kind] = View([], ())
        return self._kinds[kind]

    def view(
        self, key: Filter, tests: Sequence[FieldTest], equal: tuple[str, Scalar] | None
    ) -> View:
        """Return the rows of a kind that pass ``tests``; made once per ``key``.

        Args:
            key: Identity of the view.
            tests: Tests on a row's fields.
            equal: A (field, value) that the tests demand, to start from an index.
        """
        views = self._views.get(key[0])
        if views is None:
            views = self._views[key[0]] = {}
        found = views.get(key)
        if found is not None:
            return found
        everything = self.of_kind(key[0])
        rows = everything.rows if equal is None else everything.where(*equal)
        for test in tests:
            rows = [row for row in rows if test(row.fields)]
            if not rows:
                break
        # A copy, since views grow on their own.
        view = views[key] = View(list(rows), tests)
        return view

    def add(self, fact: Fact) -> Row:
        """Take in a derived fact."""
        if fact.id in self.ids:
            raise _error("duplicate_fact", f"a given fact has the derived id {fact.id!r}.", fact)
        row = self.ids[fact.id] = Row(fact)
        self.of_kind(fact.kind).admit(row)
        for view in self._views.get(fact.kind, {}).values():
            view.admit(row)
        return row

    def facts(self) -> tuple[Fact, ...]:
        """Return all facts by kind and id."""
        return tuple(row.fact for kind in sorted(self._kinds) for row in self._kinds[kind].rows)


def checked_facts(
    facts: Iterable[Fact], reads: Mapping[str, Mapping[str, TypeClass]]
) -> Sequence[Fact]:
    """Return ``facts`` after checking the fields that rules read.

    Raises:
        EngineError: A field has another type than declared, is not finite, or is a whole
            number too large to be compared exactly.
    """
    checked = list(facts)
    for fact in checked:
        for field, wanted in reads.get(fact.kind, {}).items():
            value = fact.fields.get(field)
            if value is not None and not _suits(value, wanted):
                message = f"{field} of {fact.kind} {fact.id!r} should be {wanted}, is {value!r}."
                raise _error("fact_type", message, fact)
    return checked


def _suits(value: object, wanted: TypeClass) -> bool:
    if wanted == "text":
        return isinstance(value, str)
    if wanted == "yes/no":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return -EXACT <= value <= EXACT
    return isinstance(value, float) and math.isfinite(value)


def _error(code: str, message: str, fact: Fact | None) -> EngineError:
    return EngineError(Problem(code, message, key=fact.kind if fact else None))
