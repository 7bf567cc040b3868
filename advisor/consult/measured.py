"""Facts ``measured``: what was observed, beside the estimate for the layout that runs.

A figure is compared only where it is known what it was measured on: one kind of GPU is named, and
the load that was running is stated. Otherwise the fact says what is missing. The layout is the one
said to be in use; where none is said, the one that is advised, and the fact says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.candidate import Candidate
from advisor.consult.candidate_facts import known_only
from advisor.consult.judged import scheduler_limits, stated_layout
from advisor.consult.measured_links import link_fact
from advisor.consult.measured_steps import step_fact
from advisor.consult.share_of_load import size_request
from advisor.consult.situation import Card, Situation
from advisor.consult.targets import targets_of
from advisor.errors import InputError
from advisor.rules.facts import Fact, Scalar
from advisor.sizing.by_name import sizing_facts
from advisor.sizing.layout import Layout
from advisor.sizing.result import SizeResult
from advisor.sizing.size import size_layout

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["measured_facts", "open_facts"]

_SPEEDS = {
    "user": ("observed.tokens_per_second_per_user", "for one user"),
    "total": ("observed.total_output_tokens_per_second", "in total"),
    "first": ("observed.ttft_ms", "to the first token"),
}
_SILENT = frozenset({"embeddings", "reranking"})
_WANTED = {
    "user": "objectives.tokens_per_second_per_user",
    "total": "objectives.total_output_tokens_per_second",
    "first": "objectives.ttft_ms",
}


def measured_facts(
    situation: Situation, best: Candidate | None, knowledge: Knowledge
) -> tuple[Fact, ...]:
    """Return one fact for each figure that was observed.

    Args:
        situation: As it is stated, before anything was changed to make it fit.
        best: What is advised, if anything.
        knowledge: Knows engines and links.
    """
    if not any(key.startswith("observed.") for key in situation.answers.values):
        return ()
    bench = _Bench(situation, best, knowledge)
    step = step_fact(situation, bench.card)
    link = link_fact(situation, bench.card, knowledge)
    return (*bench.speeds(), *(fact for fact in (step, link) if fact is not None))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The layout that the figures are about."""

    layout: Layout
    card: Card
    weight_format: str
    instances: int
    in_use: bool
    as_advised: bool

    @property
    def words(self) -> str:
        """How it is told."""
        sizes = f"{_sizes(self.layout)} on {self.layout.gpus} x {self.card.label}"
        told = f"({sizes}, {self.weight_format} weights)"
        if self.in_use:
            return f"the layout in use {told}"
        return f"the layout advised here {told}, which may not be the one that ran: none is stated"


def open_facts(answers: Answers, why: str) -> tuple[Fact, ...]:
    """Return one fact for each observed speed of serving, none of which is compared.

    Args:
        answers: Hold what was observed.
        why: What stands against it, as a clause.
    """
    return tuple(
        _fact(what=what, of=of, value=value, not_compared=why, give="workload")
        for what, (key, of) in _SPEEDS.items()
        if (value := _number(answers, key)) is not None
    )


