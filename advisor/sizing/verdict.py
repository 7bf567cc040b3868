"""From numbers to a verdict: which limit was hit, by how much, and what to change."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.sizing.case import Case, Limits
from advisor.sizing.result import SizeProblem
from advisor.sizing.stages import Stage
from advisor.sizing.trial import Trial, room_bytes, starts
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


def model_problems(case: Case) -> tuple[SizeProblem, ...]:
    """Return what to say about the model and flags before memory is counted."""
    return (*_flag_problems(case), *_build_problems(case), *_engine_notes(case))


def _flag_problems(case: Case) -> Iterator[SizeProblem]:
    model, limit = case.model, case.max_model_len
    if limit > model.max_context_tokens:
        yield _problem(
            "context_beyond_model",
            f"{limit:,} tokens exceed the model's own maximum of {model.max_context_tokens:,}.",
            # learnt positions end; rotary ones can be stretched at a price
            blocking=any(a.kind == "encoder" for a in model.attention),
        )
    stated = case.request.kv_cache_gib
    if stated is not None and stated > case.total_gib:
        yield _problem(
            "assumption",
            f"the stated cache of {stated:g} GiB is larger than the GPU ({case.total_gib:g} GiB); "
            "it is believed, so the answer holds for another card or is a misreading.",
        )
    if case.request.speculative_tokens and not model.mtp_layers:
        yield _problem(
            "draft_unknown",
            f"{model.name} has no draft layers of its own: the draft's weights and cache are "
            "not counted.",
        )


def _build_problems(case: Case) -> Iterator[SizeProblem]:
    build = case.plan.build
    if case.request.weight_format == "fp8" and build is not None and build.format == "fp8_block":
        yield _problem(
            "assumption",
            f"fp8 is read as {build.hf_id or 'the published weights'}, whose scales cover blocks "
            "of 128x128: a split must not cut them. Weights quantised while loading have none.",
        )
    others = _other_builds(case)
    if build is not None and others and case.request.build is None:
        yield _problem(
            "assumption",
            f"{case.plan.format} is read as {build.hf_id or 'the first build'}; other builds of "
            f"this format differ in size ({', '.join(others)}): name the one you mean.",
        )
    if case.plan.wide:
        parts = ", ".join(sorted(name.replace("_", " ") for name in case.plan.wide))
        verb = "stays" if len(case.plan.wide) == 1 else "stay"
        text = f"in this {case.plan.format} build, {parts} {verb} in 16 bit."
        yield _problem("stays_wide", text)
    if any(isinstance(a, Compressed) for a in case.model.attention):
        yield _problem(
            "approximate_cache",
            "window plus compressed rows were not reproduced to the token for this "
            "architecture; the cache figures are approximate.",
        )


def _other_builds(case: Case) -> list[str]:
    """Return the builds of the same format that keep other parts wide or have other files."""
    build = case.plan.build
    return [
        other.hf_id
        for other in case.model.builds
        if build is not None
        and other.hf_id is not None
        and other.format == build.format == case.plan.format
        and (other.wide, other.part_formats, other.group_size, other.checkpoint_gb)
        != (build.wide, build.part_formats, build.group_size, build.checkpoint_gb)
    ]


def _engine_notes(case: Case) -> Iterator[SizeProblem]:
    rules, capability = case.rules, case.gpu.compute_capability
    if rules.note:
        yield _problem(rules.note_code, rules.note, section="versions")
    if capability is not None and float(capability) < rules.least_capability.get("fp16", 0.0):
        yield _problem(
            "engine_unsupported",
            f"{rules.label} no longer lists compute capability {capability} ({case.gpu.name}): "
            "take an older release (--engine-version), or a build of your own.",
            section="versions",
            blocking=True,
        )


def memory_problems(trial: Trial) -> tuple[tuple[SizeProblem, ...], bool]:
    """Return the memory problems and whether one request of the full length starts."""
    stated = trial.case.request.kv_cache_gib is not None
    found = [*_shortage(trial), *_state_problem(trial.stage, trial, trial.limits.max_num_seqs)]
    if not stated:
        found += _graphs_problem(trial)
    fits = not any(problem.blocking for problem in found)
    found += _bug_problem(trial)
    if not stated:
        found += _borderline(trial, fits=fits)
        found += _default_problem(trial) if fits else ()
    return tuple(found), fits


def _shortage(trial: Trial) -> Iterator[SizeProblem]:
    """Yield the first of: weights too large, nothing left, too little left for one request."""
    case, stage = trial.case, trial.stage
    if case.request.kv_cache_gib is None and stage.weights_gib > case.budget_gib:
        yield _weights_problem(case, stage)
    elif stage.available.expected <= 0:
        yield _no_cache_problem(case, stage)
    elif not starts(trial.case, trial.checked):
        yield _cache_problem(trial)


def _weights_problem(case: Case, stage: Stage) -> SizeProblem:
    text = (
        f"weights take {stage.weights_gib:.1f} GiB per GPU, {_share_in_words(case)}: "
        f"{stage.weights_gib - case.budget_gib:.1f} GiB too many. "
        "Use more GPUs per replica or a narrower format."
    )
    return _problem("weights_exceed_memory", text, blocking=True)


def _share_in_words(case: Case) -> str:
    if case.rules.utilization_of_free:
        return f"the GPU has {case.total_gib:.1f}"
    share = f"{case.utilization:g} x {case.total_gib:.1f}"
    return f"the engine may use {case.budget_gib:.1f} ({share})"


def _no_cache_problem(case: Case, stage: Stage) -> SizeProblem:
    stated = case.request.kv_cache_gib
    why = stage.available.text if stated is None else f"{stated:g} GiB are stated"
    text = (
        f"nothing is left for the cache: {why}. Lower max-num-seqs or the "
        "prefill batch, or use more GPUs or a narrower format."
    )
    return _problem("no_kv_memory_left", text, blocking=True)


def _cache_problem(trial: Trial) -> SizeProblem:
    limit = trial.case.max_model_len
    need = trial.checked.pool.bytes_for(limit) / GIB
    have = room_bytes(trial.case, trial.checked) / GIB
    longest = trial.longest(limit)
    remedy = (
        f"It starts with --max-model-len {longest:,}."
        if longest
        else "No length starts: use more GPUs or a narrower format."
    )
    text = (
        f"one request of {limit:,} tokens needs {need:.2f} GiB of cache per GPU and {have:.2f} are "
        f"there: {need - have:.2f} short. {remedy}"
    )
    return _problem("kv_too_small_for_max_model_len", text, blocking=True)


def _state_problem(stage: Stage, trial: Trial, sequences: int) -> Iterator[SizeProblem]:
    rules = trial.case.rules
    if not (stage.pool.has_states and rules.shared_pool and rules.checks_state_blocks):
        return
    blocks = stage.pool.block_count(stage.bytes_available())
    if sequences <= blocks or blocks == 0:
        return
    text = (
        f"max-num-seqs {sequences} exceeds the {blocks} state blocks that fit; each decoding "
        f"sequence needs one. Start with --max-num-seqs {blocks} or less."
    )
    yield _problem("max_num_seqs_exceeds_state_blocks", text, blocking=True)


def _graphs_problem(trial: Trial) -> Iterator[SizeProblem]:
    left = trial.stage.available
    least, expected = left.graphs_outside_gib
    if expected <= left.outside_gib:
        return
    text = (
        f"{trial.case.rules.label} captures CUDA graphs (about {expected:.1f} GiB) "
        f"outside its share, and utilisation {trial.case.utilization:g} leaves "
        f"{left.outside_gib:.1f} GiB: lower it, or use --enforce-eager."
    )
    yield _problem("graphs_do_not_fit", text, blocking=least > left.outside_gib)


def _bug_problem(trial: Trial) -> Iterator[SizeProblem]:
    whole, stage, limit = trial.checked.pool, trial.stage.pool, trial.case.max_model_len
    if whole.bytes_per_token == stage.bytes_per_token:
        return
    text = (
        f"{trial.case.rules.label} compares one pipeline stage's memory with the whole model's "
        f"need ({whole.bytes_for(limit) / GIB:.2f} GiB instead of "
        f"{stage.bytes_for(limit) / GIB:.2f}); later versions compare stage with stage."
    )
    yield _problem("version_bug", text, section="versions")


def _borderline(trial: Trial, *, fits: bool) -> Iterator[SizeProblem]:
    low, high = (starts(trial.case, trial.checked, index) for index in (0, 2))
    if low == high:
        return
    left = trial.checked.available
    text = (
        f"within the error of this estimate: {left.low:.2f} to {left.high:.2f} GiB of cache, so it "
        f"may {'not start' if fits else 'start'} on your machine."
    )
    yield _problem("borderline", text)


def _default_problem(trial: Trial) -> Iterator[SizeProblem]:
    if trial.default is None:
        return
    limits, stage = trial.default
    blocked = any(_state_problem(stage, trial, limits.max_num_seqs))
    if starts(trial.case, stage) and not blocked:
        return
    text = (
        f"quoted at {_flags(trial.case, trial.limits)}; at the engine's defaults, "
        f"{_flags(trial.case, limits)}, the cache is {max(0.0, stage.available.expected):.2f} GiB "
        "and it does not start."
    )
    yield _problem("engine_default_does_not_start", text)


def _flags(case: Case, limits: Limits) -> str:
    sequences, batch = limits.max_num_seqs, limits.max_num_batched_tokens
    if case.rules.engine != "vllm":
        return f"{sequences} sequences and {batch:,} batched tokens"
    return f"--max-num-seqs {sequences} --max-num-batched-tokens {batch}"
