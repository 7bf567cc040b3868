"""Side by side with other tools that pip can install: what they answer, how long, how much memory.

    python benchmarks/peers.py [name ...]

Each tool gets a throw-away virtual environment in a temporary folder. A tool that cannot be
installed, or that needs a model hub which cannot be reached, is skipped with the reason. The
question is the same for all: Llama 3.3 70B in 16 bit on four 80 GB H100, 8k tokens a request.
Never part of the tests: it needs the network and other people's releases.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from dataclasses import dataclass
from pathlib import Path

HUB_ID = "meta-llama/Llama-3.3-70B-Instruct"
RUNS = 5
MOST_LINES = 40
TIMEOUT_SECONDS = 60
NO_HUB = (
    "connect",
    "fetch",
    "resolve",
    "huggingface",
    "network",
    "timed out",
    "offline",
    "proxy",
    "403",
)
"""Words in an error that mean: it wanted to ask a hub."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool, how to install it and how to ask it."""

    name: str
    requirement: str
    command: tuple[str, ...]


PEERS = (
    Peer(
        "ridgepoint",
        "ridgepoint==0.1.2",
        ("ridgepoint", "fit", "llama-3-70b", "--gpu", "h100-80gb:4", "--ctx", "8192"),
    ),
    Peer(
        "llmfit",
        "llmfit==1.1.17",
        ("llmfit", "plan", HUB_ID, "--context", "8192", "--quant", "BF16", "--json"),
    ),
    Peer(
        "kvfit",
        "kvfit==0.3.0",
        ("kvfit", HUB_ID, "--hardware", "h100", "--gpus", "4", "--context", "8192"),
    ),
    Peer(
        "hf-mem",
        "hf-mem==0.5.6",
        ("hf-mem", "--model-id", HUB_ID, "--experimental", "--max-model-len", "8192"),
    ),
    Peer(
        "llm-d-planner",
        "llm-d-planner[estimation]==0.3.3",
        ("planner", "plan", "--model", HUB_ID, "--gpu-memory", "80", "--tp", "4"),
    ),
)
OURS = Peer(
    "gpu-advisor",
    "",
    (
        *("gpu-advisor", "size", "--model", "llama-3.3-70b", "--gpu", "h100-sxm"),
        *("--tensor-parallel", "4", "--max-model-len", "8k"),
    ),
)


class SkippedError(Exception):
    """This tool could not be asked here; the message is the reason."""


def install(peer: Peer, folder: Path) -> Path:
    """Return the scripts folder of a fresh environment that holds ``peer``."""
    venv.create(folder, with_pip=True)
    done = subprocess.run(
        [folder / "bin" / "python", "-m", "pip", "install", "-q", peer.requirement],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SkippedError(f"cannot be installed: {last_line(done.stderr)}")
    return folder / "bin"


def last_line(text: str) -> str:
    """Return the last line that says something, shortened."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:100] if lines else "no message"


def ask(peer: Peer, scripts: Path, scratch: Path) -> tuple[float, float, str]:
    """Return wall seconds, peak MB and the output of one process.

    Raises:
        SkippedError: It failed or took longer than the time limit.
    """
    program, *arguments = peer.command
    environment = {**os.environ, "HOME": str(scratch)}
    with (scratch / "out").open("w+") as out, (scratch / "err").open("w+") as err:
        began = time.perf_counter()
        child = subprocess.Popen(
            [scripts / program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=environment,
        )
        alarm = threading.Timer(TIMEOUT_SECONDS, child.kill)
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        alarm.cancel()
        seconds = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said, complained = out.read(), err.read()
    if child.returncode != 0:
        text = last_line(complained or said)
        hub = any(word in (complained + said).lower() for word in NO_HUB)
        raise SkippedError(f"needs a model hub: {text}" if hub else f"failed: {text}")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6, said


def compare(peer: Peer, scratch: Path) -> None:
    """Install, ask and print one tool."""
    try:
        scripts = (
            install(peer, scratch / "venv") if peer.requirement else Path(sys.executable).parent
        )
        ask(peer, scripts, scratch)
        answers = [ask(peer, scripts, scratch) for _ in range(RUNS)]
    except SkippedError as reason:
        print(f"\n## {peer.name}: skipped, {reason}")
        return
    seconds = statistics.median(answer[0] for answer in answers)
    memory = max(answer[1] for answer in answers)
    print(f"\n## {peer.name}: {seconds:.2f} s, {memory:.0f} MB\n\n$ {' '.join(peer.command)}")
    lines = answers[0][2].rstrip().splitlines()
    print("\n".join(lines[:MOST_LINES]))
    if len(lines) > MOST_LINES:
        print(f"[{len(lines) - MOST_LINES} more lines]")


def main(names: list[str]) -> int:
    """Compare the tools named, or all."""
    known = {peer.name: peer for peer in (OURS, *PEERS)}
    unknown = set(names) - known.keys()
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
        return 2
    for name in names or known:
        with tempfile.TemporaryDirectory() as scratch:
            compare(known[name], Path(scratch))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
