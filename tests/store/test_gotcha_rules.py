"""Gotchas become rules: hints as conditions, exceptions, makers, versions, and where faults are."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from advisor.consult.vocabulary import rule_vocabulary
from advisor.rules import load_rules
from advisor.store.cited import Applies, Hint
from advisor.store.gotcha import Gotcha
from advisor.store.gotcha_rules import gotcha_rules
from advisor.store.loader import Knowledge, load_knowledge
from advisor.store.rule_payload import payload_problems
from advisor.store.rules import check_rule_files, load_rule_base


def gotcha(**applies: Any) -> Gotcha:
    """Return a gotcha that applies as said."""
    return Gotcha(
        id="planted",
        title="It bites.",
        severity="warning",
        decision="sharing",
        applies=Applies.model_validate({"words": "Anybody {here}.", **applies}),
        symptom="{x} is printed",
        cause="A cause.",
        check="kubectl get node -o jsonpath='{.status}'",
        fix="A fix.",
        sections=("5.4",),
        sources=("somewhere",),
        as_of="2026-11-30",
    )


def conditions(**applies: Any) -> list[str]:
    return [record["when"] for record in gotcha_rules([gotcha(**applies)], rule_vocabulary())]


def hint(key: str, *values: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "values": values, **more} if values else {"key": key, **more}


@pytest.mark.parametrize(
    ("one", "condition"),
    [
        (hint("tenancy.tenants", "untrusted"), "tenancy.tenants == 'untrusted'"),
        (hint("platform.provider", "eks", "gke"), "platform.provider in ['eks', 'gke']"),
        (hint("platform.secure_boot", "yes"), "platform.secure_boot == true"),
        (hint("platform.secure_boot", "no"), "platform.secure_boot == false"),
        (hint("hardware.vendors", "amd"), "'amd' in hardware.vendors"),
        (hint("hardware.nodes", at_least=2), "hardware.nodes >= 2"),
        (hint("hardware.fabric_gbps", at_least=10, below=100),
         "hardware.fabric_gbps >= 10 and hardware.fabric_gbps < 100"),
        (hint("platform.cuda_version", answered=False), "missing(platform.cuda_version)"),
        (hint("gpu.architecture", "volta"), "g.architecture == 'volta'"),
        (hint("chosen.crosses_nodes", "yes"), "x.crosses_nodes == true"),
        (hint("choice.parallelism.option", "tensor"), "x.parallelism_option == 'tensor'"),
        (hint("hardware.fabric", "efa", **{"and": [hint("chosen.crosses_nodes", "yes")]}),
         "(hardware.fabric == 'efa' and x.crosses_nodes == true)"),
    ],
)  # fmt: skip
def test_a_hint_is_a_condition(one: dict[str, Any], condition: str) -> None:
    assert conditions(all_of=[one]) == [condition]


@pytest.mark.parametrize(
    ("one", "condition"),
    [
        (hint("choice.sharing.option", "mig", "mig_in_guest"),
         ("(x.sharing_option in ['mig', 'mig_in_guest'] or ('mig' in platform.sharing_now"
          " and (missing(k.mig) or k.mig == true)))")),
        (hint("choice.sharing.option", "fractional_scheduler"),
         ("(x.sharing_option == 'fractional_scheduler' or "
          "('hami' in platform.sharing_now or 'kai' in platform.sharing_now))")),
        (hint("choice.provisioning.gpu_operator", "no_driver"),
         "x.provisioning_gpu_operator == 'no_driver'"),
    ],
)  # fmt: skip
def test_what_runs_now_counts_beside_what_is_chosen(one: dict[str, Any], condition: str) -> None:
    assert conditions(all_of=[one]) == [condition]


@pytest.mark.parametrize(
    ("one", "condition"),
    [
        (hint("choice.provisioning.device_owner", "dra"), "x.provisioning_device_owner == 'dra'"),
        (hint("choice.provisioning.driver_owner", "host"), "x.provisioning_driver_owner == 'host'"),
        (hint("choice.provisioning.driver_install", "container_build"),
         "x.provisioning_driver_install == 'container_build'"),
        (hint("choice.provisioning.scale_to_zero", "yes"), "x.provisioning_scale_to_zero == true"),
    ],
)  # fmt: skip
def test_of_what_provisioning_settles_only_the_choice_counts(
    one: dict[str, Any], condition: str
) -> None:
    assert conditions(all_of=[one]) == [condition]


@pytest.mark.parametrize(
    ("one", "condition"),
    [
        (hint("platform.cloud", "gcp"),
         "(missing(platform.cloud) or platform.cloud not in ['gcp'])"),
        (hint("cluster.operator_installed", "yes"),
         "(missing(k.operator_installed) or k.operator_installed == false)"),
        (hint("platform.cuda_version", answered=True), "missing(platform.cuda_version)"),
        (hint("choice.provisioning.device_owner", "dra"),
         "x.provisioning_device_owner not in ['dra']"),
        (hint("choice.provisioning.driver_install", "container_build"),
         ("(missing(x.provisioning_driver_install) or "
          "x.provisioning_driver_install not in ['container_build'])")),
        (hint("platform.cloud", "gcp", **{"and": [hint("chosen.trains", "yes")]}),
         ("(((missing(platform.cloud) or platform.cloud not in ['gcp'])) or "
         "((missing(x.trains) or x.trains == false)))")),
    ],
)  # fmt: skip
def test_an_exception_does_no_harm_where_nothing_is_known(
    one: dict[str, Any], condition: str
) -> None:
    kept = hint("tenancy.tenants", "untrusted")

    assert conditions(all_of=[kept], unless=[one]) == [
        f"tenancy.tenants == 'untrusted' and {condition}"
    ]


def test_a_gpu_in_an_exception_must_not_be_there() -> None:
    applies = {
        "all_of": [hint("tenancy.tenants", "untrusted")], "unless": [hint("gpu.vendor", "intel")],
    }  # fmt: skip
    (record,) = gotcha_rules([gotcha(**applies)], rule_vocabulary())

    assert record["when"] == "tenancy.tenants == 'untrusted'"
    assert record["none"] == [{"o": "gpu", "where": "o.vendor == 'intel'"}]


def test_alternatives_with_a_gpu_are_a_rule_of_their_own() -> None:
    records = gotcha_rules(
        [gotcha(any_of=[hint("gpu.rack", "yes"), hint("hardware.nvlink", "multi_node")])],
        rule_vocabulary(),
    )

    assert [list(record["for"]) for record in records] == [["x"], ["x", "g"]]
    assert len({record["id"] for record in records}) == 2
    assert {record["set"]["id"] for record in records} == {"planted"}


def test_versions_stand_beside_the_hints_or_in_their_place() -> None:
    span = [{"component": "kubernetes", "before_version": "1.30"}]
    one = [hint("platform.provider", "gke")]

    assert conditions(any_of=one, versions=span) == [
        "platform.provider == 'gke' and v.gotcha == 'planted'"
    ]
    assert conditions(any_of=one, versions=span, versions_suffice=True) == [
        "platform.provider == 'gke'",
        "v.gotcha == 'planted'",
    ]


def test_braces_of_commands_are_no_slots() -> None:
    base = load_rules(
        gotcha_rules([gotcha(all_of=[hint("tenancy.tenants", "single")])], rule_vocabulary()),
        rule_vocabulary(),
    )

    assert base.rules[0].payload["check"] == "kubectl get node -o jsonpath='{{.status}}'"
    assert base.rules[0].because == "Anybody {{here}}."


def test_every_component_named_counts_where_that_is_said() -> None:
    span = [
        {"component": "nvidia-driver", "before_version": "580"},
        {"component": "cuda", "from_version": "13.0"},
    ]
    applies = Applies.model_validate({"words": "Both.", "versions": span, "versions_of_each": True})

    assert applies.in_versions({"nvidia-driver": "570.148", "cuda": "13.0"}) is True
    assert applies.in_versions({"nvidia-driver": "570.148", "cuda": "12.8"}) is False
    assert applies.in_versions({"nvidia-driver": "570.148"}) is None
    assert applies.in_versions({"cuda": "12.8"}) is False


@pytest.mark.parametrize(
    "wrong",
    [
        {"key": "hardware.nodes"},
        {"key": "hardware.nodes", "values": ["2"], "at_least": 2},
        {"key": "hardware.nodes", "at_least": 2, "answered": True},
    ],
)
def test_a_hint_says_one_thing(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="give one of values"):
        Hint.model_validate(wrong)


def test_every_gotcha_is_in_the_rule_base_unless_another_rule_always_tells_it() -> None:
    knowledge = load_knowledge()
    told = {rule.payload.get("id") for rule in load_rule_base(knowledge).rules}
    elsewhere = {name for name, gotcha in knowledge.gotchas.items() if gotcha.told_always}

    assert set(knowledge.gotchas) - elsewhere <= told
    assert not elsewhere & told


def test_a_gotcha_that_others_always_tell_names_them() -> None:
    record = next(g for g in load_knowledge().gotchas.values() if g.told_always).model_dump()

    with pytest.raises(ValueError, match="needs the rules that tell it"):
        Gotcha.model_validate({**record, "told_by": ()})


def test_rules_that_tell_a_gotcha_exist_and_warn() -> None:
    knowledge = load_knowledge()
    base = load_rule_base(knowledge)

    for record in knowledge.gotchas.values():
        for name in record.told_by:
            assert base.rule(name).effect == "warn", f"{record.id} is told by {name}"


def test_gotcha_rules_fire_when_every_choice_is_made() -> None:
    base = load_rule_base(load_knowledge())
    mine = [rule for rule in base.rules if rule.id.startswith("gotcha-")]

    assert all("chosen" in rule.kinds for rule in mine)


@pytest.fixture
def edited(tmp_path: Path) -> Callable[[str, str, str], Knowledge]:
    """Return a function that changes one text of the shipped knowledge."""
    shutil.copytree(load_knowledge().path, tmp_path / "knowledge")

    def edit(name: str, old: str, new: str) -> Knowledge:
        file = tmp_path / "knowledge" / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return Knowledge(tmp_path / "knowledge")

    return edit


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ("key: choice.sharing.option, values: [time_slicing, mps]",
         "key: choice.sharing.option, values: [time_slicing, mpss]", "impossible_value", "when"),
        ("key: tenancy.tenants, values: [untrusted]",
         "key: tenancy.tenant, values: [untrusted]", "unknown_key", "when"),
        ("key: tenancy.tenants, values: [untrusted]",
         "key: tenancy.tenants, at_least: 3", "type_mismatch", "when"),
    ],
)  # fmt: skip
def test_a_wrong_hint_is_reported_with_the_line_of_the_gotcha(
    edited: Callable[[str, str, str], Knowledge], old: str, new: str, code: str, key: str
) -> None:
    knowledge = edited("gotchas/sharing.yaml", old, new)

    (problem, *_) = [p for p in check_rule_files(knowledge) if "gotcha-" in str(p.key)]
    text = (knowledge.path / "gotchas/sharing.yaml").read_text(encoding="utf-8").splitlines()
    assert problem.code == code
    assert str(problem.file).endswith("gotchas/sharing.yaml")
    assert problem.line is not None
    assert text[problem.line - 1].strip() == "applies:"
    assert problem.key is not None
    assert problem.key.endswith(key)


@pytest.mark.parametrize("texts", [{"chek": "nvidia-smi"}, "nvidia-smi"])
def test_texts_for_hosts_have_the_parts_of_a_warning_only(texts: object) -> None:
    record = {"id": "planted", "effect": "warn", "set": {"without_kubernetes": texts}}
    (problem,) = payload_problems(record)

    assert problem.code == "unknown_key"
    assert "check" in (problem.allowed or ())
    good = {**record, "set": {"without_kubernetes": {"check": "nvidia-smi"}}}
    assert not list(payload_problems(good))
