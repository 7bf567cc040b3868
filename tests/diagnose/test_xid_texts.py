"""Every Xid of the catalogue is recognised as what it is, every other one as not listed."""

from __future__ import annotations

import re

import pytest

from advisor.diagnose.diagnose import diagnose
from advisor.store.loader import load_knowledge

_MEANT = re.compile(r"\b(\d{2,3})(?: to (\d{2,3}))?\b")
_BESIDE = {"61"}
"""Told without a record, as older drivers write it."""


def _listed() -> set[str]:
    """Return the codes with a record of their own, or named in one as the same of another unit."""
    codes = {*load_knowledge().xids, *_BESIDE}
    for xid in load_knowledge().xids.values():
        if "the same of" in xid.means:
            for first, last in _MEANT.findall(xid.means):
                codes |= {str(code) for code in range(int(first), int(last or first) + 1)}
    return codes


def _matches(code: int) -> list[str]:
    text = f"NVRM: Xid (PCI:0000:3b:00): {code}, pid=1234, name=python"
    return [match.id for match in diagnose(text, load_knowledge()).matches]


@pytest.mark.parametrize("code", range(1, 173))
def test_an_xid_is_known_exactly_when_the_catalogue_knows_it(code: int) -> None:
    found = _matches(code)

    assert found
    assert ("xid-unlisted" in found) is (str(code) not in _listed())
