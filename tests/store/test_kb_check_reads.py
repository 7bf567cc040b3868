"""``kb check`` of who reads what, and when: dead, unasked, unused, stale."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from planted_rules import RuleFolder, rule

from advisor.analysis import ages, clashes, unread
from advisor.analysis.code_words import produced_words, read_words
from advisor.analysis.dead import dead
from advisor.consult.vocabulary import rule_vocabulary
from advisor.rules import FieldSpec, Vocabulary, check_rules
from advisor.rules.facts import ITEM
from advisor.store.rules import read_rule_files

DAY = date(2026, 11, 30)


@pytest.fixture
def kb(tmp_path: Path) -> RuleFolder:
    """The shipped rules about patterns."""
    return RuleFolder.copied(tmp_path / "kb", ["parallelism"])


def wider(kind: str, **fields: str) -> Vocabulary:
    """Return the vocabulary with more fields that rules may name, and that nothing sets."""
    kinds = {name: dict(spec) for name, spec in rule_vocabulary().kinds.items() if name != ITEM}
    for name, short in fields.items():
        kinds.setdefault(kind, {})[name] = FieldSpec(short)  # type: ignore[arg-type]
    return Vocabulary(kinds)


# ---- dead ----


def test_the_shipped_rules_wait_for_nothing_that_never_comes(kb: RuleFolder) -> None:
    assert kb.found(dead) == []
    assert kb.found(clashes.unsatisfiable) == []


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("c.gpus_per_replica == 1 and c.replicas == 1", "c.qqcolour == 'red'", "when:"),
        ("a split would only add", "{c.qqcolour} would only add", "because:"),
    ],
)
def test_a_field_that_nothing_sets_is_found(kb: RuleFolder, old: str, new: str, key: str) -> None:
    kb.edit("parallelism", old, new)
    words = wider("candidate", qqcolour="str")

    line = kb.line("parallelism", "parallelism-single", key)
    place = ("dead_field", "parallelism-single", "kb/rules/parallelism.yaml", line)
    assert kb.places(dead, words) == [place]


@pytest.mark.parametrize("kind", ["qqmoon", "qqstar"])
def test_a_kind_that_nobody_makes_is_found(kb: RuleFolder, kind: str) -> None:
    kb.write("x", rule("late", "w.qqlight == 'on'", effect="warn", **{"for": f"{{w: {kind}}}"}))
    words = wider(kind, qqlight="str")

    assert ("dead_kind", "late", "kb/rules/x.yaml", 4) in kb.places(dead, words)


def test_a_derived_kind_counts_as_made_and_must_be_read(kb: RuleFolder) -> None:
    words = wider("qqmoon", qqlight="str")
    derives = {"effect": "derive", "decision": "facts", "for": "{l: load}"}
    fields = "{kind: qqmoon, fields: {qqlight: '\"on\"'}}"
    kb.write("x", rule("makes", "l.vision", set=fields, **derives))
    place = ("dead_derivation", "makes", "kb/rules/x.yaml", kb.line("x", "makes", "set:"))
    assert kb.places(dead, words) == [place]

    kb.write("x", rule("reads", "m.qqlight == 'on'", effect="warn", **{"for": "{m: qqmoon}"}))
    assert kb.found(dead, words) == []


@pytest.mark.parametrize(
    "when",
    [
        "c.tensor_parallel < 1",
        "c.expert_parallel and c.pipeline_parallel > 1",
        "known(c.train_gib) and missing(c.sharding)",
        "c.gpus_per_replica < c.nodes_per_replica and c.nodes_per_replica > 3",
    ],
)
def test_a_rule_against_what_is_true_of_every_candidate_is_dead(kb: RuleFolder, when: str) -> None:
    kb.edit(
        "parallelism", "c.gpus_per_replica == 1 and c.replicas > 1 and missing(c.train_gib)", when
    )

    line = kb.line("parallelism", "parallelism-replicas", "when:")
    place = ("dead_rule", "parallelism-replicas", "kb/rules/parallelism.yaml", line)
    assert kb.places(clashes.unsatisfiable) == [place]


def test_a_window_without_a_day_is_dead_at_loading(kb: RuleFolder) -> None:
    kb.edit(
        "parallelism", "    effect:", "    since: 2026-05-01\n    until: 2026-05-01\n    effect:"
    )
    records, places = read_rule_files(kb.root)
    [problem] = check_rules(records, rule_vocabulary(), places.locate)
    assert (problem.code, problem.line) == (
        "dead_condition", kb.line("parallelism", "parallelism-single", "until:"),
    )  # fmt: skip


# ---- unasked and unused ----


@pytest.mark.parametrize(
    ("key", "rule_id", "place"),
    [
        ("training.method", "parallelism-lora-single", "when:"),
        ("workload.disaggregated", "parallelism-no-disaggregation-over-a-slow-fabric", "when:"),
        ("platform.queueing", "parallelism-gang", "when:"),
    ],
)
def test_a_key_without_a_question_is_unasked_wherever_it_is_read(
    kb: RuleFolder, key: str, rule_id: str, place: str
) -> None:
    keys = set(rule_vocabulary().kinds["answers"]) - {key}
    found = kb.places(lambda study: unread.unasked(study, keys))

    line = kb.line("parallelism", rule_id, place)
    assert found[0] == ("unasked", rule_id, "kb/rules/parallelism.yaml", line)


def test_every_way_to_read_an_answer_counts(kb: RuleFolder) -> None:
    kb.write("x", rule("a", "'mig' in platform.sharing_now", because="It is {workload.model}."))
    kb.write("x", rule("b", "w.fits", none="[{n: need, where: n.what == platform.region}]"))
    kb.write("x", rule("c", "w.fits", set="{option: x, y: '{tenancy.turnover}'}"))
    base = kb.study().base
    assert unread.answers_read(base.rule("a")) == {
        "platform.sharing_now": "when", "workload.model": "because",
    }  # fmt: skip
    assert unread.answers_read(base.rule("b")) == {"platform.region": "none[0]"}
    assert unread.answers_read(base.rule("c")) == {"tenancy.turnover": "set"}


def test_a_question_is_used_by_rules_hints_or_code_and_else_unused(kb: RuleFolder) -> None:
    base = kb.study().base
    by_rule, by_code, by_part = "training.job_stack", "workload.model", "layout.tensor_parallel"
    keys = [by_rule, by_code, by_part, "platform.qqhint", "platform.qqnobody", "observed.qqno"]

    found = list(unread.unused(base, keys, {"platform.qqhint"}))
    assert found == ["platform.qqnobody", "observed.qqno"]


def test_code_is_read_without_being_run_and_word_lists_do_not_count() -> None:
    assert "workload.model" in read_words()
    assert "layout.*" in read_words()
    assert {"candidate", "fleet", "tensor_parallel"} <= produced_words()
    assert "kv_bytes_per_token" not in produced_words()  # stands in the vocabulary alone


# ---- stale ----


@pytest.mark.parametrize(
    ("key", "day", "code", "says"),
    [
        ("until", "2026-11-30", "stale_rule", "can never apply"),
        ("until", "2025-02-01", "stale_rule", "can never apply"),
        ("since", "2026-12-01", "rule_waits", "begins"),
        ("since", "2027-06-01", "rule_waits", "begins"),
    ],
)
def test_a_rule_out_of_its_time_is_told(
    kb: RuleFolder, key: str, day: str, code: str, says: str
) -> None:
    kb.edit("parallelism", "    effect:", f"    {key}: {day}\n    effect:")

    line = kb.line("parallelism", "parallelism-single", f"{key}:")
    place = (code, "parallelism-single", "kb/rules/parallelism.yaml", line)
    assert kb.places(lambda study: ages.stale(study, DAY)) == [place]
    assert says in kb.found(lambda study: ages.stale(study, DAY))[0].message


def test_a_rule_in_its_time_is_not(kb: RuleFolder) -> None:
    kb.edit(
        "parallelism", "    effect:", "    since: 2026-11-30\n    until: 2026-12-01\n    effect:"
    )
    assert kb.found(lambda study: ages.stale(study, DAY)) == []


@pytest.mark.parametrize(("day", "old"), [("2025-10-01", True), ("2025-12-01", False)])
def test_a_claim_not_checked_for_long_is_told(kb: RuleFolder, day: str, old: bool) -> None:
    kb.edit("parallelism", "    effect:", f"    as_of: {day}\n    effect:")
    found = kb.places(lambda study: ages.old_rules(study, DAY))
    assert [place[:2] for place in found] == [("stale_records", "parallelism-single")] * old
