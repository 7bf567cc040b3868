"""The sample site, built by the generators that are installed; the same advice in all.

MkDocs with Material is part of the development environment. For the others:
``pip install zensical==0.0.73 sphinx myst-parser`` (newer betas of Zensical did not install when
this was written), then ``pytest tests/docs/test_sites.py``.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from docs_support import DESK

from advisor.cli.main import run
from advisor.docs.pages import check_page

SAMPLE = Path(__file__).resolve().parents[2] / "examples/docs-site"
QUIET = {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"}


@dataclass(frozen=True)
class Generator:
    module: str
    """Must be importable for this generator to run."""
    flavour: str
    command: tuple[str, ...]
    chat: str
    cluster: str


GENERATORS = (
    Generator(
        "material",
        "mkdocs",
        ("mkdocs", "build", "--strict", "-q", "-d", "build/mkdocs"),
        "build/mkdocs/chat/index.html",
        "build/mkdocs/cluster/index.html",
    ),
    Generator(
        "zensical",
        "mkdocs",
        ("zensical", "build", "--strict"),
        "site/chat/index.html",
        "site/cluster/index.html",
    ),
    Generator(
        "myst_parser",
        "myst",
        ("sphinx", "-W", "-q", "-c", ".", "docs", "build/sphinx"),
        "build/sphinx/chat.html",
        "build/sphinx/cluster.html",
    ),
)


def built(site: Path, generator: Generator) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *generator.command]
    environment = {**os.environ, **QUIET}
    return subprocess.run(
        command, cwd=site, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(params=GENERATORS, ids=lambda generator: generator.module)
def generator(request: pytest.FixtureRequest) -> Generator:
    found: Generator = request.param
    if find_spec(found.module) is None:
        pytest.skip(f"{found.module} is not installed")
    return found


@pytest.fixture
def site(generator: Generator, tmp_path: Path) -> Path:
    target = tmp_path / "site"
    shutil.copytree(SAMPLE, target, ignore=shutil.ignore_patterns("build", "handbook", "site"))
    book = str(target / "docs/handbook")
    assert run(["docs", "handbook", book, "--flavour", generator.flavour]) == 0
    return target


def words(page: Path) -> list[str]:
    """Return the words of a page's text from its title on, as a reader sees them."""
    text = page.read_text(encoding="utf-8")
    body = text[text.index("<h1") :]
    body = re.split(r"</article>|<footer|<div class=\"sphinxsidebar\"", body)[0]
    body = re.sub(
        r"<a class=\"headerlink\".*?</a>|<!--.*?-->|<p[^>]*></p>", "", body, flags=re.DOTALL
    )
    body = re.sub(r"</?(?:strong|code|span|a|em)\b[^>]*>", "", body)
    return html.unescape(re.sub(r"<[^>]+>", " ", body)).split()


def shown(markdown: Path) -> list[str]:
    """Return the words that the page must show: its source with the advice put in."""
    from markdown_it import MarkdownIt

    from advisor.docs.markdown_it_plugin import advice_plugin

    md = MarkdownIt().use(advice_plugin, root=str(markdown.parent), links="handbook/")
    text = re.sub(r"<!--.*?-->", "", markdown.read_text(encoding="utf-8"), flags=re.DOTALL)
    page = re.sub(r"</?(?:strong|code|a|em)\b[^>]*>", "", md.render(text, {"page": markdown.name}))
    return html.unescape(re.sub(r"<[^>]+>", " ", page)).split()


def test_the_sample_says_what_is_advised_now() -> None:
    states = [check_page(page, DESK) for page in sorted((SAMPLE / "docs").glob("*.md"))]
    assert [state.problems for state in states] == [(), (), ()]
    found = [block.state for state in states for block in state.blocks]
    assert found == ["fence", "fence", "current"], "run: gpu-advisor docs build examples/docs-site"


@pytest.mark.slow
def test_every_generator_shows_the_same_advice_with_links_that_lead_somewhere(
    generator: Generator, site: Path
) -> None:
    done = built(site, generator)
    assert done.returncode == 0, done.stdout + done.stderr
    assert words(site / generator.chat) == shown(site / "docs/chat.md")
    assert words(site / generator.cluster) == shown(site / "docs/cluster.md")
    page = (site / generator.chat).read_text(encoding="utf-8")
    link = re.search(r'href="([^"#]*)#memory-math"', page)
    assert link is not None
    target = (site / generator.chat).parent / link[1]
    target = target / "index.html" if target.is_dir() else target
    assert 'id="memory-math"' in target.read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_second_build_shows_what_the_answers_say_then(generator: Generator, site: Path) -> None:
    assert built(site, generator).returncode == 0
    answers = site / "answers/chat.yaml"
    changed = answers.read_text(encoding="utf-8").replace("concurrency: 20", "concurrency: 21")
    answers.write_text(changed, encoding="utf-8")
    assert built(site, generator).returncode == 0
    assert "for the 21 wanted" in (site / generator.chat).read_text(encoding="utf-8")


@pytest.mark.slow
def test_broken_answers_fail_the_build_with_file_and_line(generator: Generator, site: Path) -> None:
    answers = site / "answers/chat.yaml"
    changed = answers.read_text(encoding="utf-8").replace("gpu:", "gpuu:")
    answers.write_text(changed, encoding="utf-8")
    page = site / "docs/chat.md"
    text = page.read_text(encoding="utf-8").replace("weight_format:", "weight_fromat:")
    page.write_text(f"---\ntitle: Chat\n---\n\n{text}", encoding="utf-8")
    done = built(site, generator)
    told = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert "answers/chat.yaml:10: hardware.gpuu: There is no such key." in told
    line = page.read_text(encoding="utf-8").split("\n").index("      weight_fromat: bf16") + 1
    assert f"docs/chat.md:{line}: workload.weight_fromat: There is no such key." in told
