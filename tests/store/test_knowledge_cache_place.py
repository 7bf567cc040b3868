"""Where the cache of the knowledge is kept, and how it is turned off."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from advisor.store import loader_cache


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({"GPU_ADVISOR_CACHE": "off", "XDG_CACHE_HOME": "/x"}, None),
        ({"GPU_ADVISOR_CACHE": "OFF"}, None),
        ({"GPU_ADVISOR_CACHE": "0"}, None),
        ({"GPU_ADVISOR_CACHE": "/some/place", "XDG_CACHE_HOME": "/x"}, "/some/place"),
        ({"GPU_ADVISOR_CACHE": " ", "XDG_CACHE_HOME": "/x"}, "/x/gpu-advisor"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/gpu-advisor"),
    ],
)
def test_the_environment_turns_the_cache_off_or_moves_it(
    environment: dict[str, str], wanted: str | None
) -> None:
    assert loader_cache.folder(environment) == (Path(wanted) if wanted else None)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other places")
@pytest.mark.parametrize("given", ["", "relative/place"])
def test_a_relative_cache_home_is_not_used(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/of-somebody")

    wanted = Path("/of-somebody/.cache/gpu-advisor")
    assert loader_cache.folder({"XDG_CACHE_HOME": given}) == wanted
