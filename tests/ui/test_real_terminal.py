"""The real command on a real terminal, as far as a pseudo terminal is one."""

from __future__ import annotations

import base64
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("there are no pseudo terminals", allow_module_level=True)

import fcntl
import pty
import struct
import termios

from advisor.ui.terminal import HUNG_UP

pyte = pytest.importorskip("pyte")
pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-m", "advisor")
MOST_SECONDS = 120
"""Nothing takes so long: who waits longer waits for ever."""


def _hear_that_the_terminal_is_gone() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Terminal:
    """A program on a pseudo terminal, and what its screen shows."""

    def __init__(
        self, size: tuple[int, int], environment: Mapping[str, str], arguments: Sequence[str] = ()
    ) -> None:
        width, height = size
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.child = subprocess.Popen(
            (*COMMAND, *arguments), stdin=slave, stdout=slave, stderr=slave,
            env={**os.environ, **environment},
            start_new_session=True,
            # whoever runs the tests may be deaf to it (nohup), and children would be
            preexec_fn=_hear_that_the_terminal_is_gone,  # noqa: PLW1509 - no threads here
        )  # fmt: skip
        os.close(slave)
        self._master = master

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.screen.resize(height, width)
        self.child.send_signal(signal.SIGWINCH)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def until(self, words: str) -> str:
        """Read until the screen shows ``words``."""
        end = time.monotonic() + MOST_SECONDS
        while words not in self.text:
            assert time.monotonic() < end, f"never {words!r}:\n{self.text}"
            assert self._read(), f"ended before {words!r}:\n{self.text}"
        return self.text

    def ended(self) -> int:
        """Read until the program has ended; return its code."""
        end = time.monotonic() + MOST_SECONDS
        while self._read():
            assert time.monotonic() < end, f"never ended:\n{self.text}"
        return self.child.wait(MOST_SECONDS)

    def until_stopped(self) -> None:
        """Read until the program has stopped: to go on before that is to stop for ever."""
        end = time.monotonic() + MOST_SECONDS
        stopped = os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, self.child.pid, stopped) is None:
            assert time.monotonic() < end, f"never stopped:\n{self.text}"
            self._read()

    def gone(self) -> int:
        """Take the terminal away, which does not control the program; return its code."""
        os.close(self._master)
        self._master = os.open(os.devnull, os.O_RDONLY)
        return self.child.wait(MOST_SECONDS)

    def _read(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], 1)
        if not ready:
            return self.child.poll() is None
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.written += data
        # pyte does not know the sequences that ask for private parameters with < > or =
        self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]", b"", data))
        return bool(data)

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self._master)


@pytest.fixture
def opened() -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.close()


def _open(opened: list[Terminal], *arguments: str, **more: str) -> Terminal:
    environment = {"TERM": "xterm-256color", "COLORTERM": "", **more}
    opened.append(Terminal((100, 30), environment, arguments))
    return opened[-1]


