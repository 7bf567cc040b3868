"""``docs/corrections.md`` is what the records of ``knowledge/corrections`` say.

    python tests/handbook/corrections_page.py

writes the list anew, between its two markers; what stands around it is kept.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from advisor.store.corrections import Correction, Corrections, load_corrections
from advisor.store.handbook import load_handbook
from advisor.store.records import Source

__all__ = ["PAGE", "refreshed"]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "corrections.md"
_LIST = re.compile(r"(?<=<!-- records -->\n)(?:.*\n)*?(?=<!-- /records -->)")


def refreshed(page: str) -> str:
    """Return the page with its list made from the records."""
    text = "\n".join(_listing(load_corrections())) + "\n"
    return _LIST.sub(lambda _: text, page)


def _listing(corrections: Corrections) -> Iterator[str]:
    """Yield headings of handbook sections, in their order, and the records below each."""
    sections = {section.number: section for section in load_handbook().sections}
    order = list(sections)
    ranked = sorted(corrections, key=lambda record: order.index(record.section))
    yield f"{len(ranked)} claims."
    for number, records in groupby(ranked, key=lambda record: record.section):
        mark = f"§{number} " if number[0].isdigit() else ""
        yield from ("", f"## {mark}{sections[number].title}", "")
        for record in records:
            yield from _record(record, corrections)


def _record(record: Correction, corrections: Corrections) -> Iterator[str]:
    yield f"- `{record.id}`, {record.kind}: *{_line(record.claim)}*"
    yield f"  {_line(record.right)}"
    if record.arithmetic:
        yield f"  `{_line(record.arithmetic)}`"
    for doubt in record.unverified:
        yield f"  Not confirmed: {_line(doubt)}."
    sources = "; ".join(map(_source, corrections.sources_of(record.id)))
    yield f"  Sources: {sources}. Checked {record.as_of}."


def _source(source: Source) -> str:
    title = f"[{source.title}]({source.url})" if source.url else source.title
    how = "" if source.how == "read" else f", {source.how}"
    return f"{title} ({source.date}{how})"


def _line(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    """Rewrite the page in place."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(refreshed(page), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}\n")


if __name__ == "__main__":
    main()
