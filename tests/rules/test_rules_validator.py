"""The validator names every fault of a rule file, in words a rule author understands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from validator_words import VALID, WORDS, problems_of, record

import advisor.rules
from advisor.errors import KnowledgeError
from advisor.rules import check_rules, limits, load_rules, rule_schema

FAULTS = yaml.safe_load((Path(__file__).parent / "validator_faults.yaml").read_text("utf-8"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["fault"])
def test_each_fault_is_named_in_full(fault: dict[str, Any]) -> None:
    problems = problems_of(fault["rule"])
    assert [problem.code for problem in problems] == fault["codes"]
    assert [str(problem) for problem in problems] == fault["says"]


def test_every_kind_of_fault_has_its_text_pinned() -> None:
    folder = Path(advisor.rules.__file__).parent
    source = "".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    codes = set(re.findall(r'(?:Fault|(?:scope|self)\.fault)\(\s*"([a-z_]+)"', source))
    assert len(codes) > 15
    assert codes == {code for fault in FAULTS for code in fault["codes"]}


def test_the_sample_rule_is_valid() -> None:
    assert problems_of({}) == []


def test_all_faults_of_all_rules_are_reported_together() -> None:
    rules = [
        record(id="one", when="c.prise > 1 and c.format == 'fp9'", because="{x.y}"),
        record(id="two", cite=[], when="c.gpu < 3"),
        record(id="three", none=[{"o": "candidat"}]),
    ]
    found = [(problem.key, problem.code) for problem in check_rules(rules, WORDS)]
    assert found == [
        ("rules[one].when", "unknown_key"),
        ("rules[one].when", "impossible_value"),
        ("rules[one].because", "unknown_slot"),
        ("rules[two].cite", "missing_cite"),
        ("rules[three].none[0]", "unknown_kind"),
    ]
    with pytest.raises(KnowledgeError) as error:
        load_rules(rules, WORDS)
    assert len(error.value.problems) == 5


def test_the_caller_says_where_a_key_stands() -> None:
    def locate(key: str) -> tuple[str, int]:
        return "rules/gpu.yaml", {"rules[sample].when": 12}[key]

    (problem,) = check_rules([record(when="c.prise > 1")], WORDS, locate)
    assert (problem.file, problem.line) == ("rules/gpu.yaml", 12)
    assert str(problem).startswith("rules/gpu.yaml:12: rules[sample].when: facts of kind")


def test_a_rule_without_an_id_is_named_by_its_position() -> None:
    problems = check_rules([record(), record(id=None)], WORDS)
    assert [problem.key for problem in problems] == ["rules[1].id"]


def test_an_entry_that_is_no_mapping_is_a_problem_not_a_crash() -> None:
    entries: Any = [record(), "text", None]
    problems = check_rules(entries, WORDS)
    assert [(problem.key, problem.code) for problem in problems] == [
        ("rules[1]", "invalid_type"),
        ("rules[2]", "invalid_type"),
    ]


def test_negation_through_several_rules_is_refused_and_names_them() -> None:
    derive = {"effect": "derive", "set": {"kind": "need", "fields": {"count": 1}}}
    rules = [
        record(id="a", none=[{"x": "gpu"}], **derive),
        record(
            id="b",
            **{"for": {"n": "need"}},
            when="n.count > 0",
            effect="derive",
            set={"kind": "gpu", "fields": {"id": "'x'"}},
        ),
    ]
    (problem,) = check_rules(rules, WORDS)
    assert (problem.code, problem.key) == ("unstratified_negation", "rules[a].none")
    assert "through b" in problem.message


def test_recursion_without_negation_is_allowed() -> None:
    rule = record(
        **{"for": {"n": "need"}},
        when="n.count < 9",
        effect="derive",
        set={"kind": "need", "fields": {"count": "n.count + 1"}},
    )
    assert check_rules([rule], WORDS) == []


def test_a_derived_kind_that_nothing_reads_is_allowed() -> None:
    rule = record(effect="derive", set={"kind": "need", "fields": {"count": "c.count"}})
    assert check_rules([rule], WORDS) == []


@pytest.mark.parametrize(
    ("limit", "changes", "message"),
    [
        (
            "MAX_TESTS",
            {"when": "c.fits and c.count > 1 and c.price > 1"},
            "3 tests in one alternative",
        ),
        (
            "MAX_JOINS",
            {
                "for": {"c": "candidate", "d": "candidate"},
                "when": "c.count < d.count and c.price < d.price and c.gpu == d.gpu",
            },
            "3 tests between two facts",
        ),
        (
            "MAX_FIELDS",
            {"when": "c.fits and c.gpu in ['a', 'b'] and c.price > 1"},
            "different tests on",
        ),
        ("MAX_CONJUNCTIONS", {"when": "c.fits or c.count > 1"}, "alternatives of all rules"),
        ("MAX_PATTERNS_OF_KIND", {"when": "c.fits or c.count > 1"}, "patterns of kind 'candidate'"),
    ],
)
def test_the_limits_of_the_engines_name_the_rule_that_breaks_them(
    monkeypatch: pytest.MonkeyPatch, limit: str, changes: dict[str, Any], message: str
) -> None:
    assert problems_of(changes) == []
    monkeypatch.setattr(limits, limit, 2)
    (problem,) = problems_of(changes)
    assert (problem.code, problem.key) == ("limit_exceeded", "rules[sample].when")
    assert message in problem.message


def test_a_hostile_condition_cannot_blow_up() -> None:
    pair = "(c.fits or c.count > 1)"
    huge = " and ".join([pair] * 60)
    assert [problem.code for problem in problems_of({"when": huge})] == ["too_many_alternatives"]
    deep = "(" * 150 + "c.fits" + ")" * 150
    assert problems_of({"when": deep}) == []
    for text in ("-" * 1_900 + "c.count > 1", "(" * 900 + "c.fits" + ")" * 900, "c.fits" * 400):
        assert [problem.code for problem in problems_of({"when": text})] == ["syntax_error"]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "(lambda: c.fits)()",
        "[x for x in c.gpu]",
        "c.fits if c.fits else c.fits",
        "(y := c.fits)",
        "f'{c.gpu}' == 'a'",
        "c.gpu == b'a'",
        "c.count == 1j",
        "c.count == None",
        "c.count == ...",
        "c.count ** 2 > 1",
        "~c.count > 1",
        "c.fits, c.fits",
        "*c.gpu == 'a'",
        "c.__class__ == 'a'",
        "c.count == 1e400",
        "known(c.gpu, c.fits)",
        r"c.gpu == '\d'",
        "c.gpu == 'a' c.fits",
        "missing(x=c.gpu)",
        "missing(c.count + 1)",
    ],
)
def test_nothing_but_the_condition_language_is_understood(text: str) -> None:
    problems = problems_of({"when": text})
    assert problems
    assert {problem.code for problem in problems} <= {
        "forbidden_expression",
        "syntax_error",
        "unknown_key",
    }


def test_the_schema_of_a_rule_file_describes_the_keys_as_written() -> None:
    schema = rule_schema()
    described = schema["$defs"]["RuleRecord"]["properties"]
    assert set(VALID) <= set(described)
    assert {"for", "set", "none", "since", "until"} <= set(described)
    assert described["effect"]["enum"] == ["derive", "recommend", "reject", "warn", "require"]
    assert schema["required"] == ["rules"]
