"""Rented GPUs that stay idle: counted over all machines and all loads, never load by load."""

from __future__ import annotations

from typing import Any

import pytest
from consult_support import choice, told

LOAD = {"kind": "serving", "context_tokens": 8192, "concurrency": 16}
SMALL = {**LOAD, "model": "llama-3.1-8b-instruct"}
MIDDLE = {**LOAD, "model": "qwen2.5-32b-instruct"}
PLACE = {
    "hardware": {"acquisition": "rent", "gpu": "h100-sxm"}, "platform": {"cloud": "gcp"},
}  # fmt: skip


@pytest.mark.parametrize(
    "document",
    [
        {"workload": SMALL, **PLACE},
        {"workload": SMALL, **PLACE, "ask": ["gpu"]},
        {"workloads": [SMALL, MIDDLE], **PLACE},
        {"workloads": [SMALL, MIDDLE, MIDDLE], **PLACE, "tenancy": {"tenants": "untrusted"}},
    ],
)
def test_the_warning_counts_what_the_choice_leaves_idle(document: dict[str, Any]) -> None:
    found = told(document)
    [text] = [w.text for w in found.warnings if w.id == "warn-idle-rented-gpus"]

    made = choice(found)
    assert text.startswith(f"{made['idle_gpus']} of the rented GPUs stay idle")
    assert f"the load takes {made['total_gpus']} GPU" in text


@pytest.mark.parametrize("how", ["buy", "owned"])
def test_nothing_that_is_not_rented_is_warned_of(how: str) -> None:
    document = {
        "workload": SMALL, "hardware": {"acquisition": how, "gpu": "h100-sxm", "gpus_per_node": 8},
    }  # fmt: skip

    assert "warn-idle-rented-gpus" not in {w.id for w in told(document).warnings}
