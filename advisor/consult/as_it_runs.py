"""What sizing says about the layout that runs: whether its weights fit."""

from __future__ import annotations

from advisor.consult.attempt import Attempt
from advisor.consult.judged import stated_layout

__all__ = ["weights_fit"]


def weights_fit(attempt: Attempt) -> bool:
    """Return whether the weights surely fit as they run; ``False`` says nothing.

    Known where the choice keeps the owned GPUs and the published weights, and one copy of them
    lies on as many GPUs as the choice gives it, or more.
    """
    situation, best = attempt.situation, attempt.best
    if best is None or not situation.owned or situation.load.trains:
        return False
    if best.weight_format != situation.load.formats[0]:
        return False
    layout = stated_layout(situation.answers)
    if layout is None:
        return best.gpus_per_replica == 1
    width = layout.tensor_parallel * layout.pipeline_parallel
    width *= layout.data_parallel if layout.expert_parallel else 1
    return width >= best.gpus_per_replica
