"""Models added from published shapes: file sizes, cache and names against hand arithmetic."""

from __future__ import annotations

import pytest

from advisor.errors import UnknownNameError
from advisor.sizing.by_name import size_by_name
from advisor.sizing.request import SizeRequest
from advisor.store.loader import load_knowledge
from advisor.store.model import Build, Model

KNOWLEDGE = load_knowledge()
GB = 1e9
GIB = 2**30
BITS_OF_DRAFT = {"bf16": 16, "fp8_block": 8, "fp8": 8}

# billions of parameters that somebody else counted from the published weights
COUNTED_ELSEWHERE = {
    "qwen3.5-2b": 2.213_241_664,
    "qwen3.5-4b": 4.539_265_536,
    "qwen3.5-9b": 9.409_813_744,
    "gemma-3n-e2b": 5.439_595_456,
    "gemma-3n-e4b": 7.850_135_376,
}

# hub id: GiB of the weight files as published, draft layers included
PUBLISHED_FILES_GIB = {
    "Qwen/Qwen3.8-Flash-Next": 335.28,
    "Qwen/Qwen3.8-Flash-Next-FP8": 172.78,
    "Qwen/Qwen3.8-2.4T-A95B": 4_892_388_705_238 / GIB,
    "Qwen/Qwen3.8-2.4T-A95B-FP8": 2_496_154_358_768 / GIB,
    "zai-org/GLM-5.3-Flash": 306,
    "Qwen/Qwen2.5-72B-Instruct-AWQ": 41_607_438_677 / GIB,
    "mistralai/Mistral-Medium-3.5-128B": 134e9 / GIB,
    "microsoft/Phi-3-medium-4k-instruct": 26.00,
    "nvidia/NVIDIA-Nemotron-3-Nano-4B-BF16": 7.40,
    "unsloth/gemma-4-12b-it-GGUF": 7_121_861_440 / GIB,
}

# heads x width x 2 tensors x 2 bytes x layers that keep the whole context
CACHE_BYTES_PER_TOKEN = {
    "qwen3.5-0.8b": 6 * 2 * 256 * 4,
    "qwen3.5-9b": 8 * 4 * 256 * 4,
    "qwen3.8-flash-next": 12 * (2 * 256 * 4 + 128 * 2),
    "granite-4-micro": 40 * 8 * 64 * 4,
    "granite-4-h-micro": 4 * 8 * 64 * 4,
    "gemma-4-e2b": 3 * 1 * 512 * 4,
    "gemma-4-e4b": 4 * 2 * 512 * 4,
    "gemma-4-12b": 8 * 1 * 512 * 4,
    "gemma-3n-e4b": 4 * 2 * 256 * 4,
    "glm-5.3-flash": 11 * (512 * 2 + 128 + 4),
    "qwen3.8-2.4t-a95b": 23 * 4 * 256 * 4,
    "llama-3.2-11b-vision": 32 * 8 * 128 * 4,
    "command-a": 16 * 8 * 128 * 4,
    "mimo-v2-flash": 9 * 4 * (192 + 128) * 2,
    "opt-13b": 40 * 5120 * 4,
    "hunyuan-a13b": 32 * 8 * 128 * 4,
    "deepseek-coder-33b": 62 * 8 * 128 * 4,
    "falcon3-7b": 28 * 4 * 256 * 4,
    "internvl3-78b": 80 * 8 * 128 * 4,
    "nemotron-nano-12b-v2": 6 * 8 * 128 * 4,
    "moonlight-16b-a3b": 27 * (512 + 64) * 2,
}

