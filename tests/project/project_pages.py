"""What our pages show is what the program prints.

    python tests/project/project_pages.py

rewrites every ``console`` example and the accuracy table of the Markdown pages. The first line
of an example is the command. A line ``[...]`` stands for lines left out; the number of lines
before and after it is kept.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = "[...]"
EXAMPLE = re.compile(r"^```console\n\$ gpu-advisor (.*)\n((?:.*\n)*?)```$", re.MULTILINE)
ACCURACY = re.compile(r"(?<=<!-- accuracy -->\n)(?:.*\n)*?(?=<!-- /accuracy -->)")


def output(arguments: list[str]) -> list[str]:
    """Return what Python prints when run so; on the reference engine, which is everywhere."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "GPU_ADVISOR_ENGINE": "reference", "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, f"{shlex.join(arguments)} printed nothing; {done.stderr}"
    return done.stdout.splitlines()


def shortened(real: list[str], shown: list[str]) -> list[str]:
    """Leave out what the page leaves out."""
    if LEFT_OUT not in shown:
        return real
    before = shown.index(LEFT_OUT)
    after = len(shown) - before - 1
    return [*real[:before], LEFT_OUT, *real[len(real) - after :]]


def _example(found: re.Match[str]) -> str:
    command, shown = found[1], found[2].splitlines()
    lines = shortened(output(["-m", "advisor", *shlex.split(command)]), shown)
    return "\n".join(["```console", f"$ gpu-advisor {command}", *lines, "```"])


def refreshed(text: str) -> str:
    """Return a page with its examples and its accuracy table made anew."""
    text = EXAMPLE.sub(_example, text)
    if ACCURACY.search(text):
        table = "\n".join(output(["benchmarks/accuracy.py"])) + "\n"
        text = ACCURACY.sub(lambda _: table, text)
    return text


def main() -> None:
    """Rewrite the pages in place."""
    for page in ROOT.glob("*.md"):  # those of docs: tests/docs/page_sessions.py
        text = page.read_text(encoding="utf-8")
        new = refreshed(text)
        if new != text:
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{page.name}\n")


if __name__ == "__main__":
    main()
