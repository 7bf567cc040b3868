"""What a text denies, doubts or asks: never read as the opposite.

A denied phrase says what its ``denied`` says ("no NVLink"), and nothing where it has none: then
its words are left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from advisor.interview.reading.scan import Hit, Scan
from advisor.interview.reading.words import longest

__all__ = ["without_denied"]

_PAIRS_WITH_OR = frozenset({"or", "nor"})


@dataclass(frozen=True, slots=True)
class _Denier:
    """A word that denies or doubts what follows."""

    start: int
    end: int
    doubts: bool
    excludes: bool = False
    """It rules out what follows, though it does not say what is so: "anything but"."""


def without_denied(scan: Scan) -> list[Hit]:
    """Return the hits that stand, denied ones turned round; frees the words of the others."""
    hits = sorted(scan.hits, key=lambda hit: hit.start)
    dropped: dict[int, Hit | None] = {}
    out: dict[int, tuple[int, int] | None] = {}
    for denier in _deniers(scan):
        for place, turned, sure in _reached(scan, hits, denier):
            known = dropped.get(place, hits[place])
            dropped[place] = turned if known is hits[place] else None
            certain = sure and known is hits[place] and turned is None
            out[place] = (denier.start, denier.end) if certain else None
        _claim_if_used(scan, hits, denier, dropped)
    for place, hit in enumerate(hits):
        if place in dropped:
            continue
        denied = _behind(scan, hits, hit, "denied_behind")
        if _asked(scan, hit) or _behind(scan, hits, hit, "doubted_behind"):
            dropped[place] = None
        elif denied is not None:
            dropped[place] = _turned(hit)
            out[place] = None if hit.denied else denied
            if hit.denied:
                scan.claim(*denied)
    scan.denied = [(hits[place], words) for place, words in sorted(out.items()) if words]
    return _standing(scan, hits, dropped)


def _standing(scan: Scan, hits: list[Hit], dropped: dict[int, Hit | None]) -> list[Hit]:
    standing: list[Hit] = []
    for place, hit in enumerate(hits):
        kept = dropped.get(place, hit)
        if kept is None or not (_says(kept) or any(hit.end == one.start for one in hits)):
            scan.claimed[hit.start : hit.end] = [False] * (hit.end - hit.start)
        else:
            standing.append(kept)
    return standing


def _says(hit: Hit) -> bool:
    """Tell whether a phrase says anything as it stands; some do only when they are denied."""
    return bool(hit.gives or hit.either or hit.implies)


def _deniers(scan: Scan) -> list[_Denier]:
    found: list[_Denier] = []
    at = 0
    while at < len(scan.words):
        doubt = longest(scan.words, at, scan.lexicon.lists["doubts"], spaced=True)
        denial = longest(scan.words, at, scan.lexicon.lists["negations"], spaced=True)
        inside = any(hit.start <= at < hit.end and hit.counts for hit in scan.hits)
        best = max(
            (found for found in (doubt, denial) if found), key=lambda one: one[0], default=None
        )
        if best is None or inside:
            at += 1
            continue
        excludes = longest(scan.words, at, scan.lexicon.lists["excludes"], spaced=True) == best
        found.append(_Denier(at, best[0], doubts=best is doubt, excludes=excludes))
        at = best[0]
    return found


def _reached(
    scan: Scan, hits: Sequence[Hit], denier: _Denier
) -> list[tuple[int, Hit | None, bool]]:
    """Return the places of the hits that a denier reaches.

    With each goes what it then says, and whether it is ruled out for certain.
    """
    own = next((hit for hit in hits if hit.start <= denier.start < hit.end), None)
    inside = (hit.start for hit in hits if denier.start < hit.start < denier.end)
    at = own.end if own is not None else min(inside, default=denier.end)
    reached: list[tuple[int, Hit | None, bool]] = []
    sure, first = not denier.doubts, own is None
    excludes = sure or denier.excludes
    for behind, hit in enumerate(hits):
        touches = own is not None and hit.start == own.end and not scan.words[hit.start].breaks
        if touches and not (hit.counts or hit.names):
            reached.append((behind, None, False))  # "not trusted" denies the teams behind it
    while True:
        place, between = _next_hit(scan, hits, at, first=first)
        if place is None:
            return reached
        hit = hits[place]
        if not first and "and" in between:
            if hit.counts:
                return reached
            sure = excludes = False
        doubled = any(word in scan.lexicon.lists["negations"] for word in between)
        turned = _turned(hit) if excludes and not doubled else None
        reached.append((place, turned, excludes and not doubled))
        at, first = hit.end, False
        following = hits[place + 1] if place + 1 < len(hits) else None
        if hit.counts and following is not None and _belongs(scan, hit, following):
            reached.append((place + 1, None, excludes and not doubled))
            at = following.end


def _belongs(scan: Scan, count: Hit, name: Hit) -> bool:
    """Tell whether a number is that of the name behind it: "instead of 8 H100"."""
    return name.names and name.start == count.end and not scan.words[name.start].breaks


def _next_hit(
    scan: Scan, hits: Sequence[Hit], at: int, *, first: bool
) -> tuple[int | None, list[str]]:
    """Return the next hit that a denial is carried on to, and the words before it."""
    between: list[str] = []
    index = at
    while index < len(scan.words):
        word = scan.words[index]
        if word.breaks and not (not first and not between and _list_goes_on(scan, hits, index)):
            return None, between
        place = next((p for p, hit in enumerate(hits) if hit.start == index), None)
        if place is not None and (first or between or word.breaks):
            return place, between
        if place is not None or word.text in scan.lexicon.lists["turns"]:
            return None, between
        if not first and word.text not in scan.lexicon.lists["alternatives"] and not word.breaks:
            return None, between
        between.append(word.text)
        index += 1
    return None, between


def _list_goes_on(scan: Scan, hits: Sequence[Hit], index: int) -> bool:
    """Tell whether a comma stands in a list that ends with "or": "no NVLink, RoCE or EFA"."""
    sign = scan.words[index].gap.strip()
    if sign != ",":
        return sign == "("  # what stands in brackets explains what is denied
    if scan.words[index].text in _PAIRS_WITH_OR:
        return True
    before = next((hit for hit in hits if hit.end == index), None)
    hit = next((hit for hit in hits if hit.start == index), None)
    if hit is None or before is None or hit.end >= len(scan.words):
        return False
    if not _are_alike(before, hit):
        return False
    following = scan.words[hit.end]
    if following.breaks:
        return _list_goes_on(scan, hits, hit.end)
    return following.text in _PAIRS_WITH_OR


def _are_alike(before: Hit, hit: Hit) -> bool:
    """Tell whether two phrases may stand in one list: "not on Azure, H200 or B200" are two."""
    keys, others = _keys(before), _keys(hit)
    if keys & others:
        return True
    if before.names or hit.names or before.counts or hit.counts:
        return False
    return bool({key.partition(".")[0] for key in keys} & {key.partition(".")[0] for key in others})


def _keys(hit: Hit) -> set[str]:
    return {one.key for one in (*hit.gives, *hit.either, *hit.denied)}


def _turned(hit: Hit) -> Hit | None:
    """Return what a hit says when it is denied."""
    if not hit.denied:
        return None
    return replace(hit, gives=hit.denied, either=(), implies=(), denied=())


def _claim_if_used(
    scan: Scan, hits: Sequence[Hit], denier: _Denier, dropped: dict[int, Hit | None]
) -> None:
    """Claim the denying word where a phrase was turned round by it."""
    for place, turned in dropped.items():
        if turned is not None and hits[place].start >= denier.end:
            scan.claim(denier.start, denier.end)


def _behind(scan: Scan, hits: Sequence[Hit], hit: Hit, name: str) -> tuple[int, int] | None:
    """Return the words behind a phrase that deny or doubt it: "NVLink is not available"."""
    table, verbs = scan.lexicon.lists[name], scan.lexicon.lists["verbs"]
    index = _over_brackets(scan, hit.end)
    while index < len(scan.words) and not _ends(scan, index):
        found = longest(scan.words, index, table, spaced=True)
        if found is not None:
            closes = _closes(scan, index, found[0]) and not _looks_ahead(scan, hits, found[0])
            return (hit.end, found[0]) if closes else None
        if scan.words[index].text not in verbs or not scan.free(index):
            return None
        index += 1
    return None


def _ends(scan: Scan, index: int) -> bool:
    """Tell whether a clause ends before a word; a closing bracket ends none."""
    return scan.words[index].breaks and scan.words[index].gap.strip(" )") != ""


def _over_brackets(scan: Scan, at: int) -> int:
    """Return where the text goes on behind words in brackets."""
    if at >= len(scan.words) or scan.words[at].gap.strip() != "(":
        return at
    end = at + 1
    while end < len(scan.words) and ")" not in scan.words[end].gap:
        end += 1
    return end


def _looks_ahead(scan: Scan, hits: Sequence[Hit], at: int) -> bool:
    """Tell whether a denial is about what follows it: "vLLM not SGLang"."""
    if scan.words[at - 1].text not in scan.lexicon.lists["negations"]:
        return False
    small = scan.lexicon.lists["filler"]
    while at < len(scan.words) and not scan.words[at].breaks:
        if any(hit.start == at for hit in hits):
            return True
        if scan.words[at].text not in small:
            return False
        at += 1
    return False


def _closes(scan: Scan, index: int, end: int) -> bool:
    """Tell whether a denial looks back: a bare "no" does only at the end of its clause."""
    if scan.words[index].text not in {"no", "free", "less", "off", "false"}:
        return True
    if scan.words[index].text in {"free", "less"}:
        return scan.words[index].gap == "-" or end == len(scan.words)
    return end >= len(scan.words) or scan.words[end].breaks


def _asked(scan: Scan, hit: Hit) -> bool:
    """Tell whether a feature is asked about: "do we need NVLink?" states nothing."""
    if hit.counts or hit.names or _describes(scan, hit):
        return False
    end = _clause_end(scan, hit)
    rest = scan.text[scan.words[end - 1].end :].lstrip()
    if not rest.startswith("?"):
        return False
    return hit.start == 0 or scan.words[hit.start - 1].text not in scan.lexicon.lists["places"]


def _describes(scan: Scan, hit: Hit) -> bool:
    """Tell whether a phrase belongs to what a question is about, and is not itself in question.

    As the format in "is one 4090 enough for Qwen3 14B AWQ?", or the work in "can I fine-tune
    Llama 3 8B on it?".
    """
    if any(one.key == "workload.kind" for one in hit.gives):
        return any(other.names for other in scan.hits)
    return any(other.names and other.end == hit.start for other in scan.hits)


def _clause_end(scan: Scan, hit: Hit) -> int:
    end = hit.end
    while end < len(scan.words) and not scan.words[end].breaks:
        end += 1
    return end