class _Bench:
    """Compares speeds of serving."""

    def __init__(self, situation: Situation, best: Candidate | None, knowledge: Knowledge) -> None:
        self._situation, self._best = situation, best
        self._answers, self._load = situation.answers, situation.load
        self._facts = sizing_facts(knowledge)
        self.card = _the_card(situation)

    def speeds(self) -> Iterator[Fact]:
        """Yield what was observed of the speed of serving."""
        given = {
            what: value
            for what, (key, _) in _SPEEDS.items()
            if (value := _number(self._answers, key)) is not None
        }
        if not given:
            return
        runs = self._runs()
        for what, value in given.items():
            yield self._fact(what, value, runs)
        if runs is not None and {"user", "total"} <= given.keys():
            yield from self._streams(given["total"] / given["user"])

    def _fact(self, what: str, value: float, runs: _Runs | None) -> Fact:
        fields: dict[str, Scalar | None] = {"what": what, "of": _SPEEDS[what][1]}
        why = self._missing(what, runs)
        if why is not None or runs is None:
            text, give = why or _NO_LAYOUT
            return _fact(**fields, value=value, not_compared=text, give=give)
        band = self._band(what, runs)
        if isinstance(band, str):
            text = f"there is no estimate: {band}"
            return _fact(**fields, value=value, not_compared=text, give="nothing more")
        return _fact(
            **fields,
            **{"wait_ms" if what == "first" else "speed": value},
            **compared(value, *band),
            on=runs.words,
            in_use=runs.in_use,
            as_advised=runs.as_advised,
            gpus=runs.layout.gpus,
            streams=self._load.concurrency,
            wanted=_number(self._answers, _WANTED[what]),
        )

    def _missing(self, what: str, runs: _Runs | None) -> tuple[str, str] | None:
        """Return why a figure cannot be compared, and which answer would help."""
        load, given = self._load, self._answers.is_given
        writes = load.model is not None and not load.trains and load.kind not in _SILENT
        first = what == "first"
        checks = (
            (writes, "there is no model here that writes tokens", "workload.model"),
            (self.card, "the GPU that it was measured on is not named alone", "hardware.gpu"),
            (runs, *_NO_LAYOUT),
            (
                not first or load.prompt_tokens,
                "the length of the prompt is not known",
                "workload.prompt_tokens",
            ),
            (
                first or given("workload.concurrency"),
                "how many requests ran at once is not known",
                "workload.concurrency",
            ),
        )
        return next(((text, give) for known, text, give in checks if not known), None)

    def _runs(self) -> _Runs | None:
        """Return the layout in use, else the advised one where it is of the named GPU."""
        card, best, load = self.card, self._best, self._load
        if card is None or load.model is None or load.trains:
            return None
        stated = stated_layout(self._answers)
        in_use = stated is not None and self._answers.get("layout.state") != "wanted"
        mine = best is not None and best.card.label == card.label
        if stated is not None and in_use:
            there = card.max_gpus or stated.gpus
            same = (
                best is not None
                and mine
                and best.layout == stated
                and best.weight_format == load.formats[0]
            )
            instances = max(1, there // stated.gpus)
            return _Runs(stated, card, load.formats[0], instances, in_use=True, as_advised=same)
        if best is None or not mine:
            return None
        return _Runs(
            best.layout, card, best.weight_format, best.replicas, in_use=False, as_advised=True
        )

    def _band(self, what: str, runs: _Runs) -> tuple[float, float] | str:
        """Return the ends of the estimate, or why there is none.

        All requests may be with one instance, or spread over all that the GPUs hold, and those
        that find no room wait: both ends take the case that is good for them.
        """
        wanted = self._load.concurrency
        crowded = self._sized(runs, wanted)
        if isinstance(crowded, str):
            return crowded
        if what == "first":
            first = crowded.ttft_ms
            return crowded.no_estimate["ttft_ms"] if first is None else (first.low, first.high)
        held = _held(crowded, wanted)
        alone = self._sized(runs, max(1, min(held, -(-wanted // runs.instances))))
        full = self._sized(runs, held)
        if isinstance(alone, str) or isinstance(full, str):
            return str(alone)
        prompts = targets_of(self._answers, self._load).prompts
        if what == "user":
            slow, fast = prompts.one_user(crowded), alone.decode_tokens_per_second
        else:
            slow, fast = prompts.total(full, 1), crowded.total_output_tokens_per_second
        if slow is None or fast is None:
            return crowded.no_estimate.get("decode_tokens_per_second", "the load is too large")
        most = fast.high * (1 + self._load.speculative_tokens)
        return slow.low, most * (runs.instances if what == "total" else 1)

    def _sized(self, runs: _Runs, streams: int) -> SizeResult | str:
        load, model = self._load, self._load.model
        if model is None or runs.layout.pipeline_parallel > model.layers:
            return "the layout does not fit the model's layers"
        limits = scheduler_limits(self._answers) if runs.in_use else {}
        request = size_request(load, runs.card, runs.weight_format, streams, **limits)
        try:
            return size_layout(request, model, runs.card.gpu, runs.layout, self._facts)
        except InputError as error:
            return str(error)

    def _streams(self, running: float) -> Iterator[Fact]:
        """Yield how many requests ran at once by the two speeds, beside what is stated."""
        if not self._answers.is_given("workload.concurrency"):
            return
        stated = float(self._load.concurrency)
        fields = compared(running, stated, stated)
        yield _fact(what="streams", of="at once", running=running, **fields)


_NO_LAYOUT = (
    "no layout is said to be in use, and none of that GPU is advised",
    "layout.tensor_parallel",
)


def compared(value: float, low: float, high: float) -> dict[str, Scalar | None]:
    """Return the ends of an estimate and how far a measured value is from them."""
    return {
        "low": low,
        "high": high,
        "percent_of_low": 100 * value / low if low > 0 else None,
        "times_high": value / high if high > 0 else None,
    }


def _fact(**fields: Scalar | None) -> Fact:
    return Fact("measured", f"measured:{fields['what']}", known_only(**fields))


def _held(result: SizeResult, wanted: int) -> int:
    """Return how many of the wanted requests one instance runs at once, by the cautious end."""
    ranks, room = result.layout.data_parallel, result.max_concurrency
    held = wanted if room is None else min(wanted, int(room.low * ranks))
    if result.max_num_seqs is not None:
        held = min(held, result.max_num_seqs * ranks)
    return max(1, held)


def _the_card(situation: Situation) -> Card | None:
    """Return the GPU that is named, where it is one kind: figures are about it."""
    named = situation.owned or situation.answers.is_given("hardware.gpu")
    if not named or situation.elsewhere or len(situation.cards) != 1:
        return None
    return situation.cards[0]


def _sizes(layout: Layout) -> str:
    parts = [f"TP{layout.tensor_parallel}"]
    if layout.pipeline_parallel > 1:
        parts.append(f"PP{layout.pipeline_parallel}")
    if layout.data_parallel > 1:
        parts.append(f"DP{layout.data_parallel}")
    if layout.expert_parallel:
        parts.append(f"EP{layout.expert_ranks}")
    return " x ".join(parts)


def _number(answers: Answers, key: str) -> float | None:
    value = answers.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
