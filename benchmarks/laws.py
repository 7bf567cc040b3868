"""Compare answers with easier ones: less to carry must never take more.

    python benchmarks/laws.py [COUNT] [FIRST_SEED] [--keep DIR]

More memory, shorter requests or fewer users must not turn a fit into a misfit or take more
GPUs of the same kind; more cards to choose from must not make the cheapest rent dearer. The
tests run the first 160 pairs; this runs 3,000 by default. With ``--keep`` both answers of a
pair that breaks a law are written to DIR.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "consult"))

from random_pairs import CHANGES, broken_between, random_pair


def main(count: int, first: int, keep: Path | None) -> int:
    started = time.perf_counter()
    faults = dict.fromkeys(CHANGES, 0)
    for seed in range(first, first + count):
        change, base, easier = random_pair(seed)
        broken = list(broken_between(change, base, easier))
        faults[change] += len(broken)
        for law in broken:
            print(f"pair {seed}: {law}: {base}", flush=True)
        if broken and keep is not None:
            for name, document in (("base", base), ("easier", easier)):
                text = json.dumps(document, indent=1)
                (keep / f"pair-{seed}-{name}.json").write_text(text, encoding="utf-8")
    seconds = time.perf_counter() - started
    print(f"{count} pairs in {seconds:.0f} s; broken: {faults}")
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
