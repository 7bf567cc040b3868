"""Sessions on the pages of ``docs``: commands are run where they stand, output is compared.

    python tests/docs/page_sessions.py

writes the output of every ``console`` example anew. A page is one session in a folder of its own,
from top to bottom: a line ``$ ...`` is run by a shell, a code block after ``<!-- file: NAME -->``
is written to that file first. ``examples`` and ``transcripts`` of the project are at hand. A line
``[...]`` stands for lines left out; how many stand before and after it is kept.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["PAGES", "refreshed"]

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = "[...]"
_BLOCK = re.compile(
    r"(?P<file><!-- file: (?P<name>\S+) -->\n)?(?P<open>^(?P<ticks>`{3,})(?P<language>\w*).*\n)"
    r"(?P<body>(?:.*\n)*?)(?P=ticks)$",
    re.MULTILINE,
)
_AT_HAND = ("examples", "transcripts", "knowledge")


def _pages() -> Iterator[Path]:
    for page in sorted((ROOT / "docs").glob("*.md")):
        if "\n```console\n" in page.read_text(encoding="utf-8"):
            yield page


PAGES = tuple(_pages())
"""Pages that show a session."""


def refreshed(text: str, folder: Path) -> str:
    """Return a page with the output of its commands as it is now.

    Args:
        text: The page.
        folder: An empty folder for the session.
    """
    session = _Session(folder)
    return _BLOCK.sub(session.block, text)


class _Session:
    def __init__(self, folder: Path) -> None:
        self._folder, self._bin = folder / "work", folder / "bin"
        self._folder.mkdir()
        self._bin.mkdir()
        for name in _AT_HAND:
            (self._folder / name).symlink_to(ROOT / name)
        program = self._bin / "gpu-advisor"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m advisor "$@"\n', "utf-8")
        program.chmod(0o755)

    def block(self, found: re.Match[str]) -> str:
        if found["name"]:
            file = self._folder / found["name"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(found["body"], encoding="utf-8")
        if found["language"] != "console":
            return found[0]
        return f"{found['open']}{''.join(self._console(found['body']))}{found['ticks']}"

    def _console(self, body: str) -> Iterator[str]:
        for part in re.split(r"(?m)^(?=\$ )", body):
            command, *shown = part.splitlines() or [""]
            if command:
                lines = _shortened(self._run(command.removeprefix("$ ")), shown)
                yield "".join(f"{line}\n" for line in (command, *lines))

    def _run(self, command: str) -> list[str]:
        """Return what a command prints; on the reference engine, which is everywhere."""
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", f"{{ {command}\n}} 2>&1"],
            cwd=self._folder,
            env={
                **{k: v for k, v in os.environ.items() if not k.startswith("GPU_ADVISOR_")},
                "GPU_ADVISOR_ENGINE": "reference",
                "COLUMNS": "80",
                "HOME": str(self._folder.parent),
                "XDG_STATE_HOME": str(self._folder.parent / "state"),
                "PATH": path,
            },
            capture_output=True,
            text=True,
            check=False,
        )
        return [line.rstrip() for line in done.stdout.splitlines()]


def _shortened(real: list[str], shown: list[str]) -> list[str]:
    """Leave out what the page leaves out."""
    if LEFT_OUT not in shown:
        return real
    before = shown.index(LEFT_OUT)
    after = len(shown) - before - 1
    return [*real[:before], LEFT_OUT, *real[len(real) - after :]]


def main() -> None:
    """Rewrite the pages in place."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = refreshed(text, Path(folder))
        if new != text:
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{page.name}\n")


if __name__ == "__main__":
    main()
