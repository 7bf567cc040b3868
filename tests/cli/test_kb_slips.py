"""``kb check`` on what an engineer's editor leaves behind: each slip told once, where it is."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest

from advisor.cli.kb_check import check_everything
from advisor.errors import Problem
from advisor.store.loader import load_knowledge

TODAY = date(2026, 11, 30)

MEANINGS = (
    # file, what stands there, what is planted, code, what is said
    ("gotchas/driver.yaml", "told_by: [warn-two-driver-owners]",
     "told_by: [warn-two-driver-owner]", "unknown_id", "Did you mean warn-two-driver-owners"),
    ("gotchas/mig.yaml", "{key: choice.sharing.option, values: [mig, mig_in_guest]}",
     "{key: choice.sharing.options, values: [mig, mig_in_guest]}", "unknown_key",
     "Did you mean choice.sharing.option"),
    ("gotchas/dra.yaml", "values: [wanted, in_use]", "values: [wanted, in_used]", "bad_value",
     "Did you mean in_use"),
    ("gotchas/virtualization.yaml", "values: [rtx-5090, rtx-5080,",
     "values: [rtx-5090, rtx-580,", "bad_value", "Did you mean rtx-5080"),
    ("rules/sharing-conflicts.yaml", "'rtx-pro-6000-workstation', 'rtx-pro-6000-max-q'",
     "'rtx-pro-6000-workstation', 'rtx-pro-6000-maxq'", "unknown_id",
     "Did you mean rtx-pro-6000-max-q"),
    ("symptoms/mig.yaml", "- id: mixed-under-single", "- id: profile-of-other-card",
     "duplicate_id", "called profile-of-other-card already"),
    ("catalogues/mig.yaml", "profile: 2g.12gb, memory_gb: 12,", "profile: 2g.12gb, memory_gb: 24,",
     "contradiction", "than its name says"),
    ("kubernetes/releases.yaml", "released: '2025-08-27'", "released: '2025-13-27'", "bad_date",
     "2025-13-27 is no date"),
    ("gpus/nvidia-hopper.yaml", "tdp_w: 350", "tdp_w: -350", "contradiction", "-350 is below zero"),
    ("kubernetes/metrics.yaml", "metrics: [dcgm-xid-count]", "metrics: [dcgm-xid-counts]",
     "unknown_id", "Did you mean dcgm-xid-count"),
    ("kubernetes/metrics.yaml", "expr: vllm:kv_cache_usage_perc > 0.95",
     "expr: vllm:gpu_cache_usage_perc > 0.95", "bad_expression", "vllm:kv_cache_usage_perc"),
    ("rules/sharing.yaml", "id: sharing-linux-only", "id: sharing-bare-metal", "duplicate_id",
     "called 'sharing-bare-metal' already"),
    ("rules/pods.yaml", 'cite: ["', 'cite: [5.4, "', "invalid_type", "quote it, '5.4'"),
)  # fmt: skip

FORMS = (
    ("gotchas/mig.yaml", "severity: warning", "severity: high", "bad_value", "Allowed: critical"),
    ("gotchas/dra.yaml", "before_version: '1.36.3'", "before_version: '1.36.x'", "wrong_type",
     "'1.36.x' is no version such as 1.36.2"),
    ("gotchas/rdma.yaml", "sections: ['3.5', '7.4']", "sections: 3.5", "wrong_type",
     "must be a list, such as"),
    ("gotchas/sharing.yaml", "sources: [operator-sharing, device-plugin]", "sources: []",
     "wrong_type", "At least 1 must be named"),
    ("gotchas/startup.yaml", "- id: shm-too-small", "- id: SHM too small", "wrong_type",
     "'SHM too small' is no id"),
    ("kubernetes/dra-gates.yaml", "as_of: '2026-11-29'", "as_of: '29.11.2026'", "wrong_type",
     "'29.11.2026' is no date such as 2026"),
    ("kubernetes/xids.yaml", "device_plugin_drops_gpu: true", "device_plugin_drops_gpu: mostly",
     "wrong_type", "must be true or false"),
    ("kubernetes/metrics.yaml", "for_minutes: 10", "for_minutes: 10m", "wrong_type",
     "must be a whole number, without a unit"),
    ("gpus/nvidia-hopper.yaml", "memory_gb: 80", "memory_gb: 80 GB", "wrong_type",
     "must be a number, without a unit"),
    ("questions/tenancy.yaml", "kind: enum", "kind: enumeration", "bad_value", "Allowed: "),
    ("symptoms/mig.yaml", "title: The MIG layout does not", "title: MIG: it does not", "bad_yaml",
     "needs quotes"),
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "kb"
    shutil.copytree(load_knowledge().path, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.mark.parametrize("slips", [MEANINGS, FORMS], ids=["meanings", "forms"])
def test_each_slip_is_told_once_with_file_line_and_a_way_out(
    folder: Path, slips: tuple[tuple[str, str, str, str, str], ...]
) -> None:
    lines = {}
    for file, old, new, _, _ in slips:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text, old
        lines[file, new] = text[: text.index(old)].count("\n") + 1
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    faults = check_everything(folder, TODAY, analyse=False).faults
    told = [_place(fault) for fault in faults]
    for file, _, new, code, says in slips:
        near = [str(f) for f in faults if _place(f) == (file, lines[file, new], code)]
        assert near, (new, [str(f) for f in faults if file in (f.file or "")])
        assert any(says in text for text in near), near
    assert len(told) == len(slips), [str(fault) for fault in faults]


def _place(fault: Problem) -> tuple[str, int | None, str]:
    return (fault.file or "").removeprefix("kb/"), fault.line, fault.code
