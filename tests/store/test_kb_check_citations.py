"""``kb check`` of citations: each kind of record that cites, with each way to cite wrongly."""

from __future__ import annotations

import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from advisor.cli.kb_check import check_everything
from advisor.store.loader import load_knowledge

DAY = date.fromisoformat(load_knowledge().as_of)

PLANTS = [
    # what cites, where, what stands there, what is planted, the code
    ("a rule's section", "rules/sharing.yaml", 'cite: ["3.4", "6"]', 'cite: ["3.4", "3.9"]',
     "broken_citation"),
    ("a rule's anchor", "rules/gpu.yaml", 'cite: ["8.1", "7.3"]', 'cite: ["8.1", "7.3#nowhere"]',
     "broken_citation"),
    ("a rule's section as a number", "rules/loads.yaml", r"re:cite: \[.*\]", "cite: [8.2]",
     "invalid_type"),
    ("a rule with an empty citation", "rules/training.yaml", r"re:cite: \[.*\]", "cite: []",
     "missing_cite"),
    ("a rule that cites nothing", "rules/monitoring.yaml", r"re:    cite: \[.*\]\n", "",
     "missing_cite"),
    ("a rule of a gotcha", "gotchas/rdma.yaml", "sections: ['3.5', '7.4']",
     "sections: ['3.5', '7.9']", "broken_citation"),
    ("a question", "questions/tenancy.yaml", "section: '3.2'", "section: '3.8'",
     "broken_citation"),
    ("a correction", "corrections/section-3.yaml", 'section: "3.1"', 'section: "3.7"',
     "broken_citation"),
    ("a behaviour of an engine", "engines/tgi.yaml", 'section: "7.3"', 'section: "7.8"',
     "broken_citation"),
    ("a way to share", "kubernetes/sharing-modes.yaml", "sections: ['3.2', '5.4', '8.2']",
     "sections: ['3.2', '5.14', '8.2']", "broken_citation"),
    ("a metric", "kubernetes/metrics.yaml", "sections: ['5.6']", "sections: ['5.66']",
     "broken_citation"),
    ("a cause of a symptom", "symptoms/driver.yaml", r"re:sections: \['", "sections: ['0",
     "broken_citation"),
    ("a reference of the handbook", "handbook/09-best-practices.md", r"re:§\d", "§99",
     "broken_reference"),
    ("a link of the handbook", "handbook/10-gotchas.md", r"re:\A(# .*\n)",
     "\\1\nSee [it](#gone).\n",
     "broken_link"),
    ("a heading without an anchor", "handbook/05-kubernetes.md", " {#dra-objects}", "",
     "heading_without_anchor"),
    ("a section without dated sources", "handbook/06-passthrough-meanings.md", "**Sources**",
     "Sources", "uncited_section"),
]  # fmt: skip


def plant(folder: Path, file: str, old: str, new: str) -> int:
    """Replace the first occurrence; return its line."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    pattern = old[3:] if old.startswith("re:") else re.escape(old)
    match = re.search(pattern, text)
    assert match, (file, old)
    changed = match.expand(new) if old.startswith("re:") else new
    path.write_text(text[: match.start()] + changed + text[match.end() :], encoding="utf-8")
    return text.count("\n", 0, match.start()) + 1


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], set[str]]:
    """All faults in one copy: a check tells all at once."""
    root = tmp_path_factory.mktemp("citations") / "kb"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(load_knowledge().path, root, ignore=ignored)
    lines = {what: plant(root, file, old, new) for what, file, old, new, _ in PLANTS}
    found = check_everything(root, DAY, analyse=False)
    return lines, {f"{p.file}:{p.line}: {p.code}" for p in found.faults}


@pytest.mark.parametrize(("what", "file", "code"), [(p[0], p[1], p[4]) for p in PLANTS])
def test_each_wrong_citation_is_found_where_it_stands(
    planted: tuple[dict[str, int], set[str]], what: str, file: str, code: str
) -> None:
    lines, found = planted
    near = {f"kb/{file}:{lines[what] + step}: {code}" for step in range(-40, 4)}

    assert near & found, sorted(told for told in found if file in told)


def test_nothing_but_what_was_planted_is_told(
    planted: tuple[dict[str, int], set[str]],
) -> None:
    _, found = planted
    files = {f"kb/{plant[1]}" for plant in PLANTS}

    assert {told.partition(":")[0] for told in found} <= files


@pytest.mark.parametrize("file", ["gotchas/mig.yaml", "kubernetes/xids.yaml"])
def test_a_record_of_a_catalogue_without_a_section_is_found(tmp_path: Path, file: str) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    root = Path(shutil.copytree(load_knowledge().path, tmp_path / "kb", ignore=ignored))
    line = plant(root, file, r"re:sections: \[.*\]", "sections: []")

    faults = check_everything(root, DAY, analyse=False).faults

    assert (f"kb/{file}", line) in {(fault.file, fault.line) for fault in faults}
