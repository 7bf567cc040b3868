"""Where owned or named GPUs are too few, what of the load would have to give is told."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Alternative
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.store.loader import load_knowledge

_LOAD = {
    "kind": "serving", "model": "llama-3.1-8b", "weight_format": "bf16", "context_tokens": 65536,
    "concurrency": 6,
}  # fmt: skip
_OWNED = {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 1, "nodes": 1}


def _ways_out(**workload: Any) -> tuple[Alternative, ...]:
    answers = {"workload": {**_LOAD, **workload}, "hardware": _OWNED}
    decision = advise(read_answers(answers)).decisions["gpu"]
    assert decision.choice is not None
    assert decision.choice.option == "change_owned"
    return decision.alternatives


def _fits(values: dict[str, Any], *, length: int, users: int) -> bool:
    request = SizeRequest(
        weight_format="bf16",
        kv_format=values["kv_format"],
        max_model_len=length,
        concurrency=users,
    )
    sized = size_by_name(load_knowledge(), "llama-3.1-8b", "l40s", request)
    return sized.fits and bool(sized.holds_concurrency)


def test_an_fp8_cache_a_shorter_request_and_fewer_users_are_offered() -> None:
    values = [way.choice.model_dump() for way in _ways_out()]
    one_card = [v for v in values if v["total_gpus"] == 1 and v["gpu"] == "l40s"]
    assert [v["kv_format"] for v in one_card].count("fp8") == 1
    assert any(v["max_model_len"] < 65536 for v in one_card)
    assert len(one_card) == 3


def test_the_longest_request_is_the_longest_that_fits() -> None:
    lengths = [way.choice.model_dump() for way in _ways_out()]
    shorter = next(v for v in lengths if v["max_model_len"] < 65536)
    length = shorter["max_model_len"]
    assert _fits(shorter, length=length, users=6)
    assert not _fits(shorter, length=length + 1024, users=6)


@pytest.mark.parametrize("cache", ["bf16", "fp8"])
def test_a_stated_cache_format_is_not_changed(cache: str) -> None:
    load = {"kv_format": cache, "concurrency": 6 if cache == "bf16" else 12}
    formats = {way.choice.model_dump()["kv_format"] for way in _ways_out(**load)}
    assert formats == {cache}
