"""Compare answers with easier ones: less to carry must never take more.

    python benchmarks/easier_answers.py [COUNT] [FIRST_SEED] [--keep DIR]

More memory, shorter requests or fewer users must not turn a fit into a misfit or take more
GPUs of the same kind; more cards to choose from must not make the cheapest rent dearer. Where
only the choice takes more GPUs, while layouts with fewer still carry the load, a preference
decided: those pairs are printed and counted apart, and are no faults. The tests run the first
160 pairs; this runs 3,000 by default. With ``--keep`` both answers of a printed pair are
written to DIR.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "consult"))

from random_pairs import CHANGES, broken_between, preferred_more, random_pair


def main(count: int, first: int, keep: Path | None) -> int:
    started = time.perf_counter()
    faults = dict.fromkeys(CHANGES, 0)
    preferred = 0
    for seed in range(first, first + count):
        change, base, easier = random_pair(seed)
        broken = list(broken_between(change, base, easier))
        faults[change] += len(broken)
        notes = [] if broken else list(preferred_more(change, base, easier))
        preferred += len(notes)
        for word, laws in (("broken", broken), ("preferred", notes)):
            for law in laws:
                print(f"pair {seed} {word}: {law}: {base}", flush=True)
        if keep is not None and (broken or notes):
            for name, document in (("base", base), ("easier", easier)):
                text = json.dumps(document, indent=1)
                (keep / f"pair-{seed}-{name}.json").write_text(text, encoding="utf-8")
    seconds = time.perf_counter() - started
    print(f"{count} pairs in {seconds:.0f} s; broken: {faults}; more by preference: {preferred}")
    return 1 if any(faults.values()) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=3000)
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    given = parser.parse_args()
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    sys.exit(main(given.count, given.first, given.keep))
