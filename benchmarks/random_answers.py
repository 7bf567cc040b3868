"""Advise on random legal answers and count the laws that break.

    python benchmarks/random_answers.py [COUNT] [FIRST_SEED] [--keep DIR]

The tests run the first 300 of these; this runs 5,000 by default, half of them over all keys.
Advice that takes more than a minute counts as a fault where the system can interrupt it.
With ``--keep`` the answers that break a law are written to DIR, one JSON file each, so that
``gpu-advisor advise FILE`` shows the fault.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "tests" / "consult"))

from laws import broken_laws
from random_answers_of_all_keys import random_document_with_known_names
from random_situations import random_situation

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.errors import InputError

_LIMIT_SECONDS = 60


def main(count: int, first: int, keep: Path | None) -> int:
    started = time.perf_counter()
    refused = faults = 0
    slowest = (0.0, first)
    for seed in range(first, first + count):
        make = random_situation if seed % 2 else random_document_with_known_names
        document = make(seed)
        before = time.perf_counter()
        try:
            broken = list(_broken(document))
        except InputError:
            refused += 1
            continue
        slowest = max(slowest, (time.perf_counter() - before, seed))
        faults += len(broken)
        for law in broken:
            print(f"{make.__name__}({seed}): {law}", flush=True)
        if broken and keep is not None:
            text = json.dumps(document, indent=1, ensure_ascii=False)
            (keep / f"{make.__name__}-{seed}.json").write_text(text, encoding="utf-8")
    seconds = time.perf_counter() - started
    print(
        f"{count} answers in {seconds:.0f} s, {refused} refused in words, {faults} faults; "
        f"slowest {slowest[0]:.2f} s (seed {slowest[1]})"
    )
    return 1 if faults else 0


def _broken(document: dict[str, Any]) -> Iterator[str]:
    """Yield the laws that break, an exception among them.

    Raises:
        InputError: The answers are refused in words, which is no fault.
    """
    _interrupt_after(_LIMIT_SECONDS)
    try:
        consultation = advise(read_answers(document), engine="reference")
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - any escape is what is looked for
        yield f"{type(error).__name__}: {error}"
        return
    finally:
        _interrupt_after(0)
    yield from broken_laws(document, consultation)


def _interrupt_after(seconds: int) -> None:
    """Raise ``TimeoutError`` in so many seconds; 0 calls it off. Nothing without signals."""
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(seconds)


def _too_long(_number: int, _frame: object) -> None:
    message = f"no advice after {_LIMIT_SECONDS} s"
    raise TimeoutError(message)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=5000)
    parser.add_argument("first", nargs="?", type=int, default=0)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    given = parser.parse_args()
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    sys.exit(main(given.count, given.first, given.keep))
