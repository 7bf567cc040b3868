"""What if: the same answers with some of them replaced, and what moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from advisor.answers.overrides import split_override
from advisor.consult.consultation import Consultation
from advisor.consult.unused import overruled
from advisor.explain.change import changes
from advisor.explain.explanation import Explanation, Line, line, sections_of
from advisor.explain.reasons import reason_data, reason_lines
from advisor.explain.words import key_sections, sections, title_of, value_words

if TYPE_CHECKING:
    from advisor.answers.model import Answers
    from advisor.explain.adviser import Adviser

__all__ = ["whatif"]

_FIGURES = (
    ("total_gpus", "GPUs in all", ""),
    ("replicas", "replicas", ""),
    ("usd_per_hour", "rent", " USD an hour"),
    ("purchase_usd", "purchase", " USD"),
)


_NOTHING = "Nothing changes: the advice stays as it is."


def whatif(adviser: Adviser, answers: Answers, sets: Sequence[str]) -> Explanation:
    """Return what moves when answers are replaced.

    Args:
        adviser: Consults and remembers.
        answers: As given.
        sets: ``key=value`` each; an empty value takes an answer away.

    Raises:
        InputError: a key or value that is not legal, or that leads to an error.
    """
    keys = tuple(dict.fromkeys(split_override(text)[0] for text in sets))
    before = adviser.consult(answers)
    after = adviser.consult_with(answers, sets)
    replaced = adviser.override(answers, sets)
    shown = ", ".join(f"{key} = {_value(replaced, key)}" for key in keys)
    told = [
        *_decisions(before, after),
        *_figures(before, after),
        *_warnings(before, after),
        *_assumptions(before, after),
    ]
    visible = any(not one.detail for one in told)
    moved = changes(before, after)
    # where the choice itself moves, its figures follow from that
    reasons = [] if moved else list(reason_lines(before, after))
    asked = [_asked(adviser, answers, replaced, key) for key in keys]
    if not visible:
        stays = "The choice stays; its figures move:" if told or reasons else _NOTHING
        told.insert(0, line(stays, _all_sections(adviser, keys)))
    told += reasons
    unheard = [*_unheard(adviser, replaced, keys)]
    data = {
        "set": [
            {"key": key, "before": _plain(answers, key), "after": _plain(replaced, key)}
            for key in keys
        ],
        "decisions": [asdict(change) for change in moved],
        "figures": _figure_data(before, after),
        "warnings": _warning_data(before, after),
        "assumptions": _assumption_data(before, after),
        "reasons": reason_data(before, after),
        "not_taken_into_account": [key for key in keys if overruled(replaced, key)],
        "changed": bool(moved),
    }
    return Explanation("whatif", f"If {shown}:", (*unheard, *told, *asked), data)


def _unheard(adviser: Adviser, replaced: Answers, keys: Sequence[str]) -> Iterator[Line]:
    """Yield why an answer that is given is not taken into account."""
    for key in keys:
        why = overruled(replaced, key)
        if why is not None:
            text = f"{key} is not taken into account: {why}."
            yield line(text, key_sections(adviser, key))


def _all_sections(adviser: Adviser, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(section for key in keys for section in key_sections(adviser, key))


def _asked(adviser: Adviser, answers: Answers, replaced: Answers, key: str) -> Line:
    before, after = _value(answers, key), _value(replaced, key)
    text = f"{key}: {before} -> {after}" if before != after else f"{key} is {after} already"
    return line(text, key_sections(adviser, key), detail=before != after)


def _value(answers: Answers, key: str) -> str:
    if (value := _plain(answers, key)) is not None:
        return value_words(value)
    return "unknown" if key in answers.unknown else "not given"


def _plain(answers: Answers, key: str) -> object:
    from advisor.answers.plain import thawed
    from advisor.answers.record_places import value_at

    return thawed(value_at(answers, key))


def _decisions(before: Consultation, after: Consultation) -> Iterator[Line]:
    for change in changes(before, after):
        name = change.decision
        cited = sections(after.decisions.get(name), name)
        if change.before != change.after:
            yield line(f"{title_of(name)}: {change.before} -> {change.after}", cited)
        if change.status_before != change.status_after:
            words = (change.status_before.replace("_", " "), change.status_after.replace("_", " "))
            yield line(f"{title_of(name)} is {words[1]} (was {words[0]}).", cited)
    for name, decision in after.decisions.items():
        earlier = before.decisions.get(name)
        moved = earlier is not None and earlier.choice != decision.choice
        if moved and earlier is not None and earlier.choice and decision.choice:
            yield from _parameters(name, before, after)


def _parameters(name: str, before: Consultation, after: Consultation) -> Iterator[Line]:
    """Yield settings of the same option that differ."""
    first, then = before.decisions[name].choice, after.decisions[name].choice  # type: ignore[index]
    if first is None or then is None or first.option != then.option:
        return
    old, new = first.model_dump(), then.model_dump()
    figures = {key for key, _, _ in _FIGURES}
    moved = [
        f"{key} {value_words(old.get(key, 'none'))} -> {value_words(new.get(key, 'none'))}"
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
        and key not in figures
        and not isinstance(old.get(key, new.get(key)), dict | list)
    ]
    moved += _moved_of_loads(old.get("loads"), new.get("loads"))
    if moved:
        cited = sections(after.decisions[name], name)  # type: ignore[index]
        yield line(f"{title_of(name)}, settings: {'; '.join(moved)}", cited, indent=1, detail=True)


def _moved_of_loads(old: object, new: object) -> list[str]:
    """Return the settings of each of several loads that differ, under its name."""
    if not (isinstance(old, list | tuple) and isinstance(new, list | tuple)):
        return []
    return [
        f"{then.get('workload')}: {key} {_setting(first.get(key))} -> {_setting(then.get(key))}"
        for first, then in zip(old, new, strict=False)
        for key in dict.fromkeys((*first, *then))
        if first.get(key) != then.get(key)
        and not isinstance(first.get(key, then.get(key)), dict | list | tuple)
    ]


def _setting(value: object) -> str:
    return "none" if value is None else value_words(value)


def _figure_data(before: Consultation, after: Consultation) -> dict[str, dict[str, object]]:
    old, new = _gpu_values(before), _gpu_values(after)
    rented = not any(values.get("acquisition") == "buy" for values in (old, new))
    return {
        key: {"before": old.get(key), "after": new.get(key)}
        for key, _, _ in _FIGURES
        # what is rented has a purchase price too, to compare with; it is no part of the choice
        if old.get(key) != new.get(key) and not (rented and key == "purchase_usd")
    }


def _figures(before: Consultation, after: Consultation) -> Iterator[Line]:
    found = _figure_data(before, after)
    cited = sections(after.decisions.get("gpu"), "gpu")
    for key, label, unit in _FIGURES:
        if key in found:
            old, new = found[key]["before"], found[key]["after"]
            text = f"{label}: {_from_to(old, new, unit)}{_difference(old, new)}"
            dated = _gpu_values(after).get("price_as_of")
            if key == "usd_per_hour" and new is not None:
                text += f", as of {dated or 'an unknown date'}"
            yield line(text, cited, indent=1)


def _from_to(old: object, new: object, unit: str) -> str:
    """Return two figures; where one is not known, the other keeps its unit."""
    if old is not None and new is not None:
        return f"{_figure(old)} -> {_figure(new)}{unit}"
    none = "not known" if unit else "none"
    words = [none if one is None else f"{_figure(one)}{unit}" for one in (old, new)]
    return " -> ".join(words)


def _figure(value: object) -> str:
    if isinstance(value, dict):
        low, high = value["low"], value["high"]
        return f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    return f"{value:,.2f}" if isinstance(value, float) else value_words(value)


def _difference(old: object, new: object) -> str:
    if isinstance(old, dict) or not isinstance(old, int | float):
        return ""
    if not isinstance(new, int | float):
        return ""
    gap = new - old
    shown = f"{gap:+,.2f}" if isinstance(gap, float) else f"{gap:+,}"
    return f" ({shown})"


def _gpu_values(told: Consultation) -> dict[str, object]:
    decision = told.decisions.get("gpu")
    return {} if decision is None or decision.choice is None else decision.choice.model_dump()


def _warning_data(before: Consultation, after: Consultation) -> dict[str, list[str]]:
    old, new = ({w.id for w in told.warnings} for told in (before, after))
    return {
        "come": [w.id for w in after.warnings if w.id not in old],
        "go": [w.id for w in before.warnings if w.id not in new],
    }


def _warnings(before: Consultation, after: Consultation) -> Iterator[Line]:
    ids = _warning_data(before, after)
    for told, names, head, tail in (
        (after, ids["come"], "New warning", ""),
        (before, ids["go"], "No longer warned of", ""),
    ):
        for warned in told.warnings:
            if warned.id in names:
                text = f"{head}: {warned.id} ({warned.severity}): {warned.text}{tail}"
                yield line(text, sections_of(warned.citations), detail=warned.severity == "info")


def _assumption_data(
    before: Consultation, after: Consultation
) -> dict[str, list[dict[str, object]]]:
    old, new = ({a.key: a for a in told.assumptions} for told in (before, after))
    return {
        "replaced": [
            {"key": k, "value": a.value}
            for k, a in old.items()
            if k not in new or new[k].value != a.value
        ],
        "new": [
            {"key": k, "value": a.value}
            for k, a in new.items()
            if k not in old or old[k].value != a.value
        ],
    }


def _assumptions(before: Consultation, after: Consultation) -> Iterator[Line]:
    found = _assumption_data(before, after)
    for told, part, head in (
        (before, "replaced", "No longer assumed"),
        (after, "new", "Now assumed"),
    ):
        wanted = {one["key"] for one in found[part]}
        for one in told.assumptions:
            if one.key in wanted:
                text = f"{head}: {one.key} = {value_words(one.value)}"
                yield line(text, (one.section,))
