"""llama.cpp reads GGUF files: no format of other engines is advised for it."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, serving, told

from advisor.consult.consultation import Consultation

_READ = {"bf16", "fp16", "mxfp4", "gguf_q8", "gguf_q4"}


def asked(model: str = "qwen2.5-14b", **answers: Any) -> Consultation:
    owned = {"hardware__acquisition": "owned", "hardware__gpus_per_node": 1}
    load = {"engine": "llama_cpp", "context_tokens": 8192, "concurrency": 2}
    return told(serving(model, "rtx-4090", **load, **owned, **answers))


@pytest.mark.parametrize(
    ("model", "quantization", "format_"),
    [
        ("qwen2.5-14b", "allowed", "gguf_q8"),
        ("llama-3.1-8b", "not_allowed", "bf16"),
        ("gpt-oss-20b", "allowed", "mxfp4"),
    ],
)
def test_only_formats_that_gguf_has_are_advised(
    model: str, quantization: str, format_: str
) -> None:
    found = asked(model, quantization=quantization)
    offered = found.decisions["gpu"].alternatives

    assert choice(found)["weight_format"] == format_
    assert {other.choice.model_dump().get("weight_format") for other in offered} <= _READ


def test_a_format_of_other_engines_is_refused_with_those_that_can_be_read() -> None:
    found = asked(weight_format="awq_int4")
    made = found.decisions["gpu"]

    assert choice(found)["option"] == "change_owned"
    assert "cannot load awq_int4" in made.rejected[0].because
    assert made.alternatives[0].choice.model_dump()["weight_format"] == "gguf_q4"
