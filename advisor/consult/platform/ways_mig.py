"""MIG as a way to share: as stated, for the load, or for a number of loads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from advisor.consult.candidate import Candidate
from advisor.consult.candidate_facts import known_only
from advisor.consult.platform.carried import Carried, Held
from advisor.consult.platform.layouts_of_mig import (
    Layout,
    equal_slices,
    filled,
    largest_equal,
    profiles_in_words,
    stated_layout,
    uniform,
)
from advisor.rules.facts import Scalar
from advisor.sizing.mig_placement import instance_memory_gib, plain_profiles
from advisor.store.mig import MigProfile, MigTable

__all__ = ["Cut", "cut", "cut_unknown"]

_STATED = ("tenancy.mig_layout_wanted", "platform.mig_layout_now")
Numbers = tuple[dict[str, Scalar], dict[str, Any]]
"""What rules read, and what the choice would say."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The question: which GPU is cut, for whom."""

    carried: Carried
    table: MigTable
    wanted: int | None
    """Loads that one GPU shall carry."""
    even: bool = False
    """Whether the place allows one size of instance for each GPU only."""

    def layout_of(self, profile: MigProfile) -> Layout:
        """Return a GPU of such instances, as many as are wanted, the rest cut finer."""
        if self.even:
            return Layout(((profile.profile,) * profile.max_instances,))
        count = min(self.wanted or 1, profile.max_instances)
        return Layout((filled([profile] * count, self.table),))


@dataclass(frozen=True, slots=True)
class _Answer:
    """Into what the GPU is cut, and what is wrong with that."""

    layout: Layout | None = None
    profile: MigProfile | None = None
    engine: Candidate | None = None
    """The load in one instance."""
    fits: bool | None = None
    narrow: bool = False
    """Whether the load fits in a narrower format than on whole GPUs only."""
    more: dict[str, Scalar] = field(default_factory=dict)


def cut(question: Cut) -> Numbers:
    """Return facts and parameters of MIG on this GPU."""
    carried, table, wanted = question.carried, question.table, question.wanted
    card = carried.settled.card
    answer = _answer(question)
    profile, engine, layout = answer.profile, answer.engine, answer.layout
    slots = _slots(answer)
    alone = carried.alone
    fields: dict[str, Scalar] = known_only(
        profiles=profiles_in_words(table),
        most=max(p.max_instances for p in plain_profiles(table)),
        fits=answer.fits,
        slots=slots,
        format=None if alone is None else alone.weight_format,
        narrow_format=engine.weight_format if answer.narrow and engine is not None else None,
        instead=_in_formats(question),
        **_job(carried),
        **_shortage(slots, wanted),
        **_halves(table),
        **answer.more,
    )
    more: dict[str, Any] = {}
    if card is not None and len(plain_profiles(table)) > 1:
        largest = plain_profiles(table)[-2]
        fields["largest_gib"] = instance_memory_gib(card.gpu, largest, table)
    if profile is not None:
        fields["profile"] = more["profile"] = profile.profile
        if card is not None:
            gib = instance_memory_gib(card.gpu, profile, table)
            fields["room_gib"], more["instance_memory_gib"] = gib, round(gib, 2)
    if engine is not None:
        more |= _settings(engine, narrow=answer.narrow)
    if layout is None:
        # nothing says into what: the choice is among these
        return fields, {"profiles": [p.profile for p in plain_profiles(table)], **more}
    fields |= {"layout": layout.words, "legal": not layout.fault}
    fields |= {"illegal_because": layout.fault} if layout.fault else {}
    return fields, {**more, "layout": layout.plain}


def cut_unknown(carried: Carried, wanted: int | None) -> Numbers:
    """Return what is known of MIG on a GPU whose profiles the catalogue does not have."""
    card = carried.settled.card
    most = None if card is None else card.gpu.mig.max_instances
    if card is None or most is None:
        return {"profiles_unknown": True}, {}
    parts = None if carried.alone is None else carried.parts(carried.alone)
    fits = None
    if carried.too_large or carried.fills:
        fits = False
    elif parts is not None:
        fits = parts >= most
    fields = known_only(
        profiles_unknown=True,
        most=most,
        slots=most,
        room_gib=card.memory_gib / most,
        largest_gib=card.memory_gib / most,
        fits=fits,
        format=None if carried.alone is None else carried.alone.weight_format,
        **_shortage(most, wanted),
    )
    return fields, {"most_instances": most}


def _job(carried: Carried) -> dict[str, Scalar | None]:
    """Return what a training job must hold on its GPU, GiB."""
    candidate = carried.alone
    total = None if candidate is None else candidate.result.total_gib_per_gpu
    if total is None:
        return {}
    return {"needs_gib": total.expected, "needs_high_gib": total.high}


