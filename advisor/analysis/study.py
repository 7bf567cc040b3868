"""The rules with everything that an analysis asks of them, worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from advisor.analysis.cases import OPAQUE, Case, Form, form_of, opaque
from advisor.analysis.domains import Domains, Limits
from advisor.analysis.tables import NEVER, PRESENT, TABLES, Table, table_of
from advisor.rules.conditions import Presence, Ref, atoms_of
from advisor.rules.facts import ANSWERS, ITEM
from advisor.rules.model import Rule, RuleBase
from advisor.rules.normalise import alternatives
from advisor.rules.parse import parse_condition
from advisor.rules.scope import Scope
from advisor.rules.vocabulary import Vocabulary

__all__ = ["Finding", "Study", "touching"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a rule; the place is looked up by its key."""

    code: str
    message: str
    rule: str
    place: str = "when"
    """Key inside the rule."""

    @property
    def key(self) -> str:
        """Return the dotted key, such as ``rules[my-rule].when``."""
        return f"rules[{self.rule}].{self.place}"


@dataclass
class Study:
    """A rule base under study.

    Args:
        base: The compiled rules.
        vocabulary: What they were compiled against.
        limits: Legal ranges of numeric answers.
        defaults: Answer keys that have a default.
        worlds: Kind to the situations that there are, where a catalogue lists them: values that
            hold together, of the facts of a kind and of others.
        truths: Kind to what no fact of it satisfies.
    """

    base: RuleBase
    vocabulary: Vocabulary
    limits: Limits = field(default_factory=dict)
    defaults: frozenset[str] = frozenset()
    worlds: Mapping[str, Sequence[Case]] = field(default_factory=dict)
    truths: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NEVER)
    _forms: dict[str, Form] = field(init=False, default_factory=dict)
    _never: dict[str, tuple[Form, ...]] = field(init=False, default_factory=dict)

    @cached_property
    def tables(self) -> Mapping[Table, tuple[Rule, ...]]:
        """The rules of each table, in file order."""
        found: dict[Table, list[Rule]] = {table: [] for table in TABLES}
        for rule in self.base.rules:
            table = table_of(rule)
            if table is not None:
                found[table].append(rule)
        return {table: tuple(rules) for table, rules in found.items()}

    def form(self, rule: Rule) -> Form:
        """Return a rule's condition over kinds."""
        if rule.id not in self._forms:
            table = table_of(rule)
            kind = table.kind if table else next((k for _, k in rule.aliases if k != ANSWERS), "")
            self._forms[rule.id] = form_of(rule, PRESENT, kind)
        return self._forms[rule.id]

    def never(self, kind: str) -> tuple[Form, ...]:
        """Return what no fact of ``kind`` satisfies.

        Raises:
            ValueError: A condition of ``truths`` is not in the language of the rules.
        """
        if kind not in self._never:
            self._never[kind] = tuple(self.parsed(text) for text in self.truths.get(kind, ()))
        return self._never[kind]

    def domains(self, *forms: Form, table: Table | None = None) -> Domains:
        """Return the values worth trying for ``forms``.

        Without a table, every field may be unknown: that proves most.
        """

        def optional(variable: Ref) -> bool:
            if variable.alias in {OPAQUE, ITEM}:
                return False
            if table is None:
                return True
            if variable.alias == ANSWERS:
                filled = variable.field.partition(".")[0] in table.completed
                return not (filled and variable.field in self.defaults)
            return (variable.alias.partition("#")[0], variable.field) in self._asked_for

        return Domains(self.vocabulary, forms, optional, self.limits)

    def implies(self, narrow: Rule, wide: Rule) -> bool:
        """Tell whether ``wide`` surely matches wherever ``narrow`` does; may miss, never invents.

        That each binds the same facts is part of it: a kind that only ``wide`` binds may have
        no fact.
        """
        if not set(wide.kinds) <= {*narrow.kinds, *PRESENT}:
            return False
        return not self.both(narrow, unless=wide)

    def both(self, *rules: Rule, unless: Rule | None = None) -> bool:
        """Tell whether all of ``rules`` may match where ``unless`` does not; true when in doubt."""
        from advisor.analysis.search import OutOfBudgetError, find_case

        true = [opaque(self.form(rule)) for rule in rules]
        false = [opaque(self.form(unless))] if unless else []
        kinds = dict.fromkeys(kind for rule in rules for kind in rule.kinds)
        never = [opaque(form) for kind in kinds for form in self.never(kind)]
        false += touching(never, true + false)
        try:
            return find_case(self.domains(*true, *false), true=true, false=false) is not None
        except OutOfBudgetError:
            return True

    @cached_property
    def _asked_for(self) -> frozenset[tuple[str, str]]:
        """Kind and field wherever a rule, or what is never true, asks if the field is known."""
        found = set()
        for rule in self.base.rules:
            kinds = dict(rule.aliases)
            for atom in atoms_of(rule.condition):
                if isinstance(atom, Presence):
                    found.add((kinds.get(atom.ref.alias, ANSWERS), atom.ref.field))
        never = [form for kind in self.truths for form in self.never(kind)]
        for atom in (atom for form in never for atoms in form.conjunctions for atom in atoms):
            if isinstance(atom, Presence):
                found.add((atom.ref.alias, atom.ref.field))
        return frozenset(found)

    def parsed(self, text: str) -> Form:
        """Return a condition in the language of the rules, with the kinds as aliases.

        Raises:
            ValueError: It is not in that language.
        """
        kinds = [kind for kind in self.vocabulary.kinds if kind not in {ANSWERS, ITEM}]
        scope = Scope(self.vocabulary, {kind: kind for kind in kinds})
        node = parse_condition(text, scope)
        if node is None or scope.faults:
            message = f"{text!r}: {'; '.join(fault.message for fault in scope.faults)}"
            raise ValueError(message)
        return Form(alternatives(node))


def touching(never: Iterable[Form], forms: Iterable[Form]) -> list[Form]:
    """Return the conditions that look at nothing but what ``forms`` look at.

    The others cannot contradict them, and would only cost time.
    """
    seen = {variable for form in forms for variable in form.variables}
    return [form for form in never if form.variables <= seen]
