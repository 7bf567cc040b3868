"""The examples of docs/library.md run, in order, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "library.md"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_every_example_of_the_page_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    text = PAGE.read_text(encoding="utf-8")
    blocks = [(match[1], text.count("\n", 0, match.start(1))) for match in _BLOCK.finditer(text)]
    names: dict[str, object] = {}

    for code, line in blocks:
        exec(compile("\n" * line + code, str(PAGE), "exec"), names)  # noqa: S102 - our own page

    out = capsys.readouterr().out
    assert len(blocks) > 8
    assert "§8.1" in out
    assert "§7.3 " in out
    assert names["so_far"] is not None


def test_the_page_names_nothing_that_the_library_does_not_have() -> None:
    import advisor

    named = set(re.findall(r"\badvisor\.([a-z_]\w*|[A-Z]\w*)", PAGE.read_text(encoding="utf-8")))

    assert named <= {*advisor.__all__, "__all__"}


def test_the_page_on_own_knowledge_shows_the_example_folder() -> None:
    page = (ROOT / "docs" / "own-knowledge.md").read_text(encoding="utf-8")
    shown = page.partition("```markdown\n")[2].partition("```")[0]
    lines = (ROOT / "examples/own-knowledge/handbook/acme.md").read_text(encoding="utf-8")

    headings = [line for line in shown.splitlines() if line.startswith("#")]
    assert len(headings) == 2
    assert all(heading in lines.splitlines() for heading in headings)
