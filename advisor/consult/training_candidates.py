"""Candidates for fine-tuning and pretraining: the fewest GPUs of each kind that hold the job.

Machines are used whole once one GPU is not enough: owned ones because idle GPUs save nothing,
rented ones because all of their GPUs are on the bill. Pre-training takes all that is owned.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from advisor.consult.candidate import Candidate, Candidates, Unfit
from advisor.consult.layouts import wanted_layout
from advisor.consult.prices import Quote, Tariff
from advisor.consult.ranking import spent_on
from advisor.consult.situation import Card, Situation
from advisor.consult.training_job import job_plan, recompute_is_fixed
from advisor.consult.training_layouts import smallest_split, split_instead, splits_are_wanted
from advisor.consult.training_runs import run_of
from advisor.consult.training_sizes import sized_job, unfit_job
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.training import SmallestWorld, TrainingPlan, smallest_world_size
from advisor.sizing.training_plan import Recompute, Sharding
from advisor.sizing.training_result import USABLE
from advisor.sizing.training_time import training_hours
from advisor.store.model import Model

__all__ = ["find_training_candidates"]

_LARGEST_JOB = 64
_LARGEST_FULL_JOB = 512
"""GPUs that a job may rent; adapters need no more than a few machines."""
_NODES = (*range(2, 17), *range(18, 33, 2), *range(36, 65, 4), 80, 96, 128, 192, 256)
"""Nodes of one job that are tried: closer steps where a node more or less still counts."""
_MOST_MACHINES = 64
"""Of a split, whose stages need other numbers than full sharding."""
_PATIENCE_HOURS = 24.0
"""A run that takes one GPU longer is spread over the machine it sits in."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job as it is spread over GPUs that hold it."""

    plan: TrainingPlan
    result: SizeResult
    why_split: str | None = None
    sharded: TrainingPlan | None = None


def find_training_candidates(situation: Situation, tariff: Tariff) -> Candidates:
    """Size the job on every allowed GPU; keep the smallest safe count of each."""
    model = situation.load.model
    if model is None:
        return Candidates()
    counts: Counter[str] = Counter(reason for _, reason in situation.ruled_out)
    kept: list[Candidate] = []
    unfit: list[Unfit] = []
    considered = len(situation.ruled_out)
    for card in situation.cards:
        search = _Search(situation, model, card, tariff)
        world = search.world()
        considered += len(world.tried)
        job = search.job(world)
        if job is not None:
            kept.append(search.candidate(job))
            continue
        missed = unfit_job(situation, model, card, world)
        counts[missed.reason] += 1
        unfit.append(missed)
    kept.sort(key=_by_cost)
    return Candidates(tuple(kept), tuple(unfit), considered, dict(sorted(counts.items())))


def _legal_counts(card: Card, largest_job: int) -> tuple[int, ...]:
    machine = card.machine_gpus
    limit = card.max_gpus or largest_job
    inside = [n for n in (1, 2, 4, 8, 16, 32, 64, 72) if n <= min(machine, limit)]
    across = [machine * n for n in _NODES if machine * n <= limit]
    if machine == 1 and card.max_gpus is None:
        across = []  # nobody gets nodes of one GPU for a job that spans several
    return tuple(sorted({*inside, *across}))


def _wanted_counts(situation: Situation, card: Card) -> tuple[int, ...]:
    """Return the number of data ranks that the answers insist on, where it can be had."""
    wanted = wanted_layout(situation.answers)
    count = None if wanted is None or splits_are_wanted(situation) else wanted.data_parallel
    if count is None or count > (card.max_gpus or count):
        return ()
    return (count,)


def _split_counts(card: Card, largest_job: int) -> tuple[int, ...]:
    """Return counts for splits: stages want numbers of machines that layers divide by."""
    machine, limit = card.machine_gpus, card.max_gpus or largest_job
    across = {machine * n for n in range(2, _MOST_MACHINES + 1) if machine > 1 or card.max_gpus}
    found = {*_legal_counts(card, largest_job), *across}
    return tuple(sorted(count for count in found if count <= limit))


