"""Tables of the Kubernetes layer: every record of the catalogues is there, and nowhere typed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from advisor.errors import UnknownNameError
from advisor.store.component import AvoidedVersions, Component, ComponentVersion, Floor
from advisor.store.handbook import Table, load_handbook, render_section, section_text
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.tables import catalogue_tables
from advisor.store.tables_columns_kubernetes import KUBERNETES_COLUMNS
from advisor.store.tables_rows_kubernetes import version_span

KNOWLEDGE = load_knowledge()
ONE_LINE_PER_RECORD = (
    "alerts", "capacity_kinds", "components", "dra_gates", "gotchas", "kubernetes_bugs",
    "kubernetes_releases", "metrics", "node_images", "platforms", "provisioners",
    "rdma_exposures", "sharing_modes", "xids",
)  # fmt: skip
"""Tables that are called as their catalogue."""

_TYPED = re.compile(r"(?<!since )(?<![\w.])v?(\d+\.\d+\.[\d.]*\d)", re.IGNORECASE)
"""A release in the text; since when something is so stays true and may be typed."""

SHOWN_IN = {
    # catalogue: section, column that the section must show of every record
    "alerts": ("5.6", "name"),
    "capacity_kinds": ("8.4", "name"),
    "capacity_offers": ("8.4", "terms"),
    "component_versions": ("versions", "version"),
    "dra_gates": ("5.3", "gate"),
    "floors": ("versions", "version"),
    "gotchas": ("10", "id"),
    "kubernetes_bugs": ("5.3", "title"),
    "kubernetes_releases": ("versions", "id"),
    "metrics": ("5.6", "series"),
    "node_images": ("8.4", "name"),
    "platforms": ("8.4", "name"),
    "provisioners": ("8.4", "name"),
    "rdma_exposures": ("3.5", "name"),
    "sharing_modes": ("3.2", "name"),
    "versions_to_avoid": ("versions", "versions"),
    "xids": ("5.6", "do"),
}


def table(name: str, columns: str, knowledge: Knowledge = KNOWLEDGE, **options: str) -> Table:
    return catalogue_tables(knowledge)(name, {"columns": columns, **options})


def column(name: str, one: str, **options: str) -> list[str]:
    return [row[0] for row in table(name, one, **options).rows]


def of_components(part: Callable[[Component], tuple[object, ...]]) -> Iterator[tuple[str, object]]:
    for component in KNOWLEDGE.components.values():
        for entry in part(component):
            yield component.id, entry


@pytest.mark.parametrize("name", ONE_LINE_PER_RECORD)
def test_a_table_has_one_line_for_each_record_of_its_catalogue(name: str) -> None:
    records = getattr(KNOWLEDGE, name)

    assert sorted(column(name, "id")) == sorted(records)
    assert len(records) > 3


def test_every_version_of_every_component_is_a_line() -> None:
    shown = [
        (row[0], row[1].removesuffix(" ?"))
        for row in table("component_versions", "id,version").rows
    ]
    versions = of_components(lambda component: component.versions)

    assert shown == [
        (key, entry.version) for key, entry in versions if isinstance(entry, ComponentVersion)
    ]


def test_every_range_to_avoid_is_a_line() -> None:
    shown = list(table("versions_to_avoid", "id,when,instead").rows)
    ranges = of_components(lambda component: component.avoid)

    assert shown == [
        (key, entry.when, entry.instead)
        for key, entry in ranges
        if isinstance(entry, AvoidedVersions)
    ]


def test_every_floor_is_a_line() -> None:
    shown = [(row[0], row[1].removesuffix(" ?")) for row in table("floors", "id,version").rows]
    floors = of_components(lambda component: component.floors)

    assert shown == [(key, entry.version) for key, entry in floors if isinstance(entry, Floor)]


def test_every_offer_of_a_cloud_is_a_line() -> None:
    shown = list(table("capacity_offers", "id,cloud,name").rows)

    assert shown == [
        (kind.id, offer.cloud, offer.name)
        for kind in KNOWLEDGE.capacity_kinds.values()
        for offer in kind.sold_as
    ]


def test_every_table_of_this_layer_is_held_complete_by_one_of_these_tests() -> None:
    flattened = {"component_versions", "versions_to_avoid", "floors", "capacity_offers"}

    assert set(KUBERNETES_COLUMNS) == flattened | set(ONE_LINE_PER_RECORD)


@pytest.mark.parametrize("name", SHOWN_IN)
def test_the_handbook_shows_every_record(name: str) -> None:
    number, shown = SHOWN_IN[name]
    text = render_section(load_handbook().section(number), catalogue_tables(KNOWLEDGE))
    plain = re.sub(r"\\([\\`*<|])", r"\1", text)

    assert [cell for cell in column(name, shown) if cell not in plain] == []


def test_every_component_of_which_a_version_is_known_is_in_the_versions() -> None:
    text = render_section(load_handbook().section("versions"), catalogue_tables(KNOWLEDGE))
    known = [entry.name for entry in KNOWLEDGE.components.values() if entry.versions]

    assert len(known) > 20
    assert [name for name in known if f"| {name} |" not in text] == []


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str, str], Knowledge]:
    """Return a function that gives the knowledge with one text of one file replaced."""

    def replace(file: str, old: str, new: str) -> Knowledge:
        root = tmp_path / "kb"
        for name in ("kubernetes", "gotchas"):
            shutil.copytree(KNOWLEDGE.path / name, root / name)
        shutil.copy(KNOWLEDGE.path / "version.yaml", root)
        text = (root / file).read_text(encoding="utf-8")
        assert old in text
        (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")
        return Knowledge(root)

    return replace


def test_a_new_minor_version_is_a_new_column_of_the_gates(
    edited: Callable[[str, str, str], Knowledge],
) -> None:
    record = (
        "  - id: '1.99'\n    released: '2026-11-30'\n    end_of_life: '2027-11-30'\n"
        "    sections: ['5.3']\n    sources: [release-dates]\n    as_of: '2026-11-30'\n\n"
    )
    knowledge = edited("kubernetes/releases.yaml", "kubernetes_bugs:", f"{record}kubernetes_bugs:")
    shown = table("dra_gates", "id,stages", knowledge)

    assert shown.headers == ("feature", *KNOWLEDGE.kubernetes_releases, "1.99")
    for row in shown.rows:
        assert row[-1] == row[-2]  # a stage holds until the next one


def test_a_changed_fact_changes_the_table(edited: Callable[[str, str, str], Knowledge]) -> None:
    knowledge = edited("kubernetes/xids.yaml", "mnemonic: GR_EXCEPTION", "mnemonic: OTHER_WORDS")

    assert table("xids", "mnemonic", knowledge, id="13").rows == (("OTHER_WORDS",),)


def test_gates_tell_stage_default_and_lock() -> None:
    for gate in KNOWLEDGE.dra_gates.values():
        (row,) = table("dra_gates", "stages", id=gate.id).rows
        for minor, cell in zip(KNOWLEDGE.kubernetes_releases, row, strict=True):
            stage = gate.stage_in(minor)
            words = cell.removesuffix(" ?")
            assert (words == "-") == (stage is None)
            if stage is not None:
                assert words.lower().startswith(stage.stage)
                assert ("locked" in words) == stage.locked
                if stage.stage == "beta" and not stage.locked:
                    assert words.endswith("on" if stage.default_on else "off")


def test_columns_that_stand_for_several_are_no_filter() -> None:
    with pytest.raises(UnknownNameError) as caught:
        table("dra_gates", "id", stages="alpha")

    assert caught.value.problems[0].code == "unknown_filter"


def test_only_the_version_that_was_not_seen_is_marked() -> None:
    component = KNOWLEDGE.components["gpu-operator"]
    doubtful = {name.removeprefix("versions.") for name in component.unverified}
    shown = column("component_versions", "version", component="gpu-operator")

    assert doubtful
    assert {cell.removesuffix(" ?") for cell in shown if cell.endswith(" ?")} == doubtful
    assert len(shown) > len(doubtful)


def test_the_newest_version_keeps_its_mark_in_the_list_of_components() -> None:
    for component in KNOWLEDGE.components.values():
        newest = component.newest
        (cell,) = column("components", "newest", id=component.id)
        if newest is None:
            assert cell == "-"
            continue
        marked = {"versions", f"versions.{newest.version}"} & set(component.unverified)
        assert cell == f"{newest.version} ?" if marked else cell == newest.version


@pytest.mark.parametrize(
    ("first", "outside", "words"),
    [
        ("26.3.0", "26.3.3", "26.3.0 to before 26.3.3"),
        (None, "0.12.0", "before 0.12.0"),
        ("595", None, "595 and later"),
        (None, None, "all"),
    ],
)
def test_a_range_of_versions_in_words(first: str | None, outside: str | None, words: str) -> None:
    assert version_span(first, outside) == words


def test_gotchas_stand_worst_first_and_know_their_topic() -> None:
    order = ("critical", "warning", "info")
    ranks = [order.index(severity) for severity in column("gotchas", "severity")]

    assert ranks == sorted(ranks)
    assert set(column("gotchas", "topic")) == {
        path.stem for path in (KNOWLEDGE.path / "gotchas").glob("*.yaml")
    }


def test_an_image_that_has_ended_says_since_when() -> None:
    for image in KNOWLEDGE.node_images.values():
        (name,) = column("node_images", "name", id=image.id)
        assert name == (f"{image.name} (until {image.until})" if image.until else image.name)


@pytest.mark.parametrize(
    ("name", "key", "value", "expected"),
    [
        ("components", "part_of", "gpu-operator", "mig-manager"),
        ("component_versions", "component", "nvidia-driver", "nvidia-driver"),
        ("metrics", "exporter", "dcgm-exporter", "dcgm-xid"),
        ("sharing_modes", "memory", "not_shared", "passthrough"),
        ("node_images", "gpu_operator", "no_driver_no_toolkit", "dgx-os"),
        ("floors", "needs", "containerd", "nri-plugin"),
    ],
)
def test_a_filter_takes_the_ids_of_the_catalogue(
    name: str, key: str, value: str, expected: str
) -> None:
    assert expected in column(name, "id", **{key: value})


def test_names_stand_for_ids_that_records_point_with() -> None:
    (row,) = table("sharing_modes", "components,not_with", id="mps").rows
    mode = KNOWLEDGE.sharing_modes["mps"]

    assert row[0] == "; ".join(KNOWLEDGE.components[key].name for key in mode.components)
    assert row[1] == "; ".join(KNOWLEDGE.sharing_modes[key].name for key in mode.not_with)


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("number", ["3.2", "3.5", "4.2", "5.2", "5.3", "5.4", "5.6", "8.4", "10"])
def test_tables_keep_to_the_terminal(number: str, width: int) -> None:
    text = section_text(load_handbook().section(number), catalogue_tables(KNOWLEDGE), width)

    for line in text.splitlines():
        assert len(line) <= width or "http" in line, line


def test_no_version_that_a_table_holds_is_typed_in_the_text() -> None:
    current = {
        entry.version
        for component in KNOWLEDGE.components.values()
        for entry in component.versions
        if entry.status == "current" and entry.version.count(".") > 1
    }
    floors = {r.floor for r in KNOWLEDGE.kubernetes_releases.values() if r.floor}
    typed = [
        (section.number, word)
        for section in load_handbook().sections
        for word in _TYPED.findall(_prose(section.text_markdown))
        if word in current | floors
    ]

    assert len(current) > 10
    assert typed == []


def _prose(text: str) -> str:
    return re.sub(r"<!--.*?-->", "", text.partition("\n**Sources**\n")[0], flags=re.DOTALL)
