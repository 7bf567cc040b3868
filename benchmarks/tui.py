"""How long the terminal interview takes, as somebody at a terminal waits for it.

    python benchmarks/tui.py [runs]

Whole processes on a pseudo terminal of 120 by 36, bytecode and cache of knowledge warm:

- ``first frame``: from the start of the process to the frame with the input line;
- ``first question``: to the first question, which can be answered;
- ``repaint``: from an answer to what it settled, evidence included, on screen;
- ``next question``: from an answer to the next question.

The last row says what an idle screen costs: processor time in five seconds.
Prints medians beside the budgets, exits 1 when one is over. Not a test: busy machines are slower.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

WIDTH, HEIGHT = 120, 36
ANSWERS = ("1", "llama 3.3 70b for 50 users at 16k\r", "6000\r", "1\r", "0\r")
BUDGETS = {"first frame": 0.7, "repaint": 0.25}
IDLE_SECONDS = 5.0
REST_SECONDS = 0.5
MOST_SECONDS = 60.0
_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?<>=]*[a-zA-Z]|[()][A-B0-2]|[=>]|P[^\x1b]*\x1b\\)")


@dataclass(slots=True)
class Screen:
    """A process on a pseudo terminal."""

    child: subprocess.Popen[bytes]
    master: int
    began: float
    seen: bytes = b""

    def until(self, found: Callable[[str], bool]) -> float:
        """Read until what was written since the last rest answers; return the time."""
        end = time.perf_counter() + MOST_SECONDS
        while time.perf_counter() < end:
            if select.select([self.master], [], [], 0.5)[0]:
                self.seen += os.read(self.master, 65536)
                if found(_ESCAPES.sub(b"", self.seen).decode("utf-8", "replace")):
                    return time.perf_counter()
        raise SystemExit(f"never shown: {self.seen[-2000:]!r}")

    def rest(self) -> None:
        """Wait until nothing is written or worked any more; forget what was written."""
        rests = False
        while not rests:
            before = self.cpu()
            written = bool(select.select([self.master], [], [], REST_SECONDS)[0])
            if written:
                os.read(self.master, 65536)
            rests = not written and self.cpu() == before
        self.seen = b""

    def cpu(self) -> float:
        """Return the processor seconds so far."""
        stat = Path(f"/proc/{self.child.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1]
        return sum(map(int, stat.split()[11:13])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def opened(scratch: Path) -> Iterator[Screen]:
    """Start the interview; leave it at the end."""
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "PYTHONPYCACHEPREFIX": str(scratch / "bytecode"),
        "GPU_ADVISOR_CACHE": str(scratch / "cache"),
        "GPU_ADVISOR_DATA": str(scratch / "data"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    began = time.perf_counter()
    child = subprocess.Popen(
        (str(Path(sys.executable).with_name("gpu-advisor")),),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
    )
    os.close(slave)
    screen = Screen(child, master, began)
    try:
        yield screen
    finally:
        child.kill()
        child.wait()
        os.close(master)


def measure(scratch: Path, note: Callable[[str, float, float], object]) -> None:
    """Hold a short interview and note how long each step took, waiting and working."""
    with opened(scratch) as screen:
        frame = screen.until(lambda text: "Reading the handbook" in text)
        note("first frame", frame - screen.began, screen.cpu())
        question = screen.until(lambda text: "What should the GPUs do?" in text)
        note("first question", question - screen.began, screen.cpu())
        for number, answer in enumerate(ANSWERS, 1):
            screen.rest()
            begun, cpu = time.perf_counter(), screen.cpu()
            os.write(screen.master, answer.encode())
            painted = screen.until(lambda text, n=number: f"{n} answered" in text)
            note("repaint", painted - begun, screen.cpu() - cpu)
            asked = screen.until(lambda text, n=number: f"{n + 1} of about" in text)
            note("next question", asked - begun, screen.cpu() - cpu)
        screen.rest()
        before = screen.cpu()
        time.sleep(IDLE_SECONDS)
        note("idle", IDLE_SECONDS, screen.cpu() - before)


def main(runs: int) -> int:
    """Measure and return 1 when a median is over its budget."""
    times: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), lambda *_: None)  # writes bytecode and the cache
        for _ in range(runs):
            measure(
                Path(folder),
                lambda name, *took: times.setdefault(name, []).append((took[0], took[1])),
            )
    over = False
    load, cores = os.getloadavg()[0], os.cpu_count()
    print(f"load average {load:.1f} on {cores} processors: above one each, waiting is of others")
    print(f"{'step':<16}{'median s':>10}{'fastest s':>11}{'cpu s':>8}{'budget s':>10}")
    for name, found in times.items():
        walls, processors = zip(*found, strict=True)
        median = statistics.median(walls)
        row = f"{name:<16}{median:>10.3f}{min(walls):>11.3f}{statistics.median(processors):>8.3f}"
        if name in BUDGETS:
            verdict = "PASS" if median <= BUDGETS[name] else "FAIL"
            over = over or verdict == "FAIL"
            row += f"{BUDGETS[name]:>10.2f}  {verdict}"
        print(row)
    return int(over)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
