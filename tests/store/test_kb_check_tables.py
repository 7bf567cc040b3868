"""``kb check`` of the rules as decision tables: gap, conflict, masked."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted_rules import RuleFolder, rule

from advisor.analysis import clashes, gaps, search
from advisor.analysis.analyse import WARNINGS
from advisor.consult.vocabulary import rule_vocabulary
from advisor.rules import load_rules
from advisor.store.loader import load_knowledge
from advisor.store.rules import read_rule_files

SHIPPED = ("fleets", "gpu", "loads", "parallelism", "training")


@pytest.fixture
def kb(tmp_path: Path) -> RuleFolder:
    """The shipped rules about GPUs and patterns."""
    return RuleFolder.copied(tmp_path / "kb", SHIPPED)


@pytest.fixture
def ways(tmp_path: Path) -> RuleFolder:
    """No rules yet; tests write rules about ways to share."""
    return RuleFolder.copied(tmp_path / "kb", ())


@pytest.mark.parametrize("check", [gaps.gaps, clashes.conflicts, clashes.masked])
def test_the_shipped_rules_about_gpus_and_patterns_are_clean(kb: RuleFolder, check: object) -> None:
    assert callable(check)
    assert [finding.message for finding in kb.found(check)] == []


# ---- gap ----

GAPS = (
    # file, what stands there, what is planted, the rule that is nearest, what its gap shows
    ("parallelism", "c.replicas > 1", "c.replicas > 2",
     "parallelism-replicas", "candidate.replicas 2"),
    ("parallelism", "c.expert_parallel and c.data_parallel > 1",
     "c.expert_parallel and c.data_parallel > 2",
     "parallelism-expert-dp-attention", "candidate.data_parallel 2"),
    ("parallelism", "c.sharding in ['zero1', 'zero2']", "c.sharding in ['zero1']",
     "parallelism-zero", "candidate.sharding zero2"),
    ("parallelism", "c.training_method == 'lora' and missing(training.method)",
     "c.training_method == 'lora' and missing(training.method) and c.borderline",
     "parallelism-lora-default-single", "training.method unknown"),
    ("loads", "c.mig and c.largest_engines > 1", "c.mig and c.largest_engines > 2",
     "parallelism-many-parts", "fleet.largest_engines 2"),
    ("loads", "when: c.shared\n", "when: c.shared and c.owned\n",
     "loads-share-gpus", "fleet.owned false"),
    ("gpu", "c.gpu == g.id and missing(c.request_gib) and missing(c.train_gib)",
     "c.gpu == g.id and missing(c.request_gib) and missing(c.train_gib) and c.weight_only",
     "gpu-holds-the-encoder", "candidate.weight_only false"),
)  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "nearest", "shows"), GAPS)
def test_a_fact_that_no_rule_recommends_is_a_gap_with_a_witness(
    kb: RuleFolder, file: str, old: str, new: str, nearest: str, shows: str
) -> None:
    kb.edit(file, old, new)

    place = ("gap", nearest, f"kb/rules/{file}.yaml", kb.line(file, nearest, "when:"))
    assert kb.places(gaps.gaps) == [place]
    assert shows in kb.found(gaps.gaps)[0].message


def test_every_rule_that_names_a_pattern_is_needed(kb: RuleFolder) -> None:
    """Without any one of them some layout is left without advice."""
    records, _ = read_rule_files(kb.root)
    naming = [
        r["id"]
        for r in records
        if r["decision"] == "parallelism"
        and "option" in r.get("set", {})
        and r["effect"] == "recommend"
    ]
    assert len(naming) > 15
    for name in naming:
        study = kb.study()
        less = load_rules([r for r in records if r["id"] != name], rule_vocabulary())
        study.base = less
        assert [f.code for f in gaps.gaps(study)][:1] == ["gap"], name


def test_a_gap_of_ways_needs_one_recommended_way_only(ways: RuleFolder) -> None:
    ways.write("s", rule("mig", "w.option == 'mig' and w.fits", set="{option: mig}"))
    ways.write("s", rule("whole", "w.option == 'exclusive'", set="{option: exclusive}"))
    assert ways.found(gaps.gaps) == []

    ways.edit("s", "w.option == 'exclusive'", "w.option == 'exclusive' and not w.divides")
    [found] = ways.found(gaps.gaps)
    assert "way#mig.fits false" in found.message
    assert "way#exclusive.divides true" in found.message


def test_a_default_that_is_filled_in_first_is_never_missing(ways: RuleFolder) -> None:
    tests = ("== 'untrusted'", "!= 'untrusted'")
    for number, test in enumerate(tests):
        when = f"w.option == 'exclusive' and tenancy.tenants {test}"
        ways.write("s", rule(f"r{number}", when, set="{option: exclusive}"))
    study = ways.study()
    assert [f.code for f in gaps.gaps(study)] == ["gap"]  # the answer may be unknown

    study.defaults = frozenset({"tenancy.tenants"})
    assert list(gaps.gaps(study)) == []


def test_an_alternative_does_not_close_a_gap(ways: RuleFolder) -> None:
    ways.write("s", rule("w", "w.option == 'exclusive'", strength="may", set="{option: exclusive}"))
    ways.write("s", rule("m", "w.option == 'mig' and w.fits", set="{option: mig}"))
    assert [f.code for f in ways.found(gaps.gaps)] == ["gap"]


def test_a_table_too_large_to_search_says_so_and_is_no_fault(
    kb: RuleFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BUDGET", 3)
    monkeypatch.setattr(search.find_case, "__kwdefaults__", {"true": (), "false": (), "budget": 3})
    codes = {finding.code for finding in kb.found(gaps.gaps)}
    assert codes == {"gap_not_searched"}
    assert codes <= WARNINGS


# ---- conflict ----


def test_two_patterns_for_one_layout_are_a_conflict(kb: RuleFolder) -> None:
    kb.edit("parallelism", "c.gpus_per_replica == 1 and c.replicas > 1", "c.gpus_per_replica == 1")

    line = kb.line("parallelism", "parallelism-replicas", "when:")
    place = ("conflict", "parallelism-replicas", "kb/rules/parallelism.yaml", line)
    assert kb.places(clashes.conflicts) == [place]
    message = kb.found(clashes.conflicts)[0].message
    assert "'replicas' where parallelism-single" in message
    assert "candidate.replicas 1" in message


def test_two_values_for_one_parameter_are_a_conflict(kb: RuleFolder) -> None:
    kb.edit(
        "parallelism", "\n      and (missing(platform.queueing) or platform.queueing == 'none')", ""
    )

    line = kb.line("parallelism", "parallelism-gang-stated", "when:")
    place = ("conflict", "parallelism-gang-stated", "kb/rules/parallelism.yaml", line)
    assert kb.places(clashes.conflicts) == [place]


def test_a_weaker_rule_may_say_something_else(kb: RuleFolder) -> None:
    kb.write(
        "parallelism",
        rule("other", "c.gpus_per_replica == 1", decision="parallelism", strength="should",
             set="{option: tensor}", **{"for": "{c: candidate}"}),
    )  # fmt: skip
    assert kb.found(clashes.conflicts) == []


def test_what_is_recommended_and_always_rejected_is_a_conflict(kb: RuleFolder) -> None:
    about = {"decision": "gpu", "effect": "reject", "for": "{c: candidate}"}
    kb.write("gpu", rule("no-training", "known(c.train_gib)", set="{option: x}", **about))

    name = "gpu-holds-the-training-job"
    place = ("conflict", name, "kb/rules/gpu.yaml", kb.line("gpu", name, "when:"))
    assert kb.places(clashes.conflicts) == [place]


def test_an_exception_is_no_conflict(kb: RuleFolder) -> None:
    about = {"decision": "gpu", "effect": "reject", "for": "{c: candidate}"}
    when = "known(c.train_gib) and c.total_gpus > 8"
    kb.write("gpu", rule("no-large-training", when, set="{option: x}", **about))
    assert kb.found(clashes.conflicts) == []


def test_a_way_that_is_recommended_only_where_it_is_rejected_is_a_conflict(
    ways: RuleFolder,
) -> None:
    ways.write("s", rule("out", "w.option == 'mig' and not w.supported", effect="reject"))
    ways.write(
        "s", rule("in", "w.option == 'mig' and not w.supported and w.fits", set="{option: mig}")
    )

    assert [f.rule for f in ways.found(clashes.conflicts)] == ["in"]


# ---- masked ----


def test_a_later_rule_for_the_same_way_and_less_is_masked(ways: RuleFolder) -> None:
    ways.write("s", rule("wide", "w.option == 'mig' and w.slots > 1", set="{option: mig}"))
    ways.write(
        "s", rule("narrow", "w.option == 'mig' and w.slots >= 4 and w.fits", set="{option: mig}")
    )

    place = ("masked", "narrow", "kb/rules/s.yaml", ways.line("s", "narrow", "when:"))
    assert ways.places(clashes.masked) == [place]


def test_in_the_other_order_both_rules_count(ways: RuleFolder) -> None:
    ways.write("s", rule("narrow", "w.option == 'mig' and w.slots >= 4", set="{option: mig}"))
    ways.write("s", rule("wide", "w.option == 'mig' and w.slots > 1", set="{option: mig, x: 1}"))
    assert ways.found(clashes.masked) == []


def test_a_way_that_nothing_forbids_masks_all_that_come_later(ways: RuleFolder) -> None:
    ways.write("s", rule("whole", "w.option == 'exclusive'", set="{option: exclusive}"))
    ways.write("s", rule("mig", "w.option == 'mig'", set="{option: mig}"))
    assert [f.rule for f in ways.found(clashes.masked)] == ["mig"]

    ways.write(
        "s", rule("no", "w.option == 'exclusive' and tenancy.isolation == 'vm'", effect="reject")
    )
    assert ways.found(clashes.masked) == []


@pytest.mark.parametrize("name", ["warn-weight-only-format", "warn-borderline-memory"])
def test_a_rule_said_twice_is_masked(tmp_path: Path, name: str) -> None:
    kb = RuleFolder.copied(tmp_path / "kb", ["warnings"])
    text = (kb.root / "rules" / "warnings.yaml").read_text(encoding="utf-8")
    block = text[text.index(f"  - id: {name}\n") :]
    block = block[: block.index("\n\n") + 1].replace(f"id: {name}", "id: again")
    kb.write("warnings", "\n" + block)

    place = ("masked", "again", "kb/rules/warnings.yaml", kb.line("warnings", "again", "when:"))
    assert kb.places(clashes.masked) == [place]


def test_the_rules_shipped_about_ways_are_clean_too() -> None:
    from advisor.analysis.study import Study
    from advisor.store.rules import load_rule_base

    study = Study(load_rule_base(load_knowledge()), rule_vocabulary())
    assert [f.message for f in (*clashes.conflicts(study), *clashes.masked(study))] == []
