"""The text form of a size result: verdict first, then the numbers that decided it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator

from advisor.counted import counted
from advisor.sizing.result import LayoutResult, RateRange, SizeProblem, SizeResult

__all__ = ["size_text"]

_VERDICTS = {
    "fits": "FITS",
    "does_not_fit": "DOES NOT FIT",
    "cannot_run": "CANNOT RUN",
    "unknown": "UNKNOWN",
}
_WIDTH = 96
_ROW_INDENT = 48
_OVERHEADS = {
    "non_torch_gib": "outside torch",
    "activation_peak_gib": "activation peak",
    "cuda_graphs_gib": "CUDA graphs",
    "workspace_gib": "workspaces",
    "state_copies_gib": "state copies",
}
"""Rows of a serving sum; the parts of the activation peak stay in the JSON form."""
_SMALLEST_GIB = 0.005
"""Smaller rows would read 0.00."""
_ROUNDING_GIB = 0.02
_STATES = ("weights_gib", "gradients_gib", "optimizer_states_gib", "adapters_gib")


def size_text(result: SizeResult) -> str:
    """Return the report as plain text, with a final newline."""
    lines = [_headline(result), ""]
    lines += _reasons(result)
    if result.status != "cannot_run":  # the figures would describe something that never starts
        lines += _training(result) if result.training else _serving(result)
    lines += _notes(result)
    if result.arithmetic and result.status != "cannot_run":
        lines += ["how", *(f"  {line}" for text in result.arithmetic for line in _wrap(text, 94))]
    return "\n".join(lines).rstrip() + "\n"


def _headline(result: SizeResult) -> str:
    engine = f", {result.engine} {result.engine_version or ''}".rstrip() if result.engine else ""
    what = f"{result.model} ({result.weight_format}) on {result.layout.gpus} x {result.gpu}"
    verdict = _VERDICTS[result.status] + (" (borderline)" if result.borderline else "")
    if result.fits and result.holds_concurrency is False:
        verdict += ", but does not hold the load"
    return f"{verdict}: {what}, {_shape(result.layout)}{engine}"


def _shape(layout: LayoutResult) -> str:
    sizes = (
        ("PP", layout.pipeline_parallel),
        ("DP", layout.data_parallel),
        ("EP", layout.expert_parallel),
        ("DCP", layout.decode_context_parallel),
    )
    shape = [f"TP{layout.tensor_parallel}", *(f"{name}{n}" for name, n in sizes if n > 1)]
    copies = f", {layout.instances} instances" if layout.instances > 1 else ""
    idle = f", {counted(layout.idle_gpus, 'GPU')} idle" if layout.idle_gpus else ""
    return " x ".join(shape) + copies + idle


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]


def _is_reason(problem: SizeProblem) -> bool:
    return problem.blocking or problem.code == "unknown_attention"


def _reasons(result: SizeResult) -> list[str]:
    found = [problem for problem in result.problems if _is_reason(problem)]
    lines = [line for problem in found for line in _problem(problem, "!")]
    return [*lines, ""] if lines else []


def _notes(result: SizeResult) -> list[str]:
    found = [problem for problem in result.problems if not _is_reason(problem)]
    lines = [line for problem in found for line in _problem(problem, "-")]
    return ["notes", *lines, ""] if lines else []


def _problem(problem: SizeProblem, mark: str) -> Iterator[str]:
    first, *rest = _wrap(f"{problem.text} [{problem.code}, §{problem.section}]", _WIDTH - 4)
    yield f"  {mark} {first}"
    yield from (f"    {line}" for line in rest)


def _row(name: str, value: str, remark: str = "") -> list[str]:
    lines = _wrap(remark, _WIDTH - _ROW_INDENT)
    head = f"  {name:<28}{value:>16}  {lines[0]}".rstrip()
    return [head, *(" " * _ROW_INDENT + line for line in lines[1:])]


def _gib(name: str, value: float, remark: str = "") -> list[str]:
    return _row(name, f"{value:,.2f} GiB", remark)


def _between(low: float, high: float, form: str = ",.2f") -> str:
    least, most = sorted((low, high))
    return f"{least:{form}} to {most:{form}}" if least != most else ""


def _serving(result: SizeResult) -> Iterator[str]:
    yield from _memory(result)
    if result.kv_cache_tokens is not None and result.kv_cache_tokens.high > 0:
        yield from _cache(result)
        yield from _load(result)
    if result.status != "does_not_fit" or (result.max_concurrency and result.max_concurrency.high):
        yield from _speed(result)


def _memory(result: SizeResult) -> Iterator[str]:
    yield "memory per GPU"
    yield from _gib("total", result.gpu_memory_gib, "as the runtime reports it")
    if result.gpu_memory_utilization is not None:
        share = result.gpu_memory_utilization
        yield from _row("utilisation", f"{share:g}", f"of it: {share * result.gpu_memory_gib:.2f}")
    if result.weights_gib_per_gpu is not None:
        yield from _gib("weights", result.weights_gib_per_gpu, result.weight_format)
    remark = "" if _adds_up(result) else "see how for what the share covers"
    for key, label in _OVERHEADS.items():
        if result.overheads.get(key, 0.0) >= _SMALLEST_GIB:
            yield from _gib(label, result.overheads[key], remark)
    span = result.kv_cache_gib_per_gpu
    if span is not None:
        stated = "as stated" if span.low == span.high else ""
        yield from _gib(
            "left for the cache", span.expected, stated or _between(span.low, span.high)
        )
    yield ""


def _adds_up(result: SizeResult) -> bool:
    """Tell whether the rows are the engine's own sum; some count less, or share what is left."""
    span = result.kv_cache_gib_per_gpu
    if span is None or span.low == span.high or result.gpu_memory_utilization is None:
        return True
    left = result.gpu_memory_utilization * result.gpu_memory_gib
    left -= result.weights_gib_per_gpu or 0.0
    left -= sum(result.overheads.get(key, 0.0) for key in _OVERHEADS)
    return abs(left - span.expected) < _ROUNDING_GIB


