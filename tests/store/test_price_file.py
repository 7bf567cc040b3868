"""Prices that a user brings: what is read, what is skipped, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import InputError, Problem
from advisor.store import price_file
from advisor.store.price_file import load_price_file, read_price_file

HEAD = (
    "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,"
    "Region,AvailabilityZone"
)


def info(name: str, mib: int) -> str:
    """Return a GpuInfo cell as the catalogue writes it."""
    return (
        f"\"{{'Gpus': [{{'Name': '{name}', 'Count': 8, 'MemoryInfo': {{'SizeInMiB': {mib}}}}}]}}\""
    )


def row(
    instance: str,
    name: str,
    count: str = "8",
    price: str = "10",
    spot: str = "",
    *,
    gpu_info: str = "",
    region: str = "r1",
    zone: str = "",
) -> str:
    return f"{instance},{name},{count},8,64,{gpu_info},{price},{spot},{region},{zone}"


def csv_file(folder: Path, *rows: str, name: str = "aws.csv", date: str = "2026-10-01") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    comment = [f"# as_of: {date}"] if date else []
    path.write_text("\n".join([*comment, HEAD, *rows]) + "\n", encoding="utf-8")
    return path


def yaml_file(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path, **options: str) -> list[Problem]:
    with pytest.raises(InputError) as caught:
        read_price_file(path, **options)
    return list(caught.value.problems)


MINE = """\
prices:
  - provider: our_dc
    instance: rack-7
    gpu: H200 SXM
    gpu_count: 8
    usd_per_hour: 21.5
    kind: reserved_1y
    region: fra
    as_of: '2026-11-01'
