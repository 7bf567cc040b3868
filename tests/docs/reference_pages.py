"""The pages of ``docs/reference`` are made from the program: its commands, questions and schemas.

    python tests/docs/reference_pages.py

writes them anew; a test compares.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from reference_answers import answers_page
from reference_commands import commands_page
from reference_schemas import knowledge_page, output_page, rules_page

__all__ = ["FOLDER", "pages"]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
NOTE = "<!-- Made by tests/docs/reference_pages.py from the program; changes are lost. -->"
_PAGES: Mapping[str, Callable[[], Iterable[str]]] = MappingProxyType(
    {
        "commands.md": commands_page,
        "answers.md": answers_page,
        "output.md": output_page,
        "rules.md": rules_page,
        "knowledge.md": knowledge_page,
    }
)


def pages() -> dict[str, str]:
    """Return every page by its file name."""
    return {name: "\n".join((NOTE, "", *make())) + "\n" for name, make in _PAGES.items()}


def main() -> None:
    """Write what is not as it should be."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    main()