def _cache(result: SizeResult) -> Iterator[str]:
    tokens, length = result.kv_cache_tokens, result.max_model_len
    if tokens is None or length is None:
        return
    yield f"cache of one engine instance ({result.kv_format})"
    yield from _row("per token and GPU", f"{result.kv_bytes_per_token_per_gpu:,.0f} B")
    if result.state_bytes_per_sequence_per_gpu:
        state = result.state_bytes_per_sequence_per_gpu / 2**20
        yield from _row("state per sequence and GPU", f"{state:,.1f} MiB")
    if result.kv_replication and result.kv_replication > 1:
        yield from _row("copies of each row", str(result.kv_replication), "over the ranks")
    need = result.kv_gib_per_request_per_gpu or 0.0
    yield from _gib("one request", need, f"per GPU, {length:,} tokens")
    yield from _row(
        "tokens it holds", f"{tokens.expected:,}", _between(tokens.low, tokens.high, ",")
    )


def _load(result: SizeResult) -> Iterator[str]:
    concurrency, length = result.max_concurrency, result.max_model_len
    if concurrency is None:
        return
    form = ",.2f" if concurrency.high < 10 else ",.1f"
    span = _between(concurrency.low, concurrency.high, form)
    remark = f"of {length:,} tokens" + (f"; {span}" if span else "")
    yield from _row("requests at once", f"{concurrency.expected:{form}}", remark)
    yield from _row("longest single request", f"{result.largest_max_model_len:,}", "tokens")
    if result.largest_max_num_seqs is not None:
        yield from _row("most sequences", f"{result.largest_max_num_seqs:,}", "state blocks")
    batch = f"at most, {result.max_num_batched_tokens:,} batched tokens"
    yield from _row("quoted at", f"{result.max_num_seqs} sequences", batch)
    if result.concurrency is not None:
        verdict = "held" if result.holds_concurrency else "NOT HELD"
        load = f"{counted(result.concurrency, 'request')} of {length:,} tokens{_instances(result)}"
        yield from _row("load", verdict, load)
    yield ""


def _instances(result: SizeResult) -> str:
    """Say how many instances of this layout would hold a load that one does not."""
    if result.holds_concurrency or not result.fits or result.max_concurrency is None:
        return ""
    per_rank = min(result.max_concurrency.expected, result.max_num_seqs or math.inf)
    each = math.floor(per_rank * result.layout.data_parallel)
    return f"; {math.ceil((result.concurrency or 0) / max(1, each))} such instances would hold them"


def _speed(result: SizeResult) -> Iterator[str]:
    streams = result.concurrency or 1
    yield f"speed at {streams} stream{'s' if streams > 1 else ''}"
    decode, first = result.decode_tokens_per_second, result.ttft_ms
    if decode is None and "decode_tokens_per_second" in result.no_estimate:
        reason = result.no_estimate["decode_tokens_per_second"]
        yield from _row("decode, per user", "no estimate", reason)
    yield from _rate("decode, per user", decode, "tok/s")
    if streams > 1:
        yield from _rate("decode, all users", result.total_output_tokens_per_second, "tok/s")
    yield from _assumed(decode)
    yield from _rate("first token", first, "ms")
    yield from _assumed(first)
    yield ""


def _rate(name: str, rate: RateRange | None, unit: str) -> Iterator[str]:
    if rate is None:
        return
    yield from _row(name, f"{_figures(rate.low)} to {_figures(rate.high)}", unit)


def _assumed(rate: RateRange | None) -> list[str]:
    if rate is None:
        return []
    return [f"    {line}" for line in _wrap(rate.assumes, _WIDTH - 4)]


def _figures(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}"


def _training(result: SizeResult) -> Iterator[str]:
    yield "training memory per GPU"
    yield from _gib("total", result.gpu_memory_gib, "as the runtime reports it")
    if result.training_states_gib_per_gpu is not None:
        parts = ", ".join(
            f"{_plain(key)} {result.overheads[key]:.2f}"
            for key in _STATES
            if result.overheads.get(key)
        )
        yield from _gib("states", result.training_states_gib_per_gpu, parts)
    if result.activations_gib_per_gpu is not None:
        yield from _gib("activations", result.activations_gib_per_gpu)
    for key, amount in result.overheads.items():
        if amount and key not in _STATES and key != "activation_peak_gib":
            yield from _gib(_plain(key), amount)
    span = result.total_gib_per_gpu
    if span is not None:
        yield from _gib("needed", span.expected, _between(span.low, span.high))
    if result.host_ram_gib:
        yield from _row("host RAM, whole node", f"{result.host_ram_gib:,.0f} GiB")
    yield ""


def _plain(key: str) -> str:
    name = key.removesuffix("_gib").replace("_", " ")
    return {"non torch": "context and NCCL", "cuda graphs": "CUDA graphs"}.get(name, name)
