"""Claims about platforms and sharing come up when the answers touch them."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.platform_topics import (
    platform_topics,
    topics_of_faults,
    topics_of_sharing,
)
from advisor.store.choices import CHOICES
from advisor.store.corrections import TOPICS, load_corrections
from advisor.store.handbook import load_handbook

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
        (
            {"platform.driver_owner_now": "operator"},
            {"gpu_operator", "operator_choice", "provisioning"},
        ),
        ({"platform.driver_owner_now": "image"}, set()),
        ({"platform.driver_owner_now": "host"}, {"provisioning"}),
        (
            {"platform.gpu_operator_version": "26.7.0"},
            {"gpu_operator", "operator_choice", "kubernetes", "device_plugin"},
        ),
        (
            {"platform.gpu_operator_version": "none"},
            {"operator_choice", "kubernetes", "device_plugin"},
        ),
        ({"platform.dra_driver_version": "0.5.0"}, {"dra", "kubernetes"}),
    ],
)
def test_answers_bring_up_their_topics(values: dict[str, Any], topics: set[str]) -> None:
    assert platform_topics(values) == topics


def test_a_fault_brings_up_what_its_sections_are_about() -> None:
    assert topics_of_faults(["5.6", "5.1"]) == {"observability", "device_plugin", "provisioning"}
    assert topics_of_faults(["7.3"]) == set()


def test_a_chosen_way_to_share_brings_up_its_own_claims() -> None:
    assert topics_of_sharing("mig_in_guest") == {"mig", "vm"}
    assert topics_of_sharing("exclusive") == topics_of_sharing(None) == set()


def test_topics_that_faults_and_choices_bring_up_are_known() -> None:
    book = {section.number for section in load_handbook().sections}
    options = CHOICES["choice.sharing.option"]

    assert topics_of_faults(book) <= set(TOPICS)
    assert set().union(*map(topics_of_sharing, options)) <= set(TOPICS)


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
