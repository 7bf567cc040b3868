"""The decision ``parallelism``: how the chosen GPUs work together."""

from __future__ import annotations

from typing import Any

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Candidate
from advisor.consult.certainty import status_of
from advisor.consult.consultation import Choice, Decision, Dependency
from advisor.consult.situation import Situation

__all__ = ["parallelism_decision"]


def parallelism_decision(attempt: Attempt, depends: tuple[Dependency, ...]) -> Decision:
    """Write the decision for the chosen layout; open when no GPU was chosen."""
    best, rulings, situation = attempt.best, attempt.rulings, attempt.situation
    if best is None:
        return Decision(
            status="open",
            because="The pattern follows from the GPU, and none is chosen.",
            citations=rulings.cite("8.3"),
            depends_on=depends,
        )
    reasons = rulings.recommended("parallelism", best.id)
    if not reasons:
        return Decision(
            status="open",
            because="No rule names a pattern for this layout.",
            citations=rulings.cite("8.3"),
            depends_on=depends,
        )
    first = reasons[0]
    return Decision(
        status=status_of(depends),
        choice=Choice(option=first.payload["option"], **_parameters(best, situation)),
        strength=first.rule.strength,
        because=" ".join(reason.because for reason in reasons),
        citations=rulings.cite(*[section for r in reasons for section in r.rule.cite]),
        rules=tuple(reason.rule.id for reason in reasons),
        depends_on=depends,
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


def _fabric(best: Candidate, situation: Situation) -> str:
    """Return what must join the GPUs."""
    if best.nodes_per_replica > 1:
        stated = situation.answers.values.get("hardware.fabric")
        if isinstance(stated, str) and stated != "none":
            return stated
        return "rdma" if best.result.training else "ethernet_100g"
    if best.gpus_per_replica == 1:
        return "none"
    links = best.card.gpu.interconnect
    if links.nvlink_bidirectional_gbs and not links.nvlink_bridge_only:
        return "nvlink"
    if links.nvlink_bidirectional_gbs:
        return "nvlink_bridge"
    return "infinity_fabric" if links.fabric_bidirectional_gbs else "pcie"
