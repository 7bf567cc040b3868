"""Prices that the user brings: our own YAML, or a catalogue file of SkyPilot (CSV).

Owns the outer limits (size, encoding) and the YAML form. Prices are dated by their file or by
the caller, never by the clock; a price without a date is refused.
"""

from __future__ import annotations

import math
import stat
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from advisor.errors import InputError, KnowledgeError, Problem, UnknownNameError
from advisor.store.loader_errors import line_of, nearest_names, problems_of
from advisor.store.loader_yaml import KeyPath, locate_keys, parse_yaml
from advisor.store.prices import Price

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["MAX_BYTES", "PriceFile", "check_not_ahead", "load_price_file", "read_price_file"]

MAX_BYTES = 20 * 1000 * 1000
"""SkyPilot's largest file (AWS) is about 3.7 MB."""

_AHEAD = timedelta(days=183)
_TOP = ("prices", "as_of", "sources")
_NOT_READ = ("purchases", "trends")
_STATED = ("stated",)


@dataclass(frozen=True, slots=True)
class PriceFile:
    """What a price file holds."""

    prices: tuple[Price, ...]
    notes: tuple[str, ...]
    """What was skipped, assumed or not understood: sentences for the user."""
    skipped: dict[str, int]
    """Rows that gave no price, by reason."""


def read_price_file(
    path: str | Path,
    *,
    knowledge: Knowledge | None = None,
    provider: str | None = None,
    as_of: str | None = None,
) -> tuple[Price, ...]:
    """Return the prices of a file; see :func:`load_price_file`."""
    return load_price_file(path, knowledge=knowledge, provider=provider, as_of=as_of).prices


def load_price_file(
    path: str | Path,
    *,
    knowledge: Knowledge | None = None,
    provider: str | None = None,
    as_of: str | None = None,
) -> PriceFile:
    """Return the prices of a file and what has to be said about it.

    Args:
        path: ``*.csv`` is SkyPilot's catalogue format, anything else our YAML: a list
            ``prices`` with the keys of the price catalogue, where ``sources`` may be left out.
        knowledge: Resolves GPU names; the built-in one by default.
        provider: Whose prices a CSV holds; by default the name of the file, or of its folder
            for ``vms.csv``. Ignored for YAML, which names a provider in every row.
        as_of: Date of prices that carry none.

    Raises:
        InputError: The file cannot be read, or rows are wrong: every problem with its line.
    """
    from advisor.store.loader import load_knowledge

    known = knowledge or load_knowledge()
    name = str(path)
    if as_of is not None and not _is_date(as_of):
        message = f"{as_of!r} is not a date: write 2026-08-19, 2026-08 or 2026."
        raise InputError(Problem("bad_date", message, key="as_of"))
    if as_of is not None:
        check_not_ahead(as_of, known.as_of, name, key="as_of")
    text = _read_text(Path(path), name)
    if Path(path).suffix.lower() == ".csv":
        from advisor.store.price_csv import read_csv

        return read_csv(text, name, known, provider or _provider(Path(path)), as_of)
    return _YamlFile(text, name, known, as_of).read()


def check_not_ahead(
    as_of: str, knowledge_as_of: str, name: str, *, key: str, line: int | None = None
) -> None:
    """Refuse a date far after the knowledge base: a slip, or a knowledge base to be replaced.

    There is no clock here; prices that are newer by less than half a year are welcome.

    Raises:
        InputError: The date is more than half a year after that of the knowledge base.
    """
    if not _is_date(as_of) or _day_of(as_of) <= _day_of(knowledge_as_of) + _AHEAD:
        return
    message = (
        f"The date {as_of} is more than half a year after the knowledge base ({knowledge_as_of}): "
        "mistyped, or the knowledge base has to be replaced first."
    )
    raise InputError(Problem("bad_date", message, name, line, key))


def _day_of(text: str) -> date:
    """Return the first day of a date, a month or a year."""
    return date(*(*map(int, text.split("-")), 1, 1)[:3])


def _provider(path: Path) -> str:
    """Return the provider that a SkyPilot path names: ``aws.csv`` or ``aws/vms.csv``."""
    if path.stem.lower() in {"vms", "instances"} and path.absolute().parent.name:
        return path.absolute().parent.name.lower()
    return path.stem.lower()


def _is_date(text: str) -> bool:
    parts = text.split("-")
    if [len(part) for part in parts] not in ([4], [4, 2], [4, 2, 2]):
        return False
    try:
        date(*(*map(int, parts), 1, 1)[:3])
    except ValueError:
        return False
    return True


def _read_text(path: Path, name: str) -> str:
    data = _read_bytes(path, name)
    if len(data) > MAX_BYTES:
        message = f"More than {MAX_BYTES // 10**6} MB: this is not a price file."
        raise InputError(Problem("too_large", message, name))
    if b"\0" in data:
        raise InputError(Problem("not_text", "This is a binary file, not text.", name))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"The byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8."
        raise InputError(Problem("not_utf8", message, name, line)) from error


