"""A recorded interview that tests change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from advisor.answers.validate import read_answers
from advisor.explain.adviser import Adviser
from advisor.transcripts.drift import Drift
from advisor.transcripts.model import Transcript
from advisor.transcripts.read import read_transcript_text
from advisor.transcripts.record import Words, recorded
from advisor.transcripts.replay import Replayed, replayed
from advisor.transcripts.write import written

ROOT = Path(__file__).parents[2]
FILE = ROOT / "transcripts" / "of-a-test.md"
"""Where the transcript would stand; it is never written."""
WORDS = Words("Four cards, one small model", "Somebody owns four cards.", ("gpu", "owned"))
SCRIPT = {
    "workload.model": ["/why"],
    "workload.concurrency": ["6"],
    "workload.context_tokens": ["/back", "/whatif hardware.gpu=l4", "no"],
    "": ["/how gpu", "/limits workload.concurrency"],
}


@dataclass(frozen=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@cache
def adviser() -> Adviser:
    """Return who advises in these tests; what was found once is remembered."""
    return Adviser(engine="reference")


@cache
def fresh() -> Transcript:
    """Return a transcript as it is recorded."""
    answers = read_answers(
        {
            "ask": ["gpu"],
            "workload": {
                "kind": "serving",
                "model": "llama-3.1-8b",
                "concurrency": 8,
                "context_tokens": 8192,
            },
            "hardware": {"acquisition": "owned", "gpu": "l40s", "gpus_per_node": 4, "nodes": 1},
        }
    )
    return recorded(adviser(), answers, WORDS, file=FILE, script=SCRIPT)


def again(text: str) -> Replayed:
    """Replay the transcript in ``text``."""
    return replayed(adviser(), read_transcript_text(text, "case.md"), FILE)


def drifts(text: str) -> tuple[Drift, ...]:
    """Return what drifted in ``text``."""
    return again(text).drifts


def fresh_text() -> str:
    """Return the file of :func:`fresh`."""
    return written(fresh())
