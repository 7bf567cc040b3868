from __future__ import annotations

import itertools

import pytest
from canned_views import MID, PENDING, SEVERAL
from screens import settled, shown, text_of
from textual.color import Color
from textual.theme import Theme

from advisor.ui.themes import DARK, LIGHT, NAMES, OWN, chosen

GROUNDS = ("background", "surface", "panel")
LEGIBLE = 4.5
"""Contrast of text, after the accessibility guidelines of the web (level AA)."""
CUBE = (0, 95, 135, 175, 215, 255)
PALETTE = {*itertools.product(CUBE, repeat=3), *((8 + 10 * n,) * 3 for n in range(24))}
"""The fixed part of the 256-colour palette."""


def _colours(theme: Theme) -> dict[str, Color]:
    found = {name: Color.parse(theme.variables[name]) for name in OWN}
    found["foreground"] = Color.parse(theme.foreground or "")
    return found


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_every_text_is_legible_on_every_ground(theme: Theme) -> None:
    for ground in GROUNDS:
        under = Color.parse(getattr(theme, ground))
        for name, colour in _colours(theme).items():
            assert _contrast(under, colour) >= LEGIBLE, f"{name} on {ground}"


def _contrast(one: Color, other: Color) -> float:
    def light(colour: Color) -> float:
        parts = [part / 255 for part in colour.rgb]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_colours_are_the_same_where_there_are_256(theme: Theme) -> None:
    named = [getattr(theme, name) for name in (*GROUNDS, "foreground", "primary", "error")]
    for colour in (*named, *(theme.variables[name] for name in OWN)):
        assert tuple(Color.parse(colour).rgb) in PALETTE, colour


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "dark"),
        ({"COLORFGBG": "0;15"}, "light"),
        ({"COLORFGBG": "15;default;0"}, "dark"),
        ({"GPU_ADVISOR_THEME": "light"}, "light"),
        ({"GPU_ADVISOR_THEME": "nonsense"}, "dark"),
        ({"NO_COLOR": "1", "GPU_ADVISOR_THEME": "light"}, "terminal"),
    ],
)
def test_the_theme_follows_the_environment(environment: dict[str, str], name: str) -> None:
    assert chosen(environment) == NAMES[name]


async def test_without_colours_the_screen_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(MID) as (app, _, pilot):
        await pilot.press("down")
        await settled(app, pilot)
        coloured = text_of(app)
    monkeypatch.setenv("NO_COLOR", "1")
    async with shown(MID) as (app, _, pilot):
        await pilot.press("down")
        await settled(app, pilot)
        assert text_of(app) == coloured


@pytest.mark.parametrize("view", [MID, SEVERAL, PENDING], ids=["one", "several", "choose"])
async def test_state_is_never_told_by_colour_alone(view: object) -> None:
    async with shown(view, (120, 36)) as (app, _, pilot):  # type: ignore[arg-type]
        await pilot.press("down")
        await settled(app, pilot)
        text = text_of(app)
    for word in ("FIRM", "FOR NOW", "OPEN", "N/A", "* new", "> 1", " = ", " ~ ", " ! "):
        assert word in text, word
