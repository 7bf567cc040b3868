"""The decision ``parallelism``: how the chosen GPUs work together."""

from __future__ import annotations

from typing import Any

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.certainty import status_of
from advisor.consult.consultation import Choice, Decision, Dependency, Rejection
from advisor.consult.groups import group_fields
from advisor.consult.situation import Situation
from advisor.consult.training_facts import pattern_settings

__all__ = ["parallelism_decision"]


def parallelism_decision(attempt: Attempt, depends: tuple[Dependency, ...]) -> Decision:
    """Write the decision for the chosen layout; open when no GPU was chosen."""
    best, rulings, situation = attempt.best, attempt.rulings, attempt.situation
    reasons = () if best is None else rulings.recommended("parallelism", best.id)
    # the pattern is told before what goes with it
    reasons = tuple(sorted(reasons, key=lambda reason: "option" not in reason.payload))
    first = next((reason for reason in reasons if "option" in reason.payload), None)
    if best is None or first is None:
        text = "The pattern follows from the GPU, and none is chosen."
        return Decision(
            status="open",
            because=text if best is None else "No rule names a pattern for this layout.",
            citations=rulings.cite("8.3"),
            rejected=_rejected(attempt),
            depends_on=depends,
        )
    more = {key: value for reason in reasons for key, value in reason.payload.items()}
    return Decision(
        status=status_of(depends),
        choice=Choice(
            **{
                **_parameters(best, situation),
                **more,
                **group_fields(attempt.groups),
                **first.payload,
            }
        ),
        strength=first.rule.strength,
        because=" ".join((*_of_groups(attempt), *(reason.because for reason in reasons))),
        citations=rulings.cite(*[section for r in reasons for section in r.rule.cite]),
        rules=tuple(reason.rule.id for reason in reasons),
        rejected=_rejected(attempt),
        depends_on=depends,
    )


def _of_groups(attempt: Attempt) -> tuple[str, ...]:
    """Return that the sizes are those of one group, where several kinds of machines share."""
    if not attempt.groups:
        return ()
    label = attempt.groups[0].candidate.card.label
    text = "Unequal cards never share a replica: each group has sizes of its own, and these are of"
    return (f"{text} the {label}.",)


def _rejected(attempt: Attempt) -> tuple[Rejection, ...]:
    """Return patterns that were asked for and are not advised, whatever the layout."""
    return tuple(
        Rejection(
            option=ruling.payload["option"],
            because=ruling.because,
            citations=attempt.rulings.cite(*ruling.rule.cite),
            rule=ruling.rule.id,
        )
        for ruling in attempt.rulings.of("reject", "parallelism")
        if ruling.candidate is None
    )


def _parameters(best: Candidate, situation: Situation) -> dict[str, Any]:
    layout, training = best.layout, best.result.training
    parameters: dict[str, Any] = {
        "tensor_parallel": layout.tensor_parallel,
        "pipeline_parallel": layout.pipeline_parallel,
        "data_parallel": layout.data_parallel,
        "expert_parallel": layout.expert_ranks if layout.expert_parallel else 1,
        "decode_context_parallel": layout.decode_context_parallel,
        "replicas": best.replicas,
        "fabric": _fabric(best, situation),
        "stage_fabric": _stage_link(best),
    }
    if training:
        parameters |= pattern_settings(best)
    return {key: value for key, value in parameters.items() if value is not None}


_RACK = 36
"""Scale-up domains of this many GPUs are sold as racks."""
_SWITCHED = 8
"""Domains of so many GPUs are boards whose machines come with a network port for each GPU."""


def _fabric(best: Candidate, situation: Situation) -> str:
    """Return what joins the GPUs that wait for each other most: as stated, else what they need."""
    if best.gpus_per_replica == 1:
        return "none"
    stated = {} if situation.elsewhere else situation.answers.values
    fabric = best.card.fabric or stated.get("hardware.fabric")
    if best.nodes_per_replica > 1:
        rack = best.gpus_per_replica <= best.card.gpu.scale_up_gpus >= _RACK
        if rack or stated.get("hardware.nvlink") == "multi_node":
            return "nvlink_rack"
        if isinstance(fabric, str) and fabric != "none":
            return fabric
        machine = min(best.card.machine_gpus, best.card.gpu.scale_up_gpus)
        switched = machine >= _SWITCHED
        # stages would do with less, but machines of switched GPUs are built with a port for each
        return "ethernet_100g" if _only_stages_cross(best) and not switched else "rdma"
    width = best.gpus_per_replica // best.layout.pipeline_parallel
    return _link(best, width if width > 1 else best.gpus_per_replica)


def _link(best: Candidate, gpus: int) -> str:
    """Return what joins so many GPUs of one machine."""
    links = best.card.gpu.interconnect
    widest = best.card.gpu.scale_up_gpus
    if links.nvlink_bidirectional_gbs:
        kind = "nvlink_bridge" if links.nvlink_bridge_only else "nvlink"
        return kind if gpus <= widest else "pcie"
    if not links.fabric_bidirectional_gbs or gpus > widest:
        return "pcie"
    return "infinity_fabric" if best.card.gpu.vendor == "amd" else "roce"  # Gaudi joins by RoCE


def _stage_link(best: Candidate) -> str | None:
    """Return what joins stages inside a machine, where it is another link than inside them."""
    stages = best.layout.pipeline_parallel
    if stages == 1 or best.nodes_per_replica > 1 or best.gpus_per_replica == stages:
        return None
    found = _link(best, best.gpus_per_replica)
    return None if found == _link(best, best.gpus_per_replica // stages) else found


def _only_stages_cross(best: Candidate) -> bool:
    """Tell whether nothing but pipeline stages meets over the network."""
    layout = best.layout
    inside = best.gpus_per_replica // best.nodes_per_replica
    stage = layout.gpus // layout.pipeline_parallel
    return layout.pipeline_parallel > 1 and stage <= inside and not best.result.training
