"""Draws the pictures of the terminal interview that README.md shows, from the real program.

    python docs/screenshots.py

Holds an interview without a terminal, says the lines below, and writes what the screen shows as
SVG, in the dark theme wide and in the light one narrow. Run it when the screen has changed.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.ui.app import AdvisorApp

HERE = Path(__file__).parent
LINES = ("1", "llama 3.3 70b for 50 users at 16k", "6000", "10", "owned", "8 x l40s in one node")
PICTURES = (
    ("interview-wide", (120, 36), "dark", LINES),
    ("interview-narrow", (80, 24), "light", LINES[:3]),
)


async def drawn(size: tuple[int, int], theme: str, lines: tuple[str, ...]) -> str:
    """Return the screen after ``lines`` as SVG."""
    os.environ["GPU_ADVISOR_THEME"] = theme
    app = AdvisorApp(lambda: Interview(Adviser()))
    async with app.run_test(size=size) as pilot:
        for line in ("", *lines):
            if line:
                app.action_say(line)
            await pilot.pause()
            while not app.idle:
                await pilot.pause(0.05)
            await pilot.pause()  # what was told last is painted
        if app.error is not None:
            raise app.error
        return app.export_screenshot(title="gpu-advisor")


def without_fonts_from_afar(svg: str) -> str:
    """Return the picture with the reader's own fonts: nothing is loaded from elsewhere."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", "DejaVu Sans Mono, Menlo, Consolas")


def main() -> int:
    """Draw all pictures."""
    for name in ("NO_COLOR", "COLORFGBG"):
        os.environ.pop(name, None)
    for name, size, theme, lines in PICTURES:
        svg = without_fonts_from_afar(asyncio.run(drawn(size, theme, lines)))
        (HERE / f"{name}.svg").write_text(svg, encoding="utf-8")
        sys.stdout.write(f"{name}.svg\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
