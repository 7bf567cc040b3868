"""Turns away configs that are not of a language model, or whose attention is not known."""

from __future__ import annotations

from advisor.store.hub_config_fields import Fields

__all__ = ["refuse_other_files", "refuse_unknown_attention", "refuse_unread_hints"]

_PICTURE_AND_SOUND = frozenset({
    "align", "altclip", "audio-spectrogram-transformer", "autoencoderkl", "bark", "beit", "bit",
    "blip", "chinese_clip", "clap", "clip", "clip_text_model", "clip_vision_model", "clipseg",
    "clvp", "convnext", "convnextv2", "data2vec-audio", "data2vec-vision", "deit",
    "depth_anything", "detr", "dinov2", "dinov2_with_registers", "dinov3_vit", "dpt", "encodec",
    "fastspeech2_conformer", "flava", "grounding-dino", "groupvit", "hubert", "levit", "maskformer",
    "mask2former", "mimi", "mobilenet_v2", "mobilevit", "moonshine", "moshi", "musicgen", "owlv2",
    "owlvit", "parakeet", "perceiver", "poolformer", "pvt", "regnet", "resnet", "rt_detr", "sam",
    "sam2", "sam3", "seamless_m4t", "seamless_m4t_v2", "segformer", "sew", "siglip", "siglip2",
    "siglip_vision_model", "speech_to_text", "speecht5", "stable-diffusion", "swin", "swinv2",
    "timesfm", "timm_wrapper", "unispeech", "unispeech-sat", "univnet", "vit", "vit_mae", "vits",
    "wav2vec2", "wav2vec2-bert", "wav2vec2-conformer", "wavlm", "whisper", "x-clip", "yolos",
    "zoedepth",
})  # fmt: skip
# Type, and what its layers keep that the fields alone do not tell.
_UNKNOWN = {
    "bailing_hybrid": "linear attention of its own kind",
    "falcon_h1": "attention and Mamba-2 heads side by side in every layer",
    "falcon_mamba": "Mamba-1 layers",
    "gemma3n": "caches shared between layers and per-layer embeddings",
    "gemma3n_text": "caches shared between layers and per-layer embeddings",
    "glm5_next": "pooled index rows and linear layers",
    "jamba": "Mamba-1 layers",
    "lfm2": "short convolution layers",
    "lfm2_moe": "short convolution layers",
    "longcat_flash": "two attention blocks per layer",
    "mamba": "Mamba-1 layers",
    "mamba2": "Mamba-2 layers alone",
    "mimo_v2_flash": "values narrower than keys in window layers",
    "minicpm3": "latent attention that engines unfold",
    "mllama": "cross-attention layers",
    "mllama_text_model": "cross-attention layers",
    "olmo_hybrid": "linear attention of its own kind",
    "phi4flash": "caches shared between layers",
    "plamo2": "Mamba layers of its own kind",
    "recurrent_gemma": "recurrent layers",
    "retnet": "retention layers",
    "rwkv": "recurrent layers",
    "rwkv5": "recurrent layers",
    "rwkv6": "recurrent layers",
    "rwkv7": "recurrent layers",
    "xlstm": "recurrent layers",
    "zamba": "Mamba layers with a shared attention block",
    "zamba2": "Mamba layers with a shared attention block",
    "zaya": "linear attention of its own kind",
}
# Fields that give away another file of a model repository: (all of these, what it is).
_OTHER_FILES = (
    (("peft_type",), "an adapter (adapter_config.json); give the config of its base model"),
    (("_class_name",), "a part of an image or video pipeline (diffusers)"),
    (("_diffusers_version",), "a part of an image or video pipeline (diffusers)"),
    (("weight_map",), "an index of weight files"),
    (("image_processor_type",), "a preprocessor_config.json"),
    (("feature_extractor_type",), "a preprocessor_config.json"),
    (("added_tokens_decoder",), "a tokenizer_config.json"),
    (("tokenizer_class", "model_max_length"), "a tokenizer_config.json"),
    (("chat_template",), "a tokenizer_config.json"),
)
_SIZES = ("hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "n_layers")
_GENERATION = ("do_sample", "temperature", "top_p", "top_k", "max_new_tokens", "eos_token_id")
_ADVICE = (
    "Describe the model with parameters_b, or measure its cache with the engine and give that."
)


def refuse_other_files(top: Fields) -> None:
    """Refuse pictures, sound and the other JSON files of a model repository.

    Raises:
        InputError: With code ``not_a_language_model``.
    """
    present = set(top.names())
    for names, what in _OTHER_FILES:
        sized = present & set(_SIZES) and names[0] not in {"peft_type", "_class_name"}
        if present.issuperset(names) and not sized:
            raise _not_a_model(top, what)
    if {"dim", "n_layers", "n_kv_heads", "hidden_dim"} <= present:
        raise _not_a_model(top, "a params.json; give the config.json of the same model")
    if "model_type" not in present and not present & set(_SIZES) and present & set(_GENERATION):
        raise _not_a_model(top, "a generation_config.json")
    if top.model_type in _PICTURE_AND_SOUND:
        raise _not_a_model(top, f"the config of a picture or sound model ({top.model_type})")


def _not_a_model(top: Fields, what: str) -> Exception:
    message = (
        f"This is {what}, not the config.json of a language model. "
        "Sizing needs hidden_size, num_hidden_layers and num_attention_heads"
    )
    return top.problem("not_a_language_model", message)


def refuse_unknown_attention(top: Fields, text: Fields) -> None:
    """Refuse model types whose cache is known not to follow from their fields.

    Raises:
        InputError: With code ``unknown_attention``.
    """
    for fields in (top, text):
        reason = _UNKNOWN.get(fields.model_type)
        if reason is not None:
            message = f"Model type {fields.model_type!r} has {reason}: its cache is not known here"
            raise fields.problem("unknown_attention", f"{message}. {_ADVICE}", "model_type")
        if fields.flag("is_encoder_decoder", default=False):
            message = "This model has an encoder and a decoder with cross-attention caches"
            raise fields.problem("unknown_attention", f"{message}. {_ADVICE}", "is_encoder_decoder")
    for name in ("num_kv_shared_layers", "hidden_size_per_layer_input"):
        if text.optional(name, minimum=0):
            message = f"{name} is set: caches or embeddings are shared in a way not known here"
            raise text.problem("unknown_attention", f"{message}. {_ADVICE}", name)


def refuse_unread_hints(text: Fields) -> None:
    """Refuse a config in which a field about attention was not understood.

    Raises:
        InputError: With code ``unknown_attention``, naming the field.
    """
    hints = text.unread_hints()
    if hints:
        message = (
            f"The field {hints[0]!r} describes attention in a way this version does not know, "
            "so the cache cannot be computed"
        )
        raise text.problem("unknown_attention", f"{message}. {_ADVICE}", hints[0])
