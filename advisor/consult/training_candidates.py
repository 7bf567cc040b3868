"""Candidates for fine-tuning and pretraining: of each kind the GPUs that hold the job and end it.

Machines are used whole once one GPU is not enough: owned ones because idle GPUs save nothing,
rented ones because all of their GPUs are on the bill. Pre-training and runs of more than a day
take all that is owned; a rented run takes so many that it ends within a month.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from advisor.consult.candidate import Candidate, Candidates, Unfit
from advisor.consult.prices import Quote, Tariff
from advisor.consult.ranking import spent_on
from advisor.consult.situation import Card, Situation
from advisor.consult.training_counts import (
    LONGEST_HOURS,
    PATIENCE_HOURS,
    Option,
    legal_counts,
    preferred,
    split_counts,
    wanted_counts,
)
from advisor.consult.training_job import job_plan, recompute_is_fixed
from advisor.consult.training_layouts import smallest_split, split_instead, splits_are_wanted
from advisor.consult.training_runs import hours_of, run_of
from advisor.consult.training_sizes import sized_job, unfit_job
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.training import SmallestWorld, TrainingPlan, smallest_world_size
from advisor.sizing.training_plan import Recompute, Sharding
from advisor.sizing.training_result import USABLE
from advisor.store.model import Model

__all__ = ["find_training_candidates"]

_LARGEST_JOB = 64
_LARGEST_FULL_JOB = 512
"""GPUs that a job may rent; adapters need no more than a few machines."""
_LESS_RECOMPUTED = 0.7
"""A run without recomputation takes no less than this share of one that recomputes all."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A job as it is spread over GPUs that hold it."""

    plan: TrainingPlan
    result: SizeResult
    why_split: str | None = None
    sharded: TrainingPlan | None = None
    why_count: str | None = None
    """Why more GPUs than the fewest are taken: ``owned``, ``month``, ``longest`` or ``cheaper``."""
    fewest: TrainingPlan | None = None
    """The job on the fewest GPUs, where more are taken."""


def find_training_candidates(situation: Situation, tariff: Tariff) -> Candidates:
    """Size the job on every allowed GPU; keep the smallest safe count of each."""
    model = situation.load.model
    if model is None:
        return Candidates()
    counts: Counter[str] = Counter(reason for _, reason in situation.ruled_out)
    kept: list[Candidate] = []
    unfit: list[Unfit] = []
    considered = len(situation.ruled_out)
    for card in map(_narrowed(situation), situation.cards):
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


def _narrowed(situation: Situation) -> Callable[[Card], Card]:
    """Return what makes a card one machine of it, where all pods must sit on one node."""
    alone = situation.answers.get("training.same_node") is True

    def narrowed(card: Card) -> Card:
        return replace(card, max_gpus=card.machine_gpus, nodes=1) if alone else card

    return narrowed