def test_an_answer_and_quit(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("1")
    terminal.until("Which model?")
    terminal.press("/quit\r")
    assert terminal.ended() == 0
    assert b"\x1b[?1049l" in terminal.written  # the screen of before is back


def test_keys_pressed_before_the_first_question_are_kept(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("Reading the handbook")
    terminal.press("serving")
    terminal.until("> serving")
    terminal.press("\r")
    terminal.until("Which model?")


def test_function_keys_and_undo_as_terminals_send_them(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("\x1bOP")  # F1
    terminal.until("HELP")
    terminal.press("/panels help\r")
    terminal.until("asked by")
    terminal.press("1")
    terminal.until("1 answered")
    terminal.press("\x1a")  # Ctrl+Z
    terminal.until("0 answered")
    terminal.press("\x03\x03")  # Ctrl+C twice
    assert terminal.ended() == 0


def test_a_killed_program_goes_on_with_every_answer(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("platform\r")
    terminal.until("1 answered")
    terminal.press("untrusted tenants\r")
    terminal.until("2 answered")
    terminal.child.kill()
    terminal.ended()
    again = _open(opened, "--resume")
    again.until("2 answered")
    again.until("> untrusted tenants")
    again.press("/quit\r")
    assert again.ended() == 0
    assert b"--resume platform-" in again.written


def test_answers_that_lead_nowhere_are_told_as_everywhere(
    opened: list[Terminal], tmp_path: Path
) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("workload: {model: no-such-model-at-all}\n", encoding="utf-8")
    terminal = _open(opened, "--answers", str(file))
    assert terminal.ended() == 2
    assert b"no-such-model-at-all" in terminal.written
    assert b"Traceback" not in terminal.written


def test_copy_goes_through_tmux_to_the_terminal(opened: list[Terminal]) -> None:
    terminal = _open(opened, TMUX="yes", SSH_TTY="yes")
    terminal.until("What should the GPUs do?")
    terminal.press("/copy\r")
    terminal.until("clipboard of the terminal")
    sent = re.search(rb"\x1bPtmux;\x1b\x1b\]52;c;([A-Za-z0-9+/=]*)\x07\x1b\\", terminal.written)
    assert sent is not None
    assert "Provisioning" in base64.b64decode(sent.group(1)).decode()


def test_no_colour_is_written_where_none_is_wanted(opened: list[Terminal]) -> None:
    terminal = _open(opened, NO_COLOR="1")
    terminal.until("What should the GPUs do?")
    terminal.press("\x1b[B")  # down
    terminal.until("> 1")
    codes = re.findall(rb"\x1b\[([0-9;]+)m", terminal.written)
    parts = {int(part) for code in codes for part in code.split(b";") if part}
    assert parts <= {0, 1, 2, 3, 4, 7, 22, 23, 24, 27, 39, 49}


def test_256_colours_are_enough(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    assert b";5;" in terminal.written
    assert b"38;2;" not in terminal.written
    assert b"48;2;" not in terminal.written


@pytest.mark.parametrize("stream", ["stdin", "stdout", "stderr"])
def test_redirected_streams_mean_plain_lines(stream: str, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    streams: dict[str, int] = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
    with (tmp_path / "stream").open("w+b") as file:
        if stream == "stdin":
            file.write(b"/quit\n")
            file.seek(0)
        streams[stream] = file.fileno()
        child = subprocess.Popen(
            COMMAND, stdin=streams["stdin"], stdout=streams["stdout"], stderr=streams["stderr"]
        )
        os.close(slave)
        if stream != "stdin":
            os.write(master, b"/quit\n")
        written = b""
        while child.poll() is None:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    written += os.read(master, 65536)
                except OSError:
                    break
        assert child.wait(MOST_SECONDS) == 0
        file.seek(0)
        written += file.read()
    os.close(master)
    assert f"std{stream[3:]} is not a terminal".encode() in written
    assert b"\x1b[?1049h" not in written


def test_a_request_to_end_leaves_the_terminal_as_it_was(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("platform\r")
    terminal.until("1 answered")
    terminal.child.send_signal(signal.SIGTERM)
    assert terminal.ended() == 143
    assert b"\x1b[?1049l" in terminal.written
    assert b"--resume platform-" in terminal.written


def test_a_terminal_that_goes_away_loses_no_answer(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("platform\r")
    terminal.until("1 answered")
    terminal.child.send_signal(signal.SIGHUP)
    assert terminal.ended() == -signal.SIGHUP
    again = _open(opened, "--resume")
    again.until("1 answered")


def test_a_terminal_that_goes_without_a_word_ends_the_program_and_answers_are_kept(
    opened: list[Terminal],
) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("platform\r")
    terminal.until("1 answered")
    assert terminal.gone() == HUNG_UP
    again = _open(opened, "--resume")
    again.until("1 answered")


def test_a_stopped_program_goes_on(opened: list[Terminal]) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.child.send_signal(signal.SIGTSTP)
    terminal.until_stopped()
    terminal.child.send_signal(signal.SIGCONT)
    terminal.press("9")
    terminal.until("1 answered")


@pytest.mark.parametrize("size", [(20, 5), (300, 100)])
def test_sizes_that_change_while_something_is_worked_out(
    opened: list[Terminal], size: tuple[int, int]
) -> None:
    terminal = _open(opened)
    terminal.until("What should the GPUs do?")
    terminal.press("9")
    for width, height in (size, (80, 24), size, (100, 30)):
        terminal.resize(width, height)
    terminal.until("1 answered")
    terminal.press("/quit\r")
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    "more",
    [
        {"TEXTUAL_DRIVER": "nonsense", "TEXTUAL_COLOR_SYSTEM": "nonsense"},
        {"TEXTUAL_LOG": "/no/such/folder/log", "TEXTUAL": "debug"},
        {"TERM": "vt100"},
        {"TERM": "linux", "LC_ALL": "C", "LANG": "C"},
        {"TERM": "nonsense", "COLUMNS": "x"},
    ],
    ids=["driver", "log", "vt100", "console", "nonsense"],
)
def test_odd_surroundings_change_nothing(opened: list[Terminal], more: dict[str, str]) -> None:
    terminal = _open(opened, **more)
    terminal.until("What should the GPUs do?")
    terminal.press("\x04\x04")  # Ctrl+D twice
    assert terminal.ended() == 0


def test_a_case_that_cannot_be_kept_says_so_and_goes_on(
    opened: list[Terminal], tmp_path: Path
) -> None:
    file = tmp_path / "no-folder"
    file.write_text("", encoding="utf-8")
    terminal = _open(opened, GPU_ADVISOR_DATA=str(file / "data"))
    terminal.until("What should the GPUs do?")
    terminal.press("9")
    terminal.until("not saved")
    terminal.press("/quit\r")
    assert terminal.ended() == 0
    assert b"/export keeps it elsewhere" in terminal.written
