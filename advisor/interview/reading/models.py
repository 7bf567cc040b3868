"""Models in a text."""

from __future__ import annotations

import re

from advisor.errors import UnknownNameError
from advisor.interview.reading.names import ModelNames, model_names_of
from advisor.interview.reading.nearest import unknown_model
from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest, words_of

__all__ = ["KEY", "find_models", "find_partial_models"]

KEY = "workload.model"
_SIZE = re.compile(r"\d+(?:\.\d+)?[bt]|a\d+(?:\.\d+)?b|\d+x\d+b|v?\d+\.\d+")
"""Words that tell one model of a family from another: sizes and versions."""
_TUNING = frozenset({"instruct", "it", "chat", "hf", "base"})
_CHUNK = re.compile(r"[^\s,;()]+/[^\s,;()]+")
_MOST = 9
"""Readings that are offered: as many as one digit picks."""


def find_models(scan: Scan) -> None:
    """Find whole names of models."""
    names = model_names_of(scan.knowledge)
    _find_hub_ids(scan, names)
    at = 0
    while at < len(scan.words):
        found = _whole_at(scan, names, at) if scan.free(at) else None
        at = found if found is not None else at + 1


def _find_hub_ids(scan: Scan, names: ModelNames) -> None:
    """Find ids of a model hub; those of other builds say their weight format themselves."""
    for match in _CHUNK.finditer(scan.text):
        chunk = match.group().rstrip(".")
        inside = [
            i for i, word in enumerate(scan.words) if match.start() <= word.start < match.end()
        ]
        spelt = names.builds.get(chunk.lower())
        if spelt is None or not inside or not all(map(scan.free, inside)):
            continue
        start, end = inside[0], inside[-1] + 1
        try:
            found = scan.knowledge.resolve_model(spelt)
        except UnknownNameError:
            continue
        own = found.record.hf_id == spelt
        read = scan.answer(KEY, found.record.id if own else spelt, start, end)
        if read is not None:
            scan.add(Hit(start, end, gives=(read,), names=True))


def _whole_at(scan: Scan, names: ModelNames, at: int) -> int | None:
    found = longest(scan.words, at, names.whole, scan.free, brackets=True)
    if found is None or _is_everyday(scan, at, found[0]):
        return None
    end, ids = found
    end = _over_tuning(scan, end)
    if _differs(scan, end):
        return _refuse(scan, at, end)
    note = _stands_for(scan, at, end, ids[0]) if len(ids) == 1 else ""
    _offer(scan, at, end, ids, note)
    return end


def _stands_for(scan: Scan, at: int, end: int, model_id: str) -> str:
    """Return what is taken for a name that has no record of its own; empty where it has one."""
    model = scan.knowledge.models[model_id]
    own = {
        word.text
        for name in (model.id, model.name, model.hf_id or "")
        for word in words_of(name.replace("-", " "))
    }
    joint = "".join(
        word for name in (model.id, model.name, model.hf_id or "") for word in _plain(name)
    )
    typed = scan.words[at + _owner_words(scan, at, end) : end]
    foreign = [w for w in typed if w.text not in own | _TUNING and w.text not in joint]
    if not foreign:
        return ""
    return f"taken for {scan.slice(at, end)}, which has no record of its own here"


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9.]", "", name.casefold())


def _owner_words(scan: Scan, at: int, end: int) -> int:
    """Return how many words of a name say whose it is: those before a slash."""
    slash = scan.slice(at, end).find("/")
    return sum(word.end - scan.words[at].start <= slash for word in scan.words[at:end])


def _is_everyday(scan: Scan, at: int, end: int) -> bool:
    """Tell whether a single word is more likely plain English than a model."""
    asked = scan.focus is not None and scan.focus.key == KEY
    ordinary = scan.words[at].text in scan.lexicon.lists["ordinary"]
    short = len(scan.words[at].text) < 4 and not re.search(r"\d", scan.words[at].text)
    return end == at + 1 and not asked and (ordinary or short)


def _over_tuning(scan: Scan, end: int) -> int:
    """Return the end behind words such as "instruct", which change nothing in size."""
    while end < len(scan.words) and scan.words[end].text in _TUNING and not scan.words[end].breaks:
        if scan.words[end].text == "it" and scan.words[end].gap == " ":
            break  # "it" is a word of its own there
        end += 1
    return end


def _differs(scan: Scan, end: int) -> bool:
    """Tell whether the next word is a size or version, so that the name is another one."""
    if end >= len(scan.words) or scan.words[end].breaks or not scan.free(end):
        return False
    word = scan.words[end].text
    if re.fullmatch(r"\d+(?:\.\d+)?t?", word) and "." not in word:
        return False
    return bool(_SIZE.fullmatch(word))


def _refuse(scan: Scan, at: int, end: int) -> int:
    """Report a name whose size or version no model of the catalogue has."""
    last = end
    while _differs(scan, last):
        last += 1
    scan.problems.append(unknown_model(scan.knowledge, scan.slice(at, last)))
    for index in range(at, last):
        scan.claimed[index] = True
    return last


def _offer(scan: Scan, at: int, end: int, ids: tuple[str, ...], note: str = "") -> None:
    read = [scan.answer(KEY, one, at, end, note=note) for one in ids[:_MOST]]
    answers = tuple(one for one in read if one is not None)
    if len(answers) == 1:
        scan.add(Hit(at, end, gives=answers, names=True))
    elif answers:
        scan.add(Hit(at, end, either=answers, names=True))


def find_partial_models(scan: Scan) -> None:
    """Find names that are only begun: "llama 3.3", "qwen3", "gemma 27b"."""
    names = model_names_of(scan.knowledge)
    at = 0
    while at < len(scan.words):
        found = _part_at(scan, names, at) if scan.free(at) else None
        at = found if found is not None else at + 1


def _part_at(scan: Scan, names: ModelNames, at: int) -> int | None:
    word = scan.words[at].text
    letters = re.match(r"[a-z]*", word)
    if letters is None or (
        letters.group() not in names.families
        and not (
            _SIZE.fullmatch(word)
            and at + 1 < len(scan.words)
            and scan.words[at + 1].text in names.families
        )
    ):
        return None
    found = longest(scan.words, at, names.part, scan.free)
    if found is None:
        return _unknown_of_family(scan, at)
    if _is_everyday(scan, at, found[0]):
        return None
    end, ids = found
    end = _over_tuning(scan, end)
    if _differs(scan, end):
        return _refuse(scan, at, end)
    ids = tuple(sorted(ids, key=lambda one: _plainness(scan, one)))
    several = f"{len(ids)} models of the catalogue are called so; say more for another"
    only = "the only one in the catalogue that is called so"
    _offer(scan, at, end, ids, only if len(ids) == 1 else several)
    return end


def _unknown_of_family(scan: Scan, at: int) -> int | None:
    """Report a size or version that a known family does not have."""
    if _is_everyday(scan, at, at + 1) or not _differs(scan, at + 1):
        return None
    return _refuse(scan, at, at + 1)


def _plainness(scan: Scan, model_id: str) -> tuple[bool, int]:
    """Return the order in which models of a family are offered: plain text models first."""
    model = scan.knowledge.models[model_id]
    return model.modality != "text", len(re.findall(r"[a-z]{3,}", model_id))
