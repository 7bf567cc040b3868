"""How long the commands take, as a person waits for them: whole processes, imports included.

    python benchmarks/startup.py [runs]

Prints the median and the fastest of ``runs`` (default 11) and the peak memory, beside the
budget, and exits 1 when a median is over its budget. Not a test: a busy machine is slower.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = Path(sys.executable).with_name("gpu-advisor")
EXAMPLE = str(ROOT / "examples" / "llama-70b-chat.yaml")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in one unit of ``ru_maxrss``: KiB on Linux, bytes on macOS."""


@dataclass(frozen=True, slots=True)
class Job:
    """One command and how long it may take."""

    name: str
    arguments: tuple[str, ...]
    budget_seconds: float


JOBS = (
    Job("--help", ("--help",), 0.15),
    Job("--version", ("--version",), 0.8),
    Job(
        "size",
        ("size", "--model", "llama-3.3-70b", "--gpu", "h100-sxm", "--gpu-count", "4"),
        0.8,
    ),
    Job("advise", ("advise", EXAMPLE), 0.8),
)


def run_once(job: Job) -> tuple[float, float]:
    """Return wall seconds and peak MB of one process.

    Raises:
        SystemExit: The command failed: its time would mean nothing.
    """
    began = time.perf_counter()
    child = subprocess.Popen(
        [PROGRAM, *job.arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"gpu-advisor {' '.join(job.arguments)} ended with {child.returncode}")
    return seconds, usage.ru_maxrss * RSS_UNIT / 1e6


def main(runs: int) -> int:
    """Measure every job and return 1 when one is over budget."""
    over = False
    print(f"{'command':<12}{'median s':>10}{'fastest s':>11}{'peak MB':>9}{'budget s':>10}")
    for job in JOBS:
        run_once(job)  # the first run writes bytecode and fills the page cache
        measured = [run_once(job) for _ in range(runs)]
        median = statistics.median(seconds for seconds, _ in measured)
        fastest = min(seconds for seconds, _ in measured)
        memory = max(megabytes for _, megabytes in measured)
        verdict = "PASS" if median <= job.budget_seconds else "FAIL"
        over = over or verdict == "FAIL"
        print(
            f"{job.name:<12}{median:>10.3f}{fastest:>11.3f}{memory:>9.0f}"
            f"{job.budget_seconds:>10.2f}  {verdict}"
        )
    return int(over)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 11))