NAMES = {
    "Qwen/Qwen3.5-9B": "qwen3.5-9b",
    "Qwen3.5 4B": "qwen3.5-4b",
    "qwen3.5-0.8b-base": "qwen3.5-0.8b",
    "Qwen/Qwen3.8-Flash-Next-FP8": "qwen3.8-flash-next",
    "Qwen3.8 Flash Next": "qwen3.8-flash-next",
    "ibm-granite/granite-4.0-micro": "granite-4-micro",
    "Granite 4.0 H Micro": "granite-4-h-micro",
    "GLM-5.3-Flash": "glm-5.3-flash",
    "zai-org/GLM-5.3-Flash-BF16": "glm-5.3-flash",
    "GLM-5.3": "glm-5.2",
    "google/gemma-4-E2B-it": "gemma-4-e2b",
    "gemma 4 e4b": "gemma-4-e4b",
    "google/gemma-3n-E4B-it": "gemma-3n-e4b",
    "gemma-4-12b-it": "gemma-4-12b",
    "deepseek-ai/DeepSeek-V4.1-Flash": "deepseek-v4.1-flash",
    "Llama 3.2 11B Vision Instruct": "llama-3.2-11b-vision",
    "Qwen2-VL-7B-Instruct": "qwen2-vl-7b",
    "deepseek-ai/deepseek-coder-33b-instruct": "deepseek-coder-33b",
    "facebook/opt-66b": "opt-66b",
    "Command A": "command-a",
    "Command R+": "command-r-plus",
    "Falcon3-7B-Instruct": "falcon3-7b",
    "OpenGVLab/InternVL3_5-8B": "internvl3.5-8b",
    "EXAONE-4.0-32B": "exaone-4.0-32b",
    "ERNIE-4.5-21B-A3B-PT": "ernie-4.5-21b-a3b",
    "tencent/Hunyuan-A13B-Instruct": "hunyuan-a13b",
    "Olmo-3-7B-Instruct": "olmo-3-7b",
    "vicuna-33b-v1.3": "llama-30b",
    "Ministral-8B-Instruct-2410": "ministral-8b-2410",
    "Mistral-Small-Instruct-2409": "codestral-22b",
    "Mistral Medium 3.5": "mistral-medium-3.5",
    "gemma-3-27b-it-qat-q4_0-gguf": "gemma-3-27b",
    "medgemma-27b-it": "gemma-3-27b",
    "Qwen 14B": "qwen3-14b",
}


def draft_bytes(model: Model, build: Build) -> float:
    return model.mtp_parameters_b * GB * BITS_OF_DRAFT.get(build.format, 0) / 8


@pytest.mark.parametrize(("model_id", "billions"), COUNTED_ELSEWHERE.items())
def test_parameters_agree_with_an_independent_count(model_id: str, billions: float) -> None:
    assert KNOWLEDGE.models[model_id].parameters_b == pytest.approx(billions, rel=0.001)


@pytest.mark.parametrize(("hub_id", "gib"), PUBLISHED_FILES_GIB.items())
def test_weights_agree_with_the_published_files(hub_id: str, gib: float) -> None:
    model = KNOWLEDGE.find_model(hub_id)
    build = next(b for b in model.builds if b.hf_id == hub_id)
    request = SizeRequest(tensor_parallel=2, expert_parallel=bool(model.active_parameters_b))
    weights = size_by_name(KNOWLEDGE, hub_id, "gb300", request).weights_gib_per_gpu
    assert weights is not None
    assert 2 * weights == pytest.approx(gib - draft_bytes(model, build) / GIB, rel=0.02)


@pytest.mark.parametrize(("model_id", "expected"), CACHE_BYTES_PER_TOKEN.items())
def test_cache_per_token_is_what_a_hand_computes(model_id: str, expected: int) -> None:
    result = size_by_name(KNOWLEDGE, model_id, "gb300", SizeRequest(tensor_parallel=1))
    assert result.kv_bytes_per_token_per_gpu == expected


@pytest.mark.parametrize("written", ["Gemma 4", "Granite 4", "Qwen3.5", "Qwen 3.8", "Devstral"])
def test_a_name_of_a_whole_family_asks_which_size(written: str) -> None:
    with pytest.raises(UnknownNameError, match="Say which one"):
        KNOWLEDGE.find_model(written)


@pytest.mark.parametrize(("written", "expected"), NAMES.items())
def test_names_that_people_write_find_the_newer_models(written: str, expected: str) -> None:
    assert KNOWLEDGE.find_model(written).id == expected
