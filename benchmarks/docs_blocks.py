"""How long a site of advice blocks takes, from the first import to the last page.

    python benchmarks/docs_blocks.py [blocks] [answers]

Makes a site of ``blocks`` blocks (default 200) on 20 pages over ``answers`` different answers
files (default 40), builds it and checks it, each in a process of its own, and exits 1 when either
takes more than 10 s. Not a test: a busy machine is slower.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("gpu-advisor"))
PAGES, BUDGET_SECONDS = 20, 10.0
GPUS = ("l4", "l40s", "h100-sxm", "a100-80-sxm", "h200-sxm")
MODELS = ("llama-3.1-8b", "qwen3-32b", "llama-3.3-70b", "gpt-oss-120b")
SHOWN = ("gpu", "gpu,parallelism", "sharing,provisioning", "gpu,sharing,parallelism,provisioning")
ACQUISITIONS = ("owned", "rent")


def answers(number: int, gpu: str, model: str, acquisition: str) -> str:
    """Return the answers of one team."""
    return (
        f"workload: {{kind: serving, model: {model}, context_tokens: 16k, "
        f"concurrency: {10 + number}}}\n"
        f"hardware: {{acquisition: {acquisition}, gpu: {gpu}, gpus_per_node: 8}}\n"
        "platform: {orchestrator: kubernetes, cloud: aws}\n"
    )


def make_site(folder: Path, blocks: int, files: int) -> None:
    """Write the answers and the pages."""
    kinds = itertools.cycle(itertools.product(ACQUISITIONS, MODELS, GPUS))
    for number, (acquisition, model, gpu) in zip(range(files), kinds, strict=False):
        text = answers(number, gpu, model, acquisition)
        (folder / f"{number}.yaml").write_text(text, encoding="utf-8")
    for page in range(PAGES):
        lines = [f"# Page {page}", ""]
        for number in range(page, blocks, PAGES):
            shown = SHOWN[number // files % len(SHOWN)]
            lines.append(
                f'<!-- gpu-advisor:begin answers="{number % files}.yaml" show="{shown}" -->'
            )
            lines += ["<!-- gpu-advisor:end -->", ""]
        (folder / f"{page}.md").write_text("\n".join(lines), encoding="utf-8")


def timed(folder: Path, command: str) -> float:
    """Return the seconds of one command on the whole site."""
    usage = os.times()
    started = time.perf_counter()
    done = subprocess.run(
        [PROGRAM, "docs", command, "."], cwd=folder, check=True, capture_output=True, text=True
    )
    seconds = time.perf_counter() - started
    after = os.times()
    busy = after.children_user + after.children_system
    busy -= usage.children_user + usage.children_system
    last = done.stdout.splitlines()[-1]
    print(f"docs {command}: {seconds:.1f} s, {busy:.1f} s of processor time: {last}")
    return seconds


def main() -> int:
    """Time both commands."""
    given = [int(word) for word in sys.argv[1:]]
    blocks, files = (*given, *(200, 40)[len(given) :])
    with tempfile.TemporaryDirectory() as name:
        make_site(Path(name), blocks, files)
        slowest = max(timed(Path(name), command) for command in ("build", "check"))
    return int(slowest > BUDGET_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
