"""The text form of a size result: verdict first, then the numbers that decided it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from advisor.sizing.result import RateRange, SizeResult

__all__ = ["size_text"]

_VERDICTS = {
    "fits": "FITS",
    "does_not_fit": "DOES NOT FIT",
    "cannot_run": "CANNOT RUN",
    "unknown": "UNKNOWN",
}
_WIDTH = 96


def size_text(result: SizeResult) -> str:
    """Return the report as plain text, with a final newline."""
    lines = [_headline(result), ""]
    lines += _problem_lines(result, blocking=True)
    lines += list(_training(result)) if result.training else list(_serving(result))
    lines += _problem_lines(result, blocking=False)
    if result.arithmetic:
        lines += ["how", *(f"  {line}" for text in result.arithmetic for line in _wrap(text, 94))]
    return "\n".join(lines).rstrip() + "\n"


def _headline(result: SizeResult) -> str:
    layout = result.layout
    parts = [f"TP{layout.tensor_parallel}"]
    if layout.pipeline_parallel > 1:
        parts.append(f"PP{layout.pipeline_parallel}")
    if layout.data_parallel > 1:
        parts.append(f"DP{layout.data_parallel}")
    if layout.expert_parallel > 1:
        parts.append(f"EP{layout.expert_parallel}")
    if layout.decode_context_parallel > 1:
        parts.append(f"DCP{layout.decode_context_parallel}")
    engine = ""
    if result.engine:
        engine = f", {result.engine} {result.engine_version or ''}".rstrip()
    return (
        f"{_VERDICTS[result.status]}: {result.model} ({result.weight_format}) on "
        f"{layout.gpus} x {result.gpu}, {' x '.join(parts)}{engine}"
    )


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False) or [""]


def _problem_lines(result: SizeResult, *, blocking: bool) -> list[str]:
    lines = []
    for problem in result.problems:
        if problem.blocking == blocking:
            text = f"{problem.text} [{problem.code}, §{problem.section}]"
            first, *rest = _wrap(text, _WIDTH - 4)
            lines += [f"  {'!' if blocking else '-'} {first}", *(f"    {line}" for line in rest)]
    if not lines:
        return []
    return [*lines, ""] if blocking else ["notes", *lines, ""]


def _row(name: str, value: str, remark: str = "") -> str:
    return f"  {name:<28}{value:>16}  {remark}".rstrip()


def _serving(result: SizeResult) -> Iterator[str]:
    yield "memory per GPU"
    yield _row("total", f"{result.gpu_memory_gib:.1f} GiB", "as the runtime reports it")
    if result.weights_gib_per_gpu is not None:
        yield _row("weights", f"{result.weights_gib_per_gpu:.2f} GiB", result.weight_format)
    for name in ("activation_peak_gib", "cuda_graphs_gib", "non_torch_gib"):
        if name in result.overheads:
            label = name.removesuffix("_gib").replace("_", " ").replace("cuda", "CUDA")
            yield _row(label, f"{result.overheads[name]:.2f} GiB")
    span = result.kv_cache_gib_per_gpu
    if span is not None:
        yield _row("left for the cache", f"{span.expected:.2f} GiB", _between(span.low, span.high))
    yield ""
    yield from _cache(result)
    yield from _speed(result)


def _between(low: float, high: float) -> str:
    return f"between {low:,.2f} and {high:,.2f}" if low != high else ""


def _cache(result: SizeResult) -> Iterator[str]:
    tokens, concurrency = result.kv_cache_tokens, result.max_concurrency
    if tokens is None or concurrency is None or result.max_model_len is None:
        return
    yield f"cache, per engine instance ({result.kv_format})"
    yield _row("bytes per token and GPU", f"{result.kv_bytes_per_token_per_gpu:,.0f} B")
    if result.state_bytes_per_sequence_per_gpu:
        state = result.state_bytes_per_sequence_per_gpu / 2**20
        yield _row("state per sequence and GPU", f"{state:,.1f} MiB")
    yield _row(
        "one request",
        f"{result.kv_gib_per_request_per_gpu:.2f} GiB",
        f"of {result.max_model_len:,} tokens, per GPU",
    )
    yield _row("tokens", f"{tokens.expected:,}", _between_whole(tokens.low, tokens.high))
    yield _row(
        "requests at once",
        f"{concurrency.expected:,.1f}",
        f"of {result.max_model_len:,} tokens; {_between(concurrency.low, concurrency.high)}",
    )
    yield _row("longest single request", f"{result.largest_max_model_len:,}", "tokens")
    if result.kv_replication and result.kv_replication > 1:
        yield _row("copies of each KV row", str(result.kv_replication), "over the ranks")
    yield _row(
        "quoted at",
        f"{result.max_num_seqs}",
        f"max-num-seqs, {result.max_num_batched_tokens:,} batched tokens, utilisation "
        f"{result.gpu_memory_utilization:g}",
    )
    if result.holds_concurrency is not None:
        verdict = "holds" if result.holds_concurrency else "does not hold"
        yield _row("load", verdict, f"{result.concurrency} at once")
    yield ""


def _between_whole(low: int, high: int) -> str:
    return f"between {low:,} and {high:,}" if low != high else ""


def _speed(result: SizeResult) -> Iterator[str]:
    yield "speed"
    yield from _rate("decode, per user", result.decode_tokens_per_second, "tok/s")
    if (result.concurrency or 1) > 1:
        yield from _rate("decode, all users", result.total_output_tokens_per_second, "tok/s")
    if result.ttft_ms is not None and result.ttft_ms.low is not None:
        yield from _rate("first token", result.ttft_ms, "ms")
    yield ""


def _rate(name: str, rate: RateRange | None, unit: str) -> Iterator[str]:
    if rate is None:
        return
    if rate.low is None or rate.high is None:
        yield _row(name, "no estimate", rate.assumes.removeprefix("no estimate: "))
        return
    yield _row(name, f"{_figures(rate.low)} to {_figures(rate.high)}", unit)
    yield from (f"    {line}" for line in _wrap(rate.assumes, _WIDTH - 4))


def _figures(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.1f}"


def _training(result: SizeResult) -> Iterator[str]:
    yield "training memory per GPU"
    yield _row("total", f"{result.gpu_memory_gib:.1f} GiB", "as the runtime reports it")
    rows = (
        ("weights, gradients, optimizer", result.training_states_gib_per_gpu),
        ("activations", result.activations_gib_per_gpu),
    )
    for name, value in rows:
        if value is not None:
            yield _row(name, f"{value:.2f} GiB")
    for name, amount in result.overheads.items():
        yield _row(name.removesuffix("_gib").replace("_", " "), f"{amount:.2f} GiB")
    span = result.total_gib_per_gpu
    if span is not None:
        yield _row("needed", f"{span.expected:.2f} GiB", _between(span.low, span.high))
    if result.host_ram_gib:
        yield _row("host RAM, whole node", f"{result.host_ram_gib:,.0f} GiB")
    yield ""
