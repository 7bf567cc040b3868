"""The tables of the handbook come from the catalogues: columns, filters, figures."""

from __future__ import annotations

import pytest

from advisor.errors import UnknownNameError
from advisor.store.handbook import Table, load_handbook
from advisor.store.handbook_check import check_handbook
from advisor.store.handbook_tables import TABLE_NAMES, read_directives
from advisor.store.loader import Knowledge
from advisor.store.tables import catalogue_tables
from advisor.store.tables_cells import cell_text, comparable
from advisor.store.tables_columns import COLUMNS
from advisor.store.tables_rows import ROWS, kv_bytes_per_token_bf16


def table(knowledge: Knowledge, name: str, **options: str) -> Table:
    return catalogue_tables(knowledge)(name, options)


def test_every_table_that_a_page_may_ask_for_exists() -> None:
    assert set(COLUMNS) == set(ROWS) == set(TABLE_NAMES)


def test_every_directive_of_the_handbook_expands_to_rows(knowledge: Knowledge) -> None:
    provide = catalogue_tables(knowledge)
    directives = [d for s in load_handbook().sections for d in read_directives(s)[0]]

    assert len(directives) > 5
    for directive in directives:
        assert provide(directive.name, directive.options).rows, directive
    assert check_handbook(tables=provide) == []


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_every_column_says_something_of_some_record(knowledge: Knowledge, name: str) -> None:
    everything = table(knowledge, name, columns=",".join(COLUMNS[name]))

    for head, *cells in zip(everything.headers, *everything.rows, strict=True):
        assert set(cells) != {"-"}, head


def test_a_row_shows_the_fields_of_the_record(knowledge: Knowledge) -> None:
    shown = table(knowledge, "gpus", columns="name,memory_gb,tflops.bf16,mig.supported", id="l40s")
    gpu = knowledge.gpus["l40s"]

    assert shown.rows == ((gpu.name, "48", cell_text(gpu.tflops.bf16), "no"),)
    assert shown.align == ("left", "right", "right", "left")


def test_heads_carry_units(knowledge: Knowledge) -> None:
    shown = table(knowledge, "gpus", columns="memory_gb,engine_memory_gib,memory_bandwidth_gbs")

    for head, unit in zip(shown.headers, ("(GB)", "(GiB)", "(GB/s)"), strict=True):
        assert head.endswith(unit)


def test_filters_keep_rows_that_have_one_of_the_values(knowledge: Knowledge) -> None:
    shown = table(knowledge, "gpus", columns="id", vendor="amd,intel", status="shipping")
    ids = {row[0] for row in shown.rows}

    assert ids == {
        gpu.id
        for gpu in knowledge.gpus.values()
        if gpu.vendor in {"amd", "intel"} and gpu.status == "shipping"
    }


def test_a_filter_on_a_list_wants_one_element(knowledge: Knowledge) -> None:
    shown = table(knowledge, "gpus", columns="id", cooling_kinds="liquid")

    assert {row[0] for row in shown.rows} == {
        gpu.id for gpu in knowledge.gpus.values() if "liquid" in gpu.cooling_kinds
    }


def test_a_filter_by_id_also_sets_the_order(knowledge: Knowledge) -> None:
    shown = table(knowledge, "models", columns="id", id="llama-3.3-70b,llama-3.1-8b")

    assert shown.rows == (("llama-3.3-70b",), ("llama-3.1-8b",))


def test_the_caption_names_source_and_date(knowledge: Knowledge) -> None:
    shown = table(knowledge, "gpus", columns="name", id="l4")

    assert shown.caption == f"From the GPU catalogue, checked {knowledge.gpus['l4'].as_of}."


def test_a_figure_that_is_not_verified_is_marked_and_explained(knowledge: Knowledge) -> None:
    doubtful = next(g for g in knowledge.gpus.values() if "tflops" in g.unverified)
    shown = table(knowledge, "gpus", columns="tflops.bf16,memory_gb", id=doubtful.id)

    assert shown.rows[0][0] == f"{cell_text(doubtful.tflops.bf16)} ?"
    assert not shown.rows[0][1].endswith("?")
    assert "not seen in a primary source" in shown.caption


