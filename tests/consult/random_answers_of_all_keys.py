"""Random answers over the whole vocabulary, with names that the catalogues know."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from random_situations import GPUS, MODELS

sys.path.append(str(Path(__file__).parents[1] / "answers"))
from answers_random import random_document

__all__ = ["random_document_with_known_names"]


def random_document_with_known_names(seed: int) -> dict[str, Any]:
    """Return answers to about a third of all questions, whatever they mean together."""
    dice = random.Random(seed)  # noqa: S311 - reproducible test data
    document: dict[str, Any] = random_document(seed)
    workload = document.setdefault("workload", {})
    workload["model"] = dice.choice(MODELS)
    workload.pop("model_config", None)
    hardware = document.setdefault("hardware", {})
    if "gpu" in hardware:
        hardware["gpu"] = [dice.choice(GPUS)]
    records = hardware.get("inventory")
    for record in records if isinstance(records, list) and dice.random() < 0.5 else ():
        record["gpu"] = dice.choice(GPUS)
    if dice.random() < 0.8:
        document.pop("workloads", None)
        hardware.pop("inventory", None)
    return document
