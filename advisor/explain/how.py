"""How: a conclusion down to the rules, facts, answers, assumptions and sums that it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.consult.consultation import Consultation, Decision, Warned
from advisor.errors import Problem, UnknownNameError
from advisor.explain.explanation import Explanation, Line, line, sections_of
from advisor.explain.grounds import answer_grounds, fact_grounds
from advisor.explain.origins import origins_of
from advisor.explain.recording import Fired, Recording, recorded
from advisor.explain.sums import Sum, sums_of
from advisor.explain.words import (
    Basis,
    basis_of,
    decided,
    sections,
    sentences,
    title_of,
    value_words,
)

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["how", "names_of"]


def how(adviser: Adviser, answers: Answers, name: str) -> Explanation:
    """Return on what a conclusion rests.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        name: A decision, the option it chose, a parameter (``gpu.replicas`` or ``replicas``), the
            id of a warning, or an answer key.

    Raises:
        UnknownNameError: nothing of that name was concluded; names the nearest.
        InputError: the answers lead to an error.
    """
    told = adviser.consult(answers)
    wanted = _resolved(adviser, told, name)
    proof = _Proof(adviser, answers, recorded(adviser, answers))
    if wanted.warning is not None:
        return proof.of_warning(wanted.warning)
    if wanted.answer is not None:
        return proof.of_answer(wanted.answer)
    if wanted.parameter is not None:
        return proof.of_parameter(wanted.decision, wanted.parameter)
    return proof.of_decision(wanted.decision)


def names_of(adviser: Adviser, told: Consultation) -> tuple[str, ...]:
    """Return every name that can be asked for, answer keys excepted."""
    del adviser
    names: dict[str, None] = dict.fromkeys(told.decisions)
    for name, decision in told.decisions.items():
        if decision.choice is not None:
            names |= dict.fromkeys((decision.choice.option,))
            names |= dict.fromkeys(f"{name}.{key}" for key in decision.choice.model_dump())
    names |= dict.fromkeys(warned.id for warned in told.warnings)
    return tuple(names)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a name stands for."""

    decision: str = ""
    parameter: str | None = None
    warning: Warned | None = None
    answer: str | None = None


def _resolved(adviser: Adviser, told: Consultation, name: str) -> _Wanted:
    word = name.strip().casefold().replace("-", "_")
    by_word: dict[str, _Wanted] = {}
    for decision, made in told.decisions.items():
        by_word.setdefault(decision, _Wanted(decision))
        values = {} if made.choice is None else made.choice.model_dump()
        for key in values:
            parameter = None if key == "option" else key
            by_word.setdefault(f"{decision}.{key}", _Wanted(decision, parameter))
            by_word.setdefault(key, _Wanted(decision, parameter))
        if made.choice is not None:
            by_word.setdefault(made.choice.option, _Wanted(decision))
    for warned in told.warnings:
        by_word.setdefault(warned.id.casefold().replace("-", "_"), _Wanted(warning=warned))
    for key in adviser.questions:
        by_word.setdefault(key, _Wanted(answer=key))
    found = by_word.get(word)
    if found is None:
        raise _unknown(name, (*names_of(adviser, told), *adviser.questions))
    return found


def _unknown(name: str, names: tuple[str, ...]) -> UnknownNameError:
    from advisor.answers.nearest import nearest_words
    from advisor.answers.nodes import shown

    bare = {known.rpartition(".")[2]: known for known in reversed(names)}
    near = nearest_words(name, names) or tuple(bare[w] for w in nearest_words(name, tuple(bare)))
    text = (
        f"Nothing of the name {shown(name)} was concluded: a decision, its option, a parameter of "
        "it or the id of a warning is meant."
    )
    return UnknownNameError(Problem("unknown_name", text, nearest=near))


