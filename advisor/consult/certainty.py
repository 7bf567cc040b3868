"""Which unanswered questions could still change a decision."""

from __future__ import annotations

from collections.abc import Collection

from advisor.answers.model import Answers
from advisor.consult.consultation import DecisionName, Dependency, NextQuestion, Status
from advisor.consult.live import live_rules
from advisor.rules.model import RuleBase

__all__ = [
    "askable",
    "dependencies",
    "next_questions",
    "other_values",
    "status_of",
    "telling_first",
]

_TELLING = {
    "workload.model": "the model sets weights and cache",
    "workload.concurrency": "twice the requests at once need twice the cache, so more GPUs",
    "workload.context_tokens": "a longer request needs more cache and holds fewer users",
    "training.method": "full training holds ten times the states of adapters",
    "training.sequence_tokens": "activations grow with the sequence",
    "training.micro_batch": "activations grow with the batch",
    "training.optimizer": "the optimizer's states are most of the memory",
    "training.sharding": "copies of weights and states on each GPU, or shares of them",
    "training.recompute": "recomputation leaves a sixteenth of the activations",
    "training.offload": "offloaded states need host memory in place of GPU memory",
    "training.master_weights": "a 32-bit copy adds four bytes a parameter",
    "hardware.host_ram_gib": "offloaded and paged states have to fit the host",
    "training.dataset_tokens": "with it the rent of the whole run ranks, not that of an hour",
    "training.framework": "some split models over tensor and pipeline ranks, others only shard",
    "training.gradient_accumulation": "more micro-batches in a step need less of the network",
    "training.lora_rank": "adapters and their states grow with the rank",
    "hardware.acquisition": "owned GPUs are used before others are bought or rented",
    "workload.typical_context_tokens": "a typical length below the longest carries more users",
    "workload.prompt_tokens": "a long prompt takes its time before the first token",
    "workload.output_tokens": "answers and prompts share the time of the GPUs",
    "objectives.priority": "latency, throughput, cost and simplicity put different GPUs first",
    "objectives.budget_usd_per_hour": "a budget rules out what is dearer",
    "objectives.tokens_per_second_per_user": "a speed for each user may need a wider split",
    "objectives.ttft_ms": "a limit on the first token may need more compute",
    "workload.quantization": "without narrower weights more memory is needed",
    "workload.kv_format": "an fp8 cache doubles the requests that fit",
    "workload.kind": "training and serving are sized in different ways",
    "platform.cloud": "prices and instance shapes differ between clouds",
    "hardware.gpus_per_node": "the shape of a node limits the splits",
    "hardware.nodes": "more nodes hold more replicas or a larger model",
    "hardware.fabric": "the network decides what may cross nodes",
    "hardware.fabric_gbps": "a slow network leaves only stages to cross it",
    "hardware.island_gpus": "a split stays inside the GPUs that are joined",
    "hardware.vendors": "another vendor adds its GPUs to the comparison",
    "hardware.cooling": "liquid cooling admits the densest parts",
    "workload.engine": "engines set memory aside in different ways",
    "workload.engine_version": "the versions of an engine differ in what they set aside",
    "workload.model_config": "the shapes of the model decide its cache",
    "workload.disaggregated": "separate prefill and decode need a fast link",
    "platform.gpu_quota": "a quota rules out what needs more GPUs",
    "workload.weight_format": "a fixed format narrows the choice to it",
    "workloads": "several loads share the GPUs",
    "hardware.inventory": "the machines that are there are used first",
    "hardware.gpu": "naming a GPU restricts the choice to it",
}
"""What the most telling keys change, most telling first; other keys follow.

Naming a format or a GPU comes last: it is the choice itself, not a fact that decides it.
"""

