"""Which gotchas a situation brings: those of its choices, no others, in a stable order."""

from __future__ import annotations

import pytest
from gotcha_lists import H100, METRICS, PLUGIN, SITUATIONS
from gotcha_situations import BROUGHT_BY
from gotcha_support import consulted, gotchas, shown

from advisor.store.loader import load_knowledge


def test_every_gotcha_has_a_situation_that_brings_it() -> None:
    assert set(BROUGHT_BY) == set(load_knowledge().gotchas)


@pytest.mark.parametrize("name", BROUGHT_BY)
def test_a_gotcha_or_the_rule_that_tells_it_is_shown(name: str) -> None:
    tellers = {name, *load_knowledge().gotchas[name].told_by}

    found = consulted(BROUGHT_BY[name]).warnings
    assert tellers & {*(w.id for w in found), *(w.rule for w in found)}


@pytest.mark.parametrize("name", BROUGHT_BY)
def test_a_gotcha_is_not_shown_where_nothing_is_said(name: str) -> None:
    assert name in _OF_THE_USUAL or name not in gotchas({"workload.kind": "platform"})


_OF_THE_USUAL = {
    "gpu-dropped-after-xid", "ecc-alert-never-fires", "xid-alert-never-clears",
    "utilisation-misread", "driver-cannot-build", "driver-upgrade-evicts", "nouveau-holds-gpu",
}  # fmt: skip
"""A plain cluster is assumed, on which the operator builds the driver."""


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_situation_brings_exactly_these_gotchas(name: str) -> None:
    answers, wanted = SITUATIONS[name]

    assert gotchas(answers) == wanted


def test_the_worst_come_first_and_among_equals_what_was_stated() -> None:
    answers, _ = SITUATIONS["a model on EKS under Karpenter"]
    ranks = {"critical": 0, "warning": 1, "info": 2}
    severities = [ranks[warning.severity] for warning in consulted(answers).warnings]
    order = shown(answers)

    assert severities == sorted(severities)
    assert order.index("karpenter-expiry") < order.index("probe-kills-loading")


def test_what_is_stated_goes_before_what_is_usual() -> None:
    usual = {"workload.kind": "serving", "workload.model": "qwen3-8b", "hardware.gpu": "l40s"}
    order = shown({**usual, "platform.sharing_now": ["mps"]})

    assert order.index("mps-fault-ends-all") < order.index("probe-kills-loading")


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_order_does_not_depend_on_the_engine_or_on_the_order_of_answers(name: str) -> None:
    pytest.importorskip("durable_rules_engine")
    answers, _ = SITUATIONS[name]
    turned = dict(reversed(answers.items()))

    assert [w.id for w in consulted(turned, "durable").warnings] == shown(answers)


def test_a_warning_of_a_gotcha_says_all_that_the_gotcha_says() -> None:
    answers = {"workload.kind": "platform", "platform.sharing_now": ["mps"]}
    (warning,) = [w for w in consulted(answers).warnings if w.id == "mps-fault-ends-all"]
    record = load_knowledge().gotchas["mps-fault-ends-all"]

    assert warning.kind == "gotcha"
    assert warning.rule == "gotcha-mps-fault-ends-all"
    assert warning.text == f"{record.title}."
    assert (warning.severity, warning.symptom, warning.cause, warning.check, warning.fix) == (
        record.severity, record.symptom, record.cause, record.check, record.fix,
    )  # fmt: skip
    assert [citation.section for citation in warning.citations] == list(record.sections)


def test_braces_of_a_command_stay() -> None:
    answers = {"workload.kind": "platform", "platform.node_image": "eks-al2023-standard"}
    checks = [w.check for w in consulted(BROUGHT_BY["gpu-dropped-after-xid"]).warnings]

    assert any("{.status.capacity" in check for check in checks)
    assert not any("{{" in w.check for w in consulted(answers).warnings)


@pytest.mark.parametrize(
    ("version", "inside"),
    [("26.3.1", True), ("26.3.3", False), ("26.7.0", False), ("26.3", True), ("none", False)],
)
def test_a_fault_of_some_versions_is_shown_for_those(version: str, inside: bool) -> None:
    answers = {
        "workload.kind": "platform", "hardware.fabric": "infiniband",
        "platform.gpu_operator_version": version,
    }  # fmt: skip

    assert ("rdma-devices-leak" in gotchas(answers)) is inside


