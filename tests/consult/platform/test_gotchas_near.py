"""A gotcha keeps quiet where its neighbour bites: none fires too widely."""

from __future__ import annotations

import pytest
from gotcha_near import NEAR
from gotcha_support import consulted

from advisor.store.loader import load_knowledge


def test_every_gotcha_has_a_situation_near_it() -> None:
    assert set(NEAR) == set(load_knowledge().gotchas)


@pytest.mark.parametrize("name", NEAR)
def test_a_gotcha_is_not_shown_in_a_situation_that_is_only_near(name: str) -> None:
    assert name not in {warning.id for warning in consulted(NEAR[name]).warnings}