_NAMED = ("workload.weight_format", "hardware.inventory", "hardware.gpu")
"""Asked last of all, unless a name that was given means several things."""
_OF_RENT = ("objectives.budget_usd_per_hour", "platform.cloud")
"""Asked last where nothing is rented."""
_MOST_QUESTIONS = 3
_FALLBACK = "its answer is read on the way to this choice"
_TRAINING = (
    "workload.model", "training.method", "training.sequence_tokens", "training.micro_batch",
    "training.optimizer", "training.sharding", "training.recompute", "training.offload",
    "training.master_weights", "training.dataset_tokens", "hardware.host_ram_gib",
    "training.lora_rank", "training.framework", "training.gradient_accumulation",
    "hardware.acquisition", "hardware.gpu", "hardware.gpus_per_node", "hardware.nodes",
)  # fmt: skip
"""What tells most about a training job."""
_OF_REQUESTS = ("workload.", "objectives.")
"""Groups of which most keys speak of requests: the last to ask of a training job."""
_NO_DECISION = frozenset({"ask", "symptoms"})


def dependencies(
    answers: Answers,
    read: Collection[str],
    base: RuleBase,
    decision: DecisionName,
    doubted: Collection[str] = (),
    *,
    several: bool = False,
) -> tuple[Dependency, ...]:
    """Return the unanswered questions that could change ``decision``, most telling first.

    Conservative, and so safe for *firm*: a key counts when sizing or ranking read it, or a rule
    that given answers leave alive, whether or not another value would change this choice.

    Args:
        answers: What is given.
        read: Keys that were looked at on the way to the choice.
        base: The rules.
        decision: ``gpu`` or ``parallelism``; the pattern follows from the GPU.
        doubted: Keys whose answer can mean several things.
        several: Whether several loads share the GPUs.
    """
    rules = live_rules(base, decision, several=several).open_keys(answers)
    rules |= live_rules(base, "gpu", several=several).open_keys(answers)
    training = answers.values.get("workload.kind") in {"fine_tuning", "pretraining"}
    if not training and "training.method" not in read:
        rules = frozenset(key for key in rules if not key.startswith("training."))
    missing = {key for key in {*read, *rules} if key not in answers.values} - _NO_DECISION
    missing = askable(missing | set(doubted))
    telling = (*_TRAINING, *_TELLING) if training else tuple(_TELLING)
    order = [key for key in dict.fromkeys(telling) if key in missing]
    rest = missing.difference(order)
    order += sorted(rest, key=lambda key: (training and key.startswith(_OF_REQUESTS), key))
    if not training:
        bought = answers.values.get("hardware.acquisition") in {"buy", "owned"}
        late = {*_NAMED, *(_OF_RENT if bought else ())}.difference(doubted)
        # the sort is stable: what is not late keeps its place
        order.sort(key=late.__contains__)
    return tuple(
        Dependency(question=key, if_=other_values(key), then=_TELLING.get(key, _FALLBACK))
        for key in order
    )


def askable(keys: Collection[str]) -> set[str]:
    """Return the keys that can be answered; code also looks at settings that are no answers."""
    from advisor.answers.questions import load_questions

    questions = load_questions()
    return {key for key in keys if key in questions or "[" in key}


def telling_first(keys: Collection[str]) -> tuple[str, ...]:
    """Return keys with the most telling first; the others keep their order."""
    order = [key for key in _TELLING if key in keys]
    return tuple(dict.fromkeys((*order, *keys)))


def other_values(key: str) -> tuple[str, ...]:
    """Return the values of a discrete question that differ from what is assumed."""
    from advisor.answers.questions import load_questions

    question = load_questions().get(key)
    if question is None or question.list:
        return ()
    if question.kind == "bool":
        return ("no",) if question.default is True else ("yes",)
    values = tuple(choice.id for choice in question.values) if question.kind == "enum" else ()
    return tuple(value for value in values if value != question.default)


def status_of(depends: tuple[Dependency, ...]) -> Status:
    """Return ``firm`` only when nothing that was left out could matter."""
    return "provisional" if depends else "firm"


def next_questions(
    depends: tuple[Dependency, ...], decision: str, special: tuple[NextQuestion, ...] = ()
) -> tuple[NextQuestion, ...]:
    """Return the three questions that decide most: those of this situation, then the usual."""
    usual = (NextQuestion(key=d.question, why=d.then, decides=(decision,)) for d in depends)
    found: dict[str, NextQuestion] = {}
    for question in (*special, *usual):
        found.setdefault(question.key, question)
    return tuple(found.values())[:_MOST_QUESTIONS]
