"""Every abbreviation that advice and handbook use is in the glossary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from advisor.store.handbook import load_handbook
from advisor.store.handbook_excerpt import glossary_entry
from advisor.store.loader import load_knowledge

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
SHORT = re.compile(r"(?<![\w./:_*$%-])(?P<word>[A-Z][A-Za-z]?[A-Z][A-Za-z0-9]*)(?![\w/_-])")
QUOTED = re.compile(r"`[^`]*`|https?://\S+|\"[^\"]*\"|<!--.*?-->", re.DOTALL)
SAID = re.compile(
    r"^\s*(?:- )?(?:because|text|symptom|cause|check|fix|title|help|claim|right): (?P<said>.*)$",
    re.MULTILINE,
)
EVERYDAY = set(
    """AI COS CPU CPUs CNCF CONTAINER EC2 ERR ERROR GLOO GPU GPUs HOME IBM ID IDs IMAGE INFO IP IPv6
    JEDEC JESD235 JESD238 JESD270 KB LFS LXC MASTER MB MIT MLPerf NAMESPACE ND NET NGC NIM NODE
    NV NVIDIA NVRM OK OLM OS PCI PERFORMANCE POD POWER README RHEL SYS TB TCP TiB UUID URL US USD
    WARN XDR AL2023 CKS MiB GiB AMD AWS OCI SSH HTTP YAML
    JSON NVLinks LD NUMBER FLOPs SLA ACSCtl ADDRESS CLOCK DESIRED DMAR FILE HBM2E IPv4 JAX KiB
    NAME OOMKilled POOL RING TEMPERATURE TRD1 UVM WORKER XID""".split()  # noqa: SIM905
)
"""Words of every engineer, names of makers and places, and placeholders and pieces of logs."""
OBJECTS = re.compile(r"[A-Z][a-z]*(?:[A-Z][a-z]+)+|(?:NVIDIA|GPU|AKS|EC2)[A-Z]\w+")
"""Kinds of Kubernetes objects: ``ResourceClaim``, ``NVIDIADriver``."""
MODELS = re.compile(r"(?:[A-Z]{1,4}\d{2,4}[A-Z]?|NVL\d+|HBM\d|GDDR\d?|FP\d+|INT\d+|R\d{3}|V\d)")
"""Products, and numbered formats: the glossary has them without their number."""


@cache
def texts() -> dict[str, str]:
    """Return what people read, by file: the pages, and what rules, gotchas and questions say."""
    found = {}
    for path in sorted(KNOWLEDGE.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        found[path.name] = re.sub(
            r"^\*\*Sources\*\*$.*?(?=^#|\Z)", "", page, flags=re.MULTILINE | re.DOTALL
        )
    for folder in ("rules", "gotchas", "questions", "symptoms", "corrections"):
        for path in sorted((KNOWLEDGE / folder).glob("*.yaml")):
            said = SAID.findall(path.read_text(encoding="utf-8"))
            found[f"{folder}/{path.name}"] = "\n".join(said)
    return found


def abbreviations() -> Iterator[tuple[str, str]]:
    for name, text in texts().items():
        for found in SHORT.finditer(QUOTED.sub(" ", text)):
            word = found["word"].removesuffix("s")
            names = word in EVERYDAY or found["word"] in EVERYDAY
            if not names and not OBJECTS.fullmatch(word) and not MODELS.fullmatch(word):
                yield word, name


def test_every_abbreviation_is_in_the_glossary() -> None:
    glossary = re.sub(r"<!--.*?-->", "", load_handbook().section("glossary").text_markdown)
    named = {word.removesuffix("s") for word in re.findall(r"[\w-]+", glossary)}
    named |= {part for word in named for part in word.split("-")}
    cards = {part for gpu in load_knowledge().gpus.values() for part in gpu.name.split()}
    missing: dict[str, set[str]] = {}
    for word, place in abbreviations():
        if word not in named | cards:
            missing.setdefault(word, set()).add(place)

    # what a single file says once explains itself there; the pages and repeated words are checked
    often = {w: where for w, where in missing.items() if len(where) > 1 or ".md" in str(where)}
    assert often == {}


def test_the_search_for_abbreviations_finds_some() -> None:
    assert {"NCCL", "MIG", "CUDA", "IMEX", "RDMA"} <= {word for word, _ in abbreviations()}


def test_each_word_has_one_entry() -> None:
    text = load_handbook().section("glossary").text_markdown
    words = [
        word.strip().lower()
        for names in re.findall(r"\*\*([^*]+):\*\*", text)
        for word in names.split(",")
    ]

    assert len(words) > 120
    assert [word for word in words if words.count(word) > 1] == []


def test_every_entry_can_be_cited_by_its_word() -> None:
    book = load_handbook()
    text = book.section("glossary").text_markdown
    for names in re.findall(r"^- \*\*([^*]+):\*\*", text, re.MULTILINE):
        for word in names.split(","):
            assert glossary_entry(book, word) is not None
