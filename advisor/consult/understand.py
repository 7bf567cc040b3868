"""Answers -> situation: which model, which GPUs, which load."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from advisor.answers.model import Answers
from advisor.consult.candidate_formats import gguf_formats
from advisor.consult.cards import allowed_cards
from advisor.consult.consultation import Assumption
from advisor.consult.engine_settings import beside_the_system
from advisor.consult.models import model_of
from advisor.consult.published import runs_as
from advisor.consult.situation import Load, Situation
from advisor.consult.targets import total_tokens_per_second
from advisor.store.model import Model

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Assumptions", "single_load", "understand"]

_SIZED_OTHERWISE = frozenset({"fine_tuning", "pretraining", "platform"})
_NOT_DECODED = frozenset({"embeddings", "reranking"})
_USUAL_RATE = 30.0
"""Tokens a second of one stream where none is wanted: faster than reading, usual for chat."""
_USUAL_ANSWER_TOKENS = 1024
_MOST_STREAMS = 10**7
_USUAL_CONTEXT_TOKENS = 8192
_EIGHT_BIT = ("fp8", "fp8_block", "int8")
_FOUR_BIT = ("nvfp4", "mxfp4", "awq_int4", "gptq_int4", "int4")


class Assumptions:
    """Collects the values that were taken because none was given."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self.taken: list[Assumption] = []

    def value(self, key: str) -> Any:  # noqa: ANN401 - any answer
        """Return the answer to ``key``, or its default with the reason noted."""
        given = self._answers.get(key)
        if given is not None:
            return given
        from advisor.answers.questions import load_questions

        question = load_questions()[key]
        if question.default is None:
            return None
        self.note(key, question.default, question.default_because or "", question.section)
        return question.default

    def note(self, key: str, value: object, why: str, section: str) -> None:
        """Record one assumption."""
        if all(known.key != key for known in self.taken):
            self.taken.append(Assumption(key=key, value=value, why=why, section=section))


def single_load(answers: Answers) -> Answers:
    """Return answers in which a list of one workload stands under ``workload``.

    What ``workload`` says itself counts first.
    """
    loads = answers.get("workloads")
    if not (isinstance(loads, tuple) and len(loads) == 1):
        return answers
    from advisor.answers.questions import load_questions

    known = load_questions()
    shape = known["workloads"].record
    same_as = {} if shape is None else shape.same_as
    values, origin = dict(answers.values), dict(answers.origin)
    for name, value in loads[0].items():
        key = same_as.get(name, f"workload.{name}")
        if key in known and key not in values:
            values[key] = value
            place = answers.origin.get(f"workloads[0].{name}")
            if place is not None:
                origin[key] = place
    return replace(answers, values=values, origin=origin)


def understand(answers: Answers, knowledge: Knowledge) -> Situation:
    """Resolve names and defaults.

    Raises:
        InputError: a model, GPU or engine that is not known and not described.
    """
    taken = Assumptions(answers)
    kind = taken.value("workload.kind")
    reasons: list[str] = []
    loads = answers.get("workloads")
    if isinstance(loads, tuple) and len(loads) > 1:
        reasons.append(
            f"{len(loads)} loads share the GPUs; this version sizes one load at a time. Ask with "
            "one of them under `workload`."
        )
    model, label, build, hint = None, "", None, None
    if kind != "platform" and not reasons:
        model, label, build, hint = model_of(answers, knowledge, taken)
        if model is None:
            reasons.append("no model is named: give workload.model, model_config or parameters_b.")
    # a platform has no load to place, but a GPU that it names must still be known
    notes = taken if kind != "platform" else Assumptions(answers)
    cards, owned, ruled_out = allowed_cards(answers, knowledge, notes)
    if owned and not cards and kind != "platform":
        reasons.append(
            "it is not said which GPUs are owned: give hardware.gpu with gpus_per_node and nodes, "
            "or hardware.inventory."
        )
    priority = notes.value("objectives.priority") or "balanced"
    load = _idle_load(kind, model, label)
    if kind not in _SIZED_OTHERWISE:
        load = _load(answers, kind, model, label, build, hint, taken)
        load = beside_the_system(load, cards, answers, taken.note)
    if model is not None and model.modality in {"embedding", "reranker"} and kind == "serving":
        load = replace(load, kind="embeddings")
    return Situation(
        answers=answers,
        load=load,
        cards=cards,
        owned=owned,
        priority=str(priority),
        assumptions=tuple(taken.taken),
        ruled_out=ruled_out,
        open_reasons=tuple(reasons),
    )


def _idle_load(kind: str, model: Model | None, label: str) -> Load:
    """Return a load without requests: training and platforms are not asked about them."""
    return Load(
        kind=kind,
        model=model,
        label=label,
        formats=() if model is None else (runs_as(model),),
        format_fixed=False,
        build=None,
        kv_format="auto",
        engine="vllm",
        engine_version=None,
        context_tokens=min(
            _USUAL_CONTEXT_TOKENS,
            _USUAL_CONTEXT_TOKENS if model is None else model.max_context_tokens,
        ),
        typical_context_tokens=None,
        prompt_tokens=None,
        concurrency=1,
    )


