"""What a consultation says, without its words: ids, options, parameters, severities.

Two consultations with the same summary differ in wording at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from advisor.consult.consultation import Alternative, Decision, DecisionName, Rejection, Warned

__all__ = ["Summary", "rules_in", "summary_of"]

Summary = dict[str, Any]

_LEFT_OUT = frozenset({
    "admitted_requests_per_replica", "engine_version", "instance_gpus", "instance_type",
    "instances", "max_model_len", "max_num_batched_tokens", "max_num_seqs", "price_age_days",
    "price_as_of", "price_kind", "price_source", "provider", "requests_at_once",
    "room_requests_per_replica", "total_gpus",
})  # fmt: skip
"""Parameters that sizing or a list of prices gives to whatever the rules choose."""
_PLAIN = ("", "1", "no", "none")
"""Values of a choice that go without saying."""
_SIZING = "sizing"
"""In place of a rule, where sizing or the ranking put something out."""


def summary_of(decisions: Mapping[DecisionName, Decision], warnings: Iterable[Warned]) -> Summary:
    """Return decisions and warnings of a consultation as texts and lists of ids.

    Numbers with a fraction are left out: they are measured elsewhere, and change with prices.
    """
    found: Summary = {name: _decision(decision) for name, decision in decisions.items()}
    told = _warnings(warnings)
    if told:
        found["warnings"] = told
    return found


def rules_in(summary: Summary) -> set[str]:
    """Return the rules that decisions name: those that speak for the choice, and those against."""
    found: set[str] = set()
    for decision in summary.values():
        if isinstance(decision, Mapping) and "is" in decision:
            found.update(str(decision.get("rules", "")).split(", "))
            found.update(decision.get("out", {}))
    return found


def _decision(decision: Decision) -> Any:  # noqa: ANN401 - a text or a mapping
    head = f"{decision.status}, {decision.strength}"
    if decision.choice is None:
        choice: dict[str, Any] = {}
    else:
        choice = _parameters(decision.choice.model_dump())
        head = f"{head}: {_text(choice)}"
    found = {
        "rules": ", ".join(decision.rules),
        "else": list(_others(decision.alternatives, choice)),
        "out": _rejected(decision.rejected, choice.get("option")),
    }
    kept = {name: value for name, value in found.items() if value}
    return {"is": head, **kept} if kept else head


def _parameters(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters that a decision settles, lists of objects as lists of texts."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if key in _LEFT_OUT or value is None or isinstance(value, float | Mapping):
            continue
        found[key] = _listed(value) if isinstance(value, list | tuple) else value
    return found


def _listed(values: Iterable[Any]) -> str:
    parts = (
        _text(_parameters(value)) if isinstance(value, Mapping) else str(value) for value in values
    )
    return "[" + "; ".join(parts) + "]"


def _text(values: Mapping[str, Any]) -> str:
    option = [str(values["option"])] if "option" in values else []
    words = {key: _word(value) for key, value in values.items() if key != "option"}
    named = (f"{key}={word}" for key, word in words.items() if word not in _PLAIN)
    return " ".join([*option, *named])


def _word(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _others(alternatives: Iterable[Alternative], choice: Mapping[str, Any]) -> Iterator[str]:
    """Yield each alternative's option with the parameters in which it differs from the choice."""
    for alternative in alternatives:
        own = _parameters(alternative.choice.model_dump())
        # parts of one choice are told with the choice only
        lists = {key for key, value in own.items() if str(value).startswith("[")}
        same = {key for key, value in own.items() if choice.get(key) == value}
        yield _text(
            {k: v for k, v in own.items() if k in {"option", "gpu"} or k not in lists | same}
        )


def _rejected(rejections: Iterable[Rejection], chosen: str | None) -> dict[str, Any]:
    """Return, by rule, what it puts out; of what sizing puts out only how much.

    The option is said where it is not the one that is chosen.
    """
    found: dict[str, list[str]] = {}
    sizing: dict[str, int] = {}
    for rejection in rejections:
        if rejection.rule is None:
            sizing[rejection.option] = sizing.get(rejection.option, 0) + 1
            continue
        option = None if rejection.option == chosen else rejection.option
        words = (option, rejection.gpu, rejection.weight_format)
        found.setdefault(rejection.rule, []).append(" ".join(word for word in words if word))
    texts: dict[str, Any] = {rule: ", ".join(sorted(lines)) for rule, lines in found.items()}
    if sizing:
        texts[_SIZING] = ", ".join(f"{count} {option}" for option, count in sizing.items())
    return texts


def _warnings(warnings: Iterable[Warned]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for warned in warnings:
        found.setdefault(warned.severity, []).append(warned.id)
    return {severity: ", ".join(sorted(ids)) for severity, ids in found.items()}
