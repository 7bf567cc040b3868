"""Where cases are kept: the user's data folder, and names that are good on every system."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from advisor.errors import InputError, Problem

__all__ = ["VARIABLE", "case_name", "cases_folder"]

VARIABLE = "GPU_ADVISOR_DATA"
_LONGEST = 60
_NOT_A_NAME = re.compile(r"[^\w.+]+")
_OF_THE_SYSTEM = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?")
"""File names that Windows keeps for devices, whatever follows the dot."""


def cases_folder(environment: Mapping[str, str]) -> Path:
    """Return the folder of the cases; it need not be there yet.

    ``GPU_ADVISOR_DATA`` moves it; else it is where programs of this system keep data of a user.

    Raises:
        InputError: there is no home folder and none was named.
    """
    try:
        wanted = environment.get(VARIABLE, "").strip()
        if wanted:
            return Path(wanted).expanduser().absolute() / "cases"
        base = Path(environment.get("XDG_DATA_HOME", ""))
        if not base.is_absolute():  # the convention is to ignore a relative one
            base = _base(environment)
    except RuntimeError as error:
        message = f"There is no home folder for cases; name one with {VARIABLE}."
        raise InputError(Problem("no_home", message)) from error
    return base / "gpu-advisor" / "cases"


def _base(environment: Mapping[str, str]) -> Path:
    if sys.platform == "win32":
        roaming = Path(environment.get("APPDATA", ""))
        return roaming if roaming.is_absolute() else Path.home() / "AppData" / "Roaming"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path.home() / ".local" / "share"


def case_name(text: str) -> str:
    """Return ``text`` as the name of a case, good as a file name everywhere; may be empty.

    In lower case, since two names that differ in case alone are one file on many systems.
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())
    name = _NOT_A_NAME.sub("-", plain).strip("-. ")[:_LONGEST].rstrip("-. ")
    while len(name.encode()) > 3 * _LONGEST:
        name = name[:-1]
    return f"case-{name}" if _OF_THE_SYSTEM.fullmatch(name) else name