def _load(
    answers: Answers,
    kind: str,
    model: Model | None,
    label: str,
    build: str | None,
    hint: str | None,
    taken: Assumptions,
) -> Load:
    formats, fixed = _formats(answers, model, hint, taken)
    context = _context(answers, model, taken)
    typical = _typical(answers, kind, context, model, taken)
    return Load(
        kind=kind,
        model=model,
        label=label,
        formats=formats,
        format_fixed=fixed,
        build=build,
        kv_format=str(taken.value("workload.kv_format") or "auto"),
        engine=str(taken.value("workload.engine") or "vllm"),
        engine_version=_text(answers.get("workload.engine_version")),
        context_tokens=context,
        typical_context_tokens=typical,
        prompt_tokens=_whole(answers.get("workload.prompt_tokens")),
        concurrency=_concurrency(answers, kind, taken),
        speculative_tokens=_whole(answers.get("workload.speculative_tokens")) or 0,
    )


def _concurrency(answers: Answers, kind: str, taken: Assumptions) -> int:
    """Return the requests at once; where only a rate is wanted, what that rate keeps in flight.

    A stream gives ``tokens_per_second_per_user``, so a total rate needs as many streams as it is
    times that (Little's law).
    """
    stated = answers.get("workload.concurrency")
    if isinstance(stated, int):
        return max(1, stated)
    total = total_tokens_per_second(answers)
    if total is None and kind == "batch_inference":
        why = "a batch runs as many as there is room for; one must fit, and speeds are of that many"
        taken.note("workload.concurrency", 1, why, "7.2")
        return 1
    if total is None:
        return max(1, int(taken.value("workload.concurrency") or 1))
    per_user = answers.get("objectives.tokens_per_second_per_user")
    rate = float(per_user) if isinstance(per_user, int | float) else _USUAL_RATE
    streams = min(_MOST_STREAMS, max(1, math.ceil(total / rate)))
    why = f"{total:,.0f} tokens a second in total are so many streams of {rate:g} each"
    taken.note("workload.concurrency", streams, why, "8.1")
    return streams


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _context(answers: Answers, model: Model | None, taken: Assumptions) -> int:
    """Return the longest request; prompt and output add up to it when only they are given."""
    stated = answers.get("workload.context_tokens")
    prompt, output = (
        _whole(answers.get(f"workload.{part}_tokens")) for part in ("prompt", "output")
    )
    if isinstance(stated, int):
        return stated
    if prompt is not None and output is not None:
        return prompt + output
    usual = _USUAL_CONTEXT_TOKENS
    if prompt is not None and prompt >= usual:
        context = prompt + _USUAL_ANSWER_TOKENS
        why = f"the prompt of {prompt:,} tokens and an answer of {_USUAL_ANSWER_TOKENS:,}"
        taken.note("workload.context_tokens", context, why, "7.3")
        return context
    if model is not None and model.max_context_tokens < usual:
        longest = model.max_context_tokens
        taken.note("workload.context_tokens", longest, "the model's own maximum", "7.3")
        return longest
    return int(taken.value("workload.context_tokens") or usual)


def _typical(
    answers: Answers, kind: str, context: int, model: Model | None, taken: Assumptions
) -> int | None:
    """Return how long a request usually is; ``None`` where nothing says so.

    Prompt and answer where both are given: the length at its end, which the cache has to hold,
    and not the mean while it runs (half an answer less). A picture is no part of the prompt's
    tokens, so with pictures the longest request counts.
    """
    stated = answers.get("workload.typical_context_tokens")
    if isinstance(stated, int):
        return stated
    prompt, output = (
        _whole(answers.get(f"workload.{part}_tokens")) for part in ("prompt", "output")
    )
    if prompt is None or output is None or kind in _NOT_DECODED:
        return None
    sees = model is not None and model.vision is not None
    if sees and answers.get("workload.images_per_prompt"):
        return None
    if prompt + output < context:
        why = (
            f"assumed from the lengths given: a prompt of {prompt:,} and an answer of {output:,}. "
            "In a chat the prompt of each turn holds the turns before it; if yours leaves them "
            "out, give the typical length"
        )
        taken.note("workload.typical_context_tokens", prompt + output, why, "7.3")
    return min(context, prompt + output)


def _formats(
    answers: Answers, model: Model | None, hint: str | None, taken: Assumptions
) -> tuple[tuple[str, ...], bool]:
    """Return the formats to compare, published first, and whether the user fixed one."""
    if model is None:
        return (), False
    published = runs_as(model)
    given = answers.get("workload.weight_format")
    fixed = published if given == "checkpoint" else given or hint
    if fixed is not None:
        return (str(fixed),), True
    permitted = taken.value("workload.quantization") or "allowed"
    if permitted == "not_allowed" or model.modality in {"embedding", "reranker"}:
        return (published,), False
    if answers.get("workload.engine") == "llama_cpp":
        return gguf_formats(published, str(permitted)), False
    formats: list[str] = [published]
    narrow = published in (*_EIGHT_BIT, *_FOUR_BIT)
    if not narrow:
        formats.append(_first_known(model, _EIGHT_BIT, "fp8"))
    if permitted == "allowed" and published not in _FOUR_BIT:
        formats.append(_first_known(model, ("awq_int4", "gptq_int4", "int4"), "awq_int4"))
        if any(build.format == "nvfp4" for build in model.builds):
            formats.append("nvfp4")
    return tuple(dict.fromkeys(formats)), False


def _first_known(model: Model, formats: tuple[str, ...], default: str) -> str:
    published = {build.format for build in model.builds}
    return next((name for name in formats if name in published), default)
