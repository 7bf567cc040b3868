"""What the hub's model types leave unsaid in ``config.json``: defaults of their classes.

Source: transformers 5.24, ``configuration_*`` and ``modeling_*`` of each family.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = [
    "ALL_LAYERS_SLIDE",
    "CLASS_DEFAULTS",
    "ENCODERS",
    "EXPERTS_USE_INTERMEDIATE_SIZE",
    "FOUR_TIMES_HIDDEN",
    "KNOWN_TYPES",
    "SLIDING_PATTERNS",
    "TIED_BY_DEFAULT",
    "UNGATED",
    "WINDOW_BY_INDEX",
]

CLASS_DEFAULTS: Mapping[str, Mapping[str, int]] = MappingProxyType({
    "bloom": {"max_position_embeddings": 2048},
    "falcon": {"max_position_embeddings": 2048},
    "refinedweb": {"max_position_embeddings": 2048},
    "refinedwebmodel": {"max_position_embeddings": 2048},
    "gemma": {"head_dim": 256, "num_key_value_heads": 16, "max_position_embeddings": 8192},
    "gemma2": {"head_dim": 256, "num_key_value_heads": 4, "max_position_embeddings": 8192},
    "gemma3_text": {
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
        "vocab_size": 262208, "max_position_embeddings": 131072,
    },
    "gpt_oss": {"head_dim": 64, "num_key_value_heads": 8},
    "llama4_text": {"num_key_value_heads": 8, "head_dim": 128, "attention_chunk_size": 8192},
    "mistral": {"num_key_value_heads": 8},
    "mixtral": {"num_key_value_heads": 8},
    "qwen3": {"head_dim": 128},
    "qwen3_5_moe_text": {"head_dim": 256},
    "qwen3_5_text": {"head_dim": 256},
    "qwen3_next": {"head_dim": 256},
    "starcoder2": {"num_key_value_heads": 2},
})  # fmt: skip
"""Values that published files of the type are known to omit."""

SLIDING_PATTERNS: Mapping[str, int] = MappingProxyType({
    "cohere2": 4, "exaone4": 4, "gemma2": 2, "gemma3": 6, "gemma3_text": 6, "gpt_oss": 2,
    "olmo3": 4,
})  # fmt: skip
"""Every n-th layer is full, the others slide, where the file does not list them."""

ALL_LAYERS_SLIDE = frozenset({
    "mistral", "mixtral", "ministral", "ministral3", "phi3", "phimoe", "starcoder2",
})  # fmt: skip
"""``sliding_window`` holds for every layer."""

WINDOW_BY_INDEX = frozenset({
    "qwen2", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "qwen3",
    "qwen3_moe", "qwen3_vl_text", "qwen3_vl_moe_text", "smollm3",
})  # fmt: skip
"""``use_sliding_window`` (default false) turns the window on above ``max_window_layers``."""

ENCODERS = frozenset({
    "bert", "camembert", "distilbert", "electra", "ernie", "gte", "jina_bert", "modernbert",
    "mpnet", "new", "nomic_bert", "roberta", "xlm-roberta", "xlm_roberta", "xlm-roberta-xl",
})  # fmt: skip

UNGATED = frozenset({
    "apertus", "arcee", "bert", "bloom", "camembert", "codegen", "distilbert", "electra", "ernie",
    "falcon", "gpt2", "gpt_bigcode", "gpt_neo", "gpt_neox", "gptj", "mpnet", "mpt", "nemotron",
    "nemotron_h", "opt", "persimmon", "phi", "refinedweb", "refinedwebmodel", "roberta",
    "starcoder2", "xglm", "xlm-roberta", "xlm_roberta", "xlm-roberta-xl",
})  # fmt: skip
"""Feed-forward blocks of two matrices."""

FOUR_TIMES_HIDDEN = frozenset({
    "bloom", "codegen", "falcon", "gpt2", "gpt_bigcode", "gpt_neo", "gptj", "mpt", "refinedweb",
    "refinedwebmodel",
})  # fmt: skip
"""Feed-forward width is four times the hidden size unless the file says otherwise."""

EXPERTS_USE_INTERMEDIATE_SIZE = frozenset({
    "gpt_oss", "granitemoe", "granitemoehybrid", "granitemoeshared", "llama4_text", "minimax",
    "minimax_m1", "minimax_m2", "minimax_m3", "minimax_m3_vl",
    "minimax_m3_vl_text", "minimax_text_01", "mixtral", "phimoe",
})  # fmt: skip
"""``intermediate_size`` is the width of one expert."""

TIED_BY_DEFAULT = frozenset({
    "bloom", "cohere", "cohere2", "falcon", "gemma", "gemma2", "gemma3", "gemma3_text", "gemma4",
    "gemma4_text", "gpt2", "gpt_bigcode", "gpt_neo", "mpt", "opt", "refinedweb",
    "refinedwebmodel", "smollm3", "starcoder2",
})  # fmt: skip

_SOFTMAX = frozenset({
    "apertus", "arcee", "baichuan", "bloom", "chatglm", "codegen", "cohere", "cohere2", "dbrx",
    "deepseek", "internlm", "minicpm", "orion",
    "ernie4_5", "ernie4_5_moe", "exaone", "exaone4", "falcon", "gemma", "gemma2", "gemma3",
    "gemma3_text", "gemma4", "gemma4_text", "glm", "glm4", "glm4_moe", "glm4v_moe_text",
    "glm4v_text", "gpt2", "gpt_bigcode", "gpt_neox", "gpt_oss", "gptj", "granite", "granitemoe",
    "granitemoeshared", "hunyuan_v1_dense", "hunyuan_v1_moe", "internlm2", "internlm3", "llama",
    "llama4", "llama4_text", "minimax_m2", "minimax_m3", "minimax_m3_vl",
    "minimax_m3_vl_text", "ministral",
    "ministral3", "mistral", "mixtral", "mpt", "nemotron", "nemotron-nas", "olmo", "olmo2",
    "olmo3", "olmoe", "opt", "persimmon", "phi", "phi3", "phimoe", "qwen", "qwen2", "qwen2_5_vl",
    "qwen2_5_vl_text", "qwen2_moe", "qwen2_vl", "qwen2_vl_text", "qwen3", "qwen3_moe",
    "qwen3_vl_moe_text", "qwen3_vl_text", "refinedweb", "refinedwebmodel", "seed_oss", "smollm3",
    "stablelm", "starcoder2", "yi",
})  # fmt: skip
_LATENT = frozenset({
    "deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_v4", "glm4_moe_lite", "glm_moe_dsa",
    "kimi_k2", "kimi_linear", "mistral4",
})  # fmt: skip
_HYBRID = frozenset({
    "bamba", "granitemoehybrid", "minimax", "minimax_m1", "minimax_text_01", "nemotron_h",
    "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next",
})  # fmt: skip

KNOWN_TYPES = _SOFTMAX | _LATENT | _HYBRID | ENCODERS
"""Types whose file was compared with this reader; others are read by their fields alone."""