class _Search:
    """The layouts of one job on one card."""

    def __init__(self, situation: Situation, model: Model, card: Card, tariff: Tariff) -> None:
        self._situation, self._model, self._card = situation, model, card
        self._tariff = tariff
        self._plan = job_plan(situation, card)
        self._budget = card.memory_gib * USABLE
        large = self._plan.method == "full" and card.gpu.scale_up_gpus > 1
        largest = _LARGEST_FULL_JOB if large else _LARGEST_JOB
        self._counts = wanted_counts(situation, card) or legal_counts(card, largest)
        self._split_counts = split_counts(card, largest)

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
        job = _Job(
            split.memory.plan, self._sized(split.memory.plan), split.why,
            None if sharded is None else sharded.plan,
        )  # fmt: skip
        wider = (self._wider(job, count) for count in self._whole_nodes(job.plan))
        job = next((found for found in wider if found is not None), job)
        return self._for_all_owned(job, split.memory.plan) if job.result.fits else sharded

    def candidate(self, job: _Job) -> Candidate:
        """Return the job with its rent, on as many GPUs as its length asks for."""
        job, quote = self._in_time(job)
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
                why_count=job.why_count, fewest=job.fewest,
            ),
            other_machines=self._other_machines(quote),
        )  # fmt: skip

    def _in_time(self, job: _Job) -> tuple[_Job, Quote | None]:
        """Return the job on the fewest GPUs, or on as many as a rented run should take.

        What is bought costs in proportion to its count, so it is left at the fewest.
        """
        fewest = self._billed(job)
        if (
            self._situation.owned
            or self._situation.buys
            or hours_of(*self._place, fewest[0].plan) is None
        ):
            return fewest
        found = [(self._option(*fewest), *fewest)]
        for more in self._more(*fewest):
            wider = self._billed(more)
            option = self._option(*wider)
            if self._allowed(option, wider[1], fewest[1]):
                found.append((option, *wider))
                if not option.late and self._settled(wider[0].plan):
                    break
        options = sorted({option.gpus: option for option, _, _ in found}.values(), key=_gpus_of)
        budget = self._situation.answers.get("objectives.budget_usd")
        taken = preferred(options, self._situation.priority, budget)
        job, quote = next((j, quote) for option, j, quote in found if option == taken)
        if job.plan.gpus == fewest[0].plan.gpus:
            return job, quote
        why = "longest" if taken.late else "month" if found[0][0].late else "cheaper"
        if self._situation.priority == "cost" and math.isfinite(taken.usd):
            why = "cheaper"  # a date decides nothing there
        return replace(job, why_count=why, fewest=fewest[0].plan), quote

    def _settled(self, plan: TrainingPlan) -> bool:
        """Tell whether still more GPUs make a run in time no cheaper: whole machines cost alike."""
        if plan.recompute not in {"none", self._plan.recompute}:
            return False
        return self._situation.priority != "cost" or plan.nodes > 1

    @property
    def _place(self) -> tuple[Situation, Model, Card]:
        return self._situation, self._model, self._card

    def _option(self, job: _Job, quote: Quote | None) -> Option:
        hours = hours_of(*self._place, job.plan) or (math.inf, math.inf)
        return Option(job.plan.gpus, hours, None if quote is None else quote.usd_per_hour)

    def _allowed(self, option: Option, quote: Quote | None, fewest: Quote | None) -> bool:
        """Tell whether more GPUs keep the limits of the answers and have a price, if fewer do."""
        answers = self._situation.answers
        quota = answers.get("platform.gpu_quota")
        hourly = answers.get("objectives.budget_usd_per_hour")
        billed = option.gpus if quote is None else quote.instances * quote.instance_gpus
        if isinstance(quota, int | float) and max(option.gpus, billed) > quota:
            return False
        if option.usd_per_hour is None:
            return fewest is None
        return not isinstance(hourly, int | float) or option.usd_per_hour <= hourly

    def _more(self, job: _Job, quote: Quote | None) -> Iterator[_Job]:
        """Yield the job on more GPUs: the next few counts, then those that may end in time."""
        counts = self._counts if job.why_split is None else self._split_counts
        hours = hours_of(*self._place, job.plan) or (0.0, math.inf)
        most = self._most(job, quote)
        counts = tuple(count for count in counts if job.plan.gpus < count <= most)
        if not math.isfinite(hours[1]):
            return
        needed = _LESS_RECOMPUTED * hours[1] / LONGEST_HOURS * job.plan.gpus
        near = 2 * max(job.plan.gpus, self._card.machine_gpus)
        for count in counts:
            near_or_enough = count <= near or count >= needed or count == counts[-1]
            if near_or_enough:
                wider = self._wider(job, count)
                if wider is not None and not wider.result.borderline:
                    yield wider

    def _most(self, job: _Job, quote: Quote | None) -> float:
        """Return about how many GPUs the quota and the budget by the hour allow."""
        answers = self._situation.answers
        quota = answers.get("platform.gpu_quota")
        hourly = answers.get("objectives.budget_usd_per_hour")
        most = float(quota) if isinstance(quota, int | float) else math.inf
        if isinstance(hourly, int | float) and quote is not None and quote.usd_per_hour:
            most = min(most, hourly * job.plan.gpus / quote.usd_per_hour)
        return most

    def _billed(self, job: _Job) -> tuple[_Job, Quote | None]:
        """Return the job spread over every GPU that is on the bill."""
        quote = self._quote(job.plan)
        if quote is not None and quote.idle_gpus and self._fills_machines(quote):
            wider = self._wider(job, quote.instances * quote.instance_gpus)
            if wider is not None:
                return wider, replace(quote, used_gpus=wider.plan.gpus, smaller=None)
        return job, quote

    def _other_machines(self, quote: Quote | None) -> tuple[int, ...]:
        asked = quote is None and not self._situation.owned
        return self._tariff.other_machines(self._card.gpu.id) if asked else ()

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
            why = "framework" if job.why_split.startswith("framework") else job.why_split
            split = smallest_split(
                self._situation, self._model, self._plan, self._card, (count,), self._budget, why
            )
            result = None if split is None else self._sized(split.memory.plan)
            if split is None or result is None or not result.fits:
                return None
            return replace(job, plan=split.memory.plan, result=result, why_split=split.why)
        return self._over((count,), job.plan)

    def _sharded(self, plan: TrainingPlan) -> _Job | None:
        """Return the job on whole owned nodes, else on the fewest GPUs whose hosts hold it too.

        More nodes leave less to each host, so a host that is too small may do in a larger job.
        """
        more = [count for count in self._counts if count > plan.gpus]
        found = self._over((*self._whole_nodes(plan), plan.gpus, *more), plan)
        if found is None:
            return None
        return self._one_machine(found, plan) or self._for_all_owned(found, plan)

    def _one_machine(self, job: _Job, plan: TrainingPlan) -> _Job | None:
        """Return the job on one owned machine, where the stated network makes several slower."""
        machine = self._card.machine_gpus
        if not self._situation.owned or not plan.gpus <= machine < job.plan.gpus:
            return None
        one = self._over((machine,), plan)
        return one if one is not None and self._pace(one) > self._pace(job) else None

    def _pace(self, job: _Job) -> float:
        return run_of(self._situation, self._model, self._card, job.plan).pace

    def _for_all_owned(self, job: _Job, fewest: TrainingPlan) -> _Job:
        """Return the job with the reason for its count, where a long run takes all owned."""
        gpus, machine = fewest.gpus, self._card.machine_gpus
        whole = gpus if gpus == 1 else math.ceil(gpus / machine) * machine
        if not self._situation.owned or job.plan.gpus <= whole or not self._takes_long(fewest):
            return job
        return replace(job, why_count="owned", fewest=fewest)

    def _over(self, counts: Iterable[int], plan: TrainingPlan) -> _Job | None:
        """Return the job on the first of ``counts`` GPUs that hold it; what may not start last."""
        close: _Job | None = None
        for count in counts:
            if count % plan.context_parallel:
                continue
            for variant in self._variants(plan, count):
                result = self._sized(variant)
                if result.fits and not result.borderline:
                    return _Job(variant, result)
                if result.fits and close is None and variant.recompute == plan.recompute:
                    close = _Job(variant, result)
        return close

    def _variants(self, plan: TrainingPlan, count: int) -> Iterator[TrainingPlan]:
        """Yield ways to run on ``count`` GPUs: the least recomputed first, copies before shares.

        One GPU was sized without sharding; several hold copies of it where nothing was stated,
        and shares where copies and their buffers are too much for the GPUs or their hosts.
        """
        shardings: tuple[Sharding, ...] = (plan.sharding,)
        if plan.gpus == 1 < count:
            stated = self._situation.answers.is_given("training.sharding")
            both: tuple[Sharding, ...] = (plan.sharding, self._plan.sharding)
            shardings = (self._plan.sharding,) if stated else tuple(dict.fromkeys(both))
        for level in self._levels(plan):
            for sharding in shardings:
                yield replace(plan, world_size=count, recompute=level, sharding=sharding)

    def _levels(self, plan: TrainingPlan) -> tuple[Recompute, ...]:
        """Return what may be recomputed, least first: as stated, else as the room asks for."""
        if recompute_is_fixed(self._situation) or plan.recompute == "none":
            return (plan.recompute,)
        return ("none", plan.recompute)

    def _whole_nodes(self, plan: TrainingPlan) -> tuple[int, ...]:
        """Return counts that leave fewer owned GPUs idle than ``plan`` does, most wanted first.

        One GPU that is enough stays alone, and a machine of them one machine, unless the run would
        take more than a day there. Pre-training always takes all.
        """
        card = self._card
        if not self._situation.owned or card.max_gpus is None or len(self._counts) == 1:
            return ()
        machine, there = card.machine_gpus, card.max_gpus
        whole = math.ceil(plan.gpus / machine) * machine
        if self._situation.load.kind == "pretraining" or self._takes_long(plan):
            machines = range(there // machine, 0, -1)
            counts = dict.fromkeys([there, *(machine * number for number in machines)])
        elif plan.gpus > 1:
            counts = {whole: None}
        else:
            counts = {}
        return tuple(count for count in counts if plan.gpus < count <= there)

    def _takes_long(self, plan: TrainingPlan) -> bool:
        """Tell whether a run surely takes more than a day."""
        hours = hours_of(*self._place, plan)
        return hours is not None and PATIENCE_HOURS < hours[0] < math.inf

    def _sized(self, plan: TrainingPlan) -> SizeResult:
        return sized_job(self._situation, self._model, self._card, plan)


def _gpus_of(option: Option) -> int:
    return option.gpus


def _gpus_needed(world: SmallestWorld) -> tuple[bool, float, float]:
    """Return a key: fewest safe GPUs first; of worlds that fail, the one that comes nearest."""
    needs = [need for _, need in world.tried if need is not None]
    count = world.safe_gpus or world.gpus or math.inf
    return world.safe_gpus is None, count, 0.0 if world.gpus else min(needs, default=math.inf)


def _by_cost(candidate: Candidate) -> tuple[float, int, str]:
    return (spent_on(candidate), candidate.total_gpus, candidate.id)
