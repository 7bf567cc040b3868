"""The Kubernetes layer as records: reading them, and the questions they answer."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from pydantic import ValidationError

from advisor.store.cited import Applies, Cited, VersionRange, version_key
from advisor.store.gotcha import Cause
from advisor.store.loader import Knowledge
from advisor.store.provenance import describe_record

NEW = (
    "kubernetes_releases", "dra_gates", "components", "node_images", "metrics", "xids",
    "sharing_modes", "platforms", "provisioning", "gotchas", "symptoms",
)  # fmt: skip


def test_nothing_of_this_layer_is_imported_until_it_is_used() -> None:
    script = (
        "import sys\n"
        "from advisor.store.loader import Knowledge, load_knowledge\n"
        "knowledge = Knowledge(load_knowledge().path)\n"
        "knowledge.find_gpu('H200')\n"
        f"assert not any(knowledge.is_loaded(name) for name in {NEW!r})\n"
        "print(*(m for m in sys.modules if m in ('advisor.store.gotcha', 'advisor.store.cited')))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert result.stdout.strip() == b""


def test_one_catalogue_is_read_alone(knowledge: Knowledge) -> None:
    fresh = Knowledge(knowledge.path)
    assert fresh.xids["79"].code == 79
    assert [name for name in NEW if fresh.is_loaded(name)] == ["xids"]


@pytest.mark.parametrize(
    ("version", "inside"),
    [
        ("1.36.0", True), ("v1.36.2-eks-113cf36", True), ("1.36.3", False), ("1.35.9", False),
        ("1.36", None), ("1.37", False), ("1", None), ("latest", None),
    ],
)  # fmt: skip
def test_a_version_that_is_too_short_leaves_a_range_open(version: str, inside: bool | None) -> None:
    span = VersionRange(component="kubernetes", from_version="1.36.0", before_version="1.36.3")
    assert span.covers(version) is inside


def test_a_range_may_be_open_on_either_side() -> None:
    assert VersionRange(component="x", before_version="1.17.8").covers("1.17.7") is True
    assert VersionRange(component="x", from_version="595").covers("620.10") is True
    assert VersionRange(component="x", from_version="595").covers("580.95.05") is False


def test_the_first_component_whose_version_is_known_decides() -> None:
    applies = Applies.model_validate(
        {
            "words": "595, which operator 26.7 installs",
            "versions": (
                {"component": "nvidia-driver", "from_version": "595", "before_version": "596"},
                {"component": "gpu-operator", "from_version": "26.7.0"},
            ),
        }
    )
    assert applies.in_versions({"gpu-operator": "26.7.0"}) is True
    assert applies.in_versions({"gpu-operator": "26.7.0", "nvidia-driver": "580.95.05"}) is False
    assert applies.in_versions({}) is None


def test_what_applies_never_says_when_is_refused() -> None:
    with pytest.raises(ValidationError, match="at least one hint"):
        Applies(words="always")


def test_a_record_holds_between_its_dates_both_included() -> None:
    record = Cited(
        id="a", sources=("s",), as_of="2026", sections=("5.1",), since="2025-08-14", until="2026-10"
    )
    days = ("2025-08-13", "2025-08-14", "2026-10-31", "2026-11-01")
    assert [record.holds_on(day) for day in days] == [False, True, True, False]


def test_a_gate_is_what_its_latest_stage_says(knowledge: Knowledge) -> None:
    gate = knowledge.dra_gates["partitionable-devices"]
    stages = {minor: gate.stage_in(minor) for minor in ("1.32", "1.33", "1.36.2")}
    assert stages["1.32"] is None
    assert stages["1.33"] is not None
    assert not stages["1.33"].default_on
    assert stages["1.36.2"] is not None
    assert stages["1.36.2"].stage == "beta"
    core = knowledge.dra_gates["core"].stage_in("1.36")
    assert core is not None
    assert (core.stage, core.locked) == ("ga", True)


def test_a_bug_affects_the_versions_before_its_fix(knowledge: Knowledge) -> None:
    bug = knowledge.kubernetes_bugs["k8s-139363"]
    answers = [bug.affects(v) for v in ("1.34.9", "1.35.2", "1.35.6", "1.36.1", "1.36", "1.37.0")]
    assert answers == [False, True, False, True, None, False]


def test_every_bug_of_a_release_can_affect_it(knowledge: Knowledge) -> None:
    for release in knowledge.kubernetes_releases.values():
        for bug_id in release.bugs:
            assert knowledge.kubernetes_bugs[bug_id].affects(release.id) is not False


def test_the_floor_of_a_supported_release_is_free_of_bugs_of_default_clusters(
    knowledge: Knowledge,
) -> None:
    default = [bug for bug in knowledge.kubernetes_bugs.values() if bug.default_configuration]
    for release in knowledge.kubernetes_releases.values():
        for bug in default:
            assert not (release.floor and bug.affects(release.floor)), (release.id, bug.id)


def test_a_release_ends(knowledge: Knowledge) -> None:
    old = knowledge.kubernetes_releases["1.34"]
    assert old.supported_on("2026-10-27")
    assert not old.supported_on(knowledge.as_of)


def test_versions_to_avoid_are_told_by_version(knowledge: Knowledge) -> None:
    operator = knowledge.components["gpu-operator"]
    assert "rdma-devices-leak" in {entry.gotcha for entry in operator.avoided("26.3.2")}
    assert "rdma-devices-leak" not in {entry.gotcha for entry in operator.avoided("26.3.3")}
    assert operator.avoided("26.7.0") == ()


def test_the_recommended_version_of_a_component_is_none_to_avoid(knowledge: Knowledge) -> None:
    for component in knowledge.components.values():
        if (advised := component.recommended) is not None:
            bad = [e for e in component.avoided(advised.version) if e.before_version is not None]
            # a minor version alone, such as Kubernetes 1.36, is advised with a note on its patch
            assert not bad or advised.note, component.id


def test_a_withdrawn_version_is_never_the_newest(knowledge: Knowledge) -> None:
    scheduler = knowledge.components["kai-scheduler"]
    assert any(entry.status == "retracted" for entry in scheduler.versions)
    assert scheduler.newest is not None
    assert scheduler.newest.status != "retracted"


def test_an_image_that_has_ended_names_its_successor(knowledge: Knowledge) -> None:
    ended = [image for image in knowledge.node_images.values() if image.until]
    assert ended
    for image in ended:
        assert not image.holds_on(knowledge.as_of)
        successor = knowledge.node_images[image.successor or ""]
        assert successor.holds_on(knowledge.as_of)


def test_owners_of_an_image_agree_with_what_it_carries(knowledge: Knowledge) -> None:
    for image in knowledge.node_images.values():
        if image.driver_in_image is False:
            assert image.driver_owner in {"operator", "provider", "none"}, image.id
        if image.device_plugin_in_image:
            assert image.gpu_operator == "none", image.id
        if image.driver_owner in {"image", "provider"}:
            assert image.gpu_operator != "full", image.id
            assert image.operator_values.get("driver.enabled", "false") == "false", image.id
        if image.gpu_operator == "full":
            assert image.driver_install[0].startswith("container"), image.id


def test_alerts_name_series_that_their_metrics_have(knowledge: Knowledge) -> None:
    for alert in knowledge.alerts.values():
        if alert.id == "node-lost-gpus":
            continue  # compares what the cluster says, no series of an exporter
        series = [name for metric in alert.metrics for name in knowledge.metrics[metric].series]
        assert any(name in alert.expr for name in series), alert.id


def test_an_alert_on_a_series_that_is_off_by_default_says_so(knowledge: Knowledge) -> None:
    for alert in knowledge.alerts.values():
        off = [m for m in alert.metrics if not knowledge.metrics[m].default_list]
        if off and alert.id != "gpu-xid-count":
            assert "list" in alert.because, alert.id


def test_the_plugin_ignores_exactly_the_codes_of_applications(knowledge: Knowledge) -> None:
    ignored = {xid.code for xid in knowledge.xids.values() if not xid.device_plugin_drops_gpu}
    assert ignored == {13, 31, 43, 45, 68, 109}


def test_only_walls_of_hardware_or_absence_suit_untrusted_tenants(knowledge: Knowledge) -> None:
    for mode in knowledge.sharing_modes.values():
        walls = {mode.isolation.memory, mode.isolation.faults}
        if mode.trust == "untrusted":
            assert walls <= {"hardware", "driver", "not_shared"}, mode.id
        if "none" in walls:
            assert mode.trust != "untrusted", mode.id


def test_modes_exclude_each_other_or_neither_does_for_mig_and_mps(knowledge: Knowledge) -> None:
    modes = knowledge.sharing_modes
    assert "mps" in modes["mig"].not_with
    assert "mig" in modes["mps"].not_with


def test_every_cause_is_told_in_full(knowledge: Knowledge) -> None:
    for symptom in knowledge.symptoms.values():
        for cause in symptom.causes:
            told = cause.told(knowledge.gotchas)
            assert told.cause, (symptom.id, cause.id)
            assert told.check, (symptom.id, cause.id)
            assert told.fix, (symptom.id, cause.id)
            assert told.sections, (symptom.id, cause.id)


def test_a_cause_without_its_story_is_refused() -> None:
    with pytest.raises(ValidationError, match="or a gotcha"):
        Cause(id="a", evidence="b", cause="c")


def test_causes_of_a_symptom_have_names_of_their_own(knowledge: Knowledge) -> None:
    for symptom in knowledge.symptoms.values():
        ids = [cause.id for cause in symptom.causes]
        assert len(ids) == len(set(ids)), symptom.id


@pytest.mark.parametrize(
    ("text", "symptom"),
    [
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', GPU has fallen off the bus",
         "xid-off-the-bus"),
        ("XidCriticalError: Xid=48 on Device=GPU-1", "xid-memory"),
        ("0/3 nodes are available: 3 Insufficient nvidia.com/gpu. pree", "insufficient-gpu"),
        ("failed to initialize nvml: driver/library  version mismatch", "nvml-version-mismatch"),
        ("x\nno runtime for 'nvidia' is configured\ny", "no-nvidia-runtime"),
        ('docker: could not select device driver "nvidia" with capabilities: [[gpu]]',
         "docker-no-gpu-driver"),
        ("Weight input_size = 192 is not divisible by weight quantization block_k = 128.",
         "quant-block-not-divisible"),
    ],
)  # fmt: skip
def test_texts_are_recognised_as_people_paste_them(
    knowledge: Knowledge, text: str, symptom: str
) -> None:
    assert symptom in {s.id for s in knowledge.symptoms.values() if s.recognises(text)}


@pytest.mark.parametrize(
    "text",
    [
        "NVRM: Xid (PCI:0000:3b:00): 790, pid=1",
        "the GPU is fine and nothing happened",
        "0/3 nodes are available: 3 Insufficient cpu.",
        "Liveness probe failed: HTTP probe failed with statuscode: 503",
    ],
)
def test_other_texts_are_not(knowledge: Knowledge, text: str) -> None:
    assert [s.id for s in knowledge.symptoms.values() if s.recognises(text)] == []


@pytest.mark.parametrize(
    ("catalogue", "record"),
    [
        ("component", "gpu-operator"), ("node_image", "eks-al2023-nvidia"), ("xid", "79"),
        ("dra_gate", "core"), ("sharing_mode", "mig"), ("metric", "dcgm-xid"),
        ("alert", "gpu-remap-failed"), ("platform", "gke"), ("gotcha", "shm-too-small"),
        ("symptom", "shm-too-small"), ("provisioner", "karpenter"), ("capacity_kind", "spot"),
        ("rdma_exposure", "efa_plugin"), ("kubernetes_bug", "k8s-139034"),
        ("kubernetes_release", "1.36"),
    ],
)  # fmt: skip
def test_every_record_can_be_shown_with_its_sources(
    knowledge: Knowledge, catalogue: str, record: str
) -> None:
    text = describe_record(knowledge, f"{catalogue}s", record)
    assert "Sources:" in text
    assert text.startswith(record)


def test_alerts_on_xids_name_every_critical_code_and_none_that_needs_nothing(
    knowledge: Knowledge,
) -> None:
    critical = {xid.id for xid in knowledge.xids.values() if xid.severity == "critical"}
    harmless = {xid.id for xid in knowledge.xids.values() if xid.action in ("none", "restart_app")}
    for name in ("gpu-xid-needs-action", "gpu-xid-count"):
        (pattern,) = re.findall(r'=~"([^"]*)"', knowledge.alerts[name].expr)
        told = {code for code in knowledge.xids if re.fullmatch(pattern, code)}
        # 109 is left in service by the plugin, so that only the alert tells
        assert critical - told == set(), name
        assert told & harmless == set(), name


def test_a_change_of_xid_is_looked_for_over_the_labels_that_change_with_it(
    knowledge: Knowledge,
) -> None:
    assert "err_code" in " ".join(knowledge.metrics["dcgm-xid"].notes)
    assert "(max by (UUID, Hostname) (" in knowledge.alerts["gpu-xid-needs-action"].expr


def test_versions_of_before_a_project_counted_anew_are_older_than_all_since(
    knowledge: Knowledge,
) -> None:
    driver = knowledge.components["nvidia-dra-driver"]
    released = ["25.3.1", "v25.8.1", "25.12.0", "0.4.0", "0.4.1", "0.5.0"]
    keys = [version_key(driver.in_order(version)) or () for version in released]
    assert keys == sorted(keys)
    assert [bool(driver.avoided(version)) for version in released] == [True] * 5 + [False]
    assert driver.in_order("latest") == "latest"
    assert knowledge.components["gpu-operator"].in_order("25.10.0") == "25.10.0"
