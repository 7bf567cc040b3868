"""Try to break *firm* and `depends_on`: random situations, random answers, random completions.

    python benchmarks/firm.py [COUNT] [FIRST_SEED]

The tests run a few dozen; this runs 1,000 situations by default, each answered in up to six
rounds, each completed in several ways. Prints what moved and the fewest answers that moved it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests" / "consult"))

from firm_promise import broken_promises


def main(count: int, first: int) -> int:
    started, faults = time.perf_counter(), 0
    for seed in range(first, first + count):
        for fault in broken_promises(seed):
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
            print(f"  {json.dumps(fault.document, default=str)}", flush=True)
    print(f"{count} situations in {time.perf_counter() - started:.0f} s, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=1000)
    parser.add_argument("first", nargs="?", type=int, default=0)
    given = parser.parse_args()
    sys.exit(main(given.count, given.first))
