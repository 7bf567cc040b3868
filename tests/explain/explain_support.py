"""What the tests of explanations share: one adviser, a small pool of answers, citations."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from advisor.answers.model import Answers
from advisor.answers.validate import read_answers
from advisor.consult.sections import read_sections
from advisor.explain.adviser import Adviser
from advisor.explain.explanation import SHOWN, Explanation, text_of
from advisor.store.loader import load_knowledge

ROOT = Path(__file__).parents[2]

POOL: dict[str, dict[str, object]] = {
    "one card": {
        "workload": {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 8192,
                     "concurrency": 4},
        "hardware": {"gpu": "l4"},
        "platform": {"cloud": "aws"},
    },
    "owned": {
        "workload": {"kind": "serving", "model": "qwen3-32b", "context_tokens": 16384,
                     "concurrency": 20},
        "hardware": {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 4, "nodes": 2},
    },
    "mig": {
        "workload": {"kind": "platform"},
        "hardware": {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 8, "nodes": 2},
        "platform": {"orchestrator": "kubernetes", "cloud": "on_prem", "machine": "bare_metal"},
        "tenancy": {"tenants": "untrusted", "isolation": "hardware", "workloads_per_gpu": 4},
    },
    "turns": {
        "workload": {"kind": "development"},
        "hardware": {"acquisition": "owned", "gpu": "l40s"},
        "tenancy": {"tenants": "trusted_teams", "duty": "idle", "workloads_per_gpu": 3},
    },
    "training": {
        "workload": {"kind": "fine_tuning", "model": "llama-3.1-8b"},
        "training": {"method": "lora", "sequence_tokens": 4096, "micro_batch": 2},
        "hardware": {"acquisition": "owned", "gpu": "rtx-4090", "gpus_per_node": 2},
    },
    "too large": {
        "workload": {"kind": "serving", "model": "qwen3-32b", "context_tokens": 8192},
        "hardware": {"acquisition": "owned", "gpu": "l4", "gpus_per_node": 1},
    },
    "nodes": {
        "workload": {"kind": "serving", "model": "llama-3.1-8b", "context_tokens": 4096,
                     "concurrency": 8, "traffic": "bursty"},
        "hardware": {"gpu": "l40s", "acquisition": "rent"},
        "platform": {"orchestrator": "kubernetes", "provider": "eks", "cloud": "aws"},
    },
}  # fmt: skip
"""Small cases: a card is named, so that a consultation takes milliseconds."""


@cache
def adviser() -> Adviser:
    return Adviser(load_knowledge(), engine="reference")


@cache
def case(name: str) -> Answers:
    return read_answers(POOL[name])


def with_answers(name: str, **changed: object) -> Answers:
    """Return a case with dotted keys replaced (``workload__concurrency=5``)."""
    from advisor.answers.validate import override

    sets = tuple(f"{key.replace('__', '.')}={value}" for key, value in changed.items())
    return override(case(name), sets)


def holds_together(explanation: Explanation) -> None:
    """Fail unless every line cites, what is cited exists, and the form is kept."""
    sections = read_sections(load_knowledge().path / "handbook")
    assert explanation.title
    assert explanation.lines
    for line in explanation.lines:
        assert line.text.strip()
        assert line.sections, line.text
        for section in line.sections:
            sections.cite(section)
    assert len(explanation.shown()) <= SHOWN
    for text in text_of(explanation, everything=True, width=100):
        assert text == text.rstrip()
