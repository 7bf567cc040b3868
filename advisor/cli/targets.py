"""Where a command writes: a file by its ending, else a folder, and no folder by mistake."""

from __future__ import annotations

import re
from collections.abc import Sequence

from advisor.errors import InputError, Problem

__all__ = ["is_file_target"]

_ENDING = re.compile(r"\.[A-Za-z]\w*$")
"""What makes a name look like a file's; ``site-1.2`` may be a folder."""


def is_file_target(target: str, endings: Sequence[str], key: str) -> bool:
    """Tell whether ``target`` names a file to write; a folder is there, ends in / or has no ending.

    Args:
        target: As it was given.
        endings: Of the files that the command can write.
        key: The argument, for messages.

    Raises:
        InputError: The name ends like a file of another form.
    """
    from pathlib import Path

    if target.endswith(tuple(endings)):
        return True
    ending = _ENDING.search(Path(target).name)
    if ending is None or target.endswith(("/", "\\")) or Path(target).is_dir():
        return False
    message = (
        f"{target} ends in {ending[0]}, which nothing is written as; end the name in / to have a "
        "folder of it."
    )
    raise InputError(Problem("usage", message, key=key, allowed=tuple(endings)))
