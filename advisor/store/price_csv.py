"""SkyPilot's catalogue of instances (``vms.csv``) as prices.

The columns are those of the project's published catalogue, schemas v5 to v8: ``InstanceType``,
``AcceleratorName``, ``AcceleratorCount``, ``vCPUs``, ``MemoryGiB``, ``Price``, ``SpotPrice``,
``Region``, ``AvailabilityZone``, ``GpuInfo``, in any order and with others beside them
(https://github.com/skypilot-org/skypilot-catalog). Its habits that matter here:

- one row per availability zone, so most prices occur several times;
- Google's accelerators stand in rows of their own without an instance, and the instance in
  rows without an accelerator: neither is the price of a machine;
- ``A100`` is the card of 40 GB and ``V100`` the one of 16 (metadata.csv of the catalogue); where
  ``GpuInfo`` states the memory it decides, unless it is in the wrong unit;
- a count below one is a slice of a GPU;
- the file carries no date.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError, Problem, UnknownNameError
from advisor.store.loader_errors import nearest_names
from advisor.store.price_csv_gpu import Accelerators
from advisor.store.price_file import PriceFile, check_not_ahead
from advisor.store.prices import Price

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["read_csv"]

_REQUIRED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
_SOURCE = ("skypilot-csv",)
_AS_OF = re.compile(r"#\s*as_of\s*:\s*['\"]?(\d{4}(?:-\d{2}){0,2})['\"]?\s*")
_MOST_PROBLEMS = 20
_Row = Mapping[str, str]
_Key = tuple[str, int, str, str]


def read_csv(
    text: str, name: str, knowledge: Knowledge, provider: str, as_of: str | None
) -> PriceFile:
    """Return the prices of a SkyPilot catalogue file, the cheapest zone of every region.

    Args:
        text: The file.
        name: Its name, for messages.
        knowledge: Resolves the names of accelerators.
        provider: Whose prices they are.
        as_of: Date of the prices; else the file must start with a line ``# as_of: 2026-08-19``.

    Raises:
        InputError: Columns are missing, a number is wrong, or there is no date or one to come.
    """
    comments, body, first_line = _split(text)
    date = as_of or next((m[1] for line in comments if (m := _AS_OF.fullmatch(line))), None)
    file = _CsvFile(name, knowledge, provider, date or "")
    # a file of another kind is told before the date that it lacks as well
    file.check_columns(body, first_line)
    if date is None:
        message = (
            "The file carries no date. Say when the prices were read: give the date, or start "
            "the file with a line '# as_of: 2026-08-19'."
        )
        raise InputError(Problem("missing_key", message, name, 1, "as_of"))
    check_not_ahead(date, knowledge.as_of, name, key="as_of")
    return file.read(body, first_line)


def _split(text: str) -> tuple[list[str], str, int]:
    """Return the comment lines at the top, the rest, and the line on which the rest starts."""
    lines = text.splitlines(keepends=True)
    start = 0
    while start < len(lines) and (lines[start].startswith("#") or not lines[start].strip()):
        start += 1
    return [line.strip() for line in lines[:start]], "".join(lines[start:]), start + 1


class _CsvFile:
    """Reads one file; raises once, with everything that is wrong in it."""

    def __init__(self, name: str, knowledge: Knowledge, provider: str, as_of: str) -> None:
        self._name = name
        self._provider = provider
        self._as_of = as_of
        self._accelerators = Accelerators(knowledge, provider)
        self._problems: list[Problem] = []
        self._skipped: Counter[str] = Counter()
        self._unknown: Counter[str] = Counter()
        self._cheapest: dict[_Key, Price] = {}
        self._zones: dict[_Key, set[str]] = {}

    def check_columns(self, body: str, first_line: int) -> None:
        """Raise for missing and repeated columns."""
        try:
            head = next(csv.reader(io.StringIO(body, newline="")), [])
        except csv.Error as error:
            message = f"This is not CSV: {error}."
            raise InputError(Problem("bad_csv", message, self._name)) from error
        self._check_head([name.strip() for name in head], first_line)

    def read(self, body: str, first_line: int) -> PriceFile:
        try:
            for line, row in self._rows(body, first_line):
                self._read_row(line, row)
        except csv.Error as error:
            message = f"This is not CSV: {error}."
            raise InputError(Problem("bad_csv", message, self._name)) from error
        if self._problems:
            raise InputError(self._problems[:_MOST_PROBLEMS])
        prices = tuple(self._with_zone(key, price) for key, price in self._cheapest.items())
        return PriceFile(prices, tuple(self._notes(prices)), dict(self._skipped))

    def _rows(self, body: str, first_line: int) -> Iterator[tuple[int, _Row]]:
        reader = csv.reader(io.StringIO(body, newline=""))
        head = [name.strip() for name in next(reader, [])]
        while True:
            line = first_line + reader.line_num
            cells = next(reader, None)
            if cells is None:
                return
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(head):
                message = f"The row has {len(cells)} values for {len(head)} columns."
                self._report("bad_row", line, None, message)
                continue
            yield line, {name: cell.strip() for name, cell in zip(head, cells, strict=True)}

    def _check_head(self, head: Sequence[str], line: int) -> None:
        missing = [name for name in _REQUIRED if name not in head]
        for name in missing:
            message = f"The column {name} is missing."
            self._report("missing_column", line, name, message, nearest_names(name, list(head)))
        for name, count in Counter(head).items():
            if count > 1 and name:
                self._report("duplicate_key", line, name, "The column occurs twice.")
        if self._problems:
            raise InputError(self._problems)

    def _read_row(self, line: int, row: _Row) -> None:
        numbers = {
            key: self._number(line, key, row.get(key, ""))
            for key in ("AcceleratorCount", "Price", "SpotPrice")
        }
        reason = _reason_to_skip(row, numbers)
        if reason is not None:
            self._skipped[reason] += 1
            return
        try:
            gpu, uncertain = self._accelerators.resolve(
                row["AcceleratorName"], row["InstanceType"], row.get("GpuInfo", "")
            )
        except UnknownNameError:
            self._skipped["accelerator not in the GPU catalogue"] += 1
            self._unknown[row["AcceleratorName"]] += 1
            return
        for kind, key in (("on_demand", "Price"), ("spot", "SpotPrice")):
            if numbers[key]:
                self._keep(row, kind, float(numbers[key] or 0), gpu, uncertain, numbers)

    def _keep(
        self,
        row: _Row,
        kind: str,
        usd: float,
        gpu: str,
        uncertain: str | None,
        numbers: Mapping[str, float | None],
    ) -> None:
        count = int(numbers["AcceleratorCount"] or 0)
        facts: dict[str, Any] = {
            "provider": self._provider, "instance": row["InstanceType"], "gpu": gpu,
            "gpu_count": count, "usd_per_hour": usd, "kind": kind,
            "region": row["Region"] or "unknown", "as_of": self._as_of, "sources": _SOURCE,
            "uncertain": uncertain, "note": row.get("AvailabilityZone") or None,
        }  # fmt: skip
        key = (row["InstanceType"], count, kind, row["Region"])
        self._zones.setdefault(key, set()).add(row.get("AvailabilityZone", ""))
        known = self._cheapest.get(key)
        if known is None or usd < known.usd_per_hour:
            self._cheapest[key] = Price.model_validate(facts)

    def _with_zone(self, key: _Key, price: Price) -> Price:
        zones = len(self._zones[key])
        if price.note is None:
            return price
        note = f"zone {price.note}" if zones == 1 else f"zone {price.note}, cheapest of {zones}"
        return price.model_copy(update={"note": note})

    def _number(self, line: int, key: str, text: str) -> float | None:
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isfinite(value) and value >= 0:
            return value
        self._report("bad_value", line, key, f"{text!r} is not a number of 0 or more.")
        return None

    def _notes(self, prices: Sequence[Price]) -> Iterator[str]:
        for reason, count in sorted(self._skipped.items()):
            yield f"{self._name}: {count} row{'s' if count > 1 else ''} skipped: {reason}."
        if self._unknown:
            names = ", ".join(f"{name} ({count})" for name, count in sorted(self._unknown.items()))
            yield f"{self._name}: not in the GPU catalogue: {names}."
        for assumed in dict.fromkeys(p.uncertain for p in prices if p.uncertain is not None):
            yield f"{self._name}: {assumed}."
        if not prices:
            yield f"{self._name}: no row gave a price."

    def _report(
        self, code: str, line: int, key: str | None, message: str, nearest: tuple[str, ...] = ()
    ) -> None:
        problem = Problem(code, message, self._name, line, key, nearest=nearest)
        self._problems.append(problem)


def _reason_to_skip(row: _Row, numbers: Mapping[str, float | None]) -> str | None:
    count = numbers["AcceleratorCount"]
    if not row["AcceleratorName"] or not count:
        return "no GPU"
    if not row["InstanceType"]:
        return "price of the accelerator without a machine"
    if not count.is_integer():
        return "part of a GPU"
    if not numbers["Price"] and not numbers["SpotPrice"]:
        return "no price"
    return None