class _Search:
    """The layouts of one job on one card."""

    def __init__(self, situation: Situation, model: Model, card: Card, tariff: Tariff) -> None:
        self._situation, self._model, self._card = situation, model, card
        self._tariff = tariff
        self._plan = job_plan(situation, card)
        self._budget = card.memory_gib * USABLE
        large = self._plan.method == "full" and card.gpu.scale_up_gpus > 1
        largest = _LARGEST_FULL_JOB if large else _LARGEST_JOB
        self._counts = _wanted_counts(situation, card) or _legal_counts(card, largest)
        self._split_counts = _split_counts(card, largest)

    def world(self) -> SmallestWorld:
        """Return the fewest GPUs that hold the job for sure, shared out as stated.

        Recomputation is chosen with them unless it was stated: of equal counts the one that
        recomputes least, since recomputing costs a third of the time.
        """
        plan, model = self._plan, self._model
        levels: tuple[Recompute, ...] = ("none", "full")
        if recompute_is_fixed(self._situation):
            levels = (plan.recompute,)
        worlds = []
        for level in levels:
            # one GPU has nothing to shard, so it is sized without the buffers of sharding
            if plan.context_parallel == 1:
                alone = replace(plan, recompute=level, sharding="none")
                worlds.append(smallest_world_size(model, alone, self._budget, (1,)))
            several = tuple(count for count in self._counts if count > 1)
            if several:
                spread = replace(plan, recompute=level)
                worlds.append(smallest_world_size(model, spread, self._budget, several))
        return min(worlds, key=_gpus_needed, default=SmallestWorld(None, None, None, None, ()))

    def job(self, world: SmallestWorld) -> _Job | None:
        """Return the job as it is spread: fully sharded, or split where that goes first."""
        memory = world.safe_memory or (world.memory if world.gpus is not None else None)
        sharded = None if memory is None else self._sharded(memory.plan)
        split = split_instead(
            self._situation, self._model, self._plan, self._card,
            None if sharded is None else sharded.plan, self._split_counts, self._budget,
        )  # fmt: skip
        if split is None:
            return None if splits_are_wanted(self._situation) else sharded
        plan = split.memory.plan
        for count in self._whole_nodes(plan):
            wider = smallest_split(
                self._situation, self._model, self._plan, self._card, (count,), self._budget
            )
            plan = plan if wider is None else wider.plan
        result = self._sized(plan)
        if not result.fits:
            return sharded
        return _Job(plan, result, split.why, None if sharded is None else sharded.plan)

    def candidate(self, job: _Job) -> Candidate:
        """Return the job with its rent, spread over every GPU that is on the bill."""
        quote = self._quote(job.plan)
        if quote is not None and quote.idle_gpus and self._fills_machines(quote):
            wider = self._wider(job, quote.instances * quote.instance_gpus)
            if wider is not None:
                job, quote = wider, replace(quote, used_gpus=wider.plan.gpus, smaller=None)
        plan, card = job.plan, self._card
        layout = Layout(plan.tensor_parallel, plan.pipeline_parallel, plan.world_size)
        split = plan.tensor_parallel * plan.pipeline_parallel > 1
        ranks = f"tp{plan.tensor_parallel}pp{plan.pipeline_parallel}dp" if split else "x"
        name = f"{card.label}/{plan.method}/{plan.sharding}{ranks}{plan.world_size}"
        return Candidate(
            name, card, job.result.weight_format, layout, plan.nodes, 1, 1, job.result, quote,
            plan.method != "qlora",
            run=run_of(
                self._situation, self._model, card, plan,
                why_split=job.why_split if split else None, sharded=job.sharded if split else None,
            ),
        )  # fmt: skip

    def _quote(self, plan: TrainingPlan) -> Quote | None:
        if self._situation.owned:
            return None
        per_node = min(plan.gpus, self._card.machine_gpus)
        return self._tariff.quote(self._card.gpu.id, per_node, plan.nodes, spanning=plan.nodes > 1)

    def _fills_machines(self, quote: Quote) -> bool:
        """Tell whether GPUs that are billed and idle may join: they make the run shorter."""
        bought = self._situation.answers.get("hardware.acquisition") == "buy"
        simple = self._situation.priority == "simplicity"
        return not bought and not simple and quote.instance_gpus <= self._card.machine_gpus

    def _wider(self, job: _Job, count: int) -> _Job | None:
        """Return the job on ``count`` GPUs, the least recomputed that surely fits."""
        if job.why_split is not None:
            memory = smallest_split(
                self._situation, self._model, self._plan, self._card, (count,), self._budget
            )
            result = None if memory is None else self._sized(memory.plan)
            if memory is None or result is None or not result.fits:
                return None
            return replace(job, plan=memory.plan, result=result)
        return self._over((count,), job.plan)

    def _sharded(self, plan: TrainingPlan) -> _Job | None:
        """Return the job on whole owned nodes, else on the fewest GPUs whose hosts hold it too.

        More nodes leave less to each host, so a host that is too small may do in a larger job.
        """
        more = [count for count in self._counts if count > plan.gpus]
        found = self._over((*self._whole_nodes(plan), plan.gpus, *more), plan)
        if found is not None or plan.gpus > 1:
            return found
        # copies of what one GPU holds may be too much for the hosts where shares are not
        return self._over(more, replace(plan, sharding=self._plan.sharding))

    def _over(self, counts: Iterable[int], plan: TrainingPlan) -> _Job | None:
        """Return the job on the first of ``counts`` GPUs that hold it."""
        stated = self._situation.answers.get("training.sharding")
        for count in counts:
            if count % plan.context_parallel:
                continue
            wider = plan if count == plan.gpus else replace(plan, world_size=count)
            if plan.gpus == 1 < count:
                # one GPU was sized without sharding; several follow what was stated, else copies
                sharding: Sharding = stated if isinstance(stated, str) else plan.sharding  # type: ignore[assignment]
                wider = replace(wider, sharding=sharding)
            for level in self._levels(plan):
                job = replace(wider, recompute=level)
                result = self._sized(job)
                close = any(problem.code == "borderline" for problem in result.problems)
                if result.fits and (level == plan.recompute or not close):
                    return _Job(job, result)
        return None

    def _levels(self, plan: TrainingPlan) -> tuple[Recompute, ...]:
        """Return what may be recomputed, least first: as stated, else as the room asks for."""
        if recompute_is_fixed(self._situation) or plan.recompute == "none":
            return (plan.recompute,)
        return ("none", plan.recompute)

    def _whole_nodes(self, plan: TrainingPlan) -> tuple[int, ...]:
        """Return the count that leaves no owned GPU of a used machine idle, where that is more.

        One GPU that is enough stays alone unless the run would take it more than a day.
        """
        card = self._card
        if not self._situation.owned or card.max_gpus is None or len(self._counts) == 1:
            return ()
        machine = card.machine_gpus
        whole = math.ceil(plan.gpus / machine) * machine
        if self._situation.load.kind == "pretraining":
            whole = card.max_gpus // machine * machine
        elif plan.gpus == 1 and not self._takes_long(plan):
            return ()
        return (whole,) if plan.gpus < whole <= card.max_gpus else ()

    def _takes_long(self, plan: TrainingPlan) -> bool:
        tokens = self._situation.answers.get("training.dataset_tokens")
        rate = self._card.gpu.tflops.bf16
        if not isinstance(tokens, int | float) or not rate:
            return False
        hours = training_hours(
            self._model, float(tokens), 1, rate, recompute=plan.recompute, method=plan.method
        )
        return hours.low > _PATIENCE_HOURS

    def _sized(self, plan: TrainingPlan) -> SizeResult:
        return sized_job(self._situation, self._model, self._card, plan)


def _gpus_needed(world: SmallestWorld) -> tuple[float, float]:
    """Return a key: fewest safe GPUs first; of worlds that fail, the one that comes nearest."""
    needs = [need for _, need in world.tried if need is not None]
    count = world.safe_gpus or (world.gpus + 0.5 if world.gpus else math.inf)
    return count, 0.0 if world.gpus else min(needs, default=math.inf)


def _by_cost(candidate: Candidate) -> tuple[float, int, str]:
    return (spent_on(candidate), candidate.total_gpus, candidate.id)
