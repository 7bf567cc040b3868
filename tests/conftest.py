from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_cases_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what tests answer out of the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPU_ADVISOR_DATA", str(tmp_path_factory.mktemp("data")))
        yield