class _Proof:
    """Writes proofs from one recording."""

    def __init__(self, adviser: Adviser, answers: Answers, recording: Recording) -> None:
        self._adviser, self._answers, self._recording = adviser, answers, recording
        self._told = recording.told

    # ---- whole decisions ----

    def of_decision(self, name: str) -> Explanation:
        decision = self._told.decisions[name]  # type: ignore[index]
        fired = self._deciding(name, decision)
        sums = tuple(one for one in sums_of(self._told) if name in one.decisions)
        sized = self._sized_from(name)
        lines = [
            *self._reasons(fired),
            *(_sum_line(one) for one in sums),
            *_sized_lines(sized),
            *self._rest(name, decision, fired),
        ]
        status = decision.status.replace("_", " ")
        title = f"{title_of(name)} [{status}]: {decided(decision)}"
        leaves = [basis for one in fired for basis in self._answers_of(one)]
        data = {
            "name": name,
            "conclusion": decided(decision),
            "status": decision.status,
            "sections": list(sections(decision, name)),
            "rules": [self._rule_data(one) for one in fired],
            "sums": [one.as_dict() for one in sums],
            "leaves": _leaves([*leaves, *sized]),
        }
        return Explanation("how", title, tuple(lines), data)

    def _deciding(self, name: str, decision: Decision) -> tuple[Fired, ...]:
        """Return the firings behind a decision: those whose words it uses."""
        del name
        best = self._best()
        found = []
        for rule in decision.rules:
            fired = self._recording.fired(rule)
            said = [one for one in fired if one.because and one.because in decision.because]
            own = [one for one in said or fired if best in _ids(one)]
            found += (own or said or list(fired))[:1]
        return tuple(found)

    def _best(self) -> str | None:
        counts = self._told.candidates
        return str(counts.shown[0]["id"]) if counts is not None and counts.shown else None

    def _reasons(self, fired: tuple[Fired, ...]) -> Iterator[Line]:
        for one in fired:
            rule = one.rule
            yield line(f"{one.because} (rule {rule.id}, {rule.strength})", rule.cite)
            bases = self._answers_of(one)
            if bases:
                text = f"because {'; '.join(basis.words for basis in bases)}"
                yield line(text, [basis.section for basis in bases], indent=1)
            for ground in fact_grounds(one):
                yield line(f"matched {ground.text}", rule.cite[:1], indent=1, detail=True)

    def _rest(self, name: str, decision: Decision, fired: tuple[Fired, ...]) -> Iterator[Line]:
        """Yield what the decision says beside the words of its rules: rank, price, room."""
        text = decision.because
        for one in fired:
            text = text.replace(one.because, "")
        for sentence in sentences(text):
            yield line(sentence, sections(decision, name))

    def _answers_of(self, fired: Fired) -> tuple[Basis, ...]:
        return answer_grounds(fired, self._answers, self._told, self._adviser)

    def _sized_from(self, name: str) -> tuple[Basis, ...]:
        if name not in {"gpu", "parallelism"} or self._told.sizing is None:
            return ()
        return self._bases(origins_of("sizing", self._told, self._answers))

    def _bases(self, keys: tuple[str, ...]) -> tuple[Basis, ...]:
        return tuple(basis_of(key, self._answers, self._told, self._adviser) for key in keys)

    def _rule_data(self, fired: Fired) -> dict[str, object]:
        return {
            "rule": fired.rule.id,
            "strength": fired.rule.strength,
            "because": fired.because,
            "sections": list(fired.rule.cite),
            "answers": [basis.as_dict() for basis in self._answers_of(fired)],
            "facts": [ground.text for ground in fact_grounds(fired)],
        }

    # ---- one parameter ----

    def of_parameter(self, name: str, key: str) -> Explanation:
        decision = self._told.decisions[name]  # type: ignore[index]
        choice = decision.choice
        value = None if choice is None else choice.model_dump().get(key)
        deciding = self._deciding(name, decision)
        setting = tuple(one for one in deciding if key in one.payload)[:1]
        sums = tuple(one for one in sums_of(self._told) if one.about(key))
        bases = self._bases(origins_of(key, self._told, self._answers))
        cited = sections(decision, name)
        lines = [
            *self._reasons(setting),
            *(_sum_line(one) for one in sums),
            *_sized_lines(bases),
            *self._said_of(key, value, decision, cited),
        ]
        if not lines:
            lines = list(self._reasons(deciding))
        lines.append(line(f"Part of: {decided(decision)}; see how {name}.", cited))
        leaves = [*bases, *(b for one in (setting or deciding) for b in self._answers_of(one))]
        data = {
            "name": f"{name}.{key}",
            "conclusion": value,
            "status": decision.status,
            "sections": list(cited),
            "rules": [self._rule_data(one) for one in setting],
            "sums": [one.as_dict() for one in sums],
            "leaves": _leaves(leaves),
        }
        return Explanation("how", f"{name}.{key} = {value_words(value)}", tuple(lines), data)

    def _said_of(
        self, key: str, value: object, decision: Decision, cited: tuple[str, ...]
    ) -> Iterator[Line]:
        """Yield the sentences of the decision that speak of a value."""
        del key
        words = value_words(value)
        if isinstance(value, bool | list | dict) or value is None or len(words) < 2:
            return
        for sentence in sentences(decision.because):
            if words in sentence.replace("(", " ").replace(",", " ").split() or words in sentence:
                yield line(sentence, cited)

    # ---- warnings and answers ----

    def of_warning(self, warned: Warned) -> Explanation:
        cited = sections_of(warned.citations) or ("10",)
        fired = self._recording.fired(warned.rule or "")
        said = [one for one in fired if warned.text in {one.because, one.payload.get("text")}]
        chosen = tuple((said or list(fired))[:1])
        parts = ("symptom", "cause", "check", "fix")
        told = {part: str(getattr(warned, part)) for part in parts}
        lines = [
            *(line(f"{part}: {text}", cited) for part, text in told.items() if text),
            *self._reasons(chosen),
        ]
        if not lines:
            lines = [line(warned.text, cited)]
        data = {
            "name": warned.id,
            "conclusion": warned.text,
            "status": warned.severity,
            "sections": list(cited),
            "rules": [self._rule_data(one) for one in chosen],
            "sums": [],
            "leaves": _leaves([b for one in chosen for b in self._answers_of(one)]),
        }
        title = f"{warned.id} [{warned.severity}]: {warned.text}"
        return Explanation("how", title, tuple(lines), data)

    def of_answer(self, key: str) -> Explanation:
        basis = basis_of(key, self._answers, self._told, self._adviser)
        question = self._adviser.questions[key]
        lines = (line(basis.words, (basis.section,)), line(question.help, (basis.section,)))
        data = {"name": key, "conclusion": basis.words, "leaves": _leaves([basis])}
        return Explanation("how", f"{key} is an answer, not a conclusion:", lines, data)


def _ids(fired: Fired) -> set[str]:
    return {fact.id for fact in fired.binding.values()}


def _sum_line(one: Sum) -> Line:
    return line(one.text, (one.section,), detail=one.detail)


def _sized_lines(bases: tuple[Basis, ...]) -> Iterator[Line]:
    if bases:
        text = f"from {'; '.join(basis.words for basis in bases)}"
        yield line(text, [basis.section for basis in bases], indent=1)


def _leaves(bases: list[Basis]) -> list[dict[str, object]]:
    return list({basis.key: basis.as_dict() for basis in bases}.values())
