"""Which layouts could serve: sized, the illegal and the unfit dropped and counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from advisor.consult.boards import price_to_buy, with_purchase
from advisor.consult.candidate import Candidate, Candidates, Unfit
from advisor.consult.candidate_formats import formats_for, stand_in
from advisor.consult.candidates_enough import enough, joined, least_for, narrow, plain, settled
from advisor.consult.full_engines import fills_engines, full_engine, on_all_that_is_owned
from advisor.consult.layouts import Wanted, layouts_for, wanted_layout
from advisor.consult.prices import Quote, Tariff
from advisor.consult.published import format_bits, runs_as
from advisor.consult.ranking import rank
from advisor.consult.share_of_load import holds_at_once, size_request
from advisor.consult.situation import Card, Situation
from advisor.consult.targets import Targets, targets_of
from advisor.counted import counted
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.size import SizingFacts, size_layout
from advisor.store.model import Model

if TYPE_CHECKING:
    from advisor.store.prices import Purchase

__all__ = ["find_candidates"]

_KEPT_PER_FORMAT = 3
_KEPT = 80
_USUAL_SEQUENCES, _BATCH_SEQUENCES = 64, 256
"""Up to so many requests an engine sets the same memory aside; what a full queue is run with."""
_IN_COPIES = {"batch_inference", "embeddings", "reranking"}  # before a split of one GPU's model
_SURELY_LOADED = 0.75
"""Share of the parameters that every build loads at least: some tie embeddings, skip a
prediction layer or an encoder."""
_GIB = 2**30


def find_candidates(
    situation: Situation,
    facts: SizingFacts,
    tariff: Tariff,
    purchases: tuple[Purchase, ...] | None = None,
) -> Candidates:
    """Size every allowed GPU, format and layout and keep what carries the load.

    Per GPU and format the first three by the priority are kept; at most 80 in all. What misses
    a limit of the answers comes last, so that it is dropped first.

    Args:
        situation: The load and the GPUs that are allowed.
        facts: What sizing knows of engines and formats.
        tariff: Rental prices.
        purchases: Purchase prices where the GPUs are to be bought, else ``None``.
    """
    model = situation.load.model
    if model is None:
        return Candidates()
    search = _Search(
        situation, model, facts, tariff, targets_of(situation.answers, situation.load),
        wanted_layout(situation.answers), purchases,
    )  # fmt: skip
    counts: Counter[str] = Counter(reason for _, reason in situation.ruled_out)
    kept: list[Candidate] = []
    unfit: list[Unfit] = []
    machines: list[Unfit] = []
    considered = len(situation.ruled_out)
    for card in situation.cards:
        for trial, found in _trials(search, card):
            considered += trial.considered
            counts.update(trial.reasons)
            kept += found
            if not found and trial.nearest is not None:
                unfit.append(trial.nearest)
            machines += trial.alone(found)
    ranked = tuple(search.first(kept, len(kept)))
    reasons = dict(sorted(counts.items()))
    return Candidates(
        ranked[:_KEPT], tuple(unfit), considered, reasons, tuple(machines), ranked[_KEPT:]
    )


def _trials(search: _Search, card: Card) -> Iterator[tuple[_Trial, list[Candidate]]]:
    """Yield each format, and what stands in for one without kernels, with what carries the load."""
    formats = [*formats_for(card, search.situation.load)]
    for weight_format in formats:
        trial = _Trial(search, card, weight_format)
        yield trial, trial.run()
        if trial.no_kernel:
            formats += stand_in(weight_format, formats, search.situation.load)


@dataclass(frozen=True, slots=True)
class _Search:
    """What all trials of one consultation share."""

    situation: Situation
    model: Model
    facts: SizingFacts
    tariff: Tariff
    targets: Targets
    wanted: Wanted | None
    purchases: tuple[Purchase, ...] | None
    """Where the GPUs are to be bought."""

    def first(self, found: Iterable[Candidate], count: int) -> list[Candidate]:
        """Return the first by priority, what misses a limit of the answers last."""
        every = list(found)
        if len(every) < 2:
            return every[:count]
        ranked = rank(every, {}, self.situation.priority, owned=self.situation.all_there)
        return sorted(ranked, key=self.targets.missed_by)[:count]

    @property
    def wide(self) -> bool:
        """Whether splits wider than the answers ask for are worth sizing."""
        return self.situation.priority in {"latency", "throughput"}

    def safe(self, candidate: Candidate) -> bool:
        """Tell whether it surely starts and misses no limit of the answers."""
        return not (candidate.borderline or self.targets.missed_by(candidate))


class _Trial:
    """All layouts of one GPU and one format."""

    def __init__(self, search: _Search, card: Card, weight_format: str) -> None:
        self._search, self._card, self._format = search, card, weight_format
        self._load = search.situation.load
        self.considered = 0
        self.reasons: Counter[str] = Counter()
        self.nearest: Unfit | None = None
        self._alone: tuple[Layout, Unfit | None] | None = None
        """The largest layout of one machine that does not carry the load, and why."""

    def run(self) -> list[Candidate]:
        """Return the layouts worth showing, first by priority."""
        found: list[Candidate] = []
        safe: list[Candidate] = []
        hopeless: Layout | None = None
        search = self._search
        layouts = layouts_for(search.model, self._card, search.wanted, owned=search.situation.owned)
        for layout, nodes in layouts:
            if not search.wide and settled(safe, layout, nodes):
                continue
            self.considered += 1
            if self._hopeless(layout):
                hopeless = layout
                self._note_alone(layout, nodes, None)
                self.reasons["weights_exceed_memory"] += 1
                continue
            candidate = self._candidate(layout, nodes)
            if candidate is not None:
                found.append(candidate)
                safe += filter(search.safe, (candidate,))
                if not search.wide and enough(safe):
                    break
            elif self.no_kernel:
                return []
            else:
                self._note_alone(layout, nodes, self.nearest)
        if self.nearest is None and hopeless is not None and not found:
            # the nearest miss is named with its numbers, so the largest one is sized after all
            self._note(self._size(hopeless, 1), count=False)
        return self._kept(found, safe)

    @property
    def no_kernel(self) -> bool:
        """Whether the engine cannot run the format on this card, whatever the layout."""
        return self.nearest is not None and self.nearest.reason == "format_unsupported_on_gpu"

    def _note_alone(self, layout: Layout, nodes: int, why: Unfit | None) -> None:
        if nodes == 1 and (self._alone is None or layout.gpus > self._alone[0].gpus):
            self._alone = (layout, why)

    def alone(self, found: list[Candidate]) -> Iterable[Unfit]:
        """Yield why one machine does not do, where the load is carried over several only."""
        if self._alone is None or not found or any(c.nodes_per_replica == 1 for c in found):
            return
        layout, why = self._alone
        if why is None:
            self._note(self._size(layout, 1), count=False)
            why = self.nearest
        if why is not None:
            yield replace(why, gpus=layout.gpus)

    def _kept(self, found: list[Candidate], safe: list[Candidate]) -> list[Candidate]:
        """Return the first by priority; what rules prefer is there too.

        What runs without stages, and what splits no wider than its links carry.
        """
        search = self._search
        kept = search.first(found, _KEPT_PER_FORMAT)
        for simple in (joined, plain):
            first = search.first(filter(simple, safe), 1)
            if first and not any(simple(c) and not c.borderline for c in kept):
                kept[-1:] = first
            if first:
                break
        first = search.first(filter(narrow, safe), 1)
        if first and not any(narrow(c) and not c.borderline for c in kept):
            kept += first
        if self._load.kind in _IN_COPIES:
            kept += [c for c in safe if c.layout.gpus == 1 and c not in kept]
        return kept

    def _hopeless(self, layout: Layout) -> bool:
        """Return whether the weights alone exceed the memory by far: not worth sizing."""
        weights = self._search.model.parameters_b * 1e9 * format_bits(self._format) / 8
        ranks = layout.gpus // (1 if layout.expert_parallel else layout.data_parallel)
        return weights * _SURELY_LOADED / ranks > self._card.memory_gib * _GIB

    def _size(self, layout: Layout, concurrency: int) -> SizeResult:
        request = size_request(self._load, self._card, self._format, concurrency)
        return size_layout(request, self._search.model, self._card.gpu, layout, self._search.facts)

    def _note(self, result: SizeResult, *, count: bool = True) -> None:
        problem = next((p for p in result.problems if p.blocking), None)
        code = problem.code if problem else result.status
        if count:
            self.reasons[code] += 1
        text = problem.text if problem else f"the sizing gives no number ({result.status})."
        self.nearest = Unfit(self._card, self._format, code, text)

    def _candidate(self, layout: Layout, nodes: int) -> Candidate | None:
        found = self._replicas(layout, nodes)
        if found is None:
            return None
        replicas, holds, result = found
        most = self._most_owned(layout, nodes)
        if most is not None and replicas > most:
            self._note_too_many(layout, replicas, holds)
            return None
        quote = self._quote(layout, nodes, replicas)
        if quote is None and self._outside_named_instances():
            self._note_no_instance(layout.gpus // nodes)
            return None
        name = (
            f"{self._card.label}/{self._format}/tp{layout.tensor_parallel}"
            f"pp{layout.pipeline_parallel}dp{layout.data_parallel}"
            f"{'ep' if layout.expert_parallel else ''}n{nodes}x{replicas}"
        )
        candidate = Candidate(
            name, self._card, self._format, layout, nodes, replicas, holds, result, quote,
            self._format == runs_as(self._search.model), self._search.targets.prompts,
            other_machines=self._other_machines(quote),
        )  # fmt: skip
        purchases = self._search.purchases
        return candidate if purchases is None else with_purchase(candidate, purchases)

    def _outside_named_instances(self) -> bool:
        """Return whether instance types are named and this GPU is known to sit in none of them."""
        tariff, situation = self._search.tariff, self._search.situation
        if situation.owned or not tariff.instances or situation.buys:
            return False
        return tariff.known or self._search.targets.needs_estimate

    def _note_no_instance(self, gpus: int) -> None:
        self.reasons["not_in_named_instances"] += 1
        named = ", ".join(sorted(self._search.tariff.instances))
        text = (
            f"no offer of {named} with {gpus} of it in one machine is known; give hardware.gpu, or "
            "bring its price."
        )
        self.nearest = Unfit(self._card, self._format, "not_in_named_instances", text)

    def _note_too_many(self, layout: Layout, replicas: int, holds: int) -> None:
        self.reasons["owned_gpus_too_few"] += 1
        load = self._load.concurrency
        who, each = counted(load, "request"), f", each holding {holds} at once"
        if holds * (replicas - 1) >= load:
            who, each = "the wanted speed", ""
        text = (
            f"{who} would take {counted(layout.gpus * replicas, 'GPU')} "
            f"({counted(replicas, 'replica')} of {layout.gpus}{each}), "
            f"{self._card.room_for(layout.gpus)}."
        )
        self.nearest = Unfit(self._card, self._format, "owned_gpus_too_few", text)

    def _replicas(self, layout: Layout, nodes: int) -> tuple[int, int, SizeResult] | None:
        """Return the fewest replicas that carry the load, what each holds, and its numbers.

        Each is sized with its share of the load: more requests at once set more memory aside,
        so a share that fits may exist where the whole load does not.
        """
        load = self._load.concurrency
        usual = min(load, _USUAL_SEQUENCES * layout.data_parallel)
        result = self._size(layout, usual)
        if not result.fits:
            self._note(result)
            return None
        holds = holds_at_once(result, layout, self._load)
        if holds < 1:
            self._note_too_few(result)
            return None

        def carries(replicas: int) -> bool:
            share = math.ceil(load / replicas)
            sized = self._size(layout, share)
            return sized.fits and holds_at_once(sized, layout, self._load) >= share

        replicas = least_for(carries, math.ceil(load / holds), math.ceil(load / min(holds, usual)))
        replicas = self._enough_for_speed(layout, nodes, replicas)
        most = self._most_owned(layout, nodes)
        replicas = on_all_that_is_owned(self._search.situation, most, replicas)
        result = self._size(layout, math.ceil(load / replicas))
        holds = holds_at_once(result, layout, self._load)
        if fills_engines(self._search.situation):
            most = _BATCH_SEQUENCES * layout.data_parallel
            result = full_engine(lambda streams: self._size(layout, streams), holds, most, result)
            holds = holds_at_once(result, layout, self._load)
        return replicas, holds, result

    def _note_too_few(self, result: SizeResult) -> None:
        self.reasons["kv_too_small_for_max_model_len"] += 1
        room = result.max_concurrency.expected if result.max_concurrency else 0.0
        text = f"the cache holds {room:.2f} of a request of {self._load.context_tokens:,} tokens."
        self.nearest = Unfit(self._card, self._format, "kv_too_small_for_max_model_len", text)

    def _enough_for_speed(self, layout: Layout, nodes: int, replicas: int) -> int:
        """Return more replicas where only they reach a wanted speed, else the same number.

        As many as the middle of the estimates asks for. Where the limits of the answers leave
        no room for them, as many as fit, and no fewer than the fast end asks for: fewer users
        must never get more GPUs.
        """
        load, targets = self._load.concurrency, self._search.targets
        if not targets.set_speed:
            return replicas
        result = self._size(layout, math.ceil(load / replicas))
        low = targets.least_replicas(result, replicas, load)
        between = (low, load + targets.prompts.replicas(result))
        found = self._least_reaching(targets.likely, layout, replicas, between)
        if found is not None and self._allowed(layout, nodes, found):
            return found
        least = self._least_reaching(targets.fast_enough, layout, replicas, between)
        if least is None or found is None:
            return least or replicas
        first_out = least_for(lambda n: not self._allowed(layout, nodes, n), least, found)
        return max(least, first_out - 1)

    def _least_reaching(
        self,
        enough: Callable[[SizeResult, int], bool],
        layout: Layout,
        replicas: int,
        between: tuple[int, int],
    ) -> int | None:
        load, (low, most) = self._load.concurrency, between

        def reaches(count: int) -> bool:
            return enough(self._size(layout, math.ceil(load / count)), count)

        if reaches(replicas):
            return replicas
        if low > most or not reaches(most):
            return None
        # the lower bound is close, so steps from it ask sizing less often than halving does
        below, count, step = low - 1, low, 1
        while count < most and not reaches(count):
            below, count, step = count, min(most, count + step), 2 * step
        return least_for(reaches, below + 1, count)

    def _allowed(self, layout: Layout, nodes: int, replicas: int) -> bool:
        """Tell whether so many replicas are within what is owned, the quota and the budget."""
        search, most = self._search, self._most_owned(layout, nodes)
        if most is not None and replicas > most:
            return False
        if search.targets.gpus is not None and layout.gpus * replicas > search.targets.gpus:
            return False
        if search.purchases is not None:
            price = price_to_buy(search.purchases, self._card.gpu, layout.gpus, nodes, replicas)
            return price.usd is None or price.usd.low <= (search.targets.usd or math.inf)
        quote = self._quote(layout, nodes, replicas)
        return quote is None or (
            quote.usd_per_hour <= (search.targets.usd_per_hour or math.inf)
            and quote.billed_gpus <= (search.targets.gpus or math.inf)
        )

    def _quote(self, layout: Layout, nodes: int, replicas: int) -> Quote | None:
        if self._search.situation.owned:
            return None
        return self._search.tariff.quote(
            self._card.gpu.id, layout.gpus // nodes, nodes * replicas, spanning=nodes > 1
        )

    def _other_machines(self, quote: Quote | None) -> tuple[int, ...]:
        if quote is not None or self._search.situation.owned:
            return ()
        return self._search.tariff.other_machines(self._card.gpu.id)

    def _most_owned(self, layout: Layout, nodes: int) -> int | None:
        stages = layout.pipeline_parallel
        return self._card.most_replicas(layout.gpus // stages, stages, nodes)
