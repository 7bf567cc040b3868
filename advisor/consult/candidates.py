"""Which layouts could serve: sized, the illegal and the unfit dropped and counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.consult.prices import Quote, Tariff
from advisor.consult.published import runs_as
from advisor.consult.situation import Card, Load, Situation
from advisor.sizing.layout import Layout
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeResult
from advisor.sizing.size import SizingFacts, size_layout
from advisor.store.model import Model, MoeFfn

__all__ = ["Candidate", "Candidates", "Unfit", "find_candidates"]

_NODE = 8
_LARGEST_NODES = 4
"""Pipeline over more nodes than this is never the first answer; a larger domain is."""
_KEPT_PER_FORMAT = 3
_KEPT = 80


@dataclass(frozen=True, slots=True)
class Candidate:
    """One GPU, format and layout that carries the load, with its numbers."""

    id: str
    card: Card
    weight_format: str
    layout: Layout
    nodes_per_replica: int
    replicas: int
    holds: int
    """Requests of the planned length at once in one replica."""
    result: SizeResult
    quote: Quote | None
    published: bool
    """Whether the weights are as the model's makers published them."""

    @property
    def gpus_per_replica(self) -> int:
        """GPUs of one engine instance."""
        return self.layout.gpus

    @property
    def total_gpus(self) -> int:
        """GPUs of all replicas."""
        return self.layout.gpus * self.replicas


@dataclass(frozen=True, slots=True)
class Unfit:
    """A GPU and format that no legal layout made fit, with the nearest miss."""

    card: Card
    weight_format: str
    reason: str
    """Problem code of the nearest miss."""
    text: str


@dataclass(frozen=True, slots=True)
class Candidates:
    """What sizing leaves for the rules."""

    kept: tuple[Candidate, ...]
    unfit: tuple[Unfit, ...]
    considered: int
    rejected_by: dict[str, int]


def find_candidates(situation: Situation, facts: SizingFacts, tariff: Tariff) -> Candidates:
    """Size every allowed GPU, format and layout and keep what carries the load.

    Per GPU and format the cheapest counts are kept; at most 80 in all.
    """
    model = situation.load.model
    if model is None:
        return Candidates((), (), 0, {})
    counts: Counter[str] = Counter(reason for _, reason in situation.ruled_out)
    kept: list[Candidate] = []
    unfit: list[Unfit] = []
    considered = len(situation.ruled_out)
    for card in situation.cards:
        for weight_format in _formats_for(card, situation.load):
            trial = _Trial(situation, model, card, weight_format, facts, tariff)
            found = trial.run()
            considered += trial.sized
            counts.update(trial.reasons)
            kept += found
            if not found and trial.nearest is not None:
                unfit.append(trial.nearest)
    kept.sort(key=_size_key)
    return Candidates(tuple(kept[:_KEPT]), tuple(unfit), considered, dict(sorted(counts.items())))


def _formats_for(card: Card, load: Load) -> tuple[str, ...]:
    """Return the formats worth sizing: 4-bit floats only where the card computes in them."""
    if load.format_fixed or len(load.formats) == 1:
        return load.formats
    native = card.gpu.precisions.fp4_formats
    return tuple(
        name
        for index, name in enumerate(load.formats)
        if index == 0 or name not in {"nvfp4", "mxfp4"} or name in native
    )


def _size_key(candidate: Candidate) -> tuple[float, int, int, str]:
    usd = candidate.quote.usd_per_hour if candidate.quote is not None else math.inf
    return (usd, candidate.total_gpus, candidate.gpus_per_replica, candidate.id)


