"""``gpu-advisor size``: does this model fit this GPU, and how fast is it?"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from advisor.cli.arguments import add_format, integer, number
from advisor.cli.exits import Exit
from advisor.cli.size_names import with_remedies
from advisor.errors import InputError, Problem, UnknownNameError

if TYPE_CHECKING:
    from advisor.sizing.request import SizeRequest
    from advisor.sizing.result import SizeResult
    from advisor.sizing.training import TrainingPlan
    from advisor.store.loader import Knowledge
    from advisor.store.model import Model

__all__ = ["HELP", "add_arguments", "run"]

HELP = "size one model on one GPU: weights, cache, concurrency, speed; or training memory"
_TOKENS = 2**40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the flags of ``size``; their meaning is that of ``SizeRequest``."""
    what = parser.add_argument_group("what")
    source = what.add_mutually_exclusive_group()
    source.add_argument("--model", help="catalogue id, alias or hub id")
    source.add_argument("--config", metavar="FILE", help="a hub config.json, or - for stdin")
    what.add_argument("--gpu", help="catalogue id or any usual name")
    what.add_argument(
        "--gpu-memory-gib",
        type=number(0.5, 4096, unit="gib"),
        metavar="X",
        help="what the runtime reports in total (23.6, not 24)",
    )
    what.add_argument(
        "--gpu-memory-bandwidth-gbs",
        type=number(1, 10**6, unit="gb_per_s"),
        metavar="X",
        help="for a card outside the catalogue",
    )
    what.add_argument("--gpu-compute-capability", metavar="C", help="for example 8.9")
    _layout_arguments(parser)
    _serving_arguments(parser)
    _engine_arguments(parser)
    _training_arguments(parser)
    add_format(parser)
    parser.add_argument("--strict", action="store_true", help="exit 1 when it does not fit")


def _layout_arguments(parser: argparse.ArgumentParser) -> None:
    layout = parser.add_argument_group("layout")
    layout.add_argument(
        "--gpu-count",
        type=integer(1, 65536),
        metavar="N",
        help="alone: the smallest legal layout that fits is chosen",
    )
    for name in ("tensor", "pipeline", "data"):
        layout.add_argument(f"--{name}-parallel", type=integer(1, 65536), metavar="N")
    layout.add_argument("--expert-parallel", action="store_true", help="whole experts per rank")
    layout.add_argument("--decode-context-parallel", type=integer(1, 1024), metavar="C", default=1)


def _serving_arguments(parser: argparse.ArgumentParser) -> None:
    serving = parser.add_argument_group("serving")
    serving.add_argument("--weight-format", metavar="W", help="checkpoint, bf16, fp8, int4, ...")
    serving.add_argument("--kv-format", metavar="K", default="auto", help="auto, bf16, fp8, ...")
    for flag, letter, text in (
        ("--max-model-len", "L", "longest request, prompt and output (128k is 131072)"),
        ("--typical-context-tokens", "T", "mean live tokens per stream while decoding"),
        ("--prompt-tokens", "P", "prompt whose time to first token is wanted"),
    ):
        tokens = integer(1, _TOKENS, unit="tokens")
        serving.add_argument(flag, type=tokens, metavar=letter, help=text)
    serving.add_argument(
        "--concurrency", type=integer(1, 10**6), metavar="C", help="streams in one engine instance"
    )


def _engine_arguments(parser: argparse.ArgumentParser) -> None:
    engine = parser.add_argument_group("engine")
    engine.add_argument(
        "--engine",
        default="vllm",
        metavar="E",
        help="vllm, sglang, tensorrt_llm, llama_cpp, tgi, other",
    )
    engine.add_argument("--engine-version", metavar="V")
    share = number(0.01, 1, unit="fraction")
    engine.add_argument("--gpu-memory-utilization", type=share, metavar="U")
    engine.add_argument("--max-num-seqs", type=integer(1, 10**6), metavar="S")
    batch = integer(1, _TOKENS, unit="tokens")
    engine.add_argument("--max-num-batched-tokens", type=batch, metavar="B")
    engine.add_argument("--block-size", type=integer(1, 8192), metavar="N")
    for flag, least, text in (
        ("--kv-cache-gib", 0, "per GPU, as a log prints it; replaces the memory sum"),
        ("--weights-gib", 0.001, "per GPU; replaces the computed weights"),
    ):
        size = number(least, 10**5, unit="gib")
        engine.add_argument(flag, type=size, metavar="X", help=text)
    engine.add_argument("--speculative-tokens", type=integer(0, 64), metavar="N", default=0)
    for flag in ("--no-prefix-caching", "--enforce-eager", "--no-hybrid-kv-manager"):
        engine.add_argument(flag, action="store_true")


