"""``gpu-advisor kb``: the check of everything, and showing records."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from running_commands import Command

from advisor.cli.kb_check import check_everything
from advisor.store.loader import load_knowledge

TODAY = date.fromisoformat(load_knowledge().as_of)

Edit = Callable[..., None]


@pytest.fixture(autouse=True)
def _fixed_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.cli.kb._today", lambda: TODAY)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the shipped knowledge."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(load_knowledge().path, tmp_path / "kb", ignore=ignored))


@pytest.fixture
def edit(folder: Path) -> Edit:
    """Return a function that replaces the first occurrence of a text in a file."""

    def replace(file: str, old: str, new: str) -> None:
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return replace


def line_of(folder: Path, file: str, text: str) -> int:
    lines = (folder / file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_shipped_knowledge_has_no_fault(command: Command) -> None:
    ran = command("kb", "check")

    assert ran.code == 0, ran.out
    assert ran.out.endswith("No faults.\n")
    assert ran.err == ""


def test_json_tells_faults_from_information(command: Command) -> None:
    ran = command("kb", "check", "--format", "json")

    assert ran.code == 0
    assert ran.json["ok"] is True
    assert ran.json["faults"] == []
    assert {item["code"] for item in ran.json["information"]} <= {"stale_records"}


def test_old_prices_are_shown_and_are_no_fault(folder: Path) -> None:
    later = TODAY.replace(year=TODAY.year + 1)
    found = check_everything(folder, later)

    assert found.faults == ()
    assert any("prices.yaml" in (item.file or "") for item in found.information)


def test_all_faults_of_all_rooms_come_at_once_with_file_and_line(
    command: Command, folder: Path, edit: Edit
) -> None:
    edit("models/llama.yaml", "parameters_b: 70.55", "parameters_b: 80.55")
    edit("questions/workload.yaml", "section: '8.1'", "section: '8.9'")
    edit("corrections/section-2.yaml", 'section: "2.1"', 'section: "2.9"')
    edit("engines/tgi.yaml", 'section: "7.3"', 'section: "7.8"')
    edit("handbook/03-virtualization.md", "columns=table,profile,", "columns=table,profil,")
    edit("rules/gpu.yaml", 'cite: ["8.1"', 'cite: ["8.7"')
    edit("rules/parallelism.yaml", "c.gpus_per_replica ==", "c.gpus_per_repliqa ==")
    ran = command("kb", "check", "--path", str(folder))

    assert ran.code == 1
    for file, key in (
        ("models/llama.yaml", ".parameters_b: The shapes add up to 70.5"),
        ("questions/workload.yaml", "workload.kind.section: The handbook has no section '8.9'"),
        ("corrections/section-2.yaml", ".section: The handbook has no section '2.9'"),
        ("engines/tgi.yaml", "engines.tgi.behaviours.0.section: The handbook has no section"),
        ("handbook/03-virtualization.md", "There is no column 'profil'. Did you mean profile"),
        ("rules/gpu.yaml", ".cite: The handbook has no section '8.7'"),
        ("rules/parallelism.yaml", "Did you mean gpus_per_replica"),
    ):
        [line] = [text for text in ran.out.splitlines() if key in text]
        assert line.startswith(f"kb/{file}:"), line
    assert ran.out.endswith("7 faults in 7 files.\n")


def test_a_fault_names_the_line_that_must_change(
    command: Command, folder: Path, edit: Edit
) -> None:
    edit("models/llama.yaml", "parameters_b: 70.55", "parameters_b: 80.55")
    edit("questions/workload.yaml", "section: '8.1'", "section: '8.9'")
    faults = command("kb", "check", "--path", str(folder), "--format", "json").json["faults"]

    assert {(fault["file"], fault["line"]) for fault in faults} == {
        ("kb/models/llama.yaml", line_of(folder, "models/llama.yaml", "parameters_b: 80.55")),
        ("kb/questions/workload.yaml", line_of(folder, "questions/workload.yaml", "'8.9'")),
    }


def test_a_shape_that_is_not_known_explains_a_gap(folder: Path, edit: Edit) -> None:
    edit(
        "models/llama.yaml",
        "parameters_b: 70.55",
        "parameters_b: 80.55\n    unknown_shapes: [ffn]",
    )

    assert check_everything(folder, TODAY).faults == ()


def test_a_broken_catalogue_does_not_hide_the_rest(folder: Path, edit: Edit) -> None:
    edit("gpus/nvidia-ada.yaml", "vendor: nvidia", "vendor: nvidia: twice")
    (folder / "handbook" / "glossary.md").unlink()
    (folder / "questions" / "tenancy.yaml").unlink()
    edit("version.yaml", "version:", "versoin:")
    files = {problem.file for problem in check_everything(folder, TODAY).faults}

    assert {"kb/gpus/nvidia-ada.yaml", "kb/questions/tenancy.yaml", "kb/version.yaml"} <= files


def test_an_empty_folder_is_all_faults_and_no_crash(command: Command, tmp_path: Path) -> None:
    ran = command("kb", "check", "--path", str(tmp_path))

    assert ran.code == 1
    assert "missing_file" not in ran.out  # sentences, not codes
    assert "No file matches this name." in ran.out


def test_files_that_are_no_text_are_faults(folder: Path) -> None:
    for file in ("handbook/10-gotchas.md", "questions/layout.yaml", "corrections/section-1.yaml"):
        (folder / file).write_bytes(b"\xff\xfe\x00")
    messages = " ".join(str(problem) for problem in check_everything(folder, TODAY).faults)

    assert "handbook" in messages
    assert "questions/layout.yaml" in messages
    assert "corrections/section-1.yaml" in messages


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("gpus/nvidia-ada.yaml", "as_of: '2026-11-29'", "as_of: '2031-01-01'"),
        ("corrections/section-7.yaml", 'date: "2024-12-06"', 'date: "2031-01"'),
        ("models/llama.yaml", "date: ", "date: '2031' # "),
        ("questions/hardware.yaml", "as_of: '2026-11-29'", "as_of: '2031-01-01'"),
        ("handbook/03-virtualization.md", ", 2026-08-21", ", 2031-08-21"),
    ],
)
def test_a_date_in_the_future_is_a_fault(
    folder: Path, edit: Edit, file: str, old: str, new: str
) -> None:
    edit(file, old, new)
    [fault] = check_everything(folder, TODAY).faults

    assert (fault.code, fault.file) == ("bad_date", f"kb/{file}")
    assert fault.line is not None
    assert "2031" in (folder / file).read_text(encoding="utf-8").splitlines()[fault.line - 1]


def test_a_clock_that_is_behind_is_one_fault_not_hundreds(folder: Path) -> None:
    [fault] = check_everything(folder, TODAY.replace(year=TODAY.year - 1)).faults

    assert fault.file == "kb/version.yaml"


def test_a_folder_that_does_not_exist_is_bad_input(command: Command) -> None:
    ran = command("kb", "check", "--path", "no/such/folder", "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert "no/such/folder" in ran.error["message"]


def test_kb_alone_and_a_misspelt_action_name_the_actions(command: Command) -> None:
    assert command("kb", "--format", "json").code == 2
    ran = command("kb", "chekc", "--format", "json")

    assert ran.error["allowed"] == ["check", "show", "tables", "coverage"]
    assert ran.error["nearest"] == ["check"]


def test_show_alone_counts_the_catalogues(command: Command) -> None:
    counts = command("kb", "show", "--format", "json").json
    text = command("kb", "show").out

    assert counts["gpus"] == len(load_knowledge().gpus)
    assert all(counts.values())
    assert {"models", "prices", "questions", "corrections", "engines"} <= set(counts)
    assert [line.split()[0] for line in text.splitlines()] == list(counts)


def test_a_catalogue_alone_lists_its_records(command: Command) -> None:
    ran = command("kb", "show", "gpu", "--format", "json")

    assert list(ran.json) == list(load_knowledge().gpus)
    assert command("kb", "show", "gpus").code == 0


def test_a_record_shows_units_sources_and_what_is_unverified(command: Command) -> None:
    gpu = load_knowledge().gpus["h200-sxm"]
    ran = command("kb", "show", "gpu", "h200-sxm")

    assert ran.code == 0
    assert f"{gpu.memory_bandwidth_gbs:g} GB/s" in ran.out
    assert "memory_bandwidth_gbs" in gpu.unverified
    assert "(unverified)" in ran.out
    assert "Sources:" in ran.out
    assert "http" in ran.out


def test_json_resolves_the_sources(command: Command) -> None:
    document = command("kb", "show", "gpu", "h200-sxm", "--format", "json").json

    assert document["record"]["id"] == "h200-sxm"
    assert document["file"].startswith("knowledge/gpus/")
    for source in document["record"]["sources"]:
        assert {"id", "title", "url", "date", "how"} == set(source)


def test_a_name_need_not_be_quoted_or_exact(command: Command) -> None:
    quoted = command("kb", "show", "model", "llama 3.3 70b")
    loose = command("kb", "show", "models", "Llama", "3.3", "70B")

    assert quoted.out == loose.out
    assert quoted.out.startswith("llama-3.3-70b: ")


def test_what_an_ambiguous_name_was_taken_for_is_said_on_stderr(command: Command) -> None:
    ran = command("kb", "show", "gpu", "H100", "--format", "json")

    assert ran.json["record"]["id"] == "h100-sxm"
    assert "is taken as" in ran.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("mig", "h200-sxm"), "1g.18gb"),
        (("mig", "h200"), "1g.18gb"),
        (("link", "NVLink 4 (Hopper)"), "450 GB/s"),
        (("interconnect", "nvlink4"), "450 GB/s"),
        (("format", "fp8_e4m3"), "1.0005"),
        (("kv-format", "fp8"), "bytes_per_element"),
        (("price", "p5.48xlarge"), "USD/h"),
        (("price", "H200 SXM"), "USD/h"),
        (("allreduce", "h100-sxm"), "microseconds"),
    ],
)
def test_every_catalogue_can_be_shown(
    command: Command, words: tuple[str, ...], expected: str
) -> None:
    ran = command("kb", "show", *words)

    assert ran.code == 0, ran.err
    assert expected in ran.out
    assert "Sources:" in ran.out


def test_every_record_of_every_catalogue_can_be_shown(command: Command) -> None:
    for catalogue in command("kb", "show", "--format", "json").json:
        names = list(command("kb", "show", catalogue, "--format", "json").json)
        for name in (*names[:3], names[-1]):
            for form in ("text", "json"):
                ran = command("kb", "show", catalogue, name, "--format", form)
                assert ran.code == 0, ran.err


def test_every_price_of_an_instance_is_shown_newest_first_with_its_date(command: Command) -> None:
    rows = command("kb", "show", "price", "p5.48xlarge", "--format", "json").json
    dates = [row["record"]["as_of"] for row in rows]
    text = command("kb", "show", "price", "p5.48xlarge").out

    assert len(rows) == sum(p.instance == "p5.48xlarge" for p in load_knowledge().prices)
    assert dates == sorted(dates, reverse=True)
    assert all(day in text for day in dates)


def test_an_engine_shows_its_behaviour_by_release(command: Command) -> None:
    out = command("kb", "show", "engine", "vLLM").out
    record = load_knowledge().engines["vllm"]

    for behaviour in record.behaviours:
        assert f"{behaviour.key} ({behaviour.unit}, §{behaviour.section})" in out
    assert "since 0.1.0" in out
    assert " when " in out


def test_a_question_shows_values_default_and_section(command: Command) -> None:
    out = command("kb", "show", "question", "workload.kind").out

    assert "fine_tuning" in out
    assert "default: serving" in out
    assert "§8.1" in out


def test_a_correction_shows_claim_and_what_is_right(command: Command) -> None:
    name = next(iter(command("kb", "show", "corrections", "--format", "json").json))
    out = command("kb", "show", "correction", name).out

    assert "claim (" in out
    assert "right: " in out


@pytest.mark.parametrize(
    ("words", "nearest"),
    [
        (("gpuz",), "gpus"),
        (("gpu", "h200-sxn"), "h200-sxm"),
        (("model", "llama-3.3-70"), "llama-3.3-70b"),
        (("engine", "vlm"), "vllm"),
        (("link", "nvlnk4"), "nvlink4"),
        (("price", "p5.48xlarg"), "p5.48xlarge"),
        (("question", "workload.knd"), "workload.kind"),
        (("correction", "a100-has-one-bandwith"), "a100-has-one-bandwidth"),
    ],
)
def test_what_is_not_known_names_the_nearest(
    command: Command, words: tuple[str, ...], nearest: str
) -> None:
    ran = command("kb", "show", *words, "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert nearest in ran.error["nearest"]


@pytest.mark.parametrize(
    ("file", "old", "new", "key"),
    [
        ("rules/warnings.yaml", "severity: warning", "severity: wraning", "severity"),
        ("rules/warnings.yaml", "kind: risk", "kind: riks", "kind"),
        ("rules/warnings.yaml", "    fix: ", "    fixx: ", "fixx"),
        ("rules/gpu.yaml", "surcharge: 3.0", "surcharge: 0.3", "surcharge"),
        ("models/llama.yaml", "heads: 64, kv_heads: 8", "heads: 64, kv_heads: 7", "kv_heads"),
        ("gpus/nvidia-hopper.yaml", "compute_capability: '9.0'", "compute_capability: '9.x'",
         "compute_capability"),
    ],
)  # fmt: skip
def test_a_slip_that_no_schema_sees_is_found_with_its_place(
    folder: Path, edit: Edit, file: str, old: str, new: str, key: str
) -> None:
    edit(file, old, new)
    faults = check_everything(folder, TODAY).faults
    places = [(fault.line, fault.key) for fault in faults if fault.file and file in fault.file]
    assert any(key in (name or "") for _, name in places), places
    assert line_of(folder, file, new) in {line for line, _ in places}


def test_more_layers_than_the_model_has_are_found(folder: Path, edit: Edit) -> None:
    edit("models/llama.yaml", "    layers: 80\n", "    layers: 79\n")
    faults = check_everything(folder, TODAY).faults
    assert any("80 layers are described, the model has 79" in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("table: dra_gates columns", "table: dra_gate columns", "There is no table 'dra_gate'"),
        (
            "columns=id,stages",
            "columns=id,stage",
            "There is no column 'stage'. Did you mean stages",
        ),
        (
            "component=nvidia-dra-driver -->",
            "component=nvidia-dra-drivers -->",
            "There is no value of component 'nvidia-dra-drivers'. Did you mean nvidia-dra-driver",
        ),
        ("part_of=gpu-operator", "partof=gpu-operator", "There is no filter 'partof'"),
    ],
)
def test_a_table_that_cannot_be_made_is_a_fault_at_its_line(
    command: Command, folder: Path, edit: Edit, old: str, new: str, message: str
) -> None:
    page = "handbook/05-kubernetes.md"
    line = line_of(folder, page, old)
    edit(page, old, new)
    out = command("kb", "check", "--path", str(folder)).out
    [fault] = [text for text in out.splitlines() if message in text]

    assert fault.startswith(f"kb/{page}:{line}: ")


@pytest.mark.parametrize(
    ("words", "heading"),
    [
        (("gotcha", "two-allocators"), "two-allocators: Device plugin and DRA driver"),
        (("xid", "79"), "79: GPU_HAS_FALLEN_OFF_THE_BUS: "),
        (("xid", "GPU_HAS_FALLEN_OFF_THE_BUS"), "79: GPU_HAS_FALLEN_OFF_THE_BUS: "),
        (("dra_gate", "DRADeviceTaints"), "device-taints: DRADeviceTaints: "),
        (("kubernetes_release", "1.36"), "1.36: Kubernetes, 2026-04-22 to "),
        (("metric", "DCGM_FI_DEV_GPU_UTIL"), "dcgm-gpu-util: DCGM_FI_DEV_GPU_UTIL: "),
    ],
)
def test_a_record_is_headed_by_what_it_is(
    command: Command, words: tuple[str, ...], heading: str
) -> None:
    assert command("kb", "show", *words).out.startswith(heading)


def test_every_record_of_the_kubernetes_layer_has_a_heading(command: Command) -> None:
    layer = (
        "kubernetes_releases", "kubernetes_bugs", "dra_gates", "components", "node_images",
        "metrics", "alerts", "xids", "sharing_modes", "platforms", "provisioners",
        "capacity_kinds", "rdma_exposures", "gotchas", "symptoms",
    )  # fmt: skip
    for catalogue in layer:
        headings = command("kb", "show", catalogue, "--format", "json").json
        assert [name for name, title in headings.items() if not title] == [], catalogue
