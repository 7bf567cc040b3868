"""The pages about transcripts that are made from them.

    python tests/transcripts/transcripts_page.py

rewrites the list in transcripts/README.md and the table of questions asked in docs/transcripts.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from statistics import median

from advisor.transcripts.model import END, Asked, Transcript
from advisor.transcripts.read import read_transcript

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "transcripts"
LIST = FOLDER / "README.md"
PAGE = ROOT / "docs" / "transcripts.md"
TABLE = re.compile(r"(?<=<!-- questions -->\n)(?:.*\n)*?(?=<!-- /questions -->)")
ENTRIES = re.compile(r"(?<=<!-- transcripts -->\n)(?:.*\n)*?(?=<!-- /transcripts -->)")
FILES = sorted(path for path in FOLDER.glob("*.md") if path != LIST)


@cache
def transcripts() -> dict[Path, Transcript]:
    """Return all transcripts of the project."""
    return {file: read_transcript(file) for file in FILES}


def questions(transcript: Transcript) -> int:
    """Return how many questions were asked, each counted once."""
    keys = {item.key for item in transcript.items if isinstance(item, Asked)}
    return len(keys - {END})


def counts() -> dict[str, list[int]]:
    """Return the numbers of questions by what was asked for."""
    found: dict[str, list[int]] = {}
    for one in transcripts().values():
        name = "all four decisions" if one.ask is None else ", ".join(one.ask)
        found.setdefault(name, []).append(questions(one))
    return {name: sorted(found[name]) for name in sorted(found)}


def table() -> str:
    """Return the table of questions asked."""
    rows = [
        f"| {name} | {len(some)} | {some[0]} | {_shown(median(some))} | {some[-1]} |"
        for name, some in counts().items()
    ]
    head = [
        "| asked for | transcripts | fewest | median | most |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows]) + "\n"


def entries() -> str:
    """Return the list of transcripts."""
    return "\n".join(_entries(transcripts().items())) + "\n"


def _entries(some: Iterable[tuple[Path, Transcript]]) -> Iterable[str]:
    for file, one in some:
        yield f"- [{one.title}]({file.name}): {', '.join(one.tags)}"


def _shown(number: float) -> str:
    return f"{number:g}"


def refreshed(page: Path) -> str:
    """Return a page with its list or its table made anew."""
    text = TABLE.sub(lambda _: table(), page.read_text(encoding="utf-8"))
    return ENTRIES.sub(lambda _: entries(), text)


def main() -> None:
    """Rewrite the pages in place."""
    for page in (LIST, PAGE):
        new = refreshed(page)
        if new != page.read_text(encoding="utf-8"):
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"{page.name}\n")


if __name__ == "__main__":
    main()
