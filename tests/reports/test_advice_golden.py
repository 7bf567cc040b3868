"""Reports of three small consultations, kept in their own formats so that a reader can look.

``GPU_ADVISOR_UPDATE_GOLDEN=1`` writes them anew; look at the difference before keeping it.
"""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from reports_support import GOLDEN, NAMES, consultation

from advisor.consult.consultation import Consultation
from advisor.reports.advice_html import advice_html
from advisor.reports.advice_markdown import advice_markdown

FORMATS = [("md", advice_markdown), ("html", advice_html)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("ending", "report"), FORMATS)
def test_report_is_the_one_that_was_reviewed(
    name: str, ending: str, report: Callable[[Consultation], str]
) -> None:
    file = GOLDEN / f"{name}.{ending}"
    made = report(consultation(name))
    if os.environ.get("GPU_ADVISOR_UPDATE_GOLDEN") == "1":
        file.write_bytes(made.encode("utf-8"))
    assert made == file.read_bytes().decode("utf-8")


@pytest.mark.parametrize(("ending", "report"), FORMATS)
def test_report_ends_with_one_newline_and_is_the_same_twice(
    ending: str, report: Callable[[Consultation], str]
) -> None:
    first, second = (report(consultation("serving")) for _ in range(2))
    assert first == second, ending
    assert first.endswith("\n")
    assert not first.endswith("\n\n")