def _training_arguments(parser: argparse.ArgumentParser) -> None:
    training = parser.add_argument_group("training (give --method)")
    training.add_argument("--method", choices=("full", "lora", "qlora"))
    training.add_argument("--sequence-tokens", type=integer(1, _TOKENS, unit="tokens"), metavar="N")
    training.add_argument("--micro-batch", type=integer(1, 65536), metavar="N", default=1)
    training.add_argument(
        "--optimizer",
        default="adamw",
        choices=("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "muon"),
    )
    training.add_argument("--sharding", choices=("none", "zero1", "zero2", "zero3", "fsdp"))
    training.add_argument("--recompute", default="none", choices=("none", "selective", "full"))
    training.add_argument("--offload", default="none", choices=("none", "cpu", "nvme"))
    training.add_argument("--master-weights", choices=("fp32", "none"))
    training.add_argument("--lora-rank", type=integer(1, 4096), metavar="R", default=16)


def run(args: argparse.Namespace) -> int:
    """Size and print.

    Raises:
        InputError: something on the command line or in the config cannot be used.
    """
    from advisor.store.known_cache import with_known_cache
    from advisor.store.loader import load_knowledge

    knowledge = load_knowledge()
    model = _model(args)
    if not isinstance(model, str):
        model = with_known_cache(model, knowledge.models.values())
    try:
        sized = _serve if args.method is None else _train
        result = sized(knowledge, model, args)
    except UnknownNameError as error:
        raise with_remedies(error, knowledge, model, args.gpu) from error
    _print(result, args.format)
    return Exit.FINDINGS if args.strict and not result.fits else Exit.DONE


def _model(args: argparse.Namespace) -> str | Model:
    if args.config is not None:
        from pathlib import Path

        from advisor.store.hub_config import model_from_config, parse_config

        if args.config == "-":
            return model_from_config(parse_config(sys.stdin.read(), file="standard input"))
        return model_from_config(Path(args.config))
    if args.model is None:
        raise InputError(Problem("model_missing", "Name a model: --model M or --config FILE."))
    return str(args.model)


def _serve(knowledge: Knowledge, model: str | Model, args: argparse.Namespace) -> SizeResult:
    from advisor.sizing.by_name import size_by_name

    _refuse_contradictions(args)
    return size_by_name(knowledge, model, args.gpu, _request(args))


def _refuse_contradictions(args: argparse.Namespace) -> None:
    """Refuse flags that would be passed over in silence."""
    if args.sequence_tokens is not None:
        text = "--sequence-tokens is for training: give --method, or --max-model-len for serving."
        raise InputError(Problem("contradiction", text, key="sequence_tokens"))
    longest = args.max_model_len
    for name in ("typical_context_tokens", "prompt_tokens"):
        tokens = getattr(args, name)
        if longest is not None and tokens is not None and tokens > longest:
            text = f"{tokens:,} tokens are more than a request may have: {longest:,}."
            raise InputError(Problem("contradiction", text, key=name))


def _train(knowledge: Knowledge, model: str | Model, args: argparse.Namespace) -> SizeResult:
    from advisor.sizing.by_name import resolve_card, resolve_model
    from advisor.sizing.training_result import training_result

    record, request, notes = resolve_model(knowledge, model, _request(args))
    card, card_notes = resolve_card(knowledge, args.gpu, request)
    result = training_result(
        record,
        card,
        _training_plan(args, card.architecture),
        total_gib=args.gpu_memory_gib or card.engine_memory_gib,
        weight_format="nf4" if args.method == "qlora" else "bf16",
        gpu_count=args.gpu_count,
    )
    return result.model_copy(update={"problems": (*notes, *card_notes, *result.problems)})


def _training_plan(args: argparse.Namespace, architecture: str) -> TrainingPlan:
    from advisor.sizing.training import TrainingPlan

    if args.sequence_tokens is None:
        raise InputError(Problem("sequence_missing", "Training needs --sequence-tokens N."))
    model_ranks = (args.tensor_parallel or 1) * (args.pipeline_parallel or 1)
    ranks = args.data_parallel or max(1, (args.gpu_count or model_ranks) // model_ranks)
    usual = "fsdp" if ranks > 1 and args.method == "full" else "none"
    plan = TrainingPlan(
        method=args.method,
        sequence_tokens=args.sequence_tokens,
        micro_batch=args.micro_batch,
        optimizer=args.optimizer,
        master_weights=args.master_weights or "fp32",
        recompute=args.recompute,
        offload=args.offload,
        sharding=args.sharding or usual,  # type: ignore[arg-type]
        world_size=ranks,
        tensor_parallel=args.tensor_parallel or 1,
        pipeline_parallel=args.pipeline_parallel or 1,
        lora_rank=args.lora_rank,
        gpu_architecture=architecture,
    )
    if args.gpu_count is not None and plan.gpus > args.gpu_count:
        text = f"the layout needs {plan.gpus} GPUs, {args.gpu_count} are stated."
        raise InputError(Problem("layout_exceeds_gpus", text, key="gpu_count"))
    return plan


def _request(args: argparse.Namespace) -> SizeRequest:
    from dataclasses import fields

    from advisor.sizing.request import SizeRequest

    given = vars(args)
    names = {field.name for field in fields(SizeRequest)} & given.keys()
    return SizeRequest(
        **{name: given[name] for name in names},
        prefix_caching=not args.no_prefix_caching,
        hybrid_kv_manager=not args.no_hybrid_kv_manager,
    )


def _print(result: SizeResult, form: str) -> None:
    if form == "json":
        sys.stdout.write(result.model_dump_json(indent=2) + "\n")
        return
    from advisor.reports.size_text import size_text

    sys.stdout.write(size_text(result))
