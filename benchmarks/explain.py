"""How long explanations take, in one process that has the knowledge loaded.

    python benchmarks/explain.py [answers file...]

Prints processor seconds for each command on each file (default: the examples), how many
consultations it made, and how many layouts one of them sizes, beside the budget; exits 1 when
``limits`` takes more than its budget on a case of which a consultation is quick. Not a test: a
busy machine is slower.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from advisor.answers.model import Answers
from advisor.answers.validate import read_answers
from advisor.explain.adviser import Adviser
from advisor.explain.compare import compare
from advisor.explain.effects import with_effects
from advisor.explain.how import how
from advisor.explain.limits import limits
from advisor.explain.whatif import whatif
from advisor.explain.why import why
from advisor.explain.whynot import whynot

ROOT = Path(__file__).resolve().parents[1]
LIMITS_SECONDS = 2.0
QUICK_LAYOUTS = 30
"""A consultation that sizes no more is quick: the GPU is named or owned."""
COMMANDS: dict[str, Callable[[Adviser, Answers], object]] = {
    "why": why,
    "how": lambda adviser, answers: how(adviser, answers, "sharing"),
    "whynot": lambda adviser, answers: whynot(adviser, answers, "mig"),
    "whatif": lambda adviser, answers: whatif(adviser, answers, ["tenancy.tenants=untrusted"]),
    "limits": limits,
    "compare": lambda adviser, answers: compare(adviser, answers, "h100-sxm", "h200-sxm"),
    "effects": lambda adviser, answers: with_effects(adviser, answers, adviser.consult(answers)),
}


class Counting(Adviser):
    """An adviser that counts what it works out."""

    made = 0

    def consult(self, answers: Answers) -> object:  # type: ignore[override]
        """Consult, and count."""
        self.made += 1
        return super().consult(answers)


def main() -> int:
    """Measure and print; return 1 where ``limits`` takes too long."""
    files = [Path(name) for name in sys.argv[1:]] or sorted((ROOT / "examples").glob("*.yaml"))
    slow = False
    print(f"{'file':<22} {'command':<8} {'seconds':>8} {'consulted':>10} {'layouts':>8}")
    for file in files:
        for name, command in COMMANDS.items():
            adviser, answers = Counting(), read_answers(file)
            told = Adviser.consult(adviser, answers)
            layouts = told.candidates.considered if told.candidates else 0
            start = time.process_time()
            command(adviser, answers)
            seconds = time.process_time() - start
            over = name == "limits" and layouts <= QUICK_LAYOUTS and seconds > LIMITS_SECONDS
            slow = slow or over
            mark = f"  over {LIMITS_SECONDS:g} s" if over else ""
            print(
                f"{file.stem:<22} {name:<8} {seconds:>8.2f} {adviser.made:>10} {layouts:>8}{mark}"
            )
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
