"""The wheel holds exactly what the three folders hold, and works where nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from project_tree import PACKAGES, ROOT, project_files, pyproject

BACKEND = "import sys; from setuptools import build_meta as b; print(getattr(b, sys.argv[1])({!r}))"


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project files: no build folder, no caches, no metadata."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in project_files():
        place = copy / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, place)
    return copy


def build(what: str, source: Path, target: Path) -> Path:
    """Run the build backend, without a network, as a front end would."""
    command = [sys.executable, "-W", "ignore", "-c", BACKEND.format(str(target)), what]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target / done.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel built from the copy."""
    return build("build_wheel", checkout, tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> set[str]:
    """Return the files of a wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def expected() -> set[str]:
    """Return what an installation must hold, by the files of the three folders."""
    names = (name.split("/", 1) for name in project_files() if "/" in name)
    return {f"{PACKAGES[top]}/{rest}" for top, rest in names if top in PACKAGES}


def test_the_wheel_holds_every_file_of_the_three_folders_and_nothing_else(wheel: Path) -> None:
    assert contents(wheel) == expected()


def test_the_expected_files_are_code_knowledge_and_the_typing_marker() -> None:
    suffixes = {Path(name).suffix for name in expected()}
    assert suffixes == {".py", ".yaml", ".md", ".typed", ".tcss"}
    assert "advisor/py.typed" in expected()


def test_a_wheel_made_from_the_source_archive_is_the_same(
    checkout: Path, wheel: Path, tmp_path: Path
) -> None:
    archive = build("build_sdist", checkout, tmp_path)
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            content = packed.extractfile(member)  # our own archive: plain files and folders
            if content is not None:
                place = tmp_path / member.name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())
    source = tmp_path / archive.name.removesuffix(".tar.gz")
    again = build("build_wheel", source, tmp_path)
    assert contents(again) == contents(wheel)


def test_the_wheel_carries_the_licence_and_both_entry_points(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = {
            name.split(".dist-info/")[1]: archive.read(name).decode()
            for name in archive.namelist()
            if ".dist-info/" in name
        }
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert metadata["licenses/LICENSE"] == licence
    assert "gpu-advisor = advisor.__main__:main" in metadata["entry_points.txt"]
    assert "License-Expression: Apache-2.0" in metadata["METADATA"]
    assert metadata["top_level.txt"].split() == ["advisor"]


def test_an_installed_wheel_reads_its_own_knowledge(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            archive.extract(name, target)
    code = (
        "import advisor, importlib.resources as r;"
        "from advisor.store.loader import load_knowledge;"
        "print(advisor.__file__);"
        "print(r.files('advisor.knowledge').joinpath('version.yaml'));"
        "print(len(load_knowledge().gpus))"
    )
    environment = {**os.environ, "PYTHONPATH": str(target)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    root, version, gpus = done.stdout.splitlines()
    assert Path(root).is_relative_to(target)
    assert Path(version).is_relative_to(target)
    assert int(gpus) > 0


def test_pyproject_names_every_folder_with_python_in_it() -> None:
    folders = {
        (PACKAGES[top] + "/" + rest).rsplit("/", 1)[0].replace("/", ".")
        for top, _, rest in (name.partition("/") for name in project_files())
        if top in PACKAGES and rest.endswith(".py")
    }
    assert set(pyproject()["tool"]["setuptools"]["packages"]) == folders
