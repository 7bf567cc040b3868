"""When nothing carries the load: the smallest changes that make something fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from advisor.consult.attempt import Attempt, Desk
from advisor.consult.candidate import Candidate
from advisor.consult.candidate_formats import gguf_formats
from advisor.consult.cards import grown, market
from advisor.consult.consultation import Alternative
from advisor.consult.gpu_decision import gpu_choice, option_of
from advisor.consult.leaner_load import leaner_loads, shorter_requests
from advisor.consult.published import format_bits
from advisor.consult.situation import Situation
from advisor.consult.understand import Assumptions

__all__ = ["changed_fleet", "remedies", "surer_ways"]

_FORMATS = ("bf16", "fp8", "int8", "awq_int4", "gptq_int4")
_MOST_FORMATS = 2
_MOST_JOBS = 3


def changed_fleet(desk: Desk, failed: Attempt) -> Attempt | None:
    """Return what carries the load instead: the same GPUs, more of them, else others.

    A training job is changed first, gently. More cards of a kind that is joined by PCIe only are no
    remedy for a model that spans nodes of them while one node of other cards holds it.
    """
    situation = failed.situation
    if not situation.owned or situation.open_reasons:
        return None
    for attempt in _ways_to_train(desk, situation):
        return attempt
    more = desk.attempt(_grown(situation))
    if more.best is not None and not _over_slow_links(more.best):
        return more
    others = desk.attempt(_elsewhere(desk, situation))
    return next((attempt for attempt in (others, more) if attempt.ranked), None)


def _grown(situation: Situation) -> Situation:
    return replace(situation, cards=tuple(map(grown, situation.cards)))


def _over_slow_links(best: Candidate) -> bool:
    links = best.card.gpu.interconnect
    joined = links.nvlink_bidirectional_gbs or links.fabric_bidirectional_gbs
    bridged = not joined or links.nvlink_bridge_only
    return best.nodes_per_replica > 1 and bool(bridged)


def _elsewhere(desk: Desk, situation: Situation) -> Situation:
    """Return the same load with every GPU that could be had."""
    answers = situation.answers
    cards, out = market(answers, desk.knowledge, Assumptions(answers))
    return replace(situation, cards=cards, owned=False, ruled_out=out, elsewhere=True)


def remedies(desk: Desk, failed: Attempt, changed: Attempt | None = None) -> Iterator[Alternative]:
    """Yield ways out, the smallest change first.

    Args:
        desk: For further attempts.
        failed: What carries nothing.
        changed: What is chosen instead of what is owned, if anything is.
    """
    situation = failed.situation
    if situation.load.trains:
        yield from _other_jobs(desk, failed)
    else:
        yield from _other_formats(desk, failed)
        yield from leaner_loads(desk, failed)
    yield from _limits_lifted(failed)
    if not situation.owned and situation.answers.is_given("hardware.gpu"):
        yield from _other_gpus(desk, failed, "If another GPU than the named were allowed.")
    elif changed is not None and not situation.load.trains and not changed.situation.elsewhere:
        words = "If other GPUs were had instead of more of the same."
        yield from _other_gpus(desk, failed, words)


def surer_ways(desk: Desk, attempt: Attempt) -> Iterator[Alternative]:
    """Yield what would surely start on owned GPUs, where the choice may not."""
    situation, best = attempt.situation, attempt.best
    if best is None or not best.borderline or not situation.owned:
        return
    if not situation.load.trains:
        yield from shorter_requests(desk, attempt)
        return
    ways = [way for way in _ways_to_train(desk, situation) if not _may_not_start(way)]
    yield from map(_as_alternative, ways[:_MOST_JOBS])


def _other_formats(desk: Desk, failed: Attempt) -> Iterator[Alternative]:
    """Yield the nearest formats that fit, unless the weights must stay as they are."""
    situation, load = failed.situation, failed.situation.load
    permitted = situation.answers.get("workload.quantization")
    if permitted == "not_allowed" or load.model is None or not load.format_fixed:
        return
    given = format_bits(load.formats[0])
    # of the same width only where the engine lacks the kernel: memory would be short again
    refused = any(unfit.reason == "format_unsupported_on_gpu" for unfit in failed.found.unfit)
    # narrower ones come first: a format that does not fit is not mended by a wider one
    others = (name for name in _readable(situation) if name not in load.formats)
    names = sorted(
        (name for name in others if refused or format_bits(name) != given),
        key=lambda n: (format_bits(n) > given, abs(format_bits(n) - given)),
    )
    if permitted == "fp8_only":
        names = [name for name in names if name == "fp8" or format_bits(name) > 8]
    told: set[float] = set()
    for name in names:
        if format_bits(name) in told or len(told) == _MOST_FORMATS:
            continue
        attempt = desk.attempt(replace(situation, load=replace(load, formats=(name,), build=None)))
        best = attempt.best
        if best is None:
            continue
        told.add(format_bits(name))
        yield Alternative(
            choice=gpu_choice(best, option_of(situation)),
            because=f"In {name} it fits {best.total_gpus} x {best.card.label}.",
            would_be_chosen_if=f"If weights in {name} were allowed.",
            citations=attempt.rulings.cite("7.3"),
        )


def _readable(situation: Situation) -> tuple[str, ...]:
    """Return the formats of the stated engine."""
    gguf = situation.answers.get("workload.engine") == "llama_cpp"
    return gguf_formats("bf16", "allowed") if gguf else _FORMATS


def _limits_lifted(failed: Attempt) -> Iterator[Alternative]:
    """Yield the best candidate that each rule forbids: what it would take to lift that limit."""
    must = failed.rulings.rejections("must")
    told: set[str] = set()
    for candidate in failed.found.kept:
        ruling = must.get(candidate.id)
        if ruling is None or ruling.rule.id in told:
            continue
        told.add(ruling.rule.id)
        yield Alternative(
            choice=gpu_choice(candidate, option_of(failed.situation)),
            because=f"{candidate.total_gpus} x {candidate.card.label} in "
            f"{candidate.weight_format} carry the load otherwise.",
            would_be_chosen_if=f"If this did not count: {ruling.because}",
            citations=failed.rulings.cite(*ruling.rule.cite),
        )


def _other_gpus(desk: Desk, failed: Attempt, condition: str) -> Iterator[Alternative]:
    attempt = desk.attempt(_elsewhere(desk, failed.situation))
    best = attempt.best
    if best is None:
        return
    yield Alternative(
        choice=gpu_choice(best, "buy_or_rent"),
        because=f"{best.total_gpus} x {best.card.label} in {best.weight_format} carry it.",
        would_be_chosen_if=condition,
        citations=attempt.rulings.cite("8.1"),
    )


def _ways_to_train(desk: Desk, situation: Situation) -> list[Attempt]:
    """Return ways to train all the same, one of each kind: what surely fits first.

    Of those gentle changes of the job come first, then more of the same owned GPUs, then samples
    shorter than stated, since they change the data. Who trains all weights gets what trains them
    on the GPUs that are there, even if it may not start, before adapters or a purchase.
    """
    if not situation.load.trains or not situation.cards or situation.load.model is None:
        return []
    from advisor.consult.training_changes import ON_HOST, SHORTER
    from advisor.consult.training_job import method_of

    cut = {SHORTER} if situation.answers.is_given("training.sequence_tokens") else set[str]()
    jobs = _jobs(desk, situation)
    host = [attempt for kind, attempt in jobs if kind == ON_HOST and _fits_a_host(attempt)]
    kept = [(kind, attempt) for kind, attempt in jobs if kind not in {*cut, ON_HOST}]
    other = {"method"} if method_of(situation) == "full" else set[str]()
    first = [attempt for kind, attempt in kept if other and kind not in other]
    rest = [attempt for kind, attempt in kept if not other or kind in other]
    rest += _more_of_the_same(desk, situation)
    rest += [attempt for kind, attempt in jobs if kind in cut]
    ways = [*sorted(first, key=_may_not_start), *sorted(rest, key=_may_not_start)]
    # nothing is said of host RAM, so what rests on it is told beside the choice
    return [*ways[:1], *host, *ways[1:]] if ways else []


_LARGE_HOST_GIB = 2048
"""Host RAM that machines of eight GPUs come with at most, a few apart: a judgement."""


def _fits_a_host(attempt: Attempt) -> bool:
    needs = attempt.ranked[0].result.host_ram_gib
    return needs is not None and needs <= _LARGE_HOST_GIB


def _may_not_start(attempt: Attempt) -> bool:
    return attempt.ranked[0].borderline


def _more_of_the_same(desk: Desk, situation: Situation) -> list[Attempt]:
    """Return the job as it is on more of the owned GPUs, unless slow links join their machines."""
    if not situation.owned:
        return []
    more = desk.attempt(_grown(situation))
    return [more] if more.best is not None and not _over_slow_links(more.best) else []


def _jobs(desk: Desk, situation: Situation) -> list[tuple[str, Attempt]]:
    """Return changes of the job that fit the cards at hand, with their kinds, gentlest first.

    Of a kind the gentlest that fits for sure, else the gentlest that may.
    """
    from advisor.consult.training_changes import job_changes, worth_telling

    sure: dict[str, Attempt] = {}
    found: dict[str, Attempt] = {}
    for change in job_changes(situation, situation.cards[0]):
        if not worth_telling(change.kind, frozenset(sure)):
            continue
        attempt = desk.attempt(replace(situation, job=change.settings, change=change.text))
        if attempt.best is None:
            continue
        found.setdefault(change.kind, attempt)
        if not attempt.best.borderline:
            sure[change.kind] = found[change.kind] = attempt
    return list(found.items())


def _other_jobs(desk: Desk, failed: Attempt) -> Iterator[Alternative]:
    """Yield smaller jobs, and more of the same GPUs for the job as it is.

    On owned GPUs the first way is the choice, so it is not told again.
    """
    situation = failed.situation
    ways = _ways_to_train(desk, situation)
    told = ways[1 if situation.owned else 0 :][: _MOST_JOBS + situation.owned]
    yield from map(_as_alternative, told)


def _as_alternative(attempt: Attempt) -> Alternative:
    best, situation = attempt.ranked[0], attempt.situation
    what = f"{best.total_gpus} x {best.card.label}"
    if not situation.change:
        return Alternative(
            choice=gpu_choice(best, "change_owned"),
            because=f"{what} hold the job as it is.",
            would_be_chosen_if="If more of the same GPUs could be had.",
            citations=attempt.rulings.cite("7.5"),
        )
    ram = best.result.host_ram_gib if best.result.training.get("offload") == "cpu" else None
    takes = f", and takes about {ram:,.0f} GiB of host RAM on a machine" if ram else ""
    return Alternative(
        choice=gpu_choice(best, "change_owned" if situation.owned else option_of(situation)),
        because=f"With {situation.change} it fits {what}{takes}.",
        would_be_chosen_if=f"If the job used {situation.change}.",
        citations=attempt.rulings.cite("7.5"),
    )
