"""Blocks shared out between processes: the same pages, whatever happens to a process.

Each case runs in a process of its own: a copy is only made of one without threads, which that of
a test need not be.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ANSWERS = """\
workload: {{kind: platform}}
hardware: {{acquisition: owned, gpu: h100-sxm, gpus_per_node: 8, nodes: {nodes}}}
platform: {{orchestrator: kubernetes, cloud: on_prem}}
"""
SCRIPT = """\
import os, sys
from pathlib import Path
from advisor.docs import ahead
from advisor.docs.desk import Desk, shared_desk
from advisor.docs.files import pages_of

parent, desk, pages = os.getpid(), shared_desk(), list(pages_of(["."]))
write = Desk.markdown

def markdown(self, order):
    if os.getpid() != parent and "nodes: 9" in order.spec.answers_text:
        {trouble}
    return write(self, order)

Desk.markdown = markdown
ahead._MOST_TURNS = {turns}
print(ahead.work_ahead(desk, pages, {jobs}))
groups = ahead._groups(desk, pages)
print(*[order.answers.get("hardware.nodes") for group in groups for order in group])
"""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are only copied on Linux"
)


def site(folder: Path, blocks: int = 14) -> Path:
    for number in range(1, blocks + 1):
        begin = '<!-- gpu-advisor:begin show="sharing"'
        text = f"{begin}\n{ANSWERS.format(nodes=number)}-->\n<!-- gpu-advisor:end -->\n"
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def left_after(folder: Path, trouble: str, jobs: int = 2, turns: int = 8192) -> list[str]:
    """Return how many processes there were, and the blocks that are still to be written."""
    done = python(site(folder), "-c", SCRIPT.format(trouble=trouble, jobs=jobs, turns=turns))
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.slow
def test_pages_are_the_same_bytes_as_from_one_process(tmp_path: Path) -> None:
    built = {}
    for jobs in ("1", "2"):
        (folder := tmp_path / jobs).mkdir()
        done = python(site(folder), "-m", "advisor", "docs", "build", ".", "--jobs", jobs)
        assert (done.returncode, done.stderr) == (0, "")
        built[jobs] = (done.stdout, *(p.read_bytes() for p in sorted(folder.glob("*.md"))))
    assert built["1"] == built["2"]


@pytest.mark.slow
def test_every_block_is_written_by_two_processes_and_kept(tmp_path: Path) -> None:
    assert left_after(tmp_path, "pass") == ["2"]


@pytest.mark.slow
def test_more_blocks_than_turns_are_all_written(tmp_path: Path) -> None:
    assert left_after(tmp_path, "pass", turns=3) == ["2"]


@pytest.mark.slow
def test_a_few_blocks_stay_in_one_process(tmp_path: Path) -> None:
    assert left_after(tmp_path, "pass", jobs=1) == ["1", *sorted(map(str, range(1, 15)))]


@pytest.mark.slow
def test_a_block_that_fails_in_a_copy_is_left_to_whoever_wants_it(tmp_path: Path) -> None:
    assert left_after(tmp_path, "raise RuntimeError") == ["2", "9"]


@pytest.mark.slow
def test_a_copy_that_is_killed_holds_nothing_up(tmp_path: Path) -> None:
    count, *left = left_after(tmp_path, "os.kill(os.getpid(), 9)")
    assert count == "2"
    assert "9" in left
    assert len(left) < 14, "the other copy did its share"
