"""Texts of the kernel, of the operator's pods and of the clouds, and what only looks like one."""

from __future__ import annotations

import pytest
from diagnose_support import told

SHOWN = {
    "NVRM: API mismatch: the client has the version 580.95.05, but\n"
    "NVRM: this kernel module has the version 570.172.08.": (
        "nvml-version-mismatch", "host-packages-upgraded",
    ),
    "NVRM: The NVIDIA GPU 0000:17:00.0 (PCI ID: 10de:2901)\n"
    "NVRM: installed in this system requires use of the NVIDIA open kernel modules.": (
        "open-modules-required", "proprietary-modules",
    ),
    "NVRM: GPU0 RmInitAdapter failed! (0x62:0xffff:2477)": ("adapter-init-failed", "gpu-or-bus"),
    "NVRM: GPU 0000:02:00.0: RmInitAdapter failed! (0x22:0x56:884)": (
        "adapter-init-failed", "open-modules",
    ),
    "NCCL WARN MNNVL: no IMEX channel in /dev/nvidia-caps-imex-channels": (
        "mnnvl-fails", "no-channel",
    ),
    "cuMemImportFromShareableHandle failed: CUDA_ERROR_INVALID_HANDLE": (
        "mnnvl-fails", "no-channel",
    ),
    'admission webhook denied the request: resources.limits: Invalid value: "0.5": '
    "must be an integer": ("fractional-request", "integer-only"),
    "nvidia-operator-validator-x7b2l   0/1   Init:0/4   0   14m": (
        "validator-waits", "driver-not-ready",
    ),
    "nvidia-cuda-validator-9k2fs   0/1   Init:CrashLoopBackOff   5 (2m ago)   6m": (
        "validator-waits", "cuda-fails",
    ),
    'Error response from daemon: exec: "nvidia-container-runtime-hook": executable file not '
    "found in $PATH": ("runtime-hook-missing", "toolkit-gone"),
    "modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument": (
        "peermem-not-loaded", "no-peer-memory-api",
    ),
    "nvidia_peermem: Unknown symbol ib_register_peer_memory_client (err -2)": (
        "peermem-not-loaded", "no-peer-memory-api",
    ),
    "GPUDirect-TCPXO: NET/FasTrak plugin failed to load; libnccl-net.so: cannot open shared "
    "object file; falling back to NET/Socket": ("gke-gpudirect-plugin", "plugin-not-mounted"),
    "launching nodeclaim, creating instance, no amis exist given constraints": (
        "karpenter-no-image", "selector",
    ),
    "status of EC2NodeClass gpu: AMISelector did not match any AMIs": (
        "karpenter-no-image", "selector",
    ),
    "Preempting: instance termination notice received": ("instance-reclaimed", "spot"),
    "error watching fields: The third-party Profiling module returned an unrecoverable error": (
        "profiling-module", "another-profiler",
    ),
    "pod didn't trigger scale-up: 1 max node group size reached, 2 Insufficient nvidia.com/gpu": (
        "not-trigger-scale-up", "at-maximum",
    ),
    "pod didn't trigger scale-up: 2 Insufficient nvidia.com/gpu": (
        "not-trigger-scale-up", "empty-group",
    ),
}  # fmt: skip
"""Text to symptom and first cause."""


@pytest.mark.parametrize("text", SHOWN)
def test_a_text_leads_to_its_symptom_and_to_the_cause_that_it_speaks_for(text: str) -> None:
    first = told(text).matches[0]

    assert (first.id, first.causes[0].id) == SHOWN[text]


@pytest.mark.parametrize(
    "text",
    [
        (
            "psycopg2.OperationalError: FATAL: remaining connection slots are reserved; No space "
            "left on device"
        ),
        "PANIC: could not write to file pg_wal/xlogtemp: No space left on device",
        "OSError: [Errno 28] No space left on device: '/var/log/app.log'",
        "No space left on device",
        (
            "NCCL INFO NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: "
            "cannot open shared object file: No such file or directory"
        ),
        "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05",
        "nvidia-operator-validator-4c6fd   1/1   Running   0   12d",
        "Deployment.spec.replicas: Invalid value: must be an integer",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert told(text).matches == ()


def test_shared_memory_that_is_full_is_still_told() -> None:
    text = "NCCL WARN Error: failed to extend /dev/shm/nccl-X: No space left on device"

    assert told(text).matches[0].id == "shm-too-small"
