"""Whether this process keeps what it has parsed for the next run, and where.

Only a program switches the cache on (:func:`switch_on`); whoever calls ``advise`` from Python
reads the knowledge itself, and so does ``kb check``. ``GPU_ADVISOR_CACHE=off`` turns it off,
``=DIR`` moves it; the place is ``gpu-advisor`` in the user's cache folder otherwise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from advisor.store.loader_cache_file import Cache

__all__ = ["FILE", "VARIABLE", "active", "folder", "save", "switch_off", "switch_on"]

VARIABLE = "GPU_ADVISOR_CACHE"
FILE = "knowledge.cache"
_OFF = frozenset(["off", "0", "no", "false"])


class _Switch:
    """The one cache of a process; opened when it is first asked for."""

    on = False
    cache: Cache | None = None


def switch_on() -> None:
    """Use the cache from now on, unless the environment says no; costs nothing by itself."""
    _Switch.on = True


def switch_off() -> None:
    """Read everything from now on; what was not saved is forgotten."""
    _Switch.on, _Switch.cache = False, None


def active() -> Cache | None:
    """Return the cache of this process, or None while it is switched off."""
    if not _Switch.on or _Switch.cache is not None:
        return _Switch.cache
    place = folder(os.environ)
    if place is not None:
        from advisor.store.loader_cache_file import Cache

        _Switch.cache = Cache(place / FILE)
    return _Switch.cache


def save() -> None:
    """Write what was added, if anything was."""
    if _Switch.cache is not None:
        _Switch.cache.save()


def folder(environment: Mapping[str, str]) -> Path | None:
    """Return the cache folder that the environment asks for, or None for no cache."""
    from pathlib import Path

    wanted = environment.get(VARIABLE, "").strip()
    if wanted.lower() in _OFF:
        return None
    try:
        if wanted:
            return Path(wanted).expanduser()
        base = Path(environment.get("XDG_CACHE_HOME", ""))
        if not base.is_absolute():  # the convention is to ignore a relative one
            base = _base(environment)
    except RuntimeError:  # there is no home
        return None
    return base / "gpu-advisor" if base.is_absolute() else None


def _base(environment: Mapping[str, str]) -> Path:
    """Return where programs of this system keep what they can make again."""
    from pathlib import Path

    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA", ""))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"
