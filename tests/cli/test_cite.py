"""``gpu-advisor cite``."""

from __future__ import annotations

import os
import sys

import pytest
from running_commands import Command

from advisor.store.handbook import load_handbook


def test_a_section_is_printed_with_its_tables(command: Command) -> None:
    ran = command("cite", "3.3")

    assert ran.code == 0
    assert ran.out.startswith("§3.3  MIG profiles\n=====")
    assert "3g.40gb" in ran.out
    assert "<!--" not in ran.out
    assert "\x1b" not in ran.out


def test_every_section_can_be_printed_in_every_form(command: Command) -> None:
    names = [section.number for section in load_handbook().sections]
    for form in ("text", "markdown", "json"):
        ran = command("cite", *names, "--format", form)

        assert ran.code == 0, ran.err
        assert "<!-- table" not in ran.out


def test_piped_text_keeps_to_80_columns_whatever_the_terminal(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = command("cite", "7.3").out.splitlines()

    assert max(len(line) for line in lines if "http" not in line) <= 80


def test_a_terminal_decides_the_width(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(
        "advisor.cli.cite.shutil.get_terminal_size", lambda *_, **__: os.terminal_size((50, 24))
    )
    lines = command("cite", "3.1").out.splitlines()

    assert 40 < max(len(line) for line in lines if "http" not in line) <= 50


def test_an_anchor_prints_only_its_part(command: Command) -> None:
    whole, part = command("cite", "7.3"), command("cite", "7.3#worked-70b")

    assert part.code == 0
    assert "Worked example" in part.out.splitlines()[0]
    assert "327,680" in part.out
    assert len(part.out) < len(whole.out) / 2
    assert "Sources" not in part.out


@pytest.mark.parametrize("name", ["memory-math", "#memory-math", "§7.3", "7.3#memory-math"])
def test_a_section_has_several_names(command: Command, name: str) -> None:
    assert command("cite", name).out == command("cite", "7.3").out


def test_json_holds_what_a_program_needs(command: Command) -> None:
    document = command("cite", "7.3#worked-70b", "--format", "json").json

    assert document["section"] == "7.3"
    assert document["title"] == "Memory arithmetic"
    assert document["anchor"] == "worked-70b"
    assert "327,680" in document["text_markdown"]
    assert len(document["sources"]) > 2


def test_several_sections_make_a_json_array_in_order(command: Command) -> None:
    documents = command("cite", "8.1", "3.3", "--format", "json").json

    assert [document["section"] for document in documents] == ["8.1", "3.3"]


@pytest.mark.parametrize("word", ["xid", "Xid", "KV cache", "MIG", "PP", "clique", "nccl"])
def test_a_word_of_the_glossary_prints_its_line(command: Command, word: str) -> None:
    document = command("cite", word, "--format", "json").json

    assert document["section"] == "glossary"
    assert word.lower() in document["text_markdown"].lower()
    assert "\n- " not in document["text_markdown"]


@pytest.mark.parametrize(
    ("names", "sections"),
    [
        (["7.3-7.5"], ["7.3", "7.4", "7.5"]),
        (["7.3..7.4"], ["7.3", "7.4"]),
        (["3.3,8.2"], ["3.3", "8.2"]),
        (["6", "§5.6-6"], ["6", "5.6"]),
        (["7."], ["7"]),
    ],
)
def test_lists_and_ranges_print_their_sections(
    command: Command, names: list[str], sections: list[str]
) -> None:
    found = command("cite", *names, "--format", "json").json
    documents = found if isinstance(found, list) else [found]

    assert [document["section"] for document in documents] == sections


@pytest.mark.parametrize("name", ["7.5-7.3", "7.3-7.9", "11", "0", "#", "not a word of it", ","])
def test_what_is_no_section_range_or_word_is_an_error(command: Command, name: str) -> None:
    ran = command("cite", name, "--format", "json")

    assert ran.code == 2
    assert ran.error["code"] == "unknown_section"


def test_a_number_that_is_too_large_names_the_chapters(command: Command) -> None:
    assert "10" in command("cite", "11", "--format", "json").error["nearest"]


@pytest.mark.parametrize(
    ("name", "nearest"), [("3.9", "3.3"), ("glosary", "glossary"), ("7.3#worked", "7.3#worked-70b")]
)
def test_an_unknown_section_names_the_nearest(command: Command, name: str, nearest: str) -> None:
    ran = command("cite", "3.3", name, "--format", "json")

    assert ran.code == 2
    assert ran.out == ""
    assert nearest in ran.error["nearest"]


def test_a_search_ranks_sections_with_a_line_and_the_command(command: Command) -> None:
    ran = command("cite", "--search", "do I need passthrough")
    first = ran.out.split("\n\n")[0].splitlines()

    assert ran.code == 0
    assert first[0] == '§6  What "passthrough" means'
    assert "different things" in first[1]
    assert first[2].strip() == "gpu-advisor cite 6"
    assert max(len(line) for line in ran.out.splitlines()) <= 80


def test_the_command_of_a_hit_reads_that_section(command: Command) -> None:
    hits = command("cite", "--search", "MIG slice sizes", "--format", "json").json["hits"]
    for hit in hits:
        words = hit["read"].split()[1:]

        assert command(*words, "--format", "json").json["title"] == hit["title"]


def test_a_search_in_markdown_is_a_list(command: Command) -> None:
    out = command("cite", "--search", "passthrough", "--format", "markdown").out

    assert out.startswith("- **§6")


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_a_search_without_hits_is_a_finding(command: Command, form: str) -> None:
    ran = command("cite", "--search", "xyzzy plugh", "--format", form)

    assert ran.code == 1
    if form == "json":
        assert ran.json == {"query": "xyzzy plugh", "hits": []}
    else:
        assert ran.out == ""
        assert "xyzzy plugh" in ran.err


def test_a_search_and_sections_together_are_bad_usage(command: Command) -> None:
    assert command("cite", "3.3", "--search", "mig").code == 2


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_alone_it_lists_every_section(command: Command, form: str) -> None:
    ran = command("cite", "--format", form)

    assert ran.code == 0
    assert all(section.title in ran.out.replace('\\"', '"') for section in load_handbook().sections)


@pytest.mark.parametrize("words", ["", "  "])
def test_a_search_for_nothing_is_a_usage_error(command: Command, words: str) -> None:
    ran = command("cite", "--search", words)

    assert ran.code == 2
    assert "--search" in ran.err
