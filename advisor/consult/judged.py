"""A layout that runs or was tried: sized as stated, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.consultation import Citation, Warned
from advisor.consult.rulings import Rulings
from advisor.consult.share_of_load import size_request
from advisor.consult.situation import Situation
from advisor.counted import counted
from advisor.errors import InputError
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.size import size_layout

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["judge_layout", "scheduler_limits", "stated_layout"]


def judge_layout(situation: Situation, knowledge: Knowledge, rulings: Rulings) -> Iterator[Warned]:
    """Yield what is wrong with the stated layout; nothing when it is wanted, or cannot be told."""
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
    yield from _faults(result, name, load.concurrency, rulings)


def _faults(result: SizeResult, name: str, wanted: int, rulings: Rulings) -> Iterator[Warned]:
    for problem in result.problems:
        if problem.blocking:
            yield _impossible(name, problem.code, problem.text, rulings.cite(problem.section))
            return
    if result.fits and result.holds_concurrency is False and result.max_concurrency is not None:
        holds = int(result.max_concurrency.expected * result.layout.data_parallel)
        yield Warned(
            id="layout-holds-too-few",
            kind="limit",
            severity="warning",
            decision="parallelism",
            text=f"{name} starts and holds {counted(holds, 'request')} of full length at once; "
            f"{wanted} are wanted, so the others wait.",
            check="Running and waiting requests in the engine's metrics.",
            fix="Take the layout of the decision, or shorten max-model-len.",
            citations=rulings.cite("7.3"),
        )


def _impossible(name: str, code: str, text: str, citations: tuple[Citation, ...]) -> Warned:
    return Warned(
        id=f"layout-{code.replace('_', '-')}",
        kind="conflict",
        severity="critical",
        decision="parallelism",
        text=f"{name} does not work: {text}",
        check="`gpu-advisor size` with the same sizes prints the sum.",
        fix="Take the layout of the decision.",
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