class _Trial:
    """All layouts of one GPU and one format."""

    def __init__(
        self,
        situation: Situation,
        model: Model,
        card: Card,
        weight_format: str,
        facts: SizingFacts,
        tariff: Tariff,
    ) -> None:
        self._situation, self._model, self._card = situation, model, card
        self._format, self._facts, self._tariff = weight_format, facts, tariff
        self.sized = 0
        self.reasons: Counter[str] = Counter()
        self.nearest: Unfit | None = None

    def run(self) -> list[Candidate]:
        """Return the layouts worth showing, cheapest first."""
        found: list[Candidate] = []
        for layout, nodes in self._layouts():
            result = self._size(layout, self._situation.load.concurrency)
            if result.status == "cannot_run" and layout.gpus == 1:
                self._note(result)
                if any(p.code == "format_unsupported_on_gpu" for p in result.problems):
                    return []
                continue
            if not result.fits:
                self._note(result)
                continue
            candidate = self._candidate(layout, nodes, result)
            if candidate is not None:
                found.append(candidate)
            if candidate is not None and candidate.replicas == 1 and len(found) > 1:
                break
        found.sort(key=_size_key)
        return found[:_KEPT_PER_FORMAT]

    def _size(self, layout: Layout, concurrency: int) -> SizeResult:
        self.sized += 1
        load = self._situation.load
        request = _request(load, self._card, self._format, concurrency)
        return size_layout(request, self._model, self._card.gpu, layout, self._facts)

    def _note(self, result: SizeResult) -> None:
        problem = next((p for p in result.problems if p.blocking), None)
        code = problem.code if problem else result.status
        self.reasons[code] += 1
        text = problem.text if problem else "unknown"
        self.nearest = Unfit(self._card, self._format, code, text)

    def _candidate(self, layout: Layout, nodes: int, result: SizeResult) -> Candidate | None:
        load = self._situation.load
        holds = _holds(result, layout, load)
        if holds < 1:
            return None
        replicas = math.ceil(load.concurrency / holds)
        if replicas > 1:
            # quote the numbers at the share of the load that one replica carries
            result = self._size(layout, math.ceil(load.concurrency / replicas))
            holds = max(1, _holds(result, layout, load))
            replicas = math.ceil(load.concurrency / holds)
        total = layout.gpus * replicas
        if self._card.max_gpus is not None and total > self._card.max_gpus:
            self.reasons["owned_gpus_too_few"] += 1
            text = (
                f"{load.concurrency} requests need {total} GPUs of this layout, "
                f"{self._card.max_gpus} are there."
            )
            self.nearest = Unfit(self._card, self._format, "owned_gpus_too_few", text)
            return None
        quote = self._tariff.quote(self._card.gpu.id, layout.gpus // nodes, nodes * replicas)
        name = (
            f"{self._card.label}/{self._format}/tp{layout.tensor_parallel}"
            f"pp{layout.pipeline_parallel}dp{layout.data_parallel}"
            f"{'ep' if layout.expert_parallel else ''}x{replicas}"
        )
        return Candidate(
            name, self._card, self._format, layout, nodes, replicas, holds, result, quote,
            self._format == runs_as(self._model),
        )  # fmt: skip

    def _layouts(self) -> Iterator[tuple[Layout, int]]:
        yield from _layouts(self._model, self._card, self._situation.owned)


def _request(load: Load, card: Card, weight_format: str, concurrency: int) -> SizeRequest:
    same = load.model is not None and weight_format == runs_as(load.model)
    return SizeRequest(
        weight_format=None if same and not load.format_fixed else weight_format,
        kv_format=load.kv_format,
        max_model_len=load.context_tokens,
        typical_context_tokens=load.typical_context_tokens,
        prompt_tokens=load.prompt_tokens,
        concurrency=concurrency,
        engine=load.engine,
        engine_version=load.engine_version,
        speculative_tokens=load.speculative_tokens,
        gpu_memory_gib=card.memory_gib,
        build=load.build,
    )


def _holds(result: SizeResult, layout: Layout, load: Load) -> int:
    """Return how many requests of the planned length one replica holds at once.

    The planned length is the typical context where it is given, else the longest request.
    """
    if result.max_concurrency is None:
        return load.concurrency
    at_once = result.max_concurrency.expected * layout.data_parallel
    if not math.isfinite(at_once):
        return load.concurrency
    if load.typical_context_tokens and result.kv_bytes_per_token_per_gpu:
        fixed = (result.kv_fixed_bytes_per_sequence_per_gpu or 0.0) + (
            result.state_bytes_per_sequence_per_gpu or 0.0
        )
        long = fixed + result.kv_bytes_per_token_per_gpu * load.context_tokens
        usual = fixed + result.kv_bytes_per_token_per_gpu * load.typical_context_tokens
        at_once *= long / usual
    return math.floor(at_once + 1e-9)


def _layouts(model: Model, card: Card, owned: bool) -> Iterator[tuple[Layout, int]]:
    """Yield (layout, nodes of one replica), smallest first."""
    mixture = any(isinstance(f, MoeFfn) for f in model.ffn)
    latent = any(a.kind == "mla" for a in model.attention)
    largest = max(card.per_node)
    limit = card.max_gpus if card.max_gpus is not None else largest
    domain = min(max(largest, 1), max(card.gpu.scale_up_gpus, _NODE))
    for count in sorted({n for n in _counts(card) if n <= min(domain, limit)}):
        yield Layout(tensor_parallel=count), 1
        if mixture and count > 1:
            yield Layout(tensor_parallel=count, expert_parallel=True), 1
            if latent:
                yield Layout(data_parallel=count, expert_parallel=True), 1
        if card.gpu.scale_up_gpus == 1 or owned:
            for stages in (n for n in (2, 3, 4) if count % n == 0 and count > n - 1):
                yield Layout(tensor_parallel=count // stages, pipeline_parallel=stages), 1
    nodes = card.nodes or _LARGEST_NODES
    for stages in range(2, min(nodes, _LARGEST_NODES) + 1):
        if largest > 1 and (card.max_gpus is None or largest * stages <= card.max_gpus):
            yield Layout(tensor_parallel=min(largest, _NODE), pipeline_parallel=stages), stages


def _counts(card: Card) -> tuple[int, ...]:
    if len(card.per_node) > 1:
        return card.per_node
    top = card.per_node[0]
    return tuple(n for n in range(1, top + 1) if top % n == 0)
