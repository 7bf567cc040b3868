"""What may be imported when: start-up stays cheap, and rooms keep their distance."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import advisor
from advisor.cli.main import COMMANDS

HEAVY = ("yaml", "pydantic", "markdown_it", "durable_rules_engine", "textual")
ROOT = Path(advisor.__file__).parent


def imported_by(code: str) -> set[str]:
    """Return the top-level modules that a fresh interpreter holds after ``code``."""
    report = "\nimport sys\nsys.stderr.write(' '.join({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code + report], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


def python_files() -> Iterator[Path]:
    return ROOT.rglob("*.py")


def imports_of(path: Path) -> Iterator[str]:
    """Yield every module that a file names in an import, at the top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module


def test_the_probe_sees_an_import() -> None:
    assert "yaml" in imported_by("import yaml")


def test_importing_the_package_alone_is_cheap() -> None:
    assert imported_by("import advisor").isdisjoint(HEAVY)


@pytest.mark.parametrize(
    "words", [(), *((name,) for name in COMMANDS), ("kb", "check"), ("kb", "show")]
)
def test_help_imports_nothing_heavy(words: tuple[str, ...]) -> None:
    argv = [*words, "--help"]
    code = f"from advisor.cli.main import run\nassert run({argv!r}) == 0"

    assert imported_by(code).isdisjoint(HEAVY)


def test_a_mistyped_command_imports_nothing_heavy() -> None:
    code = (
        "import io, sys\nfrom advisor.cli.main import run\n"
        "kept, sys.stderr = sys.stderr, io.StringIO()\n"
        "assert run(['siez']) == 2\nsys.stderr = kept"
    )

    assert imported_by(code).isdisjoint(HEAVY)


def test_sizing_never_loads_the_rules_library() -> None:
    modules = sorted(path.stem for path in (ROOT / "sizing").glob("[a-z]*.py"))
    code = "\n".join(f"import advisor.sizing.{name}" for name in modules)

    assert len(modules) > 10
    assert "durable_rules_engine" not in imported_by(code)


def test_no_module_of_the_core_imports_textual() -> None:
    files = list(python_files())
    guilty = {
        path.relative_to(ROOT)
        for path in files
        if any(name.split(".")[0] == "textual" for name in imports_of(path))
    }

    assert len(files) > 50
    assert guilty == set()


def test_only_one_module_imports_the_rules_library() -> None:
    libraries = {"durable", "durable_rules_engine"}
    owners = {
        path.relative_to(ROOT).as_posix()
        for path in python_files()
        if any(name.split(".")[0] in libraries for name in imports_of(path))
    }

    assert owners == {"engine/durable.py"}
