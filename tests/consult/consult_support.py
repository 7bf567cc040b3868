"""Short ways to ask for advice in tests."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from advisor.answers.validate import read_answers
from advisor.consult.advise import advise
from advisor.consult.consultation import Choice, Consultation

Document = dict[str, Any]


def told(document: Document, engine: str = "reference") -> Consultation:
    """Return the consultation on nested or dotted answers; the same one for the same answers."""
    return _told(json.dumps(document), engine)


@lru_cache(maxsize=512)
def _told(text: str, engine: str) -> Consultation:
    return advise(read_answers(json.loads(text)), engine=engine)


def serving(model: str, gpu: str | None = None, **answers: Any) -> Document:
    """Return answers about serving ``model``; keys without a group belong to ``workload``."""
    document: Document = {"workload.kind": "serving", "workload.model": model}
    if gpu is not None:
        document["hardware.gpu"] = gpu
    for key, value in answers.items():
        name = key.replace("__", ".")
        document[name if "." in name else f"workload.{name}"] = value
    return nested(document)


def training(model: str, gpu: str | None = None, **answers: Any) -> Document:
    """Return answers about fine-tuning ``model``; keys without a group belong to ``training``."""
    document: Document = {"workload.kind": "fine_tuning", "workload.model": model}
    if gpu is not None:
        document["hardware.gpu"] = gpu
    for key, value in answers.items():
        name = key.replace("__", ".")
        document[name if "." in name else f"training.{name}"] = value
    return nested(document)


def nested(document: Document) -> Document:
    """Return dotted keys as groups."""
    found: Document = {}
    for key, value in document.items():
        group, _, name = key.partition(".")
        if name:
            found.setdefault(group, {})[name] = value
        else:
            found[group] = value
    return found


def choice(consultation: Consultation, decision: str = "gpu") -> dict[str, Any]:
    """Return the choice of a decision as plain values; fails when there is none."""
    found: Choice | None = consultation.decisions[decision].choice  # type: ignore[index]
    assert found is not None, consultation.decisions[decision].because  # type: ignore[index]
    return found.model_dump()


def fleet(document: Document) -> tuple[int, str, str]:
    """Return count, GPU and weight format of the choice."""
    found = choice(told(document))
    return found["total_gpus"], found["gpu"], found["weight_format"]


def sizes(document: Document) -> dict[str, int]:
    """Return the parallel sizes of the choice that are not 1, and the option."""
    found = choice(told(document), "parallelism")
    names = {
        "tensor_parallel": "tp", "pipeline_parallel": "pp", "data_parallel": "dp",
        "expert_parallel": "ep", "replicas": "replicas",
    }  # fmt: skip
    return {short: found[name] for name, short in names.items() if found.get(name, 1) != 1}


def warned(document: Document) -> set[str]:
    """Return the ids of the warnings."""
    return {warning.id for warning in told(document).warnings}
