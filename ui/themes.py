"""Our colours: one theme for dark and one for light terminals, and the terminal's own.

All colours are of the 256-colour palette, so that fewer colours look the same. No meaning rests on
a colour alone; a test computes the contrast of every pair that is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

__all__ = ["DARK", "LIGHT", "NAMES", "OWN", "PLAIN", "chosen"]

OWN = ("settled", "open", "bites", "fresh", "said", "cite", "quiet")
"""The variables that our text uses beside the foreground."""


def _variables(theme: Mapping[str, str]) -> dict[str, str]:
    return {
        **theme,
        "input-cursor-background": theme["said"],
        "link-color": theme["cite"],
        "link-style": "none",
        "link-style-hover": "reverse",
        "link-background-hover": "transparent",
    }


DARK = Theme(
    name="advisor-dark",
    primary="#5fafd7",
    secondary="#87afd7",
    warning="#ffd75f",
    error="#ff8787",
    success="#87d787",
    accent="#5fafd7",
    foreground="#e4e4e4",
    background="#1c1c1c",
    surface="#262626",
    panel="#303030",
    dark=True,
    variables=_variables(
        {
            "settled": "#87d787",
            "open": "#ffd75f",
            "bites": "#ff8787",
            "fresh": "#ffaf5f",
            "said": "#87d7ff",
            "cite": "#87afd7",
            "quiet": "#a8a8a8",
        }
    ),
)
LIGHT = Theme(
    name="advisor-light",
    primary="#005f87",
    secondary="#005f87",
    warning="#875f00",
    error="#af0000",
    success="#005f00",
    accent="#005f87",
    foreground="#1c1c1c",
    background="#ffffff",
    surface="#eeeeee",
    panel="#e4e4e4",
    dark=False,
    variables=_variables(
        {
            "settled": "#005f00",
            "open": "#875f00",
            "bites": "#af0000",
            "fresh": "#8700af",
            "said": "#005f87",
            "cite": "#005faf",
            "quiet": "#585858",
        }
    ),
)
PLAIN: Mapping[str, str] = _variables(dict.fromkeys(OWN, "ansi_default"))
"""For the themes of the terminal's own colours: emphasis and marks only."""
NAMES = {"dark": DARK.name, "light": LIGHT.name, "terminal": "ansi-dark"}
"""What may be asked for, with the theme that answers it."""
_LIGHT_BACKGROUNDS = frozenset({"7", "15"})


def chosen(environment: Mapping[str, str]) -> str:
    """Return the name of the theme for an environment.

    ``NO_COLOR`` means the terminal's own colours; ``GPU_ADVISOR_THEME`` names one of
    :data:`NAMES`; else what the terminal says of its background (``COLORFGBG``), else dark.
    """
    if "NO_COLOR" in environment:
        return NAMES["terminal"]
    wanted = environment.get("GPU_ADVISOR_THEME", "").casefold()
    if wanted in NAMES:
        return NAMES[wanted]
    background = environment.get("COLORFGBG", "").rpartition(";")[2]
    return NAMES["light" if background in _LIGHT_BACKGROUNDS else "dark"]
