"""The decision ``parallelism``: how the chosen GPUs work together."""

from __future__ import annotations

from typing import Any

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.certainty import status_of
from advisor.consult.consultation import Choice, Decision, Dependency, Rejection
from advisor.consult.situation import Situation

__all__ = ["parallelism_decision"]


def parallelism_decision(attempt: Attempt, depends: tuple[Dependency, ...]) -> Decision:
    """Write the decision for the chosen layout; open when no GPU was chosen."""
    best, rulings, situation = attempt.best, attempt.rulings, attempt.situation
    reasons = () if best is None else rulings.recommended("parallelism", best.id)
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
        choice=Choice(**{**_parameters(best, situation), **more, **first.payload}),
        strength=first.rule.strength,
        because=" ".join(reason.because for reason in reasons),
        citations=rulings.cite(*[section for r in reasons for section in r.rule.cite]),
        rules=tuple(reason.rule.id for reason in reasons),
        rejected=_rejected(attempt),
        depends_on=depends,
    )


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
    }
    if training:
        parameters |= {
            "training_method": training.get("method"),
            "sharding": training.get("sharding"),
            "optimizer": training.get("optimizer"),
            "offload": training.get("offload"),
            "recompute": training.get("recompute"),
            "micro_batch": training.get("micro_batch"),
        }
    return {key: value for key, value in parameters.items() if value is not None}


_RACK = 36
"""Scale-up domains of this many GPUs are sold as racks."""


def _fabric(best: Candidate, situation: Situation) -> str:
    """Return what joins the GPUs: as stated, else what the layout needs."""
    if best.gpus_per_replica == 1:
        return "none"
    stated = {} if situation.elsewhere else situation.answers.values
    nvlink, fabric = stated.get("hardware.nvlink"), stated.get("hardware.fabric")
    links = best.card.gpu.interconnect
    if best.nodes_per_replica > 1:
        if best.gpus_per_replica <= best.card.gpu.scale_up_gpus >= _RACK or nvlink == "multi_node":
            return "nvlink_rack"
        if isinstance(fabric, str) and fabric != "none":
            return fabric
        return "ethernet_100g" if _only_stages_cross(best) else "rdma"
    if nvlink != "no" and links.nvlink_bidirectional_gbs:
        return "nvlink_bridge" if links.nvlink_bridge_only or nvlink == "bridge" else "nvlink"
    return "infinity_fabric" if links.fabric_bidirectional_gbs else "pcie"


def _only_stages_cross(best: Candidate) -> bool:
    """Tell whether nothing but pipeline stages meets over the network."""
    layout = best.layout
    inside = best.gpus_per_replica // best.nodes_per_replica
    stage = layout.gpus // layout.pipeline_parallel
    return layout.pipeline_parallel > 1 and stage <= inside and not best.result.training
