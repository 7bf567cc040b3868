"""Advice blocks are written with the knowledge of the house, by commands and by generators."""

from __future__ import annotations

from pathlib import Path

import pytest
from pack import write_pack

from advisor.cli.main import run
from advisor.docs.desk import shared_desk

PAGE = """# Ours

<!-- gpu-advisor:begin show="gpu"
workload: {model: llama-3.1-8b, context_tokens: 8192}
nord: {zone: inner}
ask: [gpu]
-->
<!-- gpu-advisor:end -->
"""


@pytest.fixture(autouse=True)
def plain_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPU_ADVISOR_ENGINE", "reference")
    monkeypatch.delenv("GPU_ADVISOR_KNOWLEDGE", raising=False)


def test_generators_follow_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = shared_desk()
    monkeypatch.setenv("GPU_ADVISOR_KNOWLEDGE", str(write_pack(tmp_path / "nord")))
    own = shared_desk()

    assert own is shared_desk()
    assert own is not shipped
    assert [one.name for one in own.adviser.knowledge.overlays] == ["nord"]
    assert shipped.adviser.knowledge.overlays == ()


def test_a_page_is_built_and_checked_with_the_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(write_pack(tmp_path / "nord"))
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")

    assert run(["docs", "build", str(page), "--knowledge", folder]) == 0
    assert "nord-card" in page.read_text(encoding="utf-8")
    assert run(["docs", "check", str(page), "--knowledge", folder]) == 0
    capsys.readouterr()
    assert run(["docs", "check", str(page)]) == 2
    assert "nord" in capsys.readouterr().err
