"""The calculator behind ``gpu-advisor size``: legality first, then memory, then speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from advisor.errors import InputError, Problem
from advisor.sizing.case import Case
from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.figures import started, with_load
from advisor.sizing.formats import choose_build, support_problems, weight_bytes
from advisor.sizing.kv_formats import resolve_kv_format
from advisor.sizing.layout import Layout
from advisor.sizing.legality import layout_problems
from advisor.sizing.memo import Memo
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeProblem, SizeResult
from advisor.sizing.trial import Trial, recommended_sequences, try_out
from advisor.sizing.verdict import model_problems
from advisor.sizing.weights import WeightPlan, weight_plan
from advisor.store.formats import WeightFormatRecord
from advisor.store.gpu import Gpu
from advisor.store.model import Model

__all__ = ["RulesFor", "SizingFacts", "size_layout"]

RulesFor = Callable[[SizeRequest, Model, Gpu, float, Layout], EngineRules]


@dataclass(frozen=True, slots=True)
class SizingFacts:
    """What sizing takes from the knowledge base."""

    formats: Mapping[str, WeightFormatRecord]
    rules_for: RulesFor
    memo: Memo[SizeResult] = field(default_factory=lambda: Memo(20_000), compare=False)
    """Results by inputs, shared by all questions asked of one knowledge base."""
    cases: Memo[_Legal] = field(default_factory=lambda: Memo(20_000), compare=False)
    """Layouts without their load, judged by all that needs no memory sum."""
    trials: Memo[_Started] = field(default_factory=lambda: Memo(20_000), compare=False)
    """Memory sums at the limits of a scheduler: the same for most numbers of users."""


@dataclass(frozen=True, slots=True)
class _Legal:
    """A layout whose request says nothing of the load, and what speaks against it already."""

    case: Case
    problems: tuple[SizeProblem, ...]


@dataclass(frozen=True, slots=True)
class _Started:
    """What a layout holds at the limits of its scheduler."""

    trial: Trial
    result: SizeResult


def size_layout(
    request: SizeRequest, model: Model, gpu: Gpu, layout: Layout, facts: SizingFacts
) -> SizeResult:
    """Size one layout; see :class:`SizeResult` for the meaning of every number.

    Raises:
        InputError: a format or engine that is not in the catalogue.
    """
    return facts.memo.get(
        (model, gpu), (request, layout), lambda: _size_layout(request, model, gpu, layout, facts)
    )


def _size_layout(
    request: SizeRequest, model: Model, gpu: Gpu, layout: Layout, facts: SizingFacts
) -> SizeResult:
    unloaded = replace(request, concurrency=None, typical_context_tokens=None, prompt_tokens=None)
    legal = facts.cases.get(
        (model, gpu), (unloaded, layout), lambda: _legal(unloaded, model, gpu, layout, facts)
    )
    case = replace(legal.case, request=request)
    sequences = recommended_sequences(case)
    at = facts.trials.get((legal,), sequences, lambda: _started(legal, sequences))
    return with_load(at.result, replace(at.trial, case=case))


def _started(legal: _Legal, max_num_seqs: int) -> _Started:
    trial = try_out(legal.case, max_num_seqs)
    return _Started(trial, started(trial, legal.problems))


def _legal(
    request: SizeRequest, model: Model, gpu: Gpu, layout: Layout, facts: SizingFacts
) -> _Legal:
    total = request.gpu_memory_gib or gpu.engine_memory_gib
    rules = facts.rules_for(request, model, gpu, total, layout)
    plan, problems = _plan(request, model, gpu, rules, facts)
    problems += layout_problems(model, plan, layout, rules)
    kv_format, kv_problems = resolve_kv_format(request, model, gpu, rules)
    case = Case(
        request=request,
        model=model,
        gpu=gpu,
        layout=layout,
        rules=rules,
        plan=plan,
        total_gib=total,
        utilization=request.gpu_memory_utilization or rules.utilization_default,
        kv_format=kv_format,
        max_model_len=request.max_model_len or model.max_context_tokens,
    )
    return _Legal(case, problems + kv_problems + model_problems(case))


def _plan(
    request: SizeRequest, model: Model, gpu: Gpu, rules: EngineRules, facts: SizingFacts
) -> tuple[WeightPlan, tuple[SizeProblem, ...]]:
    chosen, build = choose_build(model, request.weight_format, request.build)
    if chosen not in facts.formats:
        raise InputError(_unknown_format(chosen, facts))
    given = request.weight_format not in {None, "checkpoint"}
    runs_as, problems = support_problems(facts.formats[chosen], gpu, rules, given=given)
    width = weight_bytes(facts.formats[runs_as], build.group_size if build else None)
    plan = weight_plan(model, runs_as, width, build, facts.formats, rules.expert_padding)
    return plan, problems


def _unknown_format(name: str, facts: SizingFacts) -> Problem:
    from difflib import get_close_matches

    known = tuple(sorted(facts.formats))
    return Problem(
        "unknown_format",
        f"weight format {name!r} is not in the catalogue.",
        key="weight_format",
        allowed=known,
        nearest=tuple(get_close_matches(name.casefold(), known, n=2, cutoff=0.4)),
    )
