"""Any sentence: every answer that it gives, to whatever question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.answers.questions import Question
from advisor.errors import Problem
from advisor.interview.reading.amounts import find_amounts
from advisor.interview.reading.asides import find_hints, find_periods
from advisor.interview.reading.collect import collected
from advisor.interview.reading.counts import split_counts
from advisor.interview.reading.denial import without_denied
from advisor.interview.reading.excluded import add_excluded
from advisor.interview.reading.gpus import find_gpus
from advisor.interview.reading.lexicon import Meaning, Said, lexicon_of
from advisor.interview.reading.lone import find_lone_amounts
from advisor.interview.reading.model import Reading
from advisor.interview.reading.models import find_models, find_partial_models
from advisor.interview.reading.names import gpu_words, model_names_of
from advisor.interview.reading.possession import add_possession
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.typos import Spelling
from advisor.interview.reading.variants import find_variants
from advisor.interview.reading.words import joined, longest, words_of

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["LONGEST_TEXT", "read_sentence", "scanned", "spelling_of"]

_NOTHING: Mapping[str, tuple[Said, ...]] = MappingProxyType({})
LONGEST_TEXT = 4000
"""Characters of a sentence; more is a pasted log, which belongs to the symptoms."""


def read_sentence(text: str, knowledge: Knowledge, *, known: Answers | None = None) -> Reading:
    """Return what a sentence says, whatever it is about.

    Args:
        text: one sentence or several.
        knowledge: names of GPUs and models, and the wording that is understood.
        known: answers given before; what merely follows from a phrase does not repeat them.

    Raises:
        KnowledgeError: the knowledge base cannot be read.
    """
    return scanned(text, knowledge, known=known)


def scanned(
    text: str,
    knowledge: Knowledge,
    *,
    known: Answers | None = None,
    focus: Question | None = None,
    own: Mapping[str, tuple[Said, ...]] = _NOTHING,
) -> Reading:
    """Return what a text says; words and numbers of ``focus`` count first.

    Args:
        text: one sentence or several.
        knowledge: see :func:`read_sentence`.
        known: likewise.
        focus: the question that is open.
        own: joined words of its options -> the options.
    """
    if len(text) > LONGEST_TEXT:
        message = (
            f"The text has {len(text):,} characters; at most {LONGEST_TEXT:,} are read as a "
            "sentence. Give a log as a symptom."
        )
        return Reading(problem=Problem("text_too_long", message))
    scan = Scan(text, words_of(text), lexicon_of(knowledge), knowledge, known, focus, own)
    _respell(scan)
    _find_patterns(scan)
    find_models(scan)
    find_gpus(scan)
    find_variants(scan)
    find_periods(scan)
    _find_versions(scan)
    _find_open_version(scan)
    find_amounts(scan)
    find_hints(scan)
    _find_phrases(scan)
    find_partial_models(scan)
    find_lone_amounts(scan)
    add_possession(scan)
    hits = split_counts(scan, add_excluded(scan, without_denied(scan)))
    return collected(scan, hits)


@lru_cache(maxsize=4)
def spelling_of(knowledge: Knowledge) -> Spelling:
    """Return the words of all phrases and names, for finding misspelt ones."""
    lexicon = lexicon_of(knowledge)
    names = model_names_of(knowledge)
    words = lexicon.known_words | names.words | names.families | gpu_words(knowledge)
    return Spelling(words, lexicon.small_words)


def _respell(scan: Scan) -> None:
    spelling = spelling_of(scan.knowledge)
    for index, word in enumerate(scan.words):
        right = spelling.corrected(word.text)
        if right is not None:
            scan.respell(index, right)
    families = model_names_of(scan.knowledge).families
    for index, word in enumerate(scan.words[1:], 1):
        behind_name = scan.words[index - 1].text in families and not word.breaks
        if behind_name and re.fullmatch(r"\d{1,2},\d{1,2}", word.raw):
            scan.respell(index, word.raw.replace(",", "."))


def _find_patterns(scan: Scan) -> None:
    for key, pattern in scan.lexicon.patterns:
        for match in pattern.finditer(scan.text):
            inside = [
                i
                for i, word in enumerate(scan.words)
                if match.start() < word.end and word.start < match.end()
            ]
            if not inside or not all(map(scan.free, inside)):
                continue
            start, end = inside[0], inside[-1] + 1
            if scan.span(start, end) != match.span():
                continue
            read = scan.answer(key, match.group(), start, end)
            if read is not None:
                scan.add(Hit(start, end, gives=(read,), names=True))


def _find_versions(scan: Scan) -> None:
    """Find version numbers behind the products that they belong to."""
    for at in range(len(scan.words)):
        found = longest(scan.words, at, scan.lexicon.versions, scan.free)
        if found is None or found[0] >= len(scan.words) or scan.words[found[0]].breaks:
            continue
        end, keys = found
        end += scan.words[end].text in {"version", "v"} and end + 1 < len(scan.words)
        if not re.fullmatch(r"v?\d{1,4}(?:\.\w{1,8})*", scan.words[end].text) or not scan.free(end):
            continue
        if _is_counted(scan, end):
            continue
        telling = joined(scan.words[at : found[0]]) in scan.lexicon.phrases
        start = end if telling else at
        for key in keys:
            read = scan.answer(key, scan.words[end].raw, end, end + 1)
            if read is not None:
                scan.add(Hit(start, end + 1, gives=(read,), counts=True))


def _find_open_version(scan: Scan) -> None:
    """Find the version that the open question asks for, which needs no name beside it."""
    if scan.focus is None or scan.focus.kind != "version":
        return
    for at, word in enumerate(scan.words):
        if scan.free(at) and re.fullmatch(r"v?\d{1,4}(?:\.\w{1,8})+", word.text):
            read = scan.answer(scan.focus.key, word.raw, at, at + 1)
            if read is not None:
                scan.add(Hit(at, at + 1, gives=(read,), counts=True))
                return


def _is_counted(scan: Scan, at: int) -> bool:
    """Tell whether a whole number counts something: "kubernetes 8 nodes"."""
    following = at + 1 < len(scan.words) and not scan.words[at + 1].breaks
    if not following or "." in scan.words[at].text:
        return False
    return longest(scan.words, at + 1, scan.lexicon.behind) is not None


def _find_phrases(scan: Scan) -> None:
    at = 0
    while at < len(scan.words):
        said = longest(scan.words, at, scan.lexicon.phrases, scan.free)
        ignored = longest(scan.words, at, scan.lexicon.lists["ignored"], scan.free, spaced=True)
        mine = longest(scan.words, at, scan.own, scan.free)
        longest_other = max(said[0] if said else 0, ignored[0] if ignored else 0)
        if mine is not None and mine[0] >= longest_other and not _is_skill(scan, mine[0]):
            _add_own(scan, at, mine[0], mine[1])
            at = mine[0]
        elif ignored is not None and (said is None or ignored[0] > said[0]):
            at = ignored[0]
        elif said is not None and _is_skill(scan, said[0]):
            at = said[0]
        elif said is not None:
            _add_phrase(scan, at, said[0])
            at = said[0]
        else:
            at += 1


def _is_skill(scan: Scan, end: int) -> bool:
    """Tell whether a phrase is what somebody can do: "no Kubernetes experience"."""
    skills = scan.lexicon.lists["skills"]
    return end < len(scan.words) and not scan.words[end].breaks and scan.words[end].text in skills


def _add_own(scan: Scan, at: int, end: int, options: tuple[Said, ...]) -> None:
    """Note options of the open question; a phrase of the same words adds what else it says."""
    phrase = longest(scan.words, at, scan.lexicon.phrases, scan.free)
    same = phrase[1] if phrase is not None and phrase[0] == end else Meaning()
    read = scan.answers(options, at, end)
    one = len(read) == 1
    agrees = one and any(said in same.gives for said in options)
    others = tuple(said for said in same.gives if agrees and said.key != options[0].key)
    denied = tuple(said for said in same.denied if said.key == options[0].key)
    scan.add(
        Hit(
            at,
            end,
            gives=(*read, *scan.answers(others, at, end)) if one else (),
            either=() if one else read,
            implies=scan.answers(same.implies, at, end) if agrees else (),
            denied=scan.answers(denied, at, end),
        )
    )


def _add_phrase(scan: Scan, at: int, end: int) -> None:
    found = longest(scan.words, at, scan.lexicon.phrases, scan.free)
    if found is None:
        return
    meaning = found[1]
    hit = Hit(
        at,
        end,
        gives=scan.answers(meaning.gives, at, end),
        either=scan.answers(meaning.either, at, end),
        implies=scan.answers(meaning.implies, at, end),
        denied=scan.answers(meaning.denied, at, end),
    )
    scan.add(hit)
