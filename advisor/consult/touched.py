"""Facts of a consultation by which it touches common claims (``advisor.store.touch``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from advisor.consult.came_up import CameUp
from advisor.consult.candidate import Candidate
from advisor.consult.situation import Situation
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["touching_facts"]

_FEW_CARDS = 4
"""Of more, none is meant."""
_WANTED = frozenset({"wanted", "in_use"})
_OF_KUBERNETES = (
    "platform.provider", "platform.kubernetes_version", "platform.node_autoscaler",
    "platform.gpu_operator_version", "platform.dra", "platform.dra_driver_version",
    "platform.compute_domain", "platform.mig_strategy",
)  # fmt: skip
"""Answers that nobody gives who has no cluster."""
_OF_VMS = ("platform.hypervisor", "platform.gpus_per_vm")
_NO_AUTOSCALER = frozenset({"none", "unknown"})


def touching_facts(
    situation: Situation, best: Candidate | None, came_up: CameUp
) -> Mapping[str, frozenset[str]]:
    """Return what is known by the names of claims: answers, and what follows from them."""
    values = situation.answers.values
    facts = {key: frozenset(_texts(value)) for key, value in values.items()}
    found: dict[str, Iterable[str]] = {
        **_of_model(situation.load.model),
        **_of_cards(_cards(situation, best)),
        **_of_layout(situation, best),
        **_of_place(values, came_up),
        **_of_sharing(values, came_up),
        "chosen.kind": (situation.load.kind,),
        "chosen.trains": (_yes(situation.load.trains),),
        "chosen.serves": (_yes(not situation.load.trains and situation.load.kind != "platform"),),
        "chosen.format": _formats(situation, best),
        "told.fault": came_up.faults,
    }
    return facts | {key: frozenset(texts) for key, texts in found.items()}


def _formats(situation: Situation, best: Candidate | None) -> Iterator[str]:
    yield from _texts(situation.answers.values.get("workload.weight_format"))
    if best is not None:
        yield best.weight_format


def _cards(situation: Situation, best: Candidate | None) -> tuple[Gpu, ...]:
    """Return the cards that were named, unless that is nearly any, and the chosen one."""
    given = situation.answers.is_given("hardware.gpu")
    if situation.load.kind == "platform" and not given:
        return ()
    named = [card.gpu for card in situation.cards] if given or situation.owned else []
    if len(named) > _FEW_CARDS:
        named = []
    return (*named, *((best.card.gpu,) if best is not None else ()))


def _of_model(model: Model | None) -> dict[str, Iterable[str]]:
    if model is None:
        return {}
    return {
        "model.id": (model.id,),
        "model.parameters_b": (f"{model.parameters_b:.2f}",),
        "model.attention": [attention.kind for attention in model.attention],
        "model.moe": (_yes(any(part.kind == "moe" for part in model.ffn)),),
    }


def _of_cards(cards: tuple[Gpu, ...]) -> dict[str, Iterable[str]]:
    if not cards:
        return {}
    return {
        "gpu.id": [gpu.id for gpu in cards],
        "gpu.vendor": [gpu.vendor for gpu in cards],
        "gpu.architecture": [gpu.architecture for gpu in cards],
        "gpu.mig": [_yes(gpu.mig.supported) for gpu in cards],
    }


def _of_layout(situation: Situation, best: Candidate | None) -> dict[str, Iterable[str]]:
    """Return the split that was named and the one that is chosen."""
    values = situation.answers.values
    found: dict[str, Iterable[str]] = {}
    for name in ("tensor_parallel", "pipeline_parallel"):
        sizes = {*_texts(values.get(f"layout.{name}"))}
        sizes |= {str(getattr(best.layout, name))} if best is not None else set()
        found[f"chosen.{name}"] = sizes
    per_node = values.get("hardware.gpus_per_node")
    wanted = _product(values.get("layout.tensor_parallel"), values.get("layout.pipeline_parallel"))
    across = isinstance(per_node, int) and wanted > per_node
    gpus = {str(wanted)} if wanted > 1 else set()
    if best is not None:
        gpus.add(str(best.gpus_per_replica))
        across = across or best.nodes_per_replica > 1
    if best is not None or across:
        found["chosen.crosses_nodes"] = (_yes(across),)
    found["chosen.gpus"] = gpus
    if values.get("hardware.nvlink") == "no" and not situation.elsewhere:
        found["chosen.nvlink"] = ("no",)
    elif best is not None:
        found["chosen.nvlink"] = (_yes(best.card.gpu.interconnect.nvlink_bidirectional_gbs),)
    return found


def _of_place(values: Mapping[str, object], came_up: CameUp) -> dict[str, Iterable[str]]:
    orchestrator = values.get("platform.orchestrator")
    cluster = orchestrator == "kubernetes" or any(key in values for key in _OF_KUBERNETES)
    vm = values.get("platform.machine") == "vm" or any(key in values for key in _OF_VMS)
    claims = any(values.get(f"platform.{key}") in _WANTED for key in ("dra", "compute_domain"))
    claims = claims or "platform.dra_driver_version" in values or came_up.device_owner == "dra"
    scaled = {str(values.get("platform.node_autoscaler", "none")), came_up.provisioner or "none"}
    found: dict[str, Iterable[str]] = {
        "place.kubernetes": (_yes(cluster and orchestrator in {None, "kubernetes"}),),
        "place.vm": (_yes(vm),),
        "place.dra": (_yes(claims),),
        "chosen.autoscaler": scaled - _NO_AUTOSCALER,
    }
    operator = _operator(values, came_up)
    return found | ({} if operator is None else {"place.operator": (_yes(operator),)})


def _operator(values: Mapping[str, object], came_up: CameUp) -> bool | None:
    """Tell whether there is a GPU Operator: by the choice, and by what was said."""
    version = values.get("platform.gpu_operator_version")
    if "none" in {version, came_up.operator}:
        return False
    if came_up.operator is not None:
        return True
    if version is not None:
        return True
    owner = values.get("platform.driver_owner_now")
    return None if owner is None else owner == "operator"


def _of_sharing(values: Mapping[str, object], came_up: CameUp) -> dict[str, Iterable[str]]:
    modes = {*_texts(values.get("platform.sharing_now"))}
    profiles: set[str] = set()
    for key in ("platform.mig_layout_now", "tenancy.mig_layout_wanted"):
        profiles |= {*_texts(values.get(key))}
    modes |= {"mig"} if profiles or "platform.mig_strategy" in values else set()
    modes |= {came_up.sharing} if came_up.sharing else set()
    profiles |= {came_up.profile} if came_up.profile else set()
    return {"chosen.sharing": modes, "chosen.profile": profiles}


def _product(*sizes: object) -> int:
    product = 1
    for size in sizes:
        product *= size if isinstance(size, int) else 1
    return product


def _texts(value: object) -> Iterator[str]:
    """Yield the words of an answer: of lists the entries, of mappings the names."""
    if value is None:
        return
    if isinstance(value, str | bool | int | float):
        yield _yes(value) if isinstance(value, bool) else str(value)
    elif isinstance(value, Mapping):
        yield from map(str, value)
    elif isinstance(value, Collection):
        for entry in value:
            yield from _texts(entry)


def _yes(value: object) -> str:
    return "yes" if value else "no"
