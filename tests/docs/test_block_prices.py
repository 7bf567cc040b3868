"""Prices of one's own in a block: they count, are named, and fail with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs_support import DESK, SERVING

from advisor.cli.main import run
from advisor.docs.spec import BlockSpec, Place, read_spec
from advisor.errors import InputError
from advisor.explain.adviser import Adviser

RENTED = SERVING.replace("owned", "rent") + "platform: {cloud: aws}\n"
PRICES = """\
as_of: '2026-11-20'
prices:
  - {provider: aws, instance: g6e.xlarge, gpu: l40s, gpu_count: 1, usd_per_hour: 0.33,
     kind: on_demand, region: any}
"""


def spec(attributes: str, answers: str = RENTED) -> BlockSpec:
    return read_spec(attributes, answers.splitlines(), Place("page.md", 1), 2)


def test_a_block_takes_the_prices_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "rents.yaml").write_text(PRICES, encoding="utf-8")
    attributes = 'show="gpu" details="full"'
    usual = DESK.write(spec(attributes), tmp_path)
    own = DESK.write(spec(f'{attributes} prices="rents.yaml"'), tmp_path)

    assert "for 0.33 USD an hour as of 2026-11-20, by your price file." in own.markdown
    assert "0.33 USD" not in usual.markdown
    assert own.files == (tmp_path / "rents.yaml",), "a change there makes the block stale"


def test_a_changed_price_changes_the_next_block(tmp_path: Path) -> None:
    block = spec('show="gpu" details="full" prices="rents.yaml"')
    for price in ("0.33", "0.44"):
        text = PRICES.replace("0.33", price)
        (tmp_path / "rents.yaml").write_text(text, encoding="utf-8")
        assert f"for {price} USD an hour" in DESK.write(block, tmp_path).markdown


def test_prices_that_the_answers_leave_out_are_told(tmp_path: Path) -> None:
    text = PRICES.replace("aws", "gcp")
    (tmp_path / "rents.yaml").write_text(text, encoding="utf-8")
    written = DESK.write(spec('show="gpu" prices="rents.yaml"'), tmp_path)

    assert "**warning**: Of 1 prices of your file 0 can be used here" in written.markdown


def test_a_wrong_price_is_told_with_its_file_line_and_block(tmp_path: Path) -> None:
    text = PRICES.replace("on_demand", "on_demnd")
    (tmp_path / "rents.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        DESK.write(spec('prices="rents.yaml"'), tmp_path)
    [problem] = caught.value.problems

    assert (problem.file or "").endswith("rents.yaml")
    assert problem.line == 4
    assert "(for the block at page.md:1)" in problem.message


def test_a_price_file_that_is_not_there_is_told_at_the_block(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        DESK.write(spec('prices="rents.yaml"'), tmp_path)
    [problem] = caught.value.problems

    assert (problem.code, problem.file, problem.line) == ("no_price_file", "page.md", 1)


def test_blocks_with_and_without_prices_do_not_share_a_consultation(tmp_path: Path) -> None:
    (tmp_path / "rents.yaml").write_text(PRICES, encoding="utf-8")
    own = DESK.order(spec('prices="rents.yaml"'), tmp_path)
    usual = DESK.order(spec(""), tmp_path)

    assert own.consultation != usual.consultation
    assert isinstance(DESK.adviser, Adviser)


def test_what_is_not_understood_of_a_price_file_goes_to_stderr_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = PRICES.replace("gpu: l40s", "gpu: warp-drive")
    (tmp_path / "rents.yaml").write_text(text, encoding="utf-8")
    block = f'<!-- gpu-advisor:begin show="gpu" prices="rents.yaml"\n{RENTED}-->\n'
    page = tmp_path / "page.md"
    page.write_text(f"{block}<!-- gpu-advisor:end -->\n\n" * 2, encoding="utf-8")

    assert run(["docs", "build", str(page), "--jobs", "1"]) == 0
    assert capsys.readouterr().err.count("warp-drive") == 1
