"""What belongs to the project: the files that git would keep, and what pyproject.toml says."""

from __future__ import annotations

import subprocess
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"advisor": "advisor", "ui": "advisor/ui", "knowledge": "advisor/knowledge"}
"""Folder of the repository -> place in an installation."""
_NOT_OURS = {"build", "dist", "__pycache__"}


@lru_cache(maxsize=1)
def project_files() -> tuple[str, ...]:
    """Return the paths that git tracks or would track, without those that are deleted."""
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        names = {name for name in listed.stdout.split("\0") if name}
    else:
        names = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")}
        names = {name for name in names if not _is_made(name)}
    return tuple(sorted(name for name in names if (ROOT / name).is_file()))


def _is_made(name: str) -> bool:
    """Tell whether a path of an unpacked archive, where git cannot say, is a by-product."""
    return any(
        part in _NOT_OURS or part.endswith(".egg-info") or (part[0] == "." and part != ".ci")
        for part in name.split("/")[:-1]
    )


def text_files() -> list[str]:
    """Return the project files that are text."""
    return [name for name in project_files() if b"\0" not in (ROOT / name).read_bytes()]


@lru_cache(maxsize=1)
def pyproject() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
