"""How long the commands take, as a person waits for them: whole processes, imports included.

    python benchmarks/startup.py [runs]

Prints the median and the fastest of ``runs`` (default 11) and the peak memory, beside the
budget, and exits 1 when a median is over its budget. Not a test: a busy machine is slower.

Bytecode is kept in a folder of its own, as an installed program has it. ``cold`` starts without
the cache of parsed knowledge, ``off`` does without it, everything else finds it filled. The last
row is Python doing nothing: what no program can go below.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = (str(Path(sys.executable).with_name("gpu-advisor")),)
EXAMPLE = str(ROOT / "examples" / "llama-70b-chat.yaml")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in one unit of ``ru_maxrss``: KiB on Linux, bytes on macOS."""


@dataclass(frozen=True, slots=True)
class Job:
    """One command and how long it may take."""

    name: str
    command: tuple[str, ...]
    budget_seconds: float | None
    cache: str = "warm"
    """Of the parsed knowledge: ``warm``, ``cold`` or ``off``."""


SIZE = ("size", "--model", "llama-3.3-70b", "--gpu", "h100-sxm", "--gpu-count", "4")
JOBS = (
    Job("--help", (*PROGRAM, "--help"), 0.15),
    Job("--version", (*PROGRAM, "--version"), 0.8),
    Job("size", (*PROGRAM, *SIZE), 0.8),
    Job("advise", (*PROGRAM, "advise", EXAMPLE), 0.8),
    Job("advise, cold", (*PROGRAM, "advise", EXAMPLE), None, "cold"),
    Job("advise, off", (*PROGRAM, "advise", EXAMPLE), None, "off"),
    Job("python", (sys.executable, "-c", ""), None),
)


def run_once(job: Job, scratch: Path) -> tuple[float, float, float]:
    """Return wall seconds, processor seconds and peak MB of one process.

    Args:
        job: What to run.
        scratch: Folder for bytecode and for the cache.

    Raises:
        SystemExit: The command failed: its time would mean nothing.
    """
    cache = scratch / "cache"
    if job.cache == "cold":
        for file in cache.glob("*"):
            file.unlink()
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment["PYTHONPYCACHEPREFIX"] = str(scratch / "bytecode")
    environment["GPU_ADVISOR_CACHE"] = "off" if job.cache == "off" else str(cache)
    began = time.perf_counter()
    child = subprocess.Popen(
        job.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(job.command)} ended with {child.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * RSS_UNIT / 1e6


def main(runs: int) -> int:
    """Measure every job and return 1 when one is over budget."""
    over = False
    head = f"{'command':<14}{'median s':>10}{'fastest s':>11}{'cpu s':>8}"
    print(f"{head}{'peak MB':>9}{'budget s':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for job in JOBS:
            run_once(job, Path(folder))  # writes bytecode and both caches
            measured = [run_once(job, Path(folder)) for _ in range(runs)]
            walls, processors, memories = zip(*measured, strict=True)
            median = statistics.median(walls)
            row = f"{job.name:<14}{median:>10.3f}{min(walls):>11.3f}"
            row += f"{statistics.median(processors):>8.3f}{max(memories):>9.0f}"
            if job.budget_seconds is not None:
                verdict = "PASS" if median <= job.budget_seconds else "FAIL"
                over = over or verdict == "FAIL"
                row += f"{job.budget_seconds:>10.2f}  {verdict}"
            print(row)
    return int(over)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 11))
