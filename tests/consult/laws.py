"""What must hold of every consultation, whatever the answers; used by tests and a benchmark."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from laws_of_sizes import disagreements, unfit_advice

from advisor.consult.consultation import Choice, Citation, Consultation, Decision
from advisor.errors import UnknownNameError
from advisor.store.handbook import load_handbook

sys.path.append(str(Path(__file__).parent / "platform"))
from invariants import check_consultation

__all__ = ["broken_laws"]

_CENT = 0.01


def broken_laws(document: dict[str, Any], consultation: Consultation) -> Iterator[str]:
    """Yield a sentence for each law that does not hold."""
    yield from _cited(consultation)
    yield from _resolved(consultation)
    yield from _counts(consultation)
    yield from _rejected(consultation)
    yield from _fits(consultation)
    yield from disagreements(consultation)
    yield from unfit_advice(document, consultation)
    yield from _cheapest(document, consultation)
    printed = consultation.model_dump(mode="json", by_alias=True)
    yield from check_consultation(printed)
    json.dumps(printed, allow_nan=False)


def _cited(consultation: Consultation) -> Iterator[str]:
    for name, decision in consultation.decisions.items():
        if not decision.citations:
            yield f"{name} is not cited"
        if not decision.because.strip():
            yield f"{name} has no reason"
        if "unknown" in decision.because and decision.choice is not None:
            yield f"{name} has a hole in its reason: {decision.because}"
        if decision.status == "firm" and decision.depends_on:
            yield f"{name} is firm and depends on questions"
        if decision.status == "provisional" and not decision.depends_on:
            yield f"{name} is provisional and depends on nothing"


def _resolved(consultation: Consultation) -> Iterator[str]:
    """Yield every section that `gpu-advisor cite` could not show, and what cites nothing."""
    book = load_handbook()
    for what, citations in _citations(consultation):
        if not citations:
            yield f"{what} is not cited"
        for cited in citations:
            try:
                section = book.section(f"{cited.section}#{cited.anchor}")
            except UnknownNameError:
                yield f"{what} cites {cited.section}#{cited.anchor}, which does not exist"
                continue
            if cited.title != section.title:
                yield f"{what} cites {cited.section} by another title: {cited.title}"
    for assumption in consultation.assumptions:
        try:
            book.section(assumption.section)
        except UnknownNameError:
            yield f"the assumption {assumption.key} cites {assumption.section}"


def _citations(consultation: Consultation) -> Iterator[tuple[str, tuple[Citation, ...]]]:
    for name, decision in consultation.decisions.items():
        yield name, decision.citations
        for runner_up in decision.alternatives:
            yield f"a runner-up of {name}", runner_up.citations
        for line in decision.rejected:
            yield f"a rejection of {name}", line.citations
    for warning in consultation.warnings:
        yield warning.id, warning.citations
    for correction in consultation.corrections:
        yield correction.id, correction.citations


def _counts(consultation: Consultation) -> Iterator[str]:
    for name in ("gpu", "parallelism"):
        decision = consultation.decisions.get(name)  # type: ignore[call-overload]
        if decision is None:
            continue
        for found in (decision.choice, *(a.choice for a in decision.alternatives)):
            yield from _count(found)


def _count(found: Choice | None) -> Iterator[str]:
    values = {} if found is None else found.model_dump()
    if "total_gpus" in values:
        if values.get("loads"):
            yield from _several(values)
        elif values["total_gpus"] != values["count_per_replica"] * values["replicas"]:
            yield f"counts do not multiply: {values}"
        if values["total_gpus"] < 1 or values["nodes"] < 1:
            yield f"no GPU or no node: {values}"
        if not math.isfinite(values.get("usd_per_hour", 0.0)):
            yield f"no finite price: {values}"


def _several(values: dict[str, Any]) -> Iterator[str]:
    """Yield where several loads do not fit the GPUs that are to carry them all."""
    whole = part = 0.0
    for load in values["loads"]:
        gpus = load["count_per_replica"] * load["replicas"]
        fraction = load.get("memory_fraction")
        if load.get("profile"):
            continue  # a slice; the layout says how many GPUs are cut
        whole, part = (whole + gpus, part) if fraction is None else (whole, part + gpus * fraction)
    if part == 0 and not values.get("layout") and whole != values["total_gpus"]:
        yield f"{whole:.0f} GPUs of all loads are not the total: {values}"
    if whole + part > values["total_gpus"] + 1e-6:
        yield f"{whole:.0f} GPUs and shares of {part:.2f} do not fit the total: {values}"


def _rejected(consultation: Consultation) -> Iterator[str]:
    for name, decision in consultation.decisions.items():
        if name in ("sharing", "provisioning"):
            yield from _options(name, decision)
            continue
        kinds = [(line.gpu, line.weight_format) for line in decision.rejected]
        if len(kinds) != len(set(kinds)):
            yield f"{name} rejects a GPU and format twice"
        if decision.choice is not None:
            values = decision.choice.model_dump()
            # what is owned may be rejected in its number, and more of it chosen
            own = "use_owned" if values["option"] == "change_owned" else None
            others = [line for line in decision.rejected if line.option != own]
            cards = [(line.gpu, line.weight_format) for line in others if line.gpu is not None]
            if (values.get("gpu"), values.get("weight_format")) in cards:
                yield f"{name} rejects what it chooses"
            if values["option"] in [line.option for line in others if line.gpu is None]:
                yield f"{name} rejects what it chooses"


def _options(name: str, decision: Decision) -> Iterator[str]:
    """Yield where an option is both in and out, or told twice."""
    out = [line.option for line in decision.rejected]
    others = [other.choice for other in decision.alternatives]
    chosen = [] if decision.choice is None else [decision.choice]
    if len(out) != len(set(out)):
        yield f"{name} rejects an option twice"
    if set(out) & {choice.option for choice in (*chosen, *others)}:
        yield f"{name} rejects what it chooses or offers: {out}"
    # the same option with other settings (another image, say) is an alternative of its own
    kinds = [json.dumps(choice.model_dump(), sort_keys=True) for choice in (*chosen, *others)]
    if len(kinds) != len(set(kinds)):
        yield f"{name} offers a choice twice"


def _fits(consultation: Consultation) -> Iterator[str]:
    decision, sizing = consultation.decisions.get("gpu"), consultation.sizing
    if decision is None or decision.choice is None or sizing is None:
        return
    values = decision.choice.model_dump()
    if "gpu" not in values:
        yield "there is a sizing and no GPU"
    elif not sizing.fits or any(problem.blocking for problem in sizing.problems):
        yield f"the choice does not fit: {sizing.status}"
    elif sizing.layout.gpus != values["count_per_replica"]:
        yield "the sizing is that of another layout"


def _cheapest(document: dict[str, Any], consultation: Consultation) -> Iterator[str]:
    objectives = document.get("objectives", {})
    owned = document.get("hardware", {}).get("acquisition") == "owned"
    if objectives.get("priority") != "cost" or owned or consultation.candidates is None:
        return
    rows = consultation.candidates.shown
    # a job that ends is compared by the rent of the whole run
    ends = any(row["usd_per_run"] is not None for row in rows)
    prices = [_run(row["usd_per_run"]) if ends else row["usd_per_hour"] for row in rows]
    if document.get("hardware", {}).get("acquisition") == "buy":
        prices = [row["purchase_usd"] for row in rows]
    known = [usd for usd in prices if usd is not None]
    if known and (prices[0] is None or prices[0] > min(known) + _CENT):
        yield f"{prices[0]} was chosen and {min(known)} was there"


def _run(usd: dict[str, float] | None) -> float | None:
    return None if usd is None else (usd["low"] + usd["high"]) / 2
