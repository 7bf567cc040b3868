"""Cache costs that only a log has shown, lent to models that cache alike."""

from __future__ import annotations

from collections.abc import Iterable

from advisor.store.model import Compressed, MeasuredKv, Model

__all__ = ["with_known_cache"]


def with_known_cache(model: Model, catalogue: Iterable[Model]) -> Model:
    """Return ``model`` with the measured cache cost of a catalogued model that caches alike.

    Engines were seen to charge window-plus-compressed layers far more than their shapes need
    (DeepSeek V4 in vLLM, twentyfold), so shapes alone would promise too much. A catalogued model
    with the same layers lends its measurement; another one lends it in proportion to the
    layers. A model without such layers, or measured itself, is returned as it is.
    """
    if model.measured_kv or not any(isinstance(a, Compressed) for a in model.attention):
        return model
    measured = [other for other in catalogue if other.measured_kv and _compresses(other)]
    if not measured:
        return model
    nearest = min(measured, key=lambda other: (other.attention != model.attention, other.id))
    scale = model.layers / nearest.layers
    costs = tuple(_scaled(cost, scale) for cost in nearest.measured_kv)
    note = f"cache cost as measured with {nearest.name}, in proportion to the layers"
    return model.model_copy(update={"measured_kv": costs, "notes": (*model.notes, note)})


def _compresses(model: Model) -> bool:
    return any(isinstance(a, Compressed) for a in model.attention)


def _scaled(cost: MeasuredKv, factor: float) -> MeasuredKv:
    return cost.model_copy(
        update={
            "fixed_gib_per_request": cost.fixed_gib_per_request * factor,
            "bytes_per_token": cost.bytes_per_token * factor,
        }
    )
