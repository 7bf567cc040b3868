"""The terminal's own clipboard (OSC 52), which also works over SSH; wrapped for multiplexers."""

from __future__ import annotations

import base64
from collections.abc import Mapping

__all__ = ["wrapped"]


def wrapped(text: str, environment: Mapping[str, str]) -> str:
    """Return the sequence that puts ``text`` on the clipboard of the terminal."""
    encoded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    sequence = f"\x1b]52;c;{encoded}\x07"
    if environment.get("TMUX"):
        inner = sequence.replace("\x1b", "\x1b\x1b")
        return f"\x1bPtmux;{inner}\x1b\\" + sequence
    if environment.get("TERM", "").startswith("screen"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence
