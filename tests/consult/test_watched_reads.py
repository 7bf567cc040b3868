"""Every look at an answer on the way to a choice is noted: on that *firm* rests.

``answers.get`` notes the key, ``answers.values`` does not. So each place that takes the values as
they are is listed here, with why no choice can turn on what it sees.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from advisor.store.loader import load_knowledge
from advisor.store.rules import load_rule_base

ROOT = Path(__file__).parents[2]
CONSULT = ROOT / "advisor" / "consult"
WHY = {
    "advise.py": "which of the given answers are in doubt",
    "certainty.py": "which keys are open, and the order of telling them",
    "conflicts.py": "warnings about what is given",
    "facts.py": "facts for rules, whose keys are counted by rule; the name that was assumed",
    "given.py": "what the consultation repeats",
    "live.py": "which keys rules may still turn on",
    "measured.py": "facts about observations, which rules only warn of",
    "parallelism_decision.py": "the name of the network, a parameter",
    "platform/chosen.py": "facts about contradictions, which rules only warn of",
    "platform/completed.py": "fills in defaults; the copy notes looks in the same place",
    "platform/consult.py": "the order of warnings",
    "platform/gotchas.py": "warnings",
    "platform/open_questions.py": "which keys are open",
    "platform/resources.py": "what pods ask for, a parameter",
    "platform/versions.py": "versions, a parameter",
    "platform/versions_stated.py": "facts about versions in use, which rules only warn of",
    "questions_asked.py": "which questions come next",
    "several/consult.py": "which of the given answers are in doubt",
    "several/fleet_choice.py": "words about a borderline",
    "several/loads.py": "the list of loads itself, and copies of what is given",
    "topics.py": "which corrections are told",
    "touched.py": "which corrections are told",
    "understand.py": "a copy of what is given",
    "unused.py": "warnings about what is given",
    "watched.py": "the watch itself",
}
ONLY_WARN = {
    "job_gpus", "worker_rest", "price_elsewhere", "asks_a_part", "gpus_there", "units_there",
    "layout_gpus", "vm_ranks", "operator_ended", "operator_steps", "driver_ended",
}  # fmt: skip
"""Fields of ``chosen`` that are made of answers without a note."""


def unnoted() -> set[str]:
    looks = re.compile(r"answers\.values\b|_given\.values\b")
    return {
        path.relative_to(CONSULT).as_posix()
        for path in CONSULT.rglob("*.py")
        if looks.search(path.read_text("utf-8"))
    }


def test_each_look_that_is_not_noted_has_its_reason() -> None:
    assert unnoted() - {"watched.py"} == set(WHY) - {"watched.py"}


def test_what_is_made_of_unnoted_answers_only_warns() -> None:
    base = load_rule_base(load_knowledge())
    deciding = [rule for rule in base.rules if rule.effect != "warn"]
    texts = [f"{rule.condition} {rule.negations}" for rule in deciding]

    for field in ONLY_WARN:
        assert not [text for text in texts if f"'{field}'" in text], field


def test_observations_only_warn() -> None:
    for path in (ROOT / "knowledge" / "rules").glob("*.yaml"):
        for rule in yaml.safe_load(path.read_text("utf-8"))["rules"]:
            reads = f"{rule.get('when')} {rule.get('none')} {rule.get('for')}"
            if "measured" in reads or "observed." in reads:
                assert rule["effect"] == "warn", rule["id"]
