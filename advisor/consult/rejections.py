"""What was considered and is out, one line per GPU and format, with the number that blocks it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from advisor.consult.attempt import Attempt
from advisor.consult.candidate import Unfit
from advisor.consult.consultation import Rejection
from advisor.consult.published import as_run
from advisor.consult.rulings import Ruling
from advisor.consult.situation import Card

__all__ = ["machine_lines", "machine_sentence", "one_per_kind", "ruled_out", "unfit_lines"]


def unfit_lines(attempt: Attempt, option: str = "buy_or_rent") -> tuple[Rejection, ...]:
    """Return what no legal layout makes fit, with the nearest miss."""
    return tuple(
        Rejection(
            option=option,
            gpu=unfit.card.label,
            weight_format=_shown(unfit.weight_format, unfit.card),
            because=unfit.text,
            citations=attempt.rulings.cite("7.5" if unfit.weight_format is None else "7.3"),
        )
        for unfit in attempt.found.unfit
    )


def machine_lines(
    attempt: Attempt, option: str, kinds: Collection[tuple[str, str]]
) -> tuple[Rejection, ...]:
    """Return why one machine does not do, of GPUs and formats that are shown over several.

    Args:
        attempt: Whose candidates.
        option: What choosing one machine would have meant.
        kinds: GPUs and formats among the alternatives.
    """
    return tuple(
        Rejection(
            option=option,
            gpu=unfit.card.label,
            weight_format=_shown(unfit.weight_format, unfit.card),
            because=_of_one_machine(unfit),
            citations=attempt.rulings.cite("7.3", "7.2"),
        )
        for unfit in attempt.found.machines
        if (unfit.card.label, str(_shown(unfit.weight_format, unfit.card))) in kinds
    )


def machine_sentence(attempt: Attempt) -> str:
    """Return why the choice takes several machines for one replica; empty where one does."""
    best = attempt.ranked[0]
    for unfit in attempt.found.machines:
        if (unfit.card.label, unfit.weight_format) == (best.card.label, best.weight_format):
            return f"One machine does not do: {_of_one_machine(unfit)}"
    return ""


def _of_one_machine(unfit: Unfit) -> str:
    return f"{unfit.gpus} x {unfit.card.gpu.name} of one machine: {unfit.text}"


def ruled_out(
    attempt: Attempt,
    option: str = "buy_or_rent",
    also: Mapping[str, Ruling] | None = None,
) -> tuple[Rejection, ...]:
    """Return kinds of GPU and format of which every layout has a rule against it.

    Args:
        attempt: Whose candidates.
        option: What choosing one of them would have meant.
        also: Rules that speak against a candidate without forbidding it.
    """
    against = {**(also or {}), **attempt.rulings.rejections("must")}
    alive = {(c.card.label, c.weight_format) for c in attempt.found.kept if c.id not in against}
    return tuple(
        Rejection(
            option=option,
            gpu=candidate.card.label,
            weight_format=_shown(candidate.weight_format, candidate.card),
            because=ruling.because,
            citations=attempt.rulings.cite(*ruling.rule.cite),
            rule=ruling.rule.id,
        )
        for candidate in attempt.found.kept
        if (ruling := against.get(candidate.id)) is not None
        and (candidate.card.label, candidate.weight_format) not in alive
    )


def _shown(weight_format: str | None, card: Card) -> str | None:
    return None if weight_format is None else as_run(weight_format, card.gpu)


def one_per_kind(
    lines: Iterable[Rejection], besides: Collection[tuple[str, str]] = ()
) -> tuple[Rejection, ...]:
    """Return the first line of each GPU and format, without the kinds that are told elsewhere."""
    found: dict[tuple[str | None, str | None], Rejection] = {}
    for line in lines:
        found.setdefault((line.gpu, line.weight_format), line)
    return tuple(
        line for kind, line in found.items() if (str(kind[0]), str(kind[1])) not in besides
    )
