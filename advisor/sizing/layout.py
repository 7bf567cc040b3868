"""How one engine instance is spread over GPUs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Layout", "stage_layers"]


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of the parallel groups of one engine instance."""

    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    """Data-parallel ranks; for a mixture they share one set of experts (DP attention)."""
    expert_parallel: bool = False
    """Whole experts per rank instead of slices of each."""
    decode_context_parallel: int = 1

    @property
    def gpus(self) -> int:
        """GPUs that the instance takes."""
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel

    @property
    def expert_ranks(self) -> int:
        """Ranks that hold the experts of one stage between them."""
        return self.tensor_parallel * self.data_parallel


def stage_layers(layers: int, stages: int) -> tuple[int, ...]:
    """Split ``layers`` over pipeline stages as vLLM does.

    The remainder goes to the stages before the last, one each, counted backwards.
    Source: ``get_pp_indices`` in vLLM 0.33 ``distributed/utils.py``.
    """
    base, remainder = divmod(layers, stages)
    split = [base] * stages
    for offset in range(remainder):
        split[stages - 2 - offset if stages - 2 - offset >= 0 else stages - 1] += 1
    return tuple(split)
