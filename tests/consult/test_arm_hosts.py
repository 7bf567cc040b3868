"""GPUs that are soldered beside an Arm CPU are told so, every one of them and no other."""

from __future__ import annotations

import pytest
from consult_support import serving, told

from advisor.store.loader import load_knowledge

SOLD = {id_: gpu for id_, gpu in load_knowledge().gpus.items() if gpu.status != "announced"}
ARM = sorted(id_ for id_, gpu in SOLD.items() if gpu.host_architecture == "aarch64")


def warned_of(gpu: str) -> set[str]:
    return {w.id for w in told(serving("llama-3.1-8b", gpu, concurrency=1)).warnings}


@pytest.mark.parametrize("gpu", ARM)
def test_an_arm_host_is_told(gpu: str) -> None:
    assert "warn-arm-host" in warned_of(gpu)


@pytest.mark.parametrize("gpu", ["h100-sxm", "b300", "rtx-pro-6000-server", "l4"])
def test_another_host_is_not(gpu: str) -> None:
    assert "warn-arm-host" not in warned_of(gpu)


def test_the_superchips_of_the_catalogue_are_known_to_be_arm() -> None:
    assert {"gh200-96", "gh200-144", "gb200", "gb300", "gb10"} <= set(ARM)
