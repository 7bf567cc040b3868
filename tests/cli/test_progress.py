"""A long file says on a terminal how far it is, and nowhere else."""

from __future__ import annotations

import io
import sys

import pytest

from advisor.cli.progress import with_progress

LINE = b"x" * 99_999 + b"\n"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _said(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, lines: int, whole: int) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(with_progress([LINE] * lines, whole or None)) == [LINE] * lines
    return stream.getvalue()


def test_a_terminal_is_told_after_each_megabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _said(monkeypatch, _Terminal(), 25, 2_500_000)

    assert said.split("\r\x1b[K") == ["", "read 1 of 2 MB", "read 2 of 2 MB", ""]


def test_without_a_size_only_what_was_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "read 1 MB" in _said(monkeypatch, _Terminal(), 10, 0)


def test_a_short_file_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _said(monkeypatch, _Terminal(), 9, 900_000) == ""


def test_a_file_or_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _said(monkeypatch, io.StringIO(), 25, 2_500_000) == ""


def test_the_line_is_wiped_when_reading_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = _Terminal()
    monkeypatch.setattr(sys, "stderr", stream)

    passing = with_progress([LINE] * 30, None)
    for _ in range(12):
        next(passing)
    passing.close()

    assert stream.getvalue().endswith("\r\x1b[K")
