"""Refuse questions that no engine could be asked, before any arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import fields

from advisor.errors import InputError, Problem
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest

__all__ = ["check_request"]

_ZERO_ALLOWED = frozenset({"speculative_tokens", "kv_cache_gib"})
_CAPABILITY = re.compile(r"\d{1,2}(\.\d)?")


def check_request(request: SizeRequest, layout: Layout) -> None:
    """Check that every figure of ``request`` means something.

    Raises:
        InputError: with one problem for each figure that does not.
    """
    found = [*_number_problems(request), *_other_problems(request, layout)]
    if found:
        raise InputError(found)


def _number_problems(request: SizeRequest) -> Iterator[Problem]:
    for field in fields(request):
        value = getattr(request, field.name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        least = "zero or more" if field.name in _ZERO_ALLOWED else "more than zero"
        low = value < 0 or (value == 0 and field.name not in _ZERO_ALLOWED)
        if low or not math.isfinite(value):
            text = f"{value} is no size: it must be {least} and finite."
            yield Problem("bad_value", text, key=field.name)


def _other_problems(request: SizeRequest, layout: Layout) -> Iterator[Problem]:
    share = request.gpu_memory_utilization
    if share is not None and share > 1:
        text = f"{share:g} is more than the whole GPU."
        yield Problem("bad_value", text, key="gpu_memory_utilization")
    capability = request.gpu_compute_capability
    if capability is not None and _CAPABILITY.fullmatch(capability) is None:
        text = f"{capability!r} is no compute capability; write it as 8.9."
        yield Problem("bad_value", text, key="gpu_compute_capability")
    if request.gpu_count is not None and layout.gpus > request.gpu_count:
        text = (
            f"tensor {layout.tensor_parallel} x pipeline {layout.pipeline_parallel} x data "
            f"{layout.data_parallel} needs {layout.gpus} GPUs, {request.gpu_count} are stated."
        )
        yield Problem("layout_exceeds_gpus", text, key="gpu_count")