@pytest.mark.parametrize(
    ("name", "options", "nearest"),
    [
        ("gpu", {"columns": "id"}, "gpus"),
        ("gpus", {"columns": "memory_gbs"}, "memory_gb"),
        ("gpus", {"columns": "id", "vendors": "amd"}, "vendor"),
        ("gpus", {"columns": "id", "vendor": "nvida"}, "nvidia"),
        ("models", {"columns": "id", "id": "llama-3.3-70"}, "llama-3.3-70b"),
    ],
)
def test_what_is_not_known_names_the_nearest(
    knowledge: Knowledge, name: str, options: dict[str, str], nearest: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue_tables(knowledge)(name, options)

    assert nearest in caught.value.problems[0].nearest


@pytest.mark.parametrize("columns", [{}, {"columns": ""}, {"columns": " , "}])
def test_a_table_without_columns_is_refused(knowledge: Knowledge, columns: dict[str, str]) -> None:
    with pytest.raises(UnknownNameError) as caught:
        catalogue_tables(knowledge)("formats", columns)

    assert "bytes_per_weight" in caught.value.problems[0].allowed


def test_all_reduce_times_are_pivoted_by_number_of_gpus(knowledge: Knowledge) -> None:
    columns = "gpu,message_elements,gpus_2,gpus_4,gpus_8"
    shown = table(knowledge, "allreduce", columns=columns, gpu="h100-sxm")
    points = knowledge.allreduce["h100-sxm"].points

    assert len(shown.rows) == len({point.message_elements for point in points})
    for row in shown.rows:
        size = int(row[1].replace(",", ""))
        times = {p.gpus: p.microseconds for p in points if p.message_elements == size}
        assert row[2:] == tuple(cell_text(times.get(gpus)) for gpus in (2, 4, 8))
        assert row[0] == knowledge.gpus["h100-sxm"].name


def test_mig_profiles_are_flattened(knowledge: Knowledge) -> None:
    shown = table(knowledge, "mig_profiles", columns="table,profile,usable_gib")

    assert len(shown.rows) == sum(len(t.profiles) for t in knowledge.mig_tables.values())
    assert {row[2] for row in shown.rows} > {"-"}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("llama-3.3-70b", 2 * 80 * 8 * 128 * 2),  # keys and values, layers, KV heads, dim, bytes
        ("deepseek-v3", 61 * (512 + 64) * 2),  # layers, latent and rope row, bytes
        ("bge-m3", None),  # an encoder keeps no cache
    ],
)
def test_cache_per_token_follows_from_the_shapes(
    knowledge: Knowledge, model: str, expected: float | None
) -> None:
    assert kv_bytes_per_token_bf16(knowledge.models[model]) == expected


def test_windows_do_not_count_towards_the_cache_per_token(knowledge: Knowledge) -> None:
    model = knowledge.models["gpt-oss-120b"]
    full = [a for a in model.attention if a.kind == "full"]
    per_token = kv_bytes_per_token_bf16(model)

    assert len(full) < len(model.attention)
    assert per_token == sum(a.layers * a.kv_heads * 2 * a.head_dim * 2 for a in full)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ((), "-"),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (80.0, "80"),
        (0.53125, "0.53125"),
        (139.70, "139.7"),
        (4800.0, "4,800"),
        (67108864, "67,108,864"),
        (1234.6, "1,235"),
        (float("nan"), "-"),
        (("air", "liquid"), "air, liquid"),
    ],
)
def test_values_read_as_a_reader_expects(value: object, text: str) -> None:
    assert cell_text(value) == text


def test_a_filter_compares_numbers_and_switches_by_their_plain_text() -> None:
    assert comparable(80.0) == ("80",)
    assert "yes" in comparable(True)
    assert comparable(None) == ()
    assert comparable(("Air", 4)) == ("air", "4")
