"""Reading the version of a serving engine as people write it.

Logs and issue reports hold release numbers, development builds, wildcards and words; sizing
needs the release whose behaviour comes nearest, and a sentence that says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

__all__ = ["EngineVersion", "Release", "parse_version", "release_of"]

Release = tuple[int, int, int]
"""Major, minor and patch; post releases count as the release they mend."""

_RELEASE = re.compile(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*")
_GENERATION = re.compile(r"[\s(,_-]*\b(v[01])\b(?: engine)?\)?\s*$", re.IGNORECASE)
_WILDCARD = re.compile(r"(\d+)\.(?:(\d+)\.)?(\d*)[xX*]$")
_NEWEST = frozenset({"nightly", "main", "master", "latest", "head", "dev", "trunk"})
_BUILD = re.compile(r"[\s.-]*(dev|rc|alpha|beta|pre|[ab]\d)")
_POST = re.compile(r"\.?post\d+$")
_BUILD_NUMBER = re.compile(r"b(\d{3,6})$")
"""How llama.cpp numbers its builds."""


@dataclass(frozen=True, slots=True)
class EngineVersion:
    """A version as it was given and the release that stands for it."""

    release: Release | None
    """``None`` only while no engine's newest release has been put in its place."""
    original: str | None
    note: str | None = None
    """What to tell the reader when ``release`` is not what was given."""
    generation: Literal["v0", "v1"] | None = None
    """The engine generation, where the text names it (vLLM 0.7 to 0.10 had two)."""
    newest: bool = False
    """True when the newest known release has to stand for it."""
    commits: int | None = None
    """Commits of a checkout without tags, which numbers itself ``0.1.dev<commits>``."""

    def with_note(self, text: str) -> EngineVersion:
        """Return a copy that tells ``text`` about the original as well."""
        sentence = f"Version {self.original}: {text}."
        return replace(self, note=f"{self.note} {sentence}" if self.note else sentence)


@lru_cache(maxsize=1024)
def release_of(text: str) -> Release | None:
    """Return the release number that ``text`` consists of, or ``None``."""
    match = _RELEASE.fullmatch(text.strip())
    if match is None:
        return None
    major, minor, patch = (int(part or 0) for part in match.groups())
    return major, minor, patch


def parse_version(text: str | None) -> EngineVersion:
    """Return ``text`` as a version; never fails, what cannot be read is noted.

    ``None`` or empty text asks for the newest release and carries no note.

    >>> parse_version("v0.6.5").release, parse_version("0.20.2rc1.dev94+gabc").note
    ((0, 6, 5), 'Version 0.20.2rc1.dev94+gabc: a build between releases; taken as 0.20.2.')
    """
    original = (text or "").strip()
    if not original:
        return EngineVersion(None, None, newest=True)
    generation, bare = _split_generation(original)
    found = _read(bare, EngineVersion(None, original, generation=generation))
    if found is not None:
        return found
    unknown = EngineVersion(None, original, generation=generation, newest=True)
    return unknown.with_note("not a known version; taken as the newest known release")


def _split_generation(text: str) -> tuple[Literal["v0", "v1"] | None, str]:
    match = _GENERATION.search(text)
    if match is None or match.start() == 0:
        return None, text
    return ("v0" if match[1].lower() == "v0" else "v1"), text[: match.start()]


def _read(text: str, base: EngineVersion) -> EngineVersion | None:
    bare = text.strip().lower().removeprefix("version").strip().removeprefix("v").strip()
    bare = bare.split("+", 1)[0].strip()
    if bare in _NEWEST:
        return replace(base, newest=True).with_note("taken as the newest known release")
    if numbered := _BUILD_NUMBER.match(bare):
        return replace(base, release=(int(numbered[1]), 0, 0))
    if wild := _WILDCARD.match(bare):
        return _from_wildcard(wild, base)
    if release := release_of(_POST.sub("", bare)):
        return replace(base, release=release)
    return _from_build(bare, base)


def _from_wildcard(match: re.Match[str], base: EngineVersion) -> EngineVersion:
    """Take the middle of the ten releases that an open digit leaves, or the first of a series."""
    major, minor, digits = int(match[1]), match[2], match[3]
    if minor is None and not digits:
        return replace(base, newest=True).with_note("minor unknown; taken as the newest release")
    if minor is not None:
        release = (major, int(minor), int(digits) * 10 + 5 if digits else 0)
        return replace(base, release=release).with_note("patch unknown; taken as the first")
    release = (major, int(digits) * 10 + 5, 0)
    words = f"minor unknown; taken as {major}.{release[1]}"
    return replace(base, release=release).with_note(words)


def _from_build(text: str, base: EngineVersion) -> EngineVersion | None:
    """Read what follows a release: ``0.29.1 dev``, ``0.20.2rc1.dev94``, ``0.2.4 patched``."""
    match = _RELEASE.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    release = release_of(match[0])
    if release is None:
        return None
    shown = ".".join(map(str, release))
    if rest[:1].isspace() and not _BUILD.match(rest):
        return replace(base, release=release).with_note(f"read as {shown}")
    if not _BUILD.match(rest):
        return None
    if release[:2] == (0, 1) and "dev" in rest:
        # A checkout without tags numbers itself 0.1.dev<commits>; it says nothing of its age.
        counted = re.match(r"\D*(\d+)", rest)
        newest = replace(base, newest=True, commits=int(counted[1]) if counted else None)
        return newest.with_note("a build without a release number; taken as the newest known")
    return replace(base, release=release).with_note(f"a build between releases; taken as {shown}")
