"""Which unanswered questions could still change a decision."""

from __future__ import annotations

from advisor.answers.model import Answers
from advisor.consult.consultation import Dependency, NextQuestion, Status
from advisor.rules.conditions import refs_of
from advisor.rules.facts import ANSWERS
from advisor.rules.model import RuleBase

__all__ = ["dependencies", "next_questions", "status_of"]

_SIZING_KEYS = {
    "workload.kind": "training and serving are sized in different ways",
    "workload.model": "the model sets weights and cache",
    "workload.concurrency": "twice the requests at once need twice the cache, so more GPUs",
    "workload.context_tokens": "a longer request needs more cache and holds fewer users",
    "workload.quantization": "without narrower weights more memory is needed",
    "workload.weight_format": "a fixed format narrows the choice to it",
    "workload.kv_format": "an fp8 cache doubles the requests that fit",
    "workload.typical_context_tokens": "a typical length below the longest carries more users",
    "workload.engine": "engines set memory aside in different ways",
    "workload.engine_version": "the versions of an engine differ in what they set aside",
    "objectives.priority": "latency, throughput and cost put different GPUs first",
    "hardware.acquisition": "owned GPUs are used before others are bought or rented",
    "hardware.gpu": "naming a GPU restricts the choice to it",
    "hardware.vendors": "another vendor adds its GPUs to the comparison",
    "hardware.cooling": "liquid cooling admits the densest parts",
    "platform.cloud": "prices and instance shapes differ between clouds",
}
"""Keys that candidates and ranking read, most telling first, with what they change."""

_TRAINING_KEYS = {
    "training.method": "full training holds ten times the states of adapters",
    "training.sequence_tokens": "activations grow with the sequence",
    "training.micro_batch": "activations grow with the batch",
    "training.optimizer": "the optimizer's states are most of the memory",
}

_GPU_ONLY = frozenset({"objectives.priority", "platform.cloud"})


def _read_by_rules(base: RuleBase, decision: str) -> list[str]:
    found: list[str] = []
    for rule in base.rules:
        if rule.decision != decision or rule.effect == "warn":
            continue
        aliases = dict(rule.aliases)
        for conjunction in rule.disjuncts:
            for atom in conjunction:
                found += [
                    ref.field
                    for ref in refs_of(atom)
                    if aliases.get(ref.alias, ANSWERS) == ANSWERS and "." in ref.field
                ]
    return list(dict.fromkeys(found))


def dependencies(
    answers: Answers, base: RuleBase, decision: str, kind: str
) -> tuple[Dependency, ...]:
    """Return the unanswered questions that could change ``decision``, most telling first.

    Conservative: a key counts when any rule or the ranking reads it, whether or not another
    value would in fact change this choice.
    """
    telling = dict(_SIZING_KEYS)
    if kind in {"fine_tuning", "pretraining"}:
        telling = {**_TRAINING_KEYS, **telling}
    keys = [*telling, *_read_by_rules(base, decision), *_read_by_rules(base, "gpu")]
    found = []
    for key in dict.fromkeys(keys):
        if answers.is_given(key) or not _matters(key, answers, kind):
            continue
        then = telling.get(key, "a rule of this decision reads it")
        found.append(Dependency(question=key, then=then))
    return tuple(found)


def _matters(key: str, answers: Answers, kind: str) -> bool:
    training = kind in {"fine_tuning", "pretraining"}
    if key.startswith("training.") and not training:
        return False
    if training and key.startswith("workload.") and key not in {"workload.kind", "workload.model"}:
        return False
    if key == "workload.quantization":
        return not answers.is_given("workload.weight_format")
    named = answers.is_given("hardware.gpu") or answers.is_given("hardware.inventory")
    return not (named and key in {"hardware.vendors", "hardware.cooling"})


def status_of(depends: tuple[Dependency, ...]) -> Status:
    """Return ``firm`` only when nothing that was left out could matter."""
    return "provisional" if depends else "firm"


def next_questions(depends: tuple[Dependency, ...], decision: str) -> tuple[NextQuestion, ...]:
    """Return the three questions that decide most."""
    return tuple(NextQuestion(key=d.question, why=d.then, decides=(decision,)) for d in depends[:3])
