"""A decision depends on what it says it depends on, and on nothing else; `benchmarks/firm.py` tries
many more."""

from __future__ import annotations

import pytest
from firm_promise import broken_promises


@pytest.mark.parametrize("seed", range(16))
def test_no_answer_that_a_decision_does_not_depend_on_changes_it(seed: int) -> None:
    assert [str(broken) for broken in broken_promises(seed, tries=1)] == []


@pytest.mark.parametrize("given", ["unknown", None])
def test_what_is_said_for_all_loads_is_among_what_several_loads_depend_on(
    given: str | None,
) -> None:
    """A record that leaves something out takes what `workload` says, so that is open too."""
    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise

    workload = {} if given is None else {"weight_format": given}
    document = {
        "workload": workload,
        "workloads": [
            {"name": "a", "model": "llama-3.1-8b"},
            {"name": "b", "model": "qwen3-8b", "kv_format": "fp8"},
        ],
    }
    decision = advise(read_answers(document), engine="reference").decisions["gpu"]
    keys = {needed.question for needed in decision.depends_on}

    assert {"workload.weight_format", "workloads[0].weight_format"} <= keys
    assert {"workload.kv_format", "workloads[0].kv_format"} <= keys
    assert "workloads[1].kv_format" not in keys


def test_what_may_keep_copies_apart_is_among_what_they_depend_on() -> None:
    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise

    loads = [{"name": name, "model": "llama-3.1-8b", "concurrency": 4} for name in "ab"]
    told = advise(read_answers({"workloads": loads}), engine="reference")
    keys = {needed.question for needed in told.decisions["gpu"].depends_on}

    assert {"tenancy.tenants", "tenancy.isolation", "tenancy.crash_isolation"} <= keys


def test_the_shape_of_a_machine_and_its_limit_are_open_where_an_inventory_grows() -> None:
    """What draws too much for a node, or fits no machine, is ruled out by them."""
    from advisor.answers.validate import read_answers
    from advisor.consult.advise import advise

    document = {
        "workload": {"kind": "serving", "concurrency": 64, "context_tokens": 65536},
        "workloads": [
            {"name": "one", "model": "qwen3-30b-a3b"},
            {"name": "two", "model": "qwen3-235b-a22b"},
        ],
        "hardware": {
            "acquisition": "owned",
            "inventory": [{"gpu": "b200", "gpus_per_node": 2}],
        },
    }
    decision = advise(read_answers(document), engine="reference").decisions["gpu"]
    keys = {needed.question for needed in decision.depends_on}

    assert {"hardware.gpus_per_node", "hardware.max_node_kw"} <= keys
