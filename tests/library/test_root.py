"""The names of the library: complete, sorted, typed, and loaded when they are used."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import advisor

TREE = ast.parse(Path(advisor.__file__).read_text(encoding="utf-8"))


def lent() -> Iterator[tuple[str, str]]:
    """Yield module and name of what type checkers see."""
    [block] = [
        node for node in TREE.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    ]
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname is None
            yield str(node.module), alias.name


def test_type_checkers_see_exactly_what_can_be_used() -> None:
    names = [name for _, name in lent()]

    assert len(names) == len(set(names)) > 30
    assert {*names, "__version__"} == set(advisor.__all__)
    homes = {(f"advisor.{module}", name) for module, own in advisor._HOMES.items() for name in own}
    assert homes == set(lent())


def test_the_names_are_sorted() -> None:
    classes = [name for name in advisor.__all__ if name[0].isupper()]

    assert classes == sorted(classes)
    assert list(advisor.__all__) == sorted(advisor.__all__)


@pytest.mark.parametrize(("module", "name"), list(lent()))
def test_every_name_is_that_of_its_module_and_says_what_it_is(module: str, name: str) -> None:
    found = getattr(advisor, name)

    assert found is getattr(import_module(module), name)
    assert inspect.getdoc(found)


@pytest.mark.parametrize(("module", "name"), list(lent()))
def test_every_function_says_the_type_of_all_that_it_takes_and_gives(
    module: str, name: str
) -> None:
    found = getattr(import_module(module), name)
    if not inspect.isfunction(found):
        return
    signature = inspect.signature(found)

    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'advize'"):
        advisor.advize  # type: ignore[attr-defined]  # noqa: B018


def test_no_name_of_the_library_is_that_of_a_room() -> None:
    rooms = {path.parent.name for path in Path(advisor.__file__).parent.glob("*/__init__.py")}

    assert rooms.isdisjoint(advisor.__all__)
    assert set(advisor.__all__) <= set(dir(advisor))


def test_a_light_name_loads_nothing_heavy() -> None:
    code = (
        "import sys, advisor\nadvisor.InputError, advisor.using, dir(advisor)\n"
        "sys.exit(bool({'yaml', 'pydantic', 'markdown_it'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
