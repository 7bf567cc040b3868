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
