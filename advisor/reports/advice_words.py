"""The words of the reports: choices and values as they are said, every text on one safe line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.consult.consultation import Choice, Rejection
from advisor.reports.advice_platform import option_words, platform_headline

__all__ = ["TITLES", "headline", "one_line", "purchase_words", "said", "same_reason"]

TITLES = {
    "gpu": "GPU",
    "sharing": "Sharing",
    "parallelism": "Parallelism",
    "provisioning": "Provisioning",
}

_UNSAFE = re.compile(
    # C0 and C1 controls, line and paragraph separators, lone surrogates, and the marks that
    # reorder text on screen: a name must not be able to show something other than what it is.
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff]"
)


def one_line(text: str) -> str:
    """Return ``text`` on one line, with what could mislead a reader or a terminal replaced."""
    return " ".join(_UNSAFE.sub("\ufffd", text).split())


def headline(choice: Choice) -> str:
    """Return a choice as one sentence part; the same words in every report."""
    values = choice.model_dump()
    return one_line(platform_headline(values) or _headline(values))


def _headline(values: dict[str, Any]) -> str:
    option = _option(values)
    if option == "buy or rent":
        option = str(values.get("acquisition") or option)
    if "gpu" not in values:
        groups = len(values.get("groups") or ())
        part = f" (in the first of {groups} groups)" if groups else ""
        return f"{option}{_sizes(values)}{part}"
    text = f"{option}: {values.get('total_gpus', '?')} x {values['gpu']}"
    if values.get("loads"):
        return _for_loads(option, values)
    if values.get("weight_format"):
        text += f" in {values['weight_format']}"
    if (values.get("replicas") or 1) > 1:
        text += f", {values['replicas']} replicas of {values.get('count_per_replica', '?')}"
    for group in (values.get("groups") or ())[1:]:
        text += f" + {group['total_gpus']} x {group['gpu']} in {group['weight_format']}"
    if values.get("usd_per_hour"):
        text += f", {values['usd_per_hour']:.2f} USD an hour{_billed(values)}"
    elif option == "buy" and values.get("purchase_usd"):
        text += f", {purchase_words(values['purchase_usd'])} to buy"
    elif option in {"rent", "buy"}:
        text += ", no price known"
    return text


def _option(values: dict[str, Any]) -> str:
    """Take the option out of the values and return its words."""
    option = str(values.pop("option"))
    if option == "lora_ddp" and values.get("sharding") in _SHARDED:
        return f"lora on a base sharded by {values['sharding']}"
    return option.replace("_", " ")


_SHARDED = frozenset({"fsdp", "zero3"})
"""Ways to shard weights: what is data parallel then is no copy of the model on every GPU."""


def purchase_words(usd: Mapping[str, float]) -> str:
    """Return a purchase price: ``about 24,000 to 42,000 USD``."""
    low, high = usd["low"], usd["high"]
    span = f"{low:,.0f}" if low == high else f"{low:,.0f} to {high:,.0f}"
    return f"about {span} USD"


def _for_loads(option: str, values: Mapping[str, Any]) -> str:
    counts = values.get("gpu_counts") or {values["gpu"]: values.get("total_gpus", "?")}
    gpus = " and ".join(f"{count} x {label}" for label, count in counts.items())
    sharing = sum("memory_fraction" in load for load in values["loads"])
    text = f"{option}: {gpus}, for {len(values['loads'])} loads"
    text += f", {sharing} of them on shared GPUs" if sharing else ""
    text += ", cut into MIG instances" if values.get("layout") else ""
    if values.get("usd_per_hour"):
        text += f", {values['usd_per_hour']:.2f} USD an hour{_billed(values)}"
    return text


def _billed(values: Mapping[str, Any]) -> str:
    """Return for what the rent is, where that is more than the choice, whose and how old."""
    idle = values.get("idle_gpus")
    text = f" for {values['total_gpus'] + idle} GPUs, {idle} of them idle" if idle else ""
    notes = ["community hosts"] if values.get("community_host") else []
    notes.append(f"as of {values.get('price_as_of') or 'an unknown date'}")
    return f"{text} ({', '.join(notes)})"


_SHORT = {
    "tensor_parallel": "TP",
    "pipeline_parallel": "PP",
    "data_parallel": "DP",
    "expert_parallel": "EP",
}


def _sizes(values: Mapping[str, object]) -> str:
    parts = [f"{short}{values[key]}" for key, short in _SHORT.items() if values.get(key, 1) != 1]
    if values.get("replicas", 1) != 1:
        parts.append(f"{values['replicas']} replicas")
    return f": {' x '.join(parts)}" if parts else ""


def said(value: object) -> str:
    """Return a value as it would be said: no quotes, brackets or Python words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{one_line(str(key))} {said(part)}" for key, part in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        nested = any(isinstance(part, Mapping) for part in value)
        return ("; " if nested else ", ").join(said(part) for part in value)
    return one_line(str(value))


def same_reason(rejected: Iterable[Rejection]) -> list[tuple[list[str], Rejection]]:
    """Put what was rejected for the same reason together, in first-seen order."""
    groups: dict[str, tuple[list[str], Rejection]] = {}
    for line in rejected:
        what = " in ".join(part for part in (line.gpu, line.weight_format) if part)
        option = option_words(line.option)
        names, _ = groups.setdefault(line.because, ([], line))
        names.append(option or what or line.option.replace("_", " "))
    return list(groups.values())
