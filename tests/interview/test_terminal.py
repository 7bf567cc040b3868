"""The real program on a real terminal (a pseudo-terminal), as somebody types."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of POSIX", allow_module_level=True)

import pty
import select

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
            # who runs the tests may be deaf to Ctrl+C (in the background), and so would children be
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            program = [sys.executable, "-m", "advisor", *words]
            os.execve(program[0], program, environment)  # noqa: S606 - our own program
        self._pid, self.text = pid, ""

    def until(self, *ends: str, said: str = "") -> str:
        """Read until these words were said and the screen ends so, and return what came.

        A prompt alone is no sign that an answer was taken: it is drawn again where a line begins
        with a key that was pressed.
        """
        start = len(self.text)
        while not (said in plain(self.text[start:]) and plain(self.text[start:]).endswith(ends)):
            if not self._read_on():
                break
        assert said in plain(self.text[start:]), self.text
        return plain(self.text[start:])

    def _read_on(self) -> bool:
        """Take what the program writes next; say whether it still runs."""
        begun = time.monotonic()
        while not select.select([self._handle], [], [], 1.0)[0]:
            assert time.monotonic() - begun < _PATIENCE_SECONDS, self.text
        try:
            data = os.read(self._handle, 65536)
        except OSError:
            return False
        self.text += data.decode("utf-8", "replace")
        return bool(data)

    def interrupt(self, said: str) -> None:
        """Press Ctrl+C until it is heard.

        Pressed in the moment between the prompt and the reading it waits for the next key.
        """
        start, begun = len(self.text), time.monotonic()
        while said not in plain(self.text[start:]):
            assert time.monotonic() - begun < _PATIENCE_SECONDS, self.text
            self.send("\x03")
            while select.select([self._handle], [], [], 2.0)[0] and self._read_on():
                if said in plain(self.text[start:]):
                    return

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
    terminal.until(PROMPT, said="/cite 3.3: open a section")
    terminal.send("serving\n")
    terminal.until(PROMPT, said="Which model?")
    terminal.send("\x04")

    assert terminal.code() == 0
    assert "Saved as serving-" in terminal.text
    assert "gpu-advisor --plain --resume serving-" in plain(terminal.text)


@pytest.mark.slow
def test_one_key_picks_and_ctrl_c_twice_leaves(terminals: list[Terminal], tmp_path: Path) -> None:
    terminal = open_terminal(terminals, tmp_path, "--keypress")
    terminal.send("\x1b[A\x7f")  # an arrow and a backspace say nothing
    terminal.send("6")
    terminal.until(PROMPT, said="Which model?")
    terminal.send("llama 3.1 8b\n")
    terminal.until(PROMPT, said="Are all weights trained")
    terminal.send("lora\n")
    terminal.until(PROMPT, said="LoRA adapter on 16-bit weights")
    terminal.interrupt("Ctrl+C again leaves")
    terminal.interrupt("Saved as")

    assert terminal.code() == 0
    assert "Saved as llama-3.1-8b-" in terminal.text
