"""The numbers of a sizing as rows of words: each with its unit, its range and its reason."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.counted import counted
from advisor.sizing.result import Range, RateRange, SizeResult, Span

__all__ = ["Pair", "number_rows"]

Pair = tuple[str, str]
"""What it is, and its value."""


def number_rows(sizing: SizeResult | None) -> Iterator[Pair]:
    """Yield the figures that decided, those that are known; nothing for no sizing."""
    if sizing is None:
        return
    yield "sized", _what(sizing)
    yield "verdict", _verdict(sizing)
    yield from _given(sizing)
    yield from _memory(sizing)
    yield from _training(sizing)
    yield from _rates(sizing)


def _what(sizing: SizeResult) -> str:
    text = f"{sizing.model} in {sizing.weight_format} on {sizing.gpu}"
    if sizing.kv_format:
        text += f", cache in {sizing.kv_format}"
    if sizing.engine:
        text += f", {sizing.engine} {sizing.engine_version or ''}".rstrip()
    layout = sizing.layout
    return f"{text}, {counted(layout.gpus, 'GPU')} per replica"


def _verdict(sizing: SizeResult) -> str:
    text = sizing.status.replace("_", " ")
    if sizing.holds_concurrency is None or sizing.concurrency is None:
        return text
    able = "holds" if sizing.holds_concurrency else "does not hold"
    length = f" of {sizing.max_model_len:,} tokens" if sizing.max_model_len else ""
    return f"{text}; {able} {counted(sizing.concurrency, 'request')}{length} at once"


def _given(sizing: SizeResult) -> Iterator[Pair]:
    yield "memory per GPU, as the runtime reports it", f"{sizing.gpu_memory_gib:.2f} GiB"
    if sizing.gpu_memory_utilization is not None:
        share = f"{sizing.gpu_memory_utilization * 100:g} %"
        yield "share of it that the engine may use", share


def _memory(sizing: SizeResult) -> Iterator[Pair]:
    yield from _gib("weights per GPU", sizing.weights_gib_per_gpu)
    for name, gib in sizing.overheads.items():
        if gib:
            yield f"{name.removesuffix('_gib').replace('_', ' ')} per GPU", f"{gib:.2f} GiB"
    if sizing.kv_cache_gib_per_gpu is not None:
        yield "cache per GPU", _span(sizing.kv_cache_gib_per_gpu, " GiB")
    if sizing.kv_bytes_per_token_per_gpu is not None:
        yield "cache per token and GPU", f"{sizing.kv_bytes_per_token_per_gpu:,.0f} B"
    yield from _gib("cache for one request per GPU", sizing.kv_gib_per_request_per_gpu)
    if sizing.kv_cache_tokens is not None:
        yield "tokens in the cache of one replica", _range(sizing.kv_cache_tokens)
    if sizing.max_concurrency is not None:
        yield "requests of full length at once, per replica", _span(sizing.max_concurrency, "")
    if sizing.largest_max_model_len is not None:
        yield "longest single request", f"{sizing.largest_max_model_len:,} tokens"
    if sizing.largest_max_num_seqs is not None:
        yield "largest max_num_seqs", f"{sizing.largest_max_num_seqs:,}"


def _training(sizing: SizeResult) -> Iterator[Pair]:
    yield from _gib("training states per GPU", sizing.training_states_gib_per_gpu)
    yield from _gib("activations per GPU", sizing.activations_gib_per_gpu)
    if sizing.total_gib_per_gpu is not None:
        yield "everything together per GPU", _span(sizing.total_gib_per_gpu, " GiB")
    yield from _gib("host memory", sizing.host_ram_gib)
    for name, value in sizing.training.items():
        if value is not None:
            shown = f"{value:,.2f}" if isinstance(value, float) else str(value)
            yield name.replace("_", " "), shown


def _rates(sizing: SizeResult) -> Iterator[Pair]:
    rates = (
        ("output tokens per second and user", "decode_tokens_per_second", " tokens/s"),
        ("output tokens per second and replica", "total_output_tokens_per_second", " tokens/s"),
        ("time to first token", "ttft_ms", " ms"),
    )
    for label, name, unit in rates:
        rate: RateRange | None = getattr(sizing, name)
        if rate is not None:
            yield label, _rate(rate, unit)
        elif name in sizing.no_estimate:
            yield label, f"no estimate: {sizing.no_estimate[name]}"


def _gib(label: str, gib: float | None) -> Iterator[Pair]:
    if gib is not None:
        yield label, f"{gib:.2f} GiB"


def _span(span: Span, unit: str) -> str:
    return f"{span.expected:,.2f}{unit} ({span.low:,.2f} to {span.high:,.2f})"


def _range(numbers: Range) -> str:
    return f"{numbers.expected:,} ({numbers.low:,} to {numbers.high:,})"


def _rate(rate: RateRange, unit: str) -> str:
    return f"{rate.low:,.1f} to {rate.high:,.1f}{unit}, an estimate; assumes {rate.assumes}"
