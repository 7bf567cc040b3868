"""Puts a text where it can be pasted: the terminal's clipboard, the system's, or else a file."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

__all__ = ["copied", "osc52"]

_MOST_OSC52_BYTES = 74_994
"""What xterm takes: 100,000 characters of sequence, base64 and wrapping included."""
_SECONDS = 3.0


def copied(
    text: str, out: TextIO | None, environment: Mapping[str, str], *, ending: str = "md"
) -> str:
    """Put ``text`` on the clipboard and return where it went, as the end of a sentence.

    A terminal does not say whether it took the text, so a program of this desktop gets it too.

    Args:
        text: What is to be pasted.
        out: The terminal; ``None`` where there is none.
        environment: Tells tmux, screen, the desktop and remote sessions.
        ending: Of the file, where neither takes it.
    """
    sent = out is not None and _sent(text, out, environment)
    tool = _by_tool(text, environment)
    if tool is not None:
        return f"to the clipboard (by {tool})"
    if sent:
        return "to the clipboard of the terminal; if nothing arrives there, use /export FILE"
    return f"to {_in_file(text, ending)}, since no clipboard answers here"


def osc52(text: str, environment: Mapping[str, str]) -> str | None:
    """Return the sequence that gives ``text`` to a terminal's clipboard; ``None``: too long."""
    data = text.encode("utf-8", "replace")
    if len(data) > _MOST_OSC52_BYTES:
        return None
    sequence = f"\x1b]52;c;{base64.b64encode(data).decode()}\x07"
    if environment.get("TMUX"):
        inner = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{inner}\x1b\\"
    if environment.get("TERM", "").startswith("screen"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence


def _sent(text: str, out: TextIO, environment: Mapping[str, str]) -> bool:
    sequence = osc52(text, environment)
    if sequence is None or environment.get("TERM") == "dumb":
        return False
    out.write(sequence)
    out.flush()
    return True


def _by_tool(text: str, environment: Mapping[str, str]) -> str | None:
    """Return the program that took the text; none of this machine's where we are remote."""
    if environment.get("SSH_TTY") or environment.get("SSH_CONNECTION"):
        return None
    for words, encoding in _tools(environment):
        path = shutil.which(words[0])
        if path is None:
            continue
        try:
            subprocess.run(  # noqa: S603 - a program of the desktop, by its fixed name
                [path, *words[1:]],
                input=text.encode(encoding, "replace"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return words[0]
    return None


def _tools(environment: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    if sys.platform == "darwin":
        yield ("pbcopy",), "utf-8"
    if environment.get("WAYLAND_DISPLAY"):
        yield ("wl-copy",), "utf-8"
    if environment.get("DISPLAY"):
        yield ("xclip", "-selection", "clipboard"), "utf-8"
        yield ("xsel", "--clipboard", "--input"), "utf-8"
    if sys.platform == "win32" or environment.get("WSL_DISTRO_NAME"):
        yield ("clip.exe",), "utf-16"


def _in_file(text: str, ending: str) -> Path:
    handle, name = tempfile.mkstemp(prefix="gpu-advisor-", suffix=f".{ending}")
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as stream:
        stream.write(text)
    return Path(name)
