"""A text that names another thing is no symptom; what a fix repeats of the text is of the text."""

from __future__ import annotations

import pytest
from diagnose_support import told

from advisor.store.gotcha import Quote

KEPT = [
    "OOMKilled",
    "Last State: Terminated Reason: OOMKilled Exit Code: 137",
    "OOMKilled exit code 137 (container vllm, memory limit 64Gi)",
    "trainer-0   0/1   OOMKilled   3   5m",
    "Image: vllm/vllm-openai:v0.12\nLast State: Terminated\nReason: OOMKilled\nExit Code: 137",
    "Container web exited with code 137\nContainer vllm exited with code 137",
]


@pytest.mark.parametrize("text", KEPT)
def test_memory_of_a_container_is_told_when_it_may_be_the_engine(text: str) -> None:
    assert told(text).matches[0].id == "oom-killed"


@pytest.mark.parametrize("taint", ["nvidia.com/gpu: present", "sku: gpu", "dedicated: gpu"])
def test_the_fix_names_the_taint_of_the_text(taint: str) -> None:
    line = f"1 node(s) had untolerated taint {{node.kubernetes.io/not-ready: }}, 2 {{{taint}}}"
    text = line.replace("2 {", "2 node(s) had untolerated taint {")

    match = told(text).matches[0]

    assert match.id == "untolerated-taint"
    assert match.causes[0].fix.startswith(f"Tolerate {taint} in the pod")


def test_a_taint_without_a_value_is_named_by_its_key() -> None:
    match = told("2 node(s) had untolerated taint {amd.com/gpu: }").matches[0]

    assert match.causes[0].fix.startswith("Tolerate amd.com/gpu in the pod")


def test_a_fix_without_a_taint_in_the_text_names_the_usual_one() -> None:
    quote = Quote(slot="<taint>", pattern=r"taint \{(.*?)\}", otherwise="nvidia.com/gpu")

    assert quote.fill("Tolerate <taint>.", "no taint here") == "Tolerate nvidia.com/gpu."
    assert quote.fill("Drain.", "taint {a}") == "Drain."


@pytest.mark.parametrize(
    "text",
    [
        "AllocationFailed",
        "code=allocationfailed",
        "Error: Allocation\nFailed",
        "Allocation failed. We do not have sufficient capacity for the requested VM size",
        "ZonalAllocationFailed",
    ],
)
def test_a_code_of_a_cloud_is_told_in_any_case(text: str) -> None:
    assert told(text).matches[0].id == "insufficient-capacity"


@pytest.mark.parametrize("text", ["KeyboardInterrupt", "and then a KeyboardInterrupt"])
def test_one_word_of_a_text_of_several_is_no_cut_text(text: str) -> None:
    assert told(text).unknown


def test_a_gpu_among_what_the_scheduler_lacks_is_told() -> None:
    text = "0/5 nodes are available: 2 Insufficient cpu, 3 Insufficient nvidia.com/gpu."

    assert told(text).matches[0].id == "insufficient-gpu"
    assert told("2 Insufficient cpu, 3 Insufficient nvidia.com/g").matches[0].id
