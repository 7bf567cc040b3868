"""Time the interview: the next question cold and warm, and an answer to its reply.

    python benchmarks/interview.py [--repeat N]

Process time, so that a busy machine does not show. Aims on an idle core: next question 500 ms cold
(nothing of these answers worked out before) and 150 ms warm; an answer to its reply 600 ms.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from advisor.explain.adviser import Adviser
from advisor.interview.interview import Interview
from advisor.interview.showing import view_of

CONSULTATIONS = {
    "one card": ("we own one L40S, docker", "serving", "qwen3 32b", "4", "16k", "0", "0"),
    "platform": ("a platform for untrusted tenants on EKS", "A100 80GB", "2", "kubernetes", "0"),
    "fine-tuning": ("fine-tune llama 3.3 70b on 8 H100 that we own", "lora", "4k", "0", "0", "0"),
    "rented": ("serving", "llama 3.3 70b for 50 users at 16k", "4k", "rent", "aws", "0", "0"),
}


def seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def measured(lines: tuple[str, ...]) -> tuple[list[float], list[float], list[float]]:
    """Return seconds of: the answer to its reply, the next question cold, the same warm."""
    interview = Interview(Adviser())
    replies, cold, warm = [], [], []
    view_of(interview)
    for line in lines:
        replies.append(seconds(lambda line=line: interview.say(line)))
        cold.append(seconds(lambda: interview.ask))
        again = Interview(interview.adviser, interview.session)
        warm.append(seconds(lambda again=again: again.ask))
        view_of(interview)
    return replies, cold, warm


def main(repeat: int) -> int:
    measured(CONSULTATIONS["one card"])  # the knowledge is read once
    print("                 reply median  most    question cold median  most    warm median  most")
    for name, lines in CONSULTATIONS.items():
        runs = [measured(lines) for _ in range(repeat)]
        cells = []
        for part in range(3):
            best = [min(run[part][step] for run in runs) for step in range(len(lines))]
            cells += [statistics.median(best) * 1000, max(best) * 1000]
        print(
            f"{name:15} {cells[0]:10.0f} ms {cells[1]:5.0f} {cells[2]:19.0f} ms {cells[3]:5.0f} "
            f"{cells[4]:11.0f} ms {cells[5]:5.0f}"
        )
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    raise SystemExit(main(parser.parse_args().repeat))
