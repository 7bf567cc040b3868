"""Choose the smallest layout that serves, out of the legal ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.errors import InputError, Problem
from advisor.sizing.checks import check_request
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import LayoutResult, SizeProblem, SizeResult
from advisor.sizing.size import SizingFacts, size_layout
from advisor.store.gpu import Gpu
from advisor.store.model import Model, MoeFfn

__all__ = ["candidate_layouts", "size"]

_NODE = 8
"""Tensor parallel stays inside a node of this many GPUs unless a larger domain joins them."""


def size(request: SizeRequest, model: Model, gpu: Gpu, facts: SizingFacts) -> SizeResult:
    """Answer ``request``: size the stated layout, or the smallest that serves.

    Raises:
        InputError: unknown names, figures that mean nothing, or a layout beyond ``gpu_count``.
    """
    check_request(request, _from_request(request))
    if _stated(request) or request.gpu_count in {None, 1}:
        layout = _from_request(request)
        return _with_count(size_layout(request, model, gpu, layout, facts), request)
    return _with_count(_search(request, model, gpu, facts), request)


def _stated(request: SizeRequest) -> bool:
    sizes = (request.tensor_parallel, request.pipeline_parallel, request.data_parallel)
    return any(size is not None for size in sizes)


def _from_request(request: SizeRequest) -> Layout:
    return Layout(
        tensor_parallel=request.tensor_parallel or 1,
        pipeline_parallel=request.pipeline_parallel or 1,
        data_parallel=request.data_parallel or 1,
        expert_parallel=request.expert_parallel,
        decode_context_parallel=request.decode_context_parallel,
    )


def candidate_layouts(model: Model, gpus: int, domain: int) -> Iterator[Layout]:
    """Yield layouts of at most ``gpus`` GPUs, the usual ones first, each kind smallest first.

    First tensor parallel in powers of two inside the scale-up domain, then pipeline stages of
    whole domains, then everything else that uses the GPUs: odd splits and stages of fewer. A
    mixture is offered with whole experts per rank as well.

    Args:
        model: Decides whether expert parallelism applies.
        gpus: GPUs at hand.
        domain: GPUs joined by NVLink or a like fabric, at least a node.
    """
    usual = [(size, 1) for size in (1, 2, 4, 8, 16, 32, 64) if size <= min(gpus, domain)]
    width = min(domain, _NODE)
    usual += [(width, stages) for stages in range(2, gpus // width + 1)]
    rest = [
        (tensor, total // tensor)
        for total in range(2, gpus + 1)
        for tensor in range(total, 0, -1)
        if total % tensor == 0
    ]
    rest.sort(key=lambda shape: (shape[0] * shape[1], shape[0] > domain, -shape[0]))
    for tensor, stages in dict.fromkeys([*usual, *rest]):
        if stages <= model.layers:
            yield from _with_experts(model, tensor, stages)


def _with_experts(model: Model, tensor: int, stages: int) -> Iterator[Layout]:
    yield Layout(tensor_parallel=tensor, pipeline_parallel=stages)
    if tensor > 1 and any(isinstance(f, MoeFfn) for f in model.ffn):
        yield Layout(tensor_parallel=tensor, pipeline_parallel=stages, expert_parallel=True)


def _search(request: SizeRequest, model: Model, gpu: Gpu, facts: SizingFacts) -> SizeResult:
    count = request.gpu_count or 1
    domain = max(_NODE, gpu.scale_up_gpus)
    fitting: SizeResult | None = None
    largest: SizeResult | None = None
    illegal: SizeResult | None = None
    for layout in candidate_layouts(model, count, domain):
        if request.expert_parallel and not layout.expert_parallel and layout.gpus > 1:
            continue
        if layout.gpus < request.decode_context_parallel:
            continue
        wanted = replace(layout, decode_context_parallel=request.decode_context_parallel)
        result = size_layout(request, model, gpu, wanted, facts)
        if result.status == "cannot_run":
            illegal = illegal or result
            continue
        if result.fits and result.holds_concurrency is not False:
            return _chosen(result)
        if result.fits:
            fitting = result
        elif largest is None or result.layout.gpus > largest.layout.gpus:
            largest = result
    best = fitting or largest or illegal
    if best is None:
        raise InputError(
            Problem("no_layout", f"no layout of {count} GPUs can be tried.", key="gpu_count")
        )
    return _chosen(best)


def _chosen(result: SizeResult) -> SizeResult:
    layout = result.layout
    parts = [f"tensor parallel {layout.tensor_parallel}"]
    if layout.pipeline_parallel > 1:
        parts.append(f"pipeline parallel {layout.pipeline_parallel}")
    if layout.expert_parallel > 1:
        parts.append("expert parallel")
    if result.status == "fits":
        why = "the smallest legal layout that fits"
        if result.holds_concurrency is not None:
            why += " and holds the load" if result.holds_concurrency else "; none holds the load"
    else:
        why = "the largest legal layout; none fits"
    text = f"layout chosen: {', '.join(parts)} on {layout.gpus} GPU(s), {why}."
    problem = SizeProblem(code="layout_chosen", text=text, section="7.2")
    return result.model_copy(update={"problems": (*result.problems, problem)})


def _with_count(result: SizeResult, request: SizeRequest) -> SizeResult:
    if request.gpu_count is None:
        return result
    layout = result.layout
    instances = request.gpu_count // layout.gpus
    counted = LayoutResult(
        **{
            **layout.model_dump(),
            "gpu_count": request.gpu_count,
            "instances": instances,
            "idle_gpus": request.gpu_count - instances * layout.gpus,
        }
    )
    return result.model_copy(update={"layout": counted})