"""


def test_our_yaml_needs_no_sources_and_takes_any_name_of_a_gpu(tmp_path: Path) -> None:
    (price,) = read_price_file(yaml_file(tmp_path, MINE))
    assert (price.gpu, price.sources, price.usd_per_hour) == ("h200-sxm", ("stated",), 21.5)
    assert price.uncertain is None


def test_a_date_may_stand_once_for_the_whole_file(tmp_path: Path) -> None:
    text = "as_of: '2026-10'\n" + MINE.replace("    as_of: '2026-11-01'\n", "")
    assert read_price_file(yaml_file(tmp_path, text))[0].as_of == "2026-10"


def test_a_price_without_a_date_is_refused(tmp_path: Path) -> None:
    path = yaml_file(tmp_path, MINE.replace("    as_of: '2026-11-01'\n", ""))
    (problem,) = problems(path)
    assert (problem.code, problem.line, problem.file) == ("missing_key", 2, str(path))
    assert "as_of" in problem.message
    assert read_price_file(path, as_of="2026-09-30")[0].as_of == "2026-09-30"


def test_an_ambiguous_name_is_taken_and_marked_uncertain(tmp_path: Path) -> None:
    read = load_price_file(yaml_file(tmp_path, MINE.replace("H200 SXM", "H200")))
    assert read.prices[0].gpu == "h200-sxm"
    assert "is taken as" in (read.prices[0].uncertain or "")
    assert read.notes == (f"{read.prices[0].uncertain}.",)


def test_a_card_outside_the_catalogue_keeps_its_name_and_is_noted(tmp_path: Path) -> None:
    read = load_price_file(yaml_file(tmp_path, MINE.replace("H200 SXM", "Zeta 9")))
    assert read.prices[0].gpu == "Zeta 9"
    assert "'Zeta 9' is not in the catalogue" in read.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "key", "line"),
    [
        ("21.5", "-1", "usd_per_hour", 6),
        ("21.5", ".nan", "usd_per_hour", 6),
        ("21.5", "NaN", "usd_per_hour", 6),
        ("21.5", "1.0e999", "usd_per_hour", 6),
        ("21.5", "cheap", "usd_per_hour", 6),
        ("gpu_count: 8", "gpu_count: 0", "gpu_count", 5),
        ("reserved_1y", "reserved", "kind", 7),
        ("region: fra", "regoin: fra", "region", 8),
        ("2026-11-01", "2026-13-01", "as_of", 9),
        ("2026-11-01", "yesterday", "as_of", 9),
    ],
)
def test_a_wrong_value_is_reported_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, key: str, line: int
) -> None:
    path = yaml_file(tmp_path, MINE.replace(old, new))
    found = problems(path)
    assert {problem.file for problem in found} == {str(path)}
    assert any(key in f"{problem.key} {problem.message}" for problem in found)
    assert line in {problem.line for problem in found}


@pytest.mark.parametrize(
    "text", ["", "[]", "prices: {}", "prices: 3", "prices:\n- 3\n", "price: []", "a: [", "\t- x"]
)
def test_what_is_not_a_list_of_prices_is_an_input_error(tmp_path: Path, text: str) -> None:
    assert problems(yaml_file(tmp_path, text))


def test_an_unknown_key_at_the_top_names_the_nearest(tmp_path: Path) -> None:
    (problem,) = problems(yaml_file(tmp_path, MINE + "source: {}\n"))
    assert (problem.code, problem.key, problem.nearest) == ("unknown_key", "source", ("sources",))


def test_the_catalogue_of_the_project_is_a_price_file(tmp_path: Path) -> None:
    from advisor.store.loader import load_knowledge

    catalogue = Path(price_file.__file__).parents[2] / "knowledge" / "catalogues" / "prices.yaml"
    read = load_price_file(catalogue)
    assert read.prices == load_knowledge().prices
    assert len(read.notes) == 2
    assert tmp_path.exists()


def test_a_csv_row_gives_an_on_demand_and_a_spot_price(tmp_path: Path) -> None:
    read = load_price_file(csv_file(tmp_path, row("g6.48xlarge", "L4", price="13.4", spot="5.2")))
    facts = [(p.kind, p.usd_per_hour, p.gpu, p.gpu_count, p.provider) for p in read.prices]
    assert facts == [("on_demand", 13.4, "l4", 8, "aws"), ("spot", 5.2, "l4", 8, "aws")]
    assert {p.as_of for p in read.prices} == {"2026-10-01"}


def test_a_row_with_a_spot_price_alone_gives_that(tmp_path: Path) -> None:
    (price,) = read_price_file(csv_file(tmp_path, row("x", "L4", price="", spot="5.2")))
    assert (price.kind, price.usd_per_hour) == ("spot", 5.2)


def test_zones_of_a_region_become_their_cheapest(tmp_path: Path) -> None:
    rows = [row("x", "L4", spot=spot, price="9", zone=f"z{spot}") for spot in ("3", "2", "4")]
    on_demand, spot = read_price_file(csv_file(tmp_path, *rows))
    assert (spot.usd_per_hour, spot.note) == (2.0, "zone z2, cheapest of 3")
    assert on_demand.usd_per_hour == 9.0


def test_rows_that_price_no_whole_gpu_machine_are_counted(tmp_path: Path) -> None:
    rows = [
        row("m7i.large", "", ""),
        row("m7i.xlarge", "", "0"),
        row("", "A100", "8"),
        row("g6f.large", "L4", "0.125"),
        row("gr6", "L4", price="", spot=""),
        row("free", "L4", price="0"),
    ]
    read = load_price_file(csv_file(tmp_path, *rows))
    assert read.prices == ()
    assert read.skipped == {
        "no GPU": 2,
        "price of the accelerator without a machine": 1,
        "part of a GPU": 1,
        "no price": 2,
    }
    assert any("no row gave a price" in note for note in read.notes)


def test_unknown_accelerators_are_a_note(tmp_path: Path) -> None:
    rows = [row("p2", "K80"), row("trn2", "Trainium2"), row("p2b", "K80"), row("g6", "L4")]
    read = load_price_file(csv_file(tmp_path, *rows))
    assert [price.gpu for price in read.prices] == ["l4"]
    assert any("K80 (2), Trainium2 (1)" in note for note in read.notes)


@pytest.mark.parametrize(
    ("provider", "instance", "name", "gpu_info", "gpu", "sure"),
    [
        ("aws", "p4d.24xlarge", "A100", "", "a100-40-sxm", True),
        ("aws", "p5.48xlarge", "H100", "", "h100-sxm", True),
        ("lambda", "gpu_8x", "A100", "", "a100-40-sxm", False),
        ("lambda", "gpu_8x", "V100", "", "v100-16", None),
        ("vast", "8x", "A100", info("A100", 81920), "a100-80-sxm", False),
        ("runpod", "8x", "A100-80GB", info("A100 PCIe", 80), "a100-80-pcie", True),
        ("runpod", "8x", "H100-NVL", "", "h100-nvl", True),
        ("gcp", "a3-megagpu-8g", "H100-MEGA", "", "h100-sxm", True),
        ("vast", "8x", "RTX6000-Ada", "", "rtx-6000-ada", True),
    ],
)
def test_the_gpu_is_what_the_catalogue_of_skypilot_means_by_the_name(
    tmp_path: Path, provider: str, instance: str, name: str, gpu_info: str, gpu: str,
    sure: bool | None,
) -> None:  # fmt: skip
    path = csv_file(tmp_path, row(instance, name, gpu_info=gpu_info), name=f"{provider}.csv")
    (price,) = read_price_file(path)
    assert price.gpu == gpu
    if sure is not None:
        assert (price.uncertain is None) is sure


@pytest.mark.parametrize(
    ("name", "option", "expected"),
    [
        ("lambda.csv", None, "lambda"),
        ("nebius/vms.csv", None, "nebius"),
        ("Azure/instances.csv", None, "azure"),
        ("dump.csv", "crusoe", "crusoe"),
    ],
)
def test_the_provider_is_the_name_of_the_file_or_folder_or_given(
    tmp_path: Path, name: str, option: str | None, expected: str
) -> None:
    path = csv_file(tmp_path, row("x", "L4"), name=name)
    assert read_price_file(path, provider=option)[0].provider == expected


def test_a_csv_without_a_date_is_refused_and_takes_a_given_one(tmp_path: Path) -> None:
    path = csv_file(tmp_path, row("x", "L4"), date="")
    (problem,) = problems(path)
    assert (problem.code, problem.key) == ("missing_key", "as_of")
    assert read_price_file(path, as_of="2026-09")[0].as_of == "2026-09"


@pytest.mark.parametrize("date", ["2026-02-30", "26-01-01", "today", "2026/01/01", ""])
def test_a_given_date_must_be_one(tmp_path: Path, date: str) -> None:
    assert problems(csv_file(tmp_path, row("x", "L4")), as_of=date)[0].code == "bad_date"


@pytest.mark.parametrize("value", ["-1", "NaN", "inf", "-inf", "1e999", "free", "1,5"])
def test_a_wrong_number_is_reported_with_line_and_column(tmp_path: Path, value: str) -> None:
    path = csv_file(tmp_path, row("x", "L4"), row("y", "L4", price=f'"{value}"'))
    (problem,) = problems(path)
    assert (problem.code, problem.file, problem.line, problem.key) == (
        "bad_value", str(path), 4, "Price",
    )  # fmt: skip


def test_a_missing_column_is_named_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "aws.csv"
    path.write_text("# as_of: 2026-10-01\nInstanceType,AcceleratorNames,AcceleratorCount,Price\n")
    names, region = problems(path)
    assert (names.code, names.key, names.line) == ("missing_column", "AcceleratorName", 2)
    assert names.nearest[0] == "AcceleratorNames"
    assert region.key == "Region"


def test_a_row_of_the_wrong_length_is_reported_with_its_line(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "x,L4,8", row("y", "L4"))
    (problem,) = problems(path)
    assert (problem.code, problem.line) == ("bad_row", 3)


def test_a_repeated_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "aws.csv"
    path.write_text(f"# as_of: 2026-10-01\n{HEAD},Price\n")
    assert [p.code for p in problems(path)] == ["duplicate_key"]


def test_at_most_twenty_problems_come_out(tmp_path: Path) -> None:
    path = csv_file(tmp_path, *(row("x", "L4", price="-1") for _ in range(50)))
    assert len(problems(path)) == 20


@pytest.mark.parametrize("name", ["p.csv", "p.yaml"])
@pytest.mark.parametrize(
    ("data", "code"),
    [(b"a\0b", "not_text"), (b"\xff\xfe\xfa", "not_utf8"), (b"x\n\xe9", "not_utf8")],
)
def test_a_file_that_is_not_text_is_refused(
    tmp_path: Path, name: str, data: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert problems(path)[0].code == code


@pytest.mark.parametrize("name", ["p.csv", "p.yaml"])
def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(50 * 1000 * 1000)  # sparse: takes no space
    assert problems(path)[0].code == "too_large"


def test_folders_and_missing_files_are_input_errors(tmp_path: Path) -> None:
    assert problems(tmp_path)[0].code == "is_a_folder"
    assert problems(tmp_path / "none.csv")[0].code == "no_such_file"
    assert problems(tmp_path / "nul\0.csv")[0].code == "unreadable"


def test_an_empty_csv_names_its_missing_columns(tmp_path: Path) -> None:
    path = tmp_path / "aws.csv"
    path.write_text("# as_of: 2026-10-01\n")
    assert {p.code for p in problems(path)} == {"missing_column"}
