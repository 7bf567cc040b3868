"""A layout that runs or was tried: sized as stated, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.consultation import Citation, Warned
from advisor.consult.judged_shape import shape_faults
from advisor.consult.rulings import Rulings
from advisor.consult.share_of_load import holds_at_once, size_request
from advisor.consult.situation import Card, Load, Situation
from advisor.consult.unequal import unequal_cards
from advisor.counted import counted
from advisor.errors import InputError
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.sizing.size import size_layout

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["judge", "scheduler_limits", "stated_layout"]


def judge(attempt: Attempt, knowledge: Knowledge) -> Iterator[Warned]:
    """Yield what is wrong with the stated layout, and with adding up unequal cards."""
    yield from _judge_layout(attempt.situation, knowledge, attempt.rulings, attempt.best)
    yield from unequal_cards(attempt)


def _judge_layout(
    situation: Situation, knowledge: Knowledge, rulings: Rulings, best: Candidate | None
) -> Iterator[Warned]:
    """Yield what is wrong with the stated layout; nothing when it is wanted, or cannot be told.

    Args:
        situation: As the answers state it.
        knowledge: For sizing.
        rulings: For citations.
        best: What is chosen on the same GPUs, if anything is.
    """
    answers, load = situation.answers, situation.load
    layout = stated_layout(answers)
    state = answers.get("layout.state") or "in_use"
    if layout is None or state == "wanted" or load.model is None or load.trains:
        return
    if not situation.cards or not answers.is_given("hardware.gpu"):
        return
    card = situation.cards[0]
    verb = "was tried" if state == "tried" else "is in use"
    name = f"The layout that {verb} ({_named(layout)} on {layout.gpus} x {card.label})"
    if layout.pipeline_parallel > load.model.layers:
        text = f"{layout.pipeline_parallel} stages are more than the {load.model.layers} layers."
        yield _impossible(name, "layers_fewer_than_stages", text, rulings.cite("7.2"))
        return
    request = size_request(
        load, card, load.formats[0], load.concurrency, **scheduler_limits(answers)
    )
    try:
        result = size_layout(request, load.model, card.gpu, layout, sizing_facts(knowledge))
    except InputError:
        return
    blocking = next((problem for problem in result.problems if problem.blocking), None)
    if blocking is not None:
        fix = _NEXT
        if _starts_with_its_own_share(request, load, card, layout, knowledge):
            share = answers.get("layout.gpu_memory_utilization")
            fix = (
                f"Raise gpu-memory-utilization from {share}: with the engine's own share it starts."
            )
        yield _impossible(name, blocking.code, blocking.text, rulings.cite(blocking.section), fix)
        return
    yield from _too_few(result, layout, name, load, rulings)
    yield from shape_faults(name, layout, situation, best, rulings)


def _too_few(
    result: SizeResult, layout: Layout, name: str, load: Load, rulings: Rulings
) -> Iterator[Warned]:
    """Yield that fewer requests fit than are wanted, counted as the choice counts them."""
    if not result.fits or result.max_concurrency is None:
        return
    holds, wanted = holds_at_once(result, layout, load), load.concurrency
    typical = load.typical_context_tokens
    long = typical is None or typical >= load.context_tokens
    if holds < wanted:
        yield Warned(
            id="layout-holds-too-few",
            kind="limit",
            severity="warning",
            decision="parallelism",
            text=f"{name} starts and holds {counted(holds, 'request')} of "
            f"{'full' if long else 'the typical'} length at once; {wanted} are wanted, so the "
            "others wait.",
            check="Running and waiting requests in the engine's metrics.",
            fix="Take the layout of the decision, or shorten max-model-len.",
            citations=rulings.cite("7.3"),
        )


_NEXT = "Take the layout of the decision."


def _starts_with_its_own_share(
    request: SizeRequest, load: Load, card: Card, layout: Layout, knowledge: Knowledge
) -> bool:
    """Tell whether only the stated share of the memory keeps the layout from starting."""
    if request.gpu_memory_utilization is None or load.model is None:
        return False
    plain = replace(request, gpu_memory_utilization=None)
    return size_layout(plain, load.model, card.gpu, layout, sizing_facts(knowledge)).fits is True


def _impossible(
    name: str, code: str, text: str, citations: tuple[Citation, ...], fix: str = _NEXT
) -> Warned:
    return Warned(
        id=f"layout-{code.replace('_', '-')}",
        kind="conflict",
        severity="critical",
        decision="parallelism",
        text=f"{name} does not work: {text}",
        check="`gpu-advisor size` with the same sizes prints the sum.",
        fix=fix,
        citations=citations,
    )


def stated_layout(answers: Answers) -> Layout | None:
    """Return the stated sizes; ranks of experts that nothing else explains are tensor ranks.

    A length that is stated alone is judged where there is one GPU to run on.
    """
    names = ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel")
    sizes = {name: answers.get(f"layout.{name}") for name in names}
    if not any(isinstance(size, int) for size in sizes.values()):
        limits = scheduler_limits(answers)
        alone = (answers.get("hardware.gpus_per_node") or 1) == 1
        return Layout() if limits and alone else None
    tensor, pipeline, data, expert = (int(str(size or 1)) for size in sizes.values())
    if expert > tensor * data and expert % (tensor * data) == 0:
        if sizes["tensor_parallel"] is None:
            tensor = expert // data
        else:
            data = expert // tensor
    return Layout(tensor, pipeline, data, expert > 1)


def scheduler_limits(answers: Answers) -> dict[str, object]:
    """Return the stated limits of the engine, by the names of a size request."""
    keys = (
        "max_model_len", "max_num_seqs", "max_num_batched_tokens", "gpu_memory_utilization",
        "enforce_eager",
    )  # fmt: skip
    stated = {key: answers.get(f"layout.{key}") for key in keys}
    return {key: value for key, value in stated.items() if value is not None}


def _named(layout: Layout) -> str:
    parts = [f"TP{layout.tensor_parallel}"]
    if layout.pipeline_parallel > 1:
        parts.append(f"PP{layout.pipeline_parallel}")
    if layout.data_parallel > 1:
        parts.append(f"DP{layout.data_parallel}")
    if layout.expert_parallel:
        parts.append(f"EP{layout.expert_ranks}")
    return " x ".join(parts)
