"""Which alternatives of the rules can match at all, given what is certain from the start.

Most alternatives ask for answers or choices that a consultation does not have. Some kinds of
facts are never derived and occur once at most (the answers, what is chosen, the load). An
alternative that binds such a kind without any fact, or whose own tests fail on the only fact,
cannot match, whatever follows. Without it the ruleset is small, and registering the ruleset with
the library costs by its size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from advisor.engine.memory import Memory, Row
from advisor.engine.plan import EnvTest, compile_test, lists_hold
from advisor.engine.reference import Program
from advisor.rules.conditions import Atom, ListAny, ListHas, aliases_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import Conjunction

__all__ = ["Live", "Sieve"]

Live = tuple[tuple[int, int], ...]
"""(position of the rule, of the alternative) of those that may match, in order."""
_Aliases = tuple[tuple[str, str], ...]


class Sieve:
    """The tests on single facts of every alternative; made once for a rule base."""

    def __init__(self, program: Program) -> None:
        self._derivable = program.derivable
        self._aliases: dict[int, str | None] = {}
        self._compiled: dict[tuple[str, int], Callable[[Row, Memory], bool]] = {}
        rules = [compiled.rule for compiled in program.rules]
        self._alternatives = [
            (position, number, kinds, tuple(self._tests(rule.aliases, conjunction)))
            for position, rule in enumerate(rules)
            if (kinds := tuple(dict.fromkeys(kind for _, kind in rule.aliases)))
            for number, conjunction in enumerate(rule.disjuncts)
        ]
        read = {kind for *_, bound, _ in self._alternatives for kind in bound}
        self._settled = sorted(read - self._derivable)

    def live(self, memory: Memory) -> Live:
        """Return the alternatives that may match.

        Args:
            memory: The given facts; nothing is derived yet.
        """
        rows = {kind: memory.of_kind(kind).rows for kind in self._settled}
        absent = {kind for kind in rows if not rows[kind]}
        only = {kind: found[0] for kind, found in rows.items() if len(found) == 1}
        held: dict[tuple[str, int], bool] = {}
        found: list[tuple[int, int]] = []
        for position, number, kinds, tests in self._alternatives:
            if not absent.isdisjoint(kinds):
                continue
            for key in tests:
                if key not in held:
                    kind = key[0]
                    held[key] = kind not in only or self._compiled[key](only[kind], memory)
                if not held[key]:
                    break
            else:
                found.append((position, number))
        return tuple(found)

    def _tests(self, aliases: _Aliases, conjunction: Conjunction) -> Iterator[tuple[str, int]]:
        """Yield the names of the tests that look at one settled fact, compiled on the way."""
        kinds = dict(aliases)
        for atom in conjunction:
            name = id(atom)  # rules share the parts of their conditions, and keep them alive
            if name not in self._aliases:
                owners = aliases_of(atom)
                self._aliases[name] = None if len(owners) > 1 else next(iter(owners), ANSWERS)
            alias = self._aliases[name]
            if alias is None or (kind := kinds[alias]) in self._derivable:
                continue
            if (kind, name) not in self._compiled:
                self._compiled[kind, name] = _test(atom, alias)
            yield kind, name


def _test(atom: Atom, alias: str) -> Callable[[Row, Memory], bool]:
    if isinstance(atom, ListHas | ListAny):
        return lambda _row, memory: lists_hold((atom,), memory)
    test: EnvTest = compile_test(atom, {alias: 0})
    return lambda row, _memory: test((row.fields,))
