"""From numbers to a verdict: which limit was hit, by how much, and what to change."""

from __future__ import annotations

from advisor.sizing.engine_rules import EngineRules
from advisor.sizing.request import SizeRequest
from advisor.sizing.result import SizeProblem
from advisor.sizing.stages import Stage
from advisor.sizing.weights import WeightPlan
from advisor.store.model import Compressed, Model

__all__ = ["memory_problems", "model_problems", "unknown_reason"]

GIB = 2**30


def _problem(code: str, text: str, *, blocking: bool = False, section: str = "7.3") -> SizeProblem:
    return SizeProblem(code=code, text=text, section=section, blocking=blocking)


def unknown_reason(model: Model) -> SizeProblem | None:
    """Say which figure is missing when the cache cannot be computed at all."""
    missing = [name for name in model.unknown_shapes if name.startswith("attention")]
    if not missing and model.attention:
        return None
    text = (
        f"the cache of {model.name} cannot be computed: {', '.join(missing) or 'attention'} not "
        "known. Give its config.json with --config."
    )
    return _problem("unknown_attention", text)


def model_problems(
    request: SizeRequest, model: Model, plan: WeightPlan, rules: EngineRules, limit: int
) -> tuple[SizeProblem, ...]:
    """Return what to say about the model and flags before memory is counted."""
    found = []
    if limit > model.max_context_tokens:
        found.append(
            _problem(
                "context_beyond_model",
                f"{limit:,} tokens exceed the model's own maximum of {model.max_context_tokens:,}.",
            )
        )
    if request.speculative_tokens and not model.mtp_layers:
        found.append(
            _problem(
                "draft_unknown",
                f"{model.name} has no draft layers of its own: the draft's weights and cache are "
                "not counted.",
            )
        )
    if plan.wide:
        parts = ", ".join(sorted(name.replace("_", " ") for name in plan.wide))
        found.append(
            _problem("stays_wide", f"in this {plan.format} build, {parts} stay in 16 bit.")
        )
    if any(isinstance(a, Compressed) for a in model.attention):
        found.append(
            _problem(
                "approximate_cache",
                "window plus compressed rows were not reproduced to the token for this "
                "architecture; the cache figures are approximate.",
            )
        )
    if rules.note:
        found.append(_problem(rules.note_code, rules.note, section="versions"))
    return tuple(found)


def memory_problems(
    stage: Stage,
    checked: Stage,
    limit: int,
    request: SizeRequest,
    rules: EngineRules,
    sequences: int,
    default: tuple[int, Stage] | None,
    total_gib: float,
    utilization: float,
) -> tuple[tuple[SizeProblem, ...], bool]:
    """Return the memory problems and whether one request of ``limit`` tokens starts."""
    found: list[SizeProblem] = []
    stated = request.kv_cache_gib is not None
    budget = utilization * total_gib
    if not stated and stage.weights_gib > budget:
        found.append(_weights_problem(stage, budget, total_gib, utilization))
    elif stage.available.expected <= 0:
        found.append(_no_cache_problem(stage))
    elif not _starts(checked, limit, rules, 1):
        found.append(_cache_problem(stage, checked, limit))
    found += _state_problem(stage, rules, sequences)
    if not stated and stage.available.graphs_outside_gib[1] > stage.available.outside_gib:
        found.append(_graphs_problem(stage, rules, utilization))
    fits = not any(problem.blocking for problem in found)
    found += _bug_problem(stage, checked, limit, rules)
    if not stated:
        found += _borderline(checked, limit, rules, fits=fits)
        found += _default_problem(default, limit, rules, sequences, fits=fits)
    return tuple(found), fits


def _starts(stage: Stage, limit: int, rules: EngineRules, index: int) -> bool:
    available = stage.bytes_available(index)
    pool = stage.pool
    if pool.linear:
        return available > 0 and pool.bytes_for(limit) <= available
    blocks = pool.block_count(available - rules.null_blocks * pool.bytes_per_block)
    return available > 0 and pool.blocks_for(limit) <= blocks