def _shortage(slots: int | None, wanted: int | None) -> dict[str, Scalar | None]:
    """Return whether more loads are wanted than find a place, and how many GPUs it takes."""
    if slots is None or wanted is None or slots >= wanted:
        return {"short": False}
    return {"short": True, "cards_needed": -(-wanted // slots)}


def _halves(table: MigTable) -> dict[str, Scalar | None]:
    half, quarter = largest_equal(2, table), largest_equal(4, table)
    return {
        "half": None if half is None else half.profile,
        "quarter": None if quarter is None else quarter.profile,
    }


def _slots(answer: _Answer) -> int | None:
    """Return how many loads of the kind one GPU holds: instances that carry it, or all."""
    layout, profile = answer.layout, answer.profile
    if layout is None or "stated" not in answer.more:
        return None if profile is None else profile.max_instances
    if profile is None:
        return max(map(len, layout.gpus), default=0) or None
    return max(held.count(profile.profile) for held in layout.gpus)


def _answer(question: Cut) -> _Answer:
    card = question.carried.settled.card
    name = "" if card is None else card.gpu.name
    answers = question.carried.settled.answers
    for key in _STATED:
        stated = stated_layout(answers.get(key), question.table, name)
        if stated is not None:
            return _as_stated(question, stated)
    return _for_load(question)


def _as_stated(question: Cut, stated: Layout) -> _Answer:
    """Return the layout that is wanted or there, if an instance of it carries the load."""
    carried, table = question.carried, question.table
    names = {name for held in stated.gpus for name in held}
    said: dict[str, Scalar] = {"stated": stated.words}
    said |= {"uneven": True} if question.even and not _even(stated) else {}
    if carried.too_large:
        return _Answer(stated, fits=False, more=said)
    if carried.alone is None:
        only = table.profile(names.pop()) if len(names) == 1 else None
        return _Answer(stated, only, fits=True if names or only else None, more=said)
    held = [p for name in names if (p := table.profile(name)) is not None]
    held.sort(key=lambda p: (p.memory_slices, p.compute_slices))
    for base in (carried.alone, *carried.near):
        for profile in held:
            found = carried.on_instance(profile, table, base)
            if found is not None:
                narrow = base is not carried.alone
                return _Answer(stated, profile, found, fits=True, narrow=narrow, more=said)
    said |= _tight(carried, table, held)
    other = _for_load(question)
    return _Answer(
        other.layout, other.profile, other.engine, other.fits, other.narrow,
        {**other.more, **said, "too_small": True},
    )  # fmt: skip


def _tight(carried: Carried, table: MigTable, held: list[MigProfile]) -> dict[str, Scalar]:
    """Return the instance in which the load starts by the expected figure, and not for sure."""
    base = carried.alone
    if base is None:
        return {}
    for profile in held:
        if carried.on_instance(profile, table, base, tight=True) is not None:
            return {"tight": profile.profile, "tight_format": base.weight_format}
    return {}


def _even(layout: Layout) -> bool:
    return all(uniform(Layout((held,))) for held in layout.gpus if held)


def _for_load(question: Cut) -> _Answer:
    """Return the layout for the one load, else for the number of loads."""
    carried, wanted = question.carried, question.wanted
    if carried.too_large:
        return _Answer(fits=False)
    if carried.alone is None:
        return _Answer() if wanted is None else _for_number(question, wanted)
    for held, settles in _tries(question, carried.alone):
        if held is not None:
            profile, engine = held
            narrow = engine.weight_format != carried.alone.weight_format
            return _Answer(question.layout_of(profile), profile, engine, settles, narrow)
    return _Answer(fits=False)


def _tries(question: Cut, base: Candidate) -> Iterator[tuple[Held | None, bool]]:
    """Yield instances, best first, with whether they are an answer to what is asked.

    The format of the whole GPU first, for as many loads as are wanted. Where loads are to be held
    apart a narrower one comes next, before fewer loads on a GPU; else it is only an alternative.
    """
    carried, table, wanted = question.carried, question.table, question.wanted or 1
    apart = carried.walls_asked and wanted > 1
    yield carried.smallest(table, base, wanted), True
    if apart:
        for other in carried.near:
            yield carried.smallest(table, other, wanted), True
    if wanted > 2:
        yield carried.smallest(table, base, 2), True
    for other in carried.narrower:
        settles = apart and other in carried.near
        yield carried.smallest(table, other, wanted), settles
        yield carried.smallest(table, other, min(2, wanted)), settles


def _for_number(question: Cut, wanted: int) -> _Answer:
    """Return the largest equal instances for so many loads, or as many as there can be."""
    table = question.table
    most = max(p.max_instances for p in plain_profiles(table))
    count = min(wanted, most)
    profile = largest_equal(count, table)
    if profile is None:
        return _Answer()
    if question.even:
        return _Answer(question.layout_of(profile), profile, fits=True)
    held = equal_slices(count, table)
    return _Answer(None if held is None else Layout((held,)), profile, fits=True)


def _in_formats(question: Cut) -> str | None:
    """Return how many instances carry the load in which format: ``2 x 3g.40gb in bf16``."""
    carried = question.carried
    if carried.alone is None:
        return None
    found = []
    for base in (carried.alone, *carried.narrower):
        held = carried.smallest(question.table, base)
        if held is not None:
            profile = held[0]
            found.append(f"{profile.max_instances} x {profile.profile} in {base.weight_format}")
    return " or ".join(dict.fromkeys(found)) or None


def _settings(candidate: Candidate, *, narrow: bool) -> dict[str, Any]:
    """Return what the engine in an instance is told."""
    result = candidate.result
    at_once = candidate.holds
    if result.max_num_seqs is not None:
        # the engine runs no more, however much room there is
        at_once = min(at_once, result.max_num_seqs)
    settings = known_only(
        weight_format=candidate.weight_format if narrow else None,
        max_model_len=result.max_model_len,
        max_num_seqs=result.max_num_seqs,
        gpu_memory_utilization=result.gpu_memory_utilization,
        requests_at_once=None if candidate.run is not None else at_once,
    )
    return dict(settings)
