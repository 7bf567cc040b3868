"""Models outside the catalogue borrow cache costs that only logs have shown."""

from __future__ import annotations

import pytest

from advisor.store.known_cache import with_known_cache
from advisor.store.loader import load_knowledge
from advisor.store.model import Model


def models() -> dict[str, Model]:
    return dict(load_knowledge().models)


def unmeasured(model: Model, **update: object) -> Model:
    return model.model_copy(update={"id": "outside", "measured_kv": (), **update})


def test_a_model_with_the_same_layers_takes_the_measurement_as_it_is() -> None:
    flash = models()["deepseek-v4-flash"]
    found = with_known_cache(unmeasured(flash), models().values())
    assert found.measured_kv == flash.measured_kv


def test_other_compressed_layers_take_it_in_proportion_to_their_number() -> None:
    flash = models()["deepseek-v4-flash"]
    smaller = unmeasured(flash, attention=flash.attention[1:], layers=flash.layers // 2)
    lent = with_known_cache(smaller, [flash]).measured_kv[0]
    share = smaller.layers / flash.layers
    assert lent.bytes_per_token == pytest.approx(flash.measured_kv[0].bytes_per_token * share)


def test_no_compressed_model_of_the_catalogue_is_sized_from_shapes_alone() -> None:
    for model in models().values():
        if any(a.kind == "compressed" for a in model.attention):
            assert with_known_cache(model, models().values()).measured_kv, model.id


def test_models_without_such_layers_are_left_alone() -> None:
    llama = models()["llama-3.3-70b"]
    assert with_known_cache(llama, models().values()) is llama