def _read_bytes(path: Path, name: str) -> bytes:
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            message = "This is a folder; name a file in it."
            raise InputError(Problem("is_a_folder", message, name))
        if stat.S_ISREG(facts.st_mode) and facts.st_size > MAX_BYTES:
            return b" " * (MAX_BYTES + 1)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise InputError(Problem("no_such_file", "There is no such file.", name)) from error
    except PermissionError as error:
        message = "The file may not be read (permission)."
        raise InputError(Problem("no_permission", message, name)) from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        reason = getattr(error, "strerror", None) or str(error)
        message = f"The file cannot be read: {reason}."
        raise InputError(Problem("unreadable", message, name)) from error


class _YamlFile:
    """Reads one YAML price file; raises once, with everything that is wrong in it."""

    def __init__(self, text: str, name: str, knowledge: Knowledge, as_of: str | None) -> None:
        self._text = text
        self._name = name
        self._knowledge = knowledge
        self._as_of = as_of
        self._lines: dict[KeyPath, int] | None = None
        self._problems: list[Problem] = []
        self._notes: dict[str, None] = {}

    def read(self) -> PriceFile:
        try:
            data = parse_yaml(self._text, self._name)
        except KnowledgeError as error:
            raise InputError(error.problems) from error
        except RecursionError as error:
            message = "The file is nested too deeply."
            raise InputError(Problem("bad_yaml", message, self._name)) from error
        rows = self._rows(data)
        prices = [self._price(row, position) for position, row in enumerate(rows)]
        if self._problems:
            raise InputError(self._problems)
        kept = tuple(price for price in prices if price is not None)
        return PriceFile(kept, tuple(self._notes), {})

    def _rows(self, data: object) -> list[Any]:
        if not isinstance(data, dict) or not isinstance(data.get("prices"), list):
            message = "The file needs a list under prices."
            raise InputError(Problem("missing_key", message, self._name, key="prices"))
        for key in data:
            if key in _NOT_READ:
                self._notes[f"{key} in {self._name} is not read; only prices are."] = None
            elif key not in _TOP:
                nearest = nearest_names(str(key), _TOP)
                message = f"The key {key} is not known here."
                self._report("unknown_key", (key,), message, nearest=nearest, allowed=_TOP)
        if "as_of" in data:
            self._as_of = str(data["as_of"])
        rows: list[Any] = data["prices"]
        return rows

    def _price(self, row: object, position: int) -> Price | None:
        place: KeyPath = ("prices", position)
        if not isinstance(row, dict):
            self._report("wrong_type", place, "A price is a group of keys.")
            return None
        full = {"sources": _STATED, **row}
        if self._as_of is not None:
            full.setdefault("as_of", self._as_of)
        try:
            price = Price.model_validate(full)
        except ValidationError as error:
            self._problems += problems_of(
                error, Price, full, place, file=self._name, lines=self._line_map()
            )
            return None
        return self._checked(price, place)

    def _checked(self, price: Price, place: KeyPath) -> Price | None:
        before = len(self._problems)
        if not math.isfinite(price.usd_per_hour):
            message = f"{price.usd_per_hour} is not a price."
            self._report("bad_value", (*place, "usd_per_hour"), message)
        if not _is_date(price.as_of):
            message = f"{price.as_of!r} is not a date of the calendar."
            self._report("bad_date", (*place, "as_of"), message)
        else:
            self._check_ahead(price, place)
        resolved = self._gpu(price, place)
        return resolved if len(self._problems) == before else None

    def _check_ahead(self, price: Price, place: KeyPath) -> None:
        try:
            check_not_ahead(price.as_of, self._knowledge.as_of, self._name, key="as_of")
        except InputError as error:
            self._report("bad_date", (*place, "as_of"), error.problems[0].message)

    def _gpu(self, price: Price, place: KeyPath) -> Price:
        """Return the price under the catalogue's id; a card outside it keeps its own name."""
        try:
            found = self._knowledge.resolve_gpu(price.gpu)
        except UnknownNameError as error:
            problem = error.problems[0]
            if problem.code == "ambiguous_name":
                self._report(problem.code, (*place, "gpu"), problem.message, problem.nearest)
                return price
            hint = f" Did you mean {' or '.join(problem.nearest)}?" if problem.nearest else ""
            text = f"{problem.message}{hint} Its price counts only for a card described so."
            self._notes[text] = None
            return price
        if found.assumed:
            self._notes[f"{found.assumed}."] = None
        uncertain = price.uncertain or found.assumed
        return price.model_copy(update={"gpu": found.record.id, "uncertain": uncertain})

    def _report(
        self,
        code: str,
        path: KeyPath,
        message: str,
        nearest: tuple[str, ...] = (),
        allowed: tuple[str, ...] = (),
    ) -> None:
        key = ".".join(str(part) for part in path)
        line = line_of(self._line_map(), path)
        self._problems.append(Problem(code, message, self._name, line, key, allowed, nearest))

    def _line_map(self) -> dict[KeyPath, int]:
        if self._lines is None:
            self._lines = locate_keys(self._text)
        return self._lines
