"""Settings of the engine are tried before GPUs are bought."""

from __future__ import annotations

from typing import Any

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Consultation

_LOAD = {"kind": "serving", "model": "gpt-oss-120b", "context_tokens": 32768, "concurrency": 4}
_OWNED = {"acquisition": "owned", "gpu": "h100-sxm", "gpus_per_node": 1}


def _advise(**groups: Any) -> Consultation:
    return advise(read_answers({"workload": _LOAD, "hardware": _OWNED, **groups}))


def test_owned_gpus_that_lack_a_little_cache_get_other_settings() -> None:
    found = _advise()
    choice = found.decisions["gpu"].choice
    assert choice is not None
    assert choice.option == "use_owned"
    values = choice.model_dump()
    assumed = {note.key: note.value for note in found.assumptions}
    changed = {key: value for key, value in assumed.items() if key.startswith("layout.")}
    assert changed
    for key, value in changed.items():
        assert values[key.removeprefix("layout.")] == value


def test_the_settings_carry_the_load_by_the_sizing() -> None:
    from advisor.sizing.by_name import size_by_name
    from advisor.sizing.request import SizeRequest
    from advisor.store.loader import load_knowledge

    choice = _advise().decisions["gpu"].choice
    assert choice is not None
    values = choice.model_dump()
    request = SizeRequest(
        max_model_len=32768,
        concurrency=4,
        max_num_seqs=values["max_num_seqs"],
        max_num_batched_tokens=values["max_num_batched_tokens"],
        gpu_memory_utilization=values["gpu_memory_utilization"],
    )
    sized = size_by_name(load_knowledge(), "gpt-oss-120b", "h100-sxm", request)
    assert sized.fits
    assert sized.holds_concurrency


def test_a_stated_setting_is_not_changed() -> None:
    found = _advise(layout={"max_num_batched_tokens": 8192, "gpu_memory_utilization": 0.92})
    assert not [n for n in found.assumptions if n.key.startswith("layout.")]


def _spark(**groups: Any) -> dict[str, Any]:
    hardware = {"acquisition": "owned", "gpu": "gb10"}
    found = advise(read_answers({"workload": _LOAD, "hardware": hardware, **groups}))
    choice = found.decisions["gpu"].choice
    assert choice is not None
    return choice.model_dump() | {"assumed": {note.key for note in found.assumptions}}


def test_memory_that_the_system_uses_too_is_not_filled_to_the_default() -> None:
    found = _spark()

    assert found["gpu_memory_utilization"] == 0.85
    assert "layout.gpu_memory_utilization" in found["assumed"]


def test_memory_of_its_own_is_filled_to_the_default() -> None:
    choice = _advise(workload={**_LOAD, "concurrency": 1, "context_tokens": 8192})
    made = choice.decisions["gpu"].choice
    assert made is not None
    assert made.model_dump()["gpu_memory_utilization"] > 0.85


def test_a_stated_share_is_not_assumed() -> None:
    found = _spark(layout={"gpu_memory_utilization": 0.7})

    assert "layout.gpu_memory_utilization" not in found["assumed"]


def test_a_close_fit_is_told_what_an_fp8_cache_would_make_sure() -> None:
    found = _advise(workload={"kind": "serving", "model": "gpt-oss-120b", "context_tokens": 131072})
    made = found.decisions["gpu"]
    assert made.choice is not None
    offers = [one.choice.model_dump() for one in made.alternatives]

    assert "warn-borderline-memory" in {warning.id for warning in found.warnings}
    assert [one["total_gpus"] for one in offers if one.get("kv_format") == "fp8"] == [1]


def test_other_cards_stand_beside_more_of_the_same() -> None:
    hardware = {"acquisition": "owned", "gpu": "rtx-5090", "gpus_per_node": 2}
    load = {"kind": "serving", "model": "gpt-oss-120b"}
    made = advise(read_answers({"workload": load, "hardware": hardware})).decisions["gpu"]
    assert made.choice is not None
    others = [one.choice for one in made.alternatives if one.choice.option == "buy_or_rent"]

    assert made.choice.option == "change_owned"
    assert made.choice.model_dump()["gpu"] == "rtx-5090"
    assert [one.model_dump()["gpu"] for one in others if one.model_dump()["gpu"] != "rtx-5090"]


def test_a_card_beside_the_system_keeps_its_share_among_others() -> None:
    asked = {"workload": {"kind": "serving", "model": "gpt-oss-120b"}}
    both = {"acquisition": "buy", "gpu": ["gb10", "rtx-pro-6000-workstation"]}
    gpu = advise(read_answers({**asked, "hardware": both})).decisions["gpu"]
    assert gpu.choice is not None
    found = [gpu.choice, *(way.choice for way in gpu.alternatives)]
    shares = {c.model_dump()["gpu"]: c.model_dump()["gpu_memory_utilization"] for c in found}

    assert shares["gb10"] == 0.85
    assert shares["rtx-pro-6000-workstation"] > 0.9
