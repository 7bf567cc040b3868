"""In which format the published weights of a model run."""

from __future__ import annotations

from advisor.store.model import Model

__all__ = ["runs_as"]


def runs_as(model: Model) -> str:
    """Return the format in which engines run the published weights: fp32 files run in 16 bit."""
    if model.published_format != "fp32":
        return model.published_format
    return model.compute_dtype if model.compute_dtype != "fp32" else "fp16"
