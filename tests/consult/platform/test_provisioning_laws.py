"""What holds of every provisioning choice, over places, images, autoscalers, claims and GPUs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from consult_support import nested, told
from random_answers_of_all_keys import random_document_with_known_names
from random_platforms import random_platform

from advisor.answers.questions import load_questions
from advisor.consult.consultation import Consultation
from advisor.store.choices import ALWAYS, ONLY_KUBERNETES
from advisor.store.loader import load_knowledge

_GPUS = (None, "h100-sxm", "gb200", "v100", "mi300x", "l4")


def _values(key: str) -> tuple[str, ...]:
    return tuple(value.id for value in load_questions()[key].values)


def situations() -> Iterator[dict[str, Any]]:
    """Yield every image, provider and cloud, with autoscalers, claims and GPUs dealt out."""
    scalers = (None, *_values("platform.node_autoscaler"))
    claims = (None, "no", "wanted", "in_use")
    places = [
        *({"platform.node_image": image} for image in _values("platform.node_image")),
        *({"platform.provider": name} for name in _values("platform.provider")),
        # RunPod sells no nodes, and nothing is chosen there (test_places_and_guests.py)
        *({"platform.cloud": name} for name in _values("platform.cloud") if name != "runpod"),
        *({"platform.orchestrator": name} for name in _values("platform.orchestrator")),
    ]
    for number, (place, scaler) in enumerate(product(places, scalers)):
        wish, gpu = claims[number % len(claims)], _GPUS[number % len(_GPUS)]
        more = {
            "platform.node_autoscaler": scaler, "platform.dra": wish, "hardware.gpu": gpu,
            "workload.traffic": ("steady", "bursty")[number // 7 % 2],
            "platform.scale_to_zero": (None, True, False)[number % 3],
        }  # fmt: skip
        given = {key: value for key, value in more.items() if value is not None}
        yield nested({"workload.kind": "platform", **place, **given})


SITUATIONS = tuple(situations())


@pytest.fixture(params=range(0, len(SITUATIONS), 2))
def found(request: pytest.FixtureRequest) -> Consultation:
    return told(SITUATIONS[request.param])


def test_what_is_chosen_holds_together(found: Consultation) -> None:
    decision = found.decisions["provisioning"]
    assert decision.choice is not None, decision.because
    made = decision.choice.model_dump()
    image = load_knowledge().node_images[made["node_image"]]

    # what gotchas take for chosen, whatever the answers are
    assert all(made.get(name.rpartition(".")[2]) is not None for name in ALWAYS)

    # and what they take for a sign of Kubernetes
    given = {answer.key: answer.value for answer in found.answers}
    kubernetes = given.get("platform.orchestrator", "kubernetes") == "kubernetes"
    for name, values in ONLY_KUBERNETES.items():
        assert made[name.rpartition(".")[2]] not in values or kubernetes

    # one owner of each, and the image's own facts
    assert {"driver_owner", "toolkit_owner", "device_owner", "gpu_operator"} <= set(made)
    assert made["driver_owner"] != "none"
    assert not (image.driver_in_image and made["driver_owner"] == "operator")
    assert (made["gpu_operator"] == "full") <= (made["driver_owner"] == "operator")
    if image.driver_install and image.id != "other":
        assert made["driver_install"] in image.driver_install or made["driver_owner"] == "provider"
    assert image.holds_on(load_knowledge().as_of)

    # claims and autoscalers
    if made["device_owner"] == "dra":
        assert load_knowledge().provisioners[made["option"]].dra == "handled" or (
            made["option"] == "managed_pool"
        )
        assert "nvidia-device-plugin" not in made["versions"]
    if made["option"] == "karpenter":
        assert made["device_owner"] != "dra"
    assert made["option"] not in {line.option for line in decision.rejected}


def test_no_version_is_one_to_avoid(found: Consultation) -> None:
    choice = found.decisions["provisioning"].choice
    assert choice is not None
    components = load_knowledge().components
    gpu = next((given.value for given in found.answers if given.key == "hardware.gpu"), None)

    for name, version in choice.model_dump()["versions"].items():
        bites = [entry for entry in components[name].avoid if _always(entry.when)]
        avoided = set(components[name].avoided(version))
        assert avoided.isdisjoint(bites), (name, version)
    if gpu == "v100":
        assert choice.model_dump()["versions"].get("nvidia-driver", "580") == "580"


def _always(when: str) -> bool:
    """Tell whether a warning about versions is not bound to some hardware or cloud."""
    return not any(word in when for word in ("EFA", "Maxwell", "whole GPUs beside MIG", "amdgpu"))


@pytest.mark.parametrize("seed", range(0, 120, 2))
def test_only_questions_that_are_named_can_change_the_option(seed: int) -> None:
    document = random_platform(seed)
    before = told(document)
    named = {
        needed.question
        for name in ("sharing", "provisioning")
        for needed in before.decisions[name].depends_on  # type: ignore[index]
    }
    after = told(_with_more(document, random_document_with_known_names(seed + 5000), named))

    assert _options(after) == _options(before)


def _options(found: Consultation) -> list[str | None]:
    made = (found.decisions["sharing"].choice, found.decisions["provisioning"].choice)
    return [None if choice is None else choice.option for choice in made]


def _with_more(document: dict[str, Any], other: dict[str, Any], named: set[str]) -> dict[str, Any]:
    """Return a document with another's answers to questions not given and not named."""
    found = {group: dict(answers) for group, answers in document.items()}
    for group, answers in other.items():
        if not isinstance(answers, dict):
            continue
        for name, value in answers.items():
            if f"{group}.{name}" not in named:
                found.setdefault(group, {}).setdefault(name, value)
    return found
