"""What carries the load and is not shown elsewhere: one line for each GPU, nearest first."""

from __future__ import annotations

from advisor.consult.consultation import Decision

__all__ = ["carries_and_loses"]


def carries_and_loses(decision: Decision) -> list[str]:
    """Return a line for every GPU that carries the load, is no alternative, and why it lost."""
    choices = [other.choice for other in decision.alternatives]
    if decision.choice is not None:
        choices.append(decision.choice)
    seen = {choice.model_dump().get("gpu") for choice in choices}
    first = {line.gpu: line for line in reversed(decision.rejected) if line.outranked}
    lines = []
    for line in decision.rejected:
        if first.get(line.gpu) is not line or line.gpu in seen:
            continue
        figures, _, reason = line.because.partition(": ")
        name = f"{line.gpu} in {line.weight_format}"
        lines.append(f"{name} carries it too ({figures}), and loses: {reason}")
    return lines
