"""Resident memory over many consultations: it has to stay flat.

python benchmarks/engine_growth.py [consultations] [engine]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from engine_speed import VOCABULARY, facts, rules

from advisor.engine import select_engine
from advisor.rules import load_rules

PAGE_KIB = 4


def resident_mib() -> float:
    """Return the resident set of this process (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * PAGE_KIB / 1024


def main() -> None:
    consultations = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    engine = select_engine(sys.argv[2] if len(sys.argv) > 2 else None)
    base = load_rules(rules(100), VOCABULARY)
    sets = [facts(candidates) for candidates in (10, 20, 30)]
    for given in sets * 20:
        engine.fire(base, given)
    first = resident_mib()
    start = time.process_time()
    for number in range(consultations):
        engine.fire(base, sets[number % 3])
        if (number + 1) % (consultations // 5 or 1) == 0:
            print(f"{number + 1:7d} consultations: {resident_mib():7.1f} MiB")
    spent_ms = (time.process_time() - start) * 1_000 / consultations
    print(f"{engine.name}: {spent_ms:.2f} ms each, grew by {resident_mib() - first:.1f} MiB")


if __name__ == "__main__":
    main()
