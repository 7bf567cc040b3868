"""Advise on random legal answers and count the laws that break.

    python benchmarks/random_answers.py [COUNT] [FIRST_SEED]

The tests run the first 150 of these; this runs 3,000 by default, half of them over all keys.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "consult"))

from laws import broken_laws
from random_answers_of_all_keys import random_document_with_known_names
from random_situations import random_situation

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.errors import InputError


def main(count: int, first: int) -> int:
    started = time.perf_counter()
    refused = faults = 0
    slowest = (0.0, first)
    for seed in range(first, first + count):
        make = random_situation if seed % 2 else random_document_with_known_names
        document = make(seed)
        before = time.perf_counter()
        try:
            consultation = advise(read_answers(document), engine="reference")
        except InputError:
            refused += 1
            continue
        except Exception as error:  # noqa: BLE001 - any escape is what is looked for
            faults += 1
            print(f"{make.__name__}({seed}): {type(error).__name__}: {error}")
            continue
        slowest = max(slowest, (time.perf_counter() - before, seed))
        for law in broken_laws(document, consultation):
            faults += 1
            print(f"{make.__name__}({seed}): {law}")
    seconds = time.perf_counter() - started
    print(
        f"{count} answers in {seconds:.0f} s, {refused} refused in words, {faults} faults; "
        f"slowest {slowest[0]:.2f} s (seed {slowest[1]})"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:3]]
    sys.exit(main(*(words + [3000, 0][len(words) :])))
