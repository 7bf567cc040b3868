"""The facts of a consultation, indexed, with what is still open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from advisor.rules.facts import ANSWERS, ITEM, Fact

__all__ = ["World"]


class World:
    """Facts by kind, list answers by key, and the keys and kinds that are not settled.

    Args:
        facts: All facts; the answers are the one fact of kind ``answers``.
        open_keys: Answer keys (lists too) that are not settled. They count as open even
            when the answers hold a value for them, such as an assumed default.
        open_kinds: Kinds that may still gain facts, with the keys that decide about it.
        list_keys: Which keys hold lists (a rule base knows). An open list may gain elements,
            so its elements are uncertain and one more, without a value, stands for them.
    """

    __slots__ = ("_by_id", "_by_kind", "_possible", "lists", "open_keys", "open_kinds")

    open_keys: frozenset[str]
    open_kinds: dict[str, frozenset[str]]
    lists: dict[str, tuple[str, ...]]
    """List answers: the elements by key, in the order of the fact ids."""

    def __init__(
        self,
        facts: Iterable[Fact],
        open_keys: Iterable[str] = (),
        open_kinds: Mapping[str, Iterable[str]] | None = None,
        list_keys: Iterable[str] = (),
    ) -> None:
        self._by_kind: dict[str, list[Fact]] = {}
        self._by_id: dict[str, Fact] = {}
        self.lists = {}
        self.open_keys = frozenset(open_keys)
        self.open_kinds = {kind: frozenset(keys) for kind, keys in (open_kinds or {}).items()}
        self._possible = [
            Fact(ITEM, f"?{key}", {"key": key}, frozenset(["value"]))
            for key in sorted(self.open_keys.intersection(list_keys))
        ]
        for fact in sorted(facts, key=lambda fact: (fact.kind, fact.id)):
            self.add(fact)

    def add(self, fact: Fact) -> None:
        """Take one more fact in; only the builder of a world calls this."""
        self._by_kind.setdefault(fact.kind, []).append(fact)
        self._by_id[fact.id] = fact
        if fact.kind == ITEM:
            key, value = str(fact.fields.get("key")), str(fact.fields.get("value"))
            self.lists[key] = (*self.lists.get(key, ()), value)

    def of_kind(self, kind: str) -> Sequence[Fact]:
        """Return the facts of a kind."""
        return self._by_kind.get(kind, ())

    def possible(self, kind: str) -> Sequence[Fact]:
        """Return the facts of a kind, and those that stand for elements of open lists."""
        found = self.of_kind(kind)
        return [*found, *self._possible] if kind == ITEM and self._possible else found

    def doubt(self, fact: Fact) -> str | None:
        """Return the open key that decides whether a fact holds at all, or None."""
        key = fact.fields.get("key") if fact.kind == ITEM else None
        return key if isinstance(key, str) and key in self.open_keys else None

    def fact(self, fact_id: str) -> Fact:
        """Return a fact by id.

        Raises:
            KeyError: No such fact.
        """
        return self._by_id[fact_id]

    def facts(self) -> list[Fact]:
        """Return all facts, by kind."""
        return [fact for facts in self._by_kind.values() for fact in facts]

    @property
    def answers(self) -> Fact | None:
        """Return the answers fact, if there is one."""
        found = self.of_kind(ANSWERS)
        return found[0] if found else None

    def is_open(self, fact: Fact, field: str) -> bool:
        """Return whether a field of a fact is not settled."""
        return field in fact.open_fields or (fact.kind == ANSWERS and field in self.open_keys)
