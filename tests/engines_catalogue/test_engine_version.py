"""Versions as people write them become a release, and a note where that is a guess."""

from __future__ import annotations

import pytest

from advisor.store.engine_behaviour import parse_version


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("0.11", (0, 11, 0)),
        ("0.11.0", (0, 11, 0)),
        ("0.10", (0, 10, 0)),
        ("v0.6.5", (0, 6, 5)),
        ("vllm version 0.8.5".removeprefix("vllm "), (0, 8, 5)),
        ("0.5.3.post1", (0, 5, 3)),
        ("0.10.1.1", (0, 10, 1)),
        ("1.2.1", (1, 2, 1)),
        ("b6132", (6132, 0, 0)),
    ],
)
def test_a_release_is_read_without_a_note(text: str, release: tuple[int, int, int]) -> None:
    version = parse_version(text)

    assert (release, None, False) == (version.release, version.note, version.newest)
    assert text == version.original


@pytest.mark.parametrize(
    ("text", "release", "generation"),
    [
        ("0.6.5 (V0)", (0, 6, 5), "v0"),
        ("0.8.3 dev (V0)", (0, 8, 3), "v0"),
        ("0.9.2 V1", (0, 9, 2), "v1"),
        ("0.9.2", (0, 9, 2), None),
    ],
)
def test_the_engine_generation_is_kept_apart(
    text: str, release: tuple[int, int, int], generation: str | None
) -> None:
    version = parse_version(text)

    assert (release, generation) == (version.release, version.generation)


@pytest.mark.parametrize(
    ("text", "release", "words"),
    [
        ("0.29.1 dev", (0, 29, 1), "between releases"),
        ("0.11 dev", (0, 11, 0), "between releases"),
        ("0.20.2rc1.dev94+gabc", (0, 20, 2), "between releases"),
        ("0.26.1rc1.dev608+g99a10304d", (0, 26, 1), "between releases"),
        ("0.2x", (0, 25, 0), "minor unknown"),
        ("0.11.x", (0, 11, 0), "patch unknown"),
        ("0.2.4 after the fix", (0, 2, 4), "read as 0.2.4"),
        ("0.15.4 image", (0, 15, 4), "read as 0.15.4"),
    ],
)
def test_what_is_no_release_becomes_the_nearest_one_with_a_note(
    text: str, release: tuple[int, int, int], words: str
) -> None:
    version = parse_version(text)

    assert release == version.release
    assert version.note is not None
    assert words in version.note
    assert text in version.note


@pytest.mark.parametrize("text", ["nightly", "main", "latest", "LATEST", "0.1.dev19754", "0.x"])
def test_words_for_the_newest_ask_for_the_newest_with_a_note(text: str) -> None:
    version = parse_version(text)

    assert version.newest
    assert version.release is None
    assert version.note is not None


@pytest.mark.parametrize("text", ["kaito", "Lvllm fork", "?", "-1", "0..1", "release seven"])
def test_text_that_is_no_version_is_named_as_unknown(text: str) -> None:
    version = parse_version(text)

    assert version.newest
    assert version.note is not None
    assert "not a known version" in version.note
    assert text in version.note


@pytest.mark.parametrize("text", [None, "", "  "])
def test_no_version_asks_for_the_newest_without_a_note(text: str | None) -> None:
    version = parse_version(text)

    assert version.newest
    assert version.note is None