@pytest.mark.parametrize(
    ("version", "rest"),
    [
        ("26.3", "below 26.3.3: only 26.3 was"),
        ("26", "26.3.0 or later and below 26.3.3: only 26 was"),
        ("26.3.1", ""),
    ],
)
def test_a_version_that_is_too_short_to_tell_says_which_ones_matter(
    version: str, rest: str
) -> None:
    answers = {
        "workload.kind": "platform", "hardware.fabric": "infiniband",
        "platform.gpu_operator_version": version,
    }  # fmt: skip
    (text,) = [w.text for w in consulted(answers).warnings if w.id == "rdma-devices-leak"]

    title = f"{load_knowledge().gotchas['rdma-devices-leak'].title}."
    assert text == (f"{title} It applies if yours is {rest} given." if rest else title)


def test_what_is_only_for_information_needs_the_whole_version() -> None:
    answers = {**BROUGHT_BY["rebooted-node-waits"], "platform.gpu_operator_version": "26"}

    assert load_knowledge().gotchas["rebooted-node-waits"].severity == "info"
    assert "rebooted-node-waits" not in gotchas(answers)


def test_versions_that_were_not_given_are_said_once_and_only_where_something_runs() -> None:
    new = {"workload.kind": "platform", **H100}
    running = {**new, "platform.driver_owner_now": "operator"}
    texts = [w.text for w in consulted(running).warnings if w.id == "versions-not-stated"]

    assert "versions-not-stated" not in shown(new)
    assert len(texts) == 1
    assert "Kubernetes, the NVIDIA driver, the GPU Operator" in texts[0]
    whole = {
        **running, "platform.kubernetes_version": "1.36.3", "platform.driver_version": "580.95",
        "platform.gpu_operator_version": "26.7.0",
    }  # fmt: skip
    assert "versions-not-stated" not in shown(whole)


@pytest.mark.parametrize("orchestrator", ["docker", "slurm", "bare_metal"])
def test_without_kubernetes_no_gotcha_speaks_of_it(orchestrator: str) -> None:
    everything = {
        **H100, "hardware.fabric": "infiniband", "hardware.nodes": 4,
        "hardware.gpus_per_node": 8, "platform.sharing_now": ["mig", "time_slicing", "mps"],
        "tenancy.tenants": "untrusted", "tenancy.metering": "per_pod",
    }  # fmt: skip
    found = gotchas({
        "workload.kind": "platform", **everything, "platform.orchestrator": orchestrator,
    })  # fmt: skip

    assert "mps-fault-ends-all" in found
    kubernetes = {"mig-strategy-alone", "shared-request-two", "rdma-memlock", "no-gang"}
    assert not found & {*kubernetes, *PLUGIN, *METRICS}


def test_no_gotcha_of_nvidia_is_shown_for_another_maker() -> None:
    nvidia = {
        record.id for record in load_knowledge().gotchas.values()
        if record.applies.vendor == "nvidia"
    }  # fmt: skip
    answers = {
        "workload.kind": "platform", "hardware.gpu": "mi300x", "hardware.gpus_per_node": 8,
        "hardware.fabric": "roce", "platform.secure_boot": True, "platform.dra": "wanted",
    }  # fmt: skip

    assert len(nvidia) > 40
    assert not gotchas(answers) & nvidia
    assert gotchas({**answers, "hardware.gpu": "h100-sxm"}) & nvidia


def test_asking_for_no_decision_still_brings_the_warnings() -> None:
    answers = {"ask": [], "workload.kind": "platform", "platform.sharing_now": ["mps"]}

    assert consulted(answers).decisions == {}
    assert "mps-fault-ends-all" in shown(answers)


def test_spot_with_a_fallback_is_not_spot_alone() -> None:
    alone = BROUGHT_BY["spot-without-fallback"]

    assert "spot-without-fallback" not in gotchas({
        **alone, "platform.capacity": ["spot", "on_demand"],
    })  # fmt: skip


def test_one_gpu_brings_no_gotcha_about_several() -> None:
    found = gotchas({"workload.kind": "serving", "workload.model": "qwen3-8b", **H100})

    several = {"shm-too-small", "nccl-env-not-in-every-pod", "no-gang", "geforce-p2p-hang"}
    assert not found & several