def _weights_problem(
    stage: Stage, budget: float, total_gib: float, utilization: float
) -> SizeProblem:
    text = (
        f"weights take {stage.weights_gib:.1f} GiB per GPU, the engine may use {budget:.1f} "
        f"({utilization:g} x {total_gib:.1f}): {stage.weights_gib - budget:.1f} GiB too many. "
        "Use more GPUs per replica or a narrower format."
    )
    return _problem("weights_exceed_memory", text, blocking=True)


def _no_cache_problem(stage: Stage) -> SizeProblem:
    text = (
        f"nothing is left for the cache: {stage.available.text}. Lower max-num-seqs or the "
        "prefill batch, or use more GPUs or a narrower format."
    )
    return _problem("no_kv_memory_left", text, blocking=True)


def _cache_problem(stage: Stage, checked: Stage, limit: int) -> SizeProblem:
    need = checked.pool.bytes_for(limit) / GIB
    have = stage.available.expected
    longest = checked.pool.largest_length(checked.bytes_available(), limit)
    text = (
        f"one request of {limit:,} tokens needs {need:.2f} GiB of cache per GPU and {have:.2f} are "
        f"there: {need - have:.2f} short. It starts with --max-model-len {longest:,}."
    )
    return _problem("kv_too_small_for_max_model_len", text, blocking=True)


def _state_problem(stage: Stage, rules: EngineRules, sequences: int) -> list[SizeProblem]:
    if not (stage.pool.has_states and rules.shared_pool and rules.checks_state_blocks):
        return []
    blocks = stage.pool.block_count(stage.bytes_available())
    if sequences <= blocks or blocks == 0:
        return []
    text = (
        f"max-num-seqs {sequences} exceeds the {blocks} state blocks that fit; each decoding "
        f"sequence needs one. Start with --max-num-seqs {blocks} or less."
    )
    return [_problem("max_num_seqs_exceeds_state_blocks", text, blocking=True)]


def _graphs_problem(stage: Stage, rules: EngineRules, utilization: float) -> SizeProblem:
    least, expected = stage.available.graphs_outside_gib
    text = (
        f"{rules.label} captures CUDA graphs (about {expected:.1f} GiB) "
        f"outside its share, and utilisation {utilization:g} leaves "
        f"{stage.available.outside_gib:.1f} GiB: lower it, or use --enforce-eager."
    )
    return _problem("graphs_do_not_fit", text, blocking=least > stage.available.outside_gib)


def _bug_problem(stage: Stage, checked: Stage, limit: int, rules: EngineRules) -> list[SizeProblem]:
    if checked.pool.bytes_per_token == stage.pool.bytes_per_token:
        return []
    text = (
        f"{rules.label} compares one pipeline stage's memory with the whole model's need "
        f"({checked.pool.bytes_for(limit) / GIB:.2f} GiB instead of "
        f"{stage.pool.bytes_for(limit) / GIB:.2f}); later versions compare stage with stage."
    )
    return [_problem("version_bug", text, section="versions")]


def _borderline(stage: Stage, limit: int, rules: EngineRules, *, fits: bool) -> list[SizeProblem]:
    low, high = (_starts(stage, limit, rules, index) for index in (0, 2))
    if low == high:
        return []
    left = stage.available
    text = (
        f"within the error of this estimate: {left.low:.2f} to {left.high:.2f} GiB of cache, so it "
        f"may {'not start' if fits else 'start'} on your machine."
    )
    return [_problem("borderline", text)]


def _default_problem(
    default: tuple[int, Stage] | None,
    limit: int,
    rules: EngineRules,
    sequences: int,
    *,
    fits: bool,
) -> list[SizeProblem]:
    if default is None or not fits:
        return []
    number, stage = default
    starts = _starts(stage, limit, rules, 1)
    blocked = bool(_state_problem(stage, rules, number))
    if starts and not blocked:
        return []
    text = (
        f"quoted at --max-num-seqs {sequences}; at the engine's default of {number} the cache is "
        f"{max(0.0, stage.available.expected):.2f} GiB and it does not start."
    )
    return [_problem("engine_default_does_not_start", text)]
