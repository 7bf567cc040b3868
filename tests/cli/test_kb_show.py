"""``gpu-advisor kb show``: every record under a heading, with units, sources and doubts."""

from __future__ import annotations

import pytest
from running_commands import Command

from advisor.store.loader import load_knowledge


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


def test_a_rule_shows_its_place_condition_reason_and_sections(command: Command) -> None:
    out = command("kb", "show", "rule", "sharing-linux-only").out
    found = command("kb", "show", "rule", "sharing-linux-only", "--format", "json").json
    lines = (load_knowledge().path / "rules" / "sharing.yaml").read_text("utf-8").splitlines()

    assert out.startswith("sharing-linux-only  MIG and MPS are for Linux\nin knowledge/rules/")
    assert f"sharing.yaml:{found['line']}\n" in out
    assert lines[found["line"] - 1].strip() == "- id: sharing-linux-only"
    assert "platform.operating_system == 'windows' and w.option in" in out
    assert "§3.3, §3.2" in out


def test_a_rule_named_by_a_warning_is_shown_by_its_id_alone(command: Command) -> None:
    out = command("kb", "show", "gotcha-gpu-dropped-after-xid").out

    assert "in knowledge/gotchas/device-plugin.yaml:" in out
    assert "{.status.capacity.nvidia" in out
    assert "{{" not in out


def test_a_rule_that_is_not_there_names_the_nearest(command: Command) -> None:
    ran = command("kb", "show", "rule", "sharing-linux-onli", "--format", "json")

    assert ran.code == 2
    assert ran.error["nearest"][0] == "sharing-linux-only"


@pytest.mark.parametrize(
    "words",
    [
        ("gate", "core"), ("release", "1.36"), ("bug", "k8s-139034"), ("image", "gke-cos"),
        ("way", "mig"), ("capacity", "spot"), ("rdma", "none"), ("cold_start", "node-vm"),
    ],
)  # fmt: skip
def test_a_catalogue_answers_to_its_short_name(command: Command, words: tuple[str, str]) -> None:
    assert command("kb", "show", *words).out.startswith(words[1])
