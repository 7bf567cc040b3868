"""Claims about platforms and sharing come up when the answers touch them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.platform_topics import platform_topics
from advisor.store.corrections import TOPICS, load_corrections

_LOAD = {"kind": "serving", "model": "llama-3.1-8b"}


@pytest.mark.parametrize(
    ("values", "topics"),
    [
        ({"platform.sharing_now": ("time_slicing",)}, {"time_slicing"}),
        ({"platform.machine": "vm"}, {"vm", "provisioning"}),
        ({"platform.dra": "wanted"}, {"dra", "kubernetes"}),
        ({"platform.dra": "no"}, set()),
        ({"workload.cpu_offload": "in_use"}, {"offload", "memory"}),
        ({"tenancy.tenants": "untrusted"}, {"isolation"}),
        ({"platform.sharing_now": ("vgpu",)}, {"vgpu", "vm", "sriov", "provisioning"}),
        ({"platform.env": {"NCCL_DEBUG": "INFO"}}, {"nccl"}),
        ({"platform.env": {"HF_HOME": "models"}}, set()),
        ({"training.job_stack": "jobset"}, {"job_stack"}),
        ({"training.job_stack": "none"}, set()),
        ({"platform.driver_owner_now": "operator"}, {"gpu_operator", "provisioning"}),
        ({"platform.driver_owner_now": "image"}, set()),
        ({"platform.dra_driver_version": "0.5.0"}, {"dra", "kubernetes"}),
    ],
)
def test_answers_bring_up_their_topics(values: dict[str, Any], topics: set[str]) -> None:
    assert platform_topics(values) == topics


def test_topics_that_answers_bring_up_are_known() -> None:
    everything = {
        "platform.sharing_now": ("time_slicing", "mps", "mig", "vgpu"),
        "platform.machine": "vm",
        "platform.dra": "in_use",
        "platform.node_autoscaler": "karpenter",
        "platform.gpu_operator_version": "26.7.0",
        "platform.container_runtime": "containerd",
        "tenancy.confidential": True,
    }
    assert platform_topics(everything) <= set(TOPICS)


def test_time_slicing_in_use_shows_what_is_wrongly_said_of_it() -> None:
    answers = {
        "workload": _LOAD,
        "platform": {"sharing_now": ["time_slicing"]},
        "tenancy": {"tenants": "untrusted"},
    }
    plain = {c.id for c in advise(read_answers({"workload": _LOAD})).corrections}
    shown = {c.id for c in advise(read_answers(answers)).corrections} - plain
    about = {record.id for record in load_corrections().about({"time_slicing"})}
    assert shown & about
