"""The real program on a real terminal (a pseudo-terminal), as somebody types."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of POSIX", allow_module_level=True)

import pty
import select
import termios

PROMPT = "You: "
_PATIENCE_SECONDS = 60.0


class Terminal:
    """A program at the other end of a pseudo-terminal."""

    def __init__(self, words: tuple[str, ...], data: Path) -> None:
        pid, self._handle = pty.fork()
        if pid == 0:
            environment = {
                **os.environ,
                "GPU_ADVISOR_DATA": str(data),
                "TERM": "xterm",
                "LANG": "C.UTF-8",
                "COLUMNS": "80",
            }
            program = [sys.executable, "-m", "advisor", *words]
            os.execve(program[0], program, environment)  # noqa: S606 - our own program
        self._pid, self.text = pid, ""

    def until(self, *ends: str) -> str:
        """Read until the screen ends so, and return what came."""
        begun, start = time.monotonic(), len(self.text)
        while not plain(self.text[start:]).endswith(ends):
            assert time.monotonic() - begun < _PATIENCE_SECONDS, self.text
            if not select.select([self._handle], [], [], 1.0)[0]:
                continue
            try:
                data = os.read(self._handle, 65536)
            except OSError:
                break
            if not data:
                break
            self.text += data.decode("utf-8", "replace")
        return plain(self.text[start:])

    def until_keys_are_read(self) -> None:
        """Wait until the program takes single keys rather than lines."""
        begun = time.monotonic()
        while termios.tcgetattr(self._handle)[3] & termios.ICANON:
            assert time.monotonic() - begun < _PATIENCE_SECONDS, self.text
            select.select([], [], [], 0.01)

    def send(self, keys: str) -> None:
        os.write(self._handle, keys.encode())

    def code(self) -> int:
        """Read to the end and return the exit code."""
        self.until("\0")
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def close(self) -> None:
        os.close(self._handle)


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).replace("\r", "")


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for one in opened:
        one.close()


def open_terminal(opened: list[Terminal], folder: Path, *words: str) -> Terminal:
    opened.append(Terminal(words, folder))
    opened[-1].until(PROMPT)
    return opened[-1]


@pytest.mark.slow
def test_lines_completion_and_ctrl_d(terminals: list[Terminal], tmp_path: Path) -> None:
    pytest.importorskip("readline")
    terminal = open_terminal(terminals, tmp_path, "--plain")
    terminal.send("/hel\t cite\n")
    assert "/cite 3.3: open a section" in terminal.until(PROMPT)
    terminal.send("serving\n")
    assert "Which model?" in terminal.until(PROMPT)
    terminal.send("\x04")

    assert terminal.code() == 0
    assert "Saved as serving-" in terminal.text
    assert "gpu-advisor --plain --resume serving-" in plain(terminal.text)


@pytest.mark.slow
def test_one_key_picks_and_ctrl_c_twice_leaves(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = open_terminal(terminals, tmp_path, "--keypress")
    terminal.until_keys_are_read()
    terminal.send("\x1b[A\x7f")  # an arrow and a backspace say nothing
    terminal.send("6")
    assert "Which model?" in terminal.until(PROMPT)
    terminal.send("llama 3.1 8b\n")
    assert "Are all weights trained" in terminal.until(PROMPT)
    terminal.send("lora\n")
    assert "LoRA adapter on 16-bit weights" in terminal.until(PROMPT)
    terminal.send("\x03")
    assert "Ctrl+C again leaves" in terminal.until(PROMPT)
    terminal.send("\x03")

    assert terminal.code() == 0
    assert "Saved as llama-3.1-8b-" in terminal.text
