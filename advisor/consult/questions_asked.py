"""Which questions come first in *this* situation; what is not special follows a usual order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import NextQuestion

__all__ = ["special_questions"]

_LONG = 32_768
"""From here on few requests fill their window, so the usual length decides the count."""
_RACK = 36


def special_questions(attempt: Attempt) -> tuple[NextQuestion, ...]:
    """Return what this situation makes worth asking before all else, most telling first."""
    answers = attempt.situation.answers
    known = {*answers.values, *answers.unknown} - {"hardware.gpu"}
    return tuple(question for question in _questions(attempt) if question.key not in known)


def _questions(attempt: Attempt) -> Iterator[NextQuestion]:
    situation, best = attempt.situation, attempt.best
    answers, load = situation.answers.values, situation.load
    yield from _of_experts(answers)
    if load.kind == "platform":
        return
    if load.model is None and "workloads" not in answers:
        yield _ask("workload.model", "the model sets weights and cache")
    if any(note.key == "hardware.gpu" for note in situation.assumptions):
        text = "the name fits several cards that differ in memory, speed and links"
        if "hardware.gpu" in answers:
            yield _ask("hardware.gpu", text)
    stated = any(key.startswith("layout.") for key in answers)
    if stated and "hardware.gpu" not in answers and "hardware.inventory" not in answers:
        yield _ask("hardware.gpu", "a layout is stated, and not on which GPU it runs")
    if any(card.gpu.architecture == "unknown" for card in situation.cards):
        text = "the card is not in the catalogue; its generation decides what runs on it"
        yield _ask("hardware.gpu_compute_capability", text)
    if load.trains:
        yield from _of_training(attempt)
        return
    if load.model is not None and load.model.id == "stated-model":
        yield _ask("workload.model_config", "attention shapes decide the cache, and are a guess")
    yield from _of_rate(answers)
    yield _ask("workload.concurrency", "twice the requests at once need twice the cache")
    yield _ask("workload.context_tokens", "a longer request needs more cache and holds fewer users")
    if load.context_tokens >= _LONG and load.concurrency > 1:
        text = "few requests fill so long a window; the usual length decides how many fit"
        yield _ask("workload.typical_context_tokens", text)
    yield from _of_speed(attempt)
    yield from _of_choice(attempt, best)


_RDMA = frozenset({"roce", "infiniband", "efa", "cloud_rdma"})


def _of_experts(answers: Mapping[str, object]) -> Iterator[NextQuestion]:
    """Yield which adapters there are, where experts are to reach over nodes by RDMA."""
    ranks, machine = answers.get("layout.expert_parallel"), answers.get("hardware.gpus_per_node")
    if not isinstance(ranks, int) or not isinstance(machine, int) or ranks <= machine:
        return
    if answers.get("hardware.fabric") in _RDMA:
        text = (
            "kernels for experts over nodes run on some makers' adapters only; RDMA is not enough"
        )
        yield _ask("hardware.nic", text, "parallelism")


def _of_rate(answers: Mapping[str, object]) -> Iterator[NextQuestion]:
    """Yield what a rate of requests says nothing without."""
    if "objectives.requests_per_second" in answers:
        text = "a rate of requests is work only with their lengths"
        yield _ask("workload.prompt_tokens", text)
        yield _ask("workload.output_tokens", text)


def _of_speed(attempt: Attempt) -> Iterator[NextQuestion]:
    """Yield what a wish for speed cannot be judged without."""
    answers = attempt.situation.answers.values
    latency = attempt.situation.priority == "latency" or "objectives.ttft_ms" in answers
    if latency:
        text = "without the length of prompts nothing says when the first token comes"
        yield _ask("workload.prompt_tokens", text)
    if attempt.situation.priority == "latency" and "objectives.ttft_ms" not in answers:
        text = "how fast is fast enough: above it cost decides"
        yield _ask("objectives.tokens_per_second_per_user", text)


def _of_choice(attempt: Attempt, best: Candidate | None) -> Iterator[NextQuestion]:
    if best is None:
        return
    if best.nodes_per_replica > 1 and best.card.gpu.scale_up_gpus < _RACK:
        text = "the layout crosses nodes; the network between them decides whether it pays"
        yield _ask("hardware.fabric", text, "parallelism")
    answers = attempt.situation.answers.values
    decides = attempt.situation.priority == "cost" or "objectives.budget_usd_per_hour" in answers
    if decides and best.usd_per_hour is not None:
        text = "idle hours are paid too: how busy the GPUs are sets what a token costs"
        yield _ask("objectives.utilisation_percent", text)


def _of_training(attempt: Attempt) -> Iterator[NextQuestion]:
    scratch = attempt.situation.load.kind == "pretraining"
    if not scratch:
        yield _ask("training.method", "full training holds ten times the states of adapters")
    yield _ask("training.sequence_tokens", "activations and logits grow with the sequence")
    if attempt.situation.answers.values.get("training.offload") in {"cpu", "nvme"}:
        yield _ask("hardware.host_ram_gib", "what leaves the GPUs has to fit the host")
    yield _ask("training.dataset_tokens", "the data decide the time, and the time the count")
    yield _ask("training.micro_batch", "activations grow with the batch")


def _ask(key: str, why: str, decision: str = "gpu") -> NextQuestion:
    return NextQuestion(key=key, why=why, decides=(decision,))
