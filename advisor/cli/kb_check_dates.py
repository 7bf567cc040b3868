"""Dates that ``kb check`` looks at: in the future, or long ago."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from advisor.errors import Problem

__all__ = ["dated_sources", "future_days", "old_records"]

_DAY = re.compile(r"\b(20\d\d)(?:-(0[1-9]|1[0-2]))?(?:-(0[1-9]|[12]\d|3[01]))?\b")
_OLD_DAYS = 400
"""Questions and corrections not looked at for longer are told; they name commands and versions."""


def dated_sources(file: str, sources: Any, today: date) -> Iterator[Problem]:  # noqa: ANN401
    """Yield the sources of a file that are dated after ``today``."""
    for source_id, source in sources.items():
        for day in future_days(source.date or "", today):
            message = f"The source's date {day} lies in the future."
            yield Problem("bad_date", message, file, key=f"sources.{source_id}.date")


def future_days(text: str, today: date) -> Iterator[str]:
    """Yield the dates in ``text`` of which not even the first possible day has come."""
    for match in _DAY.finditer(text):
        year, month, day = (int(part or 1) for part in match.groups())
        try:
            future = date(year, month, day) > today
        except ValueError:  # the 31st of a shorter month
            future = False
        if future:
            yield match[0]


def old_records(dated: Iterable[tuple[str, str, str]], day: date | None) -> Iterator[Problem]:
    """Tell, once per file, the record that was not looked at for longest, if for too long.

    Args:
        dated: File, key and the day as written of each record.
        day: The day of the knowledge base.
    """
    told: set[str] = set()
    for file, key, as_of in sorted(dated, key=lambda item: item[2]):
        if day is not None and file not in told and _is_old(as_of, day):
            told.add(file)
            message = f"Last checked in {as_of}, more than {_OLD_DAYS} days before {day}."
            yield Problem("stale_records", message, file, key=key)


def _is_old(as_of: str, day: date) -> bool:
    try:
        return (day - date.fromisoformat(f"{as_of}-01-01"[:10])).days > _OLD_DAYS
    except ValueError:  # another check says that it is no date
        return False
