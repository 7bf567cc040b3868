"""Turns a hub ``config.json`` into a model of the catalogue's schema.

Attention and feed-forward shapes are recognised from the fields, family by family; what is not
recognised is refused with the name of the field, never guessed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from advisor.store.hub_config_context import context_of
from advisor.store.hub_config_encoder import encoder_shapes
from advisor.store.hub_config_families import ENCODERS, KNOWN_TYPES, TIED_BY_DEFAULT
from advisor.store.hub_config_ffn import ffn_groups, pattern_ffn
from advisor.store.hub_config_fields import Fields
from advisor.store.hub_config_format import build_of
from advisor.store.hub_config_latent import (
    compressed_attention,
    kimi_attention,
    latent_attention,
)
from advisor.store.hub_config_linear import (
    block_pattern,
    delta_net_attention,
    lightning_attention,
    mamba_hybrid_attention,
    pattern_attention,
)
from advisor.store.hub_config_mtp import mtp_of
from advisor.store.hub_config_nas import nas_shapes
from advisor.store.hub_config_parameters import active_parameters, language_parameters
from advisor.store.hub_config_read import HubConfig, parse_config, read_config
from advisor.store.hub_config_refuse import (
    refuse_other_files,
    refuse_unknown_attention,
    refuse_unread_hints,
)
from advisor.store.hub_config_softmax import (
    class_default,
    hidden_size_of,
    layers_of,
    softmax_attention,
)
from advisor.store.hub_config_vision import vision_of
from advisor.store.model import Attention, Build, Ffn, Model

__all__ = ["HubConfig", "model_from_config", "parse_config", "read_config"]

_KNOWLEDGE_DATE = "2026-11-29"
# Where families nest the language model.
_TEXT_KEYS = ("text_config", "llm_config", "language_config")
_QUANTISED_NAME = re.compile(
    r"nvfp4|mxfp4|fp8|awq|gptq|int4|int8|w4a16|w8a8|4bit|8bit|bnb|gguf|fp4", re.IGNORECASE
)
Modality = Literal["text", "vision_language", "embedding", "reranker"]


@dataclass(frozen=True, slots=True)
class _Shapes:
    layers: int
    attention: tuple[Attention, ...]
    ffn: tuple[Ffn, ...]


def model_from_config(
    config: HubConfig | Mapping[str, Any] | str | os.PathLike[str],
    *,
    name: str | None = None,
    as_of: str = _KNOWLEDGE_DATE,
) -> Model:
    """Build a model from a hub ``config.json``.

    Args:
        config: What :func:`read_config` returned, the mapping itself, its JSON text or a path.
        name: How the user calls the model; else taken from the config's architecture.
        as_of: Date for the record; no clock is read.

    Returns:
        A model whose ``parameters_b`` is counted from the shapes (vision tower included, MTP
        layers apart), with one build and notes on everything that was assumed.

    Raises:
        InputError: The config is not a language model's (``not_a_language_model``), describes
            attention that is not known (``unknown_attention``) or layers that are not
            (``unknown_layers``), or holds a bad value; the key is named.
    """
    document = _document(config)
    top = Fields(document, document.data, ())
    refuse_other_files(top)
    text = _text_part(top)
    refuse_unknown_attention(top, text)
    shapes = _shapes(text, context_of(text)[0])
    refuse_unread_hints(text)
    return _assemble(top, text, shapes, name, as_of)


def _document(config: HubConfig | Mapping[str, Any] | str | os.PathLike[str]) -> HubConfig:
    if isinstance(config, HubConfig):
        return config
    if isinstance(config, Mapping):
        return HubConfig(config)
    return read_config(config)


def _text_part(top: Fields) -> Fields:
    """Return the object that describes the language model."""
    thinker = top.child("thinker_config")
    for holder in (top, thinker):
        for key in _TEXT_KEYS:
            nested = holder.child(key) if holder is not None else None
            if nested is not None:
                nested.inherit_type(top.model_type)
                return nested
    return top


def _shapes(text: Fields, context: int) -> _Shapes:
    """Recognise the family by its fields, the most telling first."""
    if text.has("hybrid_override_pattern", "layers_block_type"):
        blocks = block_pattern(text)
        return _Shapes(blocks.total(), pattern_attention(text, blocks), pattern_ffn(text, blocks))
    layers = layers_of(text)
    if text.model_type in ENCODERS:
        encoder, dense = encoder_shapes(text, layers)
        return _Shapes(layers, (encoder,), (dense,))
    if text.has("block_configs"):
        return _Shapes(layers, *nas_shapes(text, layers))
    return _Shapes(layers, _attention(text, layers, context), ffn_groups(text, layers))


def _attention(text: Fields, layers: int, context: int) -> tuple[Attention, ...]:
    for recognises, shapes_of in _RECOGNISERS:
        if recognises(text):
            return shapes_of(text, layers)
    return softmax_attention(text, layers, context)


def _has_lightning(text: Fields) -> bool:
    if text.model_type in {"minimax", "minimax_m1", "minimax_text_01"}:
        return True
    codes = text.items("attn_type_list")
    return bool(codes) and 0 in (codes or [])


_RECOGNISERS: tuple[
    tuple[Callable[[Fields], bool], Callable[[Fields, int], tuple[Attention, ...]]], ...
] = (
    (lambda text: text.model_type == "deepseek_v4", compressed_attention),
    (lambda text: text.has("compress_ratios"), compressed_attention),
    (lambda text: text.model_type == "kimi_linear", kimi_attention),
    (lambda text: text.has("linear_attn_config"), kimi_attention),
    (lambda text: text.has("linear_num_value_heads"), delta_net_attention),
    (lambda text: text.has("mamba_n_heads"), mamba_hybrid_attention),
    (_has_lightning, lightning_attention),
    (lambda text: text.has("kv_lora_rank"), latent_attention),
)


def _assemble(top: Fields, text: Fields, shapes: _Shapes, name: str | None, as_of: str) -> Model:
    notes: list[str] = []
    measures = _measures(top, text, shapes, notes)
    context, native = context_of(text)
    build = build_of(top, text, shapes.layers, shapes.attention, shapes.ffn)
    label = name or _label(top, text)
    said = [*_type_notes(text), *text.notes, *notes, *_name_notes(label, build)]
    return Model(
        id=_slug(label),
        name=label,
        family=text.model_type or None,
        layers=shapes.layers,
        max_context_tokens=context,
        native_context_tokens=native,
        attention=shapes.attention,
        ffn=shapes.ffn,
        published_format=build.format,
        builds=(build,),
        unknown_shapes=("audio tower",) if top.has("audio_config") else (),
        sources=("config",),
        as_of=as_of,
        unverified=("parameters_b",),
        notes=tuple(_sentences(said)),
        **measures,
    )


def _measures(top: Fields, text: Fields, shapes: _Shapes, notes: list[str]) -> dict[str, Any]:
    """Return the widths, and the parameter counts that follow from them and the shapes."""
    hidden, vocabulary = hidden_size_of(text), _vocabulary(top, text)
    modality = _modality(top, text)
    tied = modality in {"embedding", "reranker"} or _tied(top, text)
    vision = vision_of(top, hidden, notes)
    language = language_parameters(
        attention=shapes.attention,
        ffn=shapes.ffn,
        hidden_size=hidden,
        vocab_size=vocabulary,
        tie_embeddings=tied,
    )
    mtp_layers, mtp_parameters = mtp_of(text, shapes.attention, shapes.ffn, hidden, vocabulary)
    return {
        "hidden_size": hidden,
        "vocab_size": vocabulary,
        "modality": modality,
        "tie_embeddings": tied,
        "vision": vision,
        "parameters_b": round(language / 1e9 + (vision.parameters_b if vision else 0.0), 6),
        "active_parameters_b": active_parameters(language, shapes.ffn, hidden),
        "mtp_layers": mtp_layers,
        "mtp_parameters_b": mtp_parameters,
    }


def _vocabulary(top: Fields, text: Fields) -> int:
    given = text.optional("vocab_size", "padded_vocab_size") or top.optional("vocab_size")
    given = given or class_default(text, "vocab_size")
    return text.missing("vocab_size", "padded_vocab_size") if given is None else given


def _modality(top: Fields, text: Fields) -> Modality:
    if text.model_type in ENCODERS:
        names = top.items("architectures") or []
        scores = any("SequenceClassification" in str(entry) for entry in names)
        return "reranker" if scores else "embedding"
    return "vision_language" if top.has("vision_config") else "text"


def _tied(top: Fields, text: Fields) -> bool:
    default = text.model_type in TIED_BY_DEFAULT
    return top.flag(
        "tie_word_embeddings", default=text.flag("tie_word_embeddings", default=default)
    )


def _type_notes(text: Fields) -> list[str]:
    kind = text.model_type
    if kind in KNOWN_TYPES:
        return []
    shown = f"model type {kind!r}" if kind else "a config without model_type"
    return [f"{shown} is not known here: read by its fields alone, gated FFN assumed"]


def _name_notes(label: str, build: Build) -> list[str]:
    hint = _QUANTISED_NAME.search(label)
    if hint is None or build.format not in {"bf16", "fp16", "fp32"}:
        return []
    said = f"the name says {hint[0]} but the config has no quantization_config"
    return [f"{said}: counted as {build.format}; name the weight format if that is wrong"]


def _sentences(notes: list[str]) -> list[str]:
    seen = dict.fromkeys(note for note in notes if note)
    return [f"{note[0].upper()}{note[1:]}{'' if note.endswith('.') else '.'}" for note in seen]


def _label(top: Fields, text: Fields) -> str:
    path = top.raw("_name_or_path")
    if isinstance(path, str) and path.strip("/. "):
        return path.rstrip("/").split("/")[-1]
    names = top.items("architectures")
    if names:
        return str(names[0])
    return top.model_type or text.model_type or "model from config"


def _slug(label: str) -> str:
    slug = re.sub(r"[^a-z0-9._+-]+", "-", label.lower().rsplit("/", 1)[-1]).strip("-._+")
    return slug or "model-from-config"
