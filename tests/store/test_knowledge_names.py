"""What people write, and which record it means."""

from __future__ import annotations

import pytest

from advisor.errors import UnknownNameError
from advisor.store.aliases import gpu_names
from advisor.store.loader import Knowledge

EXACT = {
    "h100-sxm": "h100-sxm",
    "H100 SXM5": "h100-sxm",
    "h100-sxm5 80GB": "h100-sxm",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA-H100-80GB-HBM3": "h100-sxm",
    "NVIDIA-H100-80GB-HBM3-SHARED": "h100-sxm",
    "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb": "h100-sxm",
    "HGX H100": "h100-sxm",
    "H100 PCIe": "h100-pcie",
    "H100 PCI-E 80GB": "h100-pcie",
    "H100 NVL": "h100-nvl",
    "H100 94GB": "h100-nvl",
    "NVIDIA H100 NVL 94 GB": "h100-nvl",
    "NVIDIA H200": "h200-sxm",
    "H200 SXM": "h200-sxm",
    "H200 NVL": "h200-nvl",
    "GH200 96GB": "gh200-96",
    "GH200 144GB HBM3e": "gh200-144",
    "H20": "h20",
    "H20 96GB": "h20",
    "H800": "h800-sxm",
    "H800 80GB": "h800-sxm",
    "A100-SXM4-80GB": "a100-80-sxm",
    "NVIDIA A100-SXM4-40GB": "a100-40-sxm",
    "A100 SXM4 40GB": "a100-40-sxm",
    "A100 PCIe 80GB": "a100-80-pcie",
    "A100 40GB PCIe (39.38 GiB)": "a100-40-pcie",
    "NVIDIA A100 80GB PCIe": "a100-80-pcie",
    "A10": "a10",
    "A10G 24GB": "a10g",
    "nvidia a30": "a30",
    "A40 48GB": "a40",
    "L4": "l4",
    "L40": "l40",
    "L40S": "l40s",
    "L20 48GB": "l20",
    "Tesla T4": "t4",
    "T4": "t4",
    "Tesla V100-SXM2-32GB": "v100",
    "V100 16GB": "v100-16",
    "B200": "b200",
    "B200 192GB": "b200",
    "DGX B300": "b300",
    "GB200 (192 GB)": "gb200",
    "GB300 NVL72": "gb300",
    "RTX PRO 6000 BSE": "rtx-pro-6000-server",
    "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "rtx-pro-6000-workstation",
    "RTX PRO 6000 Blackwell Max-Q Workstation": "rtx-pro-6000-max-q",
    "RTX PRO 5000 72GB": "rtx-pro-5000-72",
    "RTX A6000": "rtx-a6000",
    "RTX 6000 Ada Generation": "rtx-6000-ada",
    "rtx6000 ada": "rtx-6000-ada",
    "RTX 5880 Ada": "rtx-5880-ada",
    "GeForce RTX 4090": "rtx-4090",
    "4090": "rtx-4090",
    "RTX 4090 D": "rtx-4090d",
    "RTX 5090 32GB": "rtx-5090",
    "rtx_3090": "rtx-3090",
    "RTX 3090 Ti": "rtx-3090-ti",
    "RTX 3060 Ti": "rtx-3060-ti",
    "RTX 5070 Laptop 8GB": "rtx-5070-laptop",
    "DGX Spark": "gb10",
    "GB10": "gb10",
    "DGX Spark GB10 128GB unified": "gb10",
    "AMD Instinct MI300X": "mi300x",
    "mi-355x": "mi355x",
    "MI250": "mi250",
    "MI300A": "mi300a",
    "Gaudi 3": "gaudi3",
}


@pytest.mark.parametrize(("text", "gpu"), EXACT.items())
def test_a_name_that_says_it_all_needs_no_assumption(
    knowledge: Knowledge, text: str, gpu: str
) -> None:
    resolved = knowledge.resolve_gpu(text)
    assert (resolved.record.id, resolved.assumed) == (gpu, None)


AMBIGUOUS = {
    "H100": ("h100-sxm", {"h100-sxm", "h100-pcie", "h100-nvl"}),
    "H100 80GB": ("h100-sxm", {"h100-sxm", "h100-pcie"}),
    "H100 80GB (79.18 GiB)": ("h100-sxm", {"h100-sxm", "h100-pcie"}),
    "H200 141GB": ("h200-sxm", {"h200-sxm", "h200-nvl"}),
    "A100": ("a100-80-sxm", {"a100-80-sxm", "a100-80-pcie", "a100-40-sxm", "a100-40-pcie"}),
    "A100 40GB": ("a100-40-sxm", {"a100-40-sxm", "a100-40-pcie"}),
    "A100 SXM": ("a100-80-sxm", {"a100-80-sxm", "a100-40-sxm"}),
    "A800 80GB": ("a800-80-sxm", {"a800-80-sxm", "a800-80-pcie"}),
    "GH200": ("gh200-96", {"gh200-96", "gh200-144"}),
    "V100": ("v100", {"v100", "v100-16", "v100s"}),
    "MI300": ("mi300x", {"mi300x", "mi300a"}),
    "RTX PRO 6000 Blackwell 96GB": (
        "rtx-pro-6000-server",
        {"rtx-pro-6000-server", "rtx-pro-6000-workstation", "rtx-pro-6000-max-q"},
    ),
    "RTX PRO 5000": ("rtx-pro-5000-48", {"rtx-pro-5000-48", "rtx-pro-5000-72"}),
}


@pytest.mark.parametrize(("text", "expected"), AMBIGUOUS.items())
def test_an_ambiguous_name_says_what_was_assumed(
    knowledge: Knowledge, text: str, expected: tuple[str, set[str]]
) -> None:
    gpu, candidates = expected
    resolved = knowledge.resolve_gpu(text)
    assert resolved.record.id == gpu
    assert set(resolved.candidates) == candidates
    assert resolved.assumed is not None
    assert resolved.record.name in resolved.assumed


def test_a_size_settles_an_ambiguous_name(knowledge: Knowledge) -> None:
    assert knowledge.resolve_gpu("MI300 128GB").record.id == "mi300a"
    assert knowledge.resolve_gpu("MI300 128GB").assumed is None


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("H10O", "h100-sxm"),
        ("rtx 409O", "rtx-4090"),
        ("MI30X", "mi300x"),
        ("L4SS", "l40s"),
        ("h100sxm9", "h100-sxm"),
    ],
)
def test_a_misspelt_name_is_an_error_with_the_nearest(
    knowledge: Knowledge, text: str, nearest: str
) -> None:
    with pytest.raises(UnknownNameError) as caught:
        knowledge.find_gpu(text)
    (problem,) = caught.value.problems
    assert problem.code == "unknown_gpu"
    assert nearest in problem.nearest


def test_a_known_card_with_another_memory_size_is_an_error(knowledge: Knowledge) -> None:
    with pytest.raises(UnknownNameError, match="has 24 GB") as caught:
        knowledge.find_gpu("RTX 4090 48GB")
    assert caught.value.problems[0].nearest == ("rtx-4090",)


def test_a_name_without_a_usual_meaning_must_be_made_precise(knowledge: Knowledge) -> None:
    with pytest.raises(UnknownNameError, match="Say which one") as caught:
        knowledge.find_gpu("RTX 6000")
    assert "rtx-6000-ada" in caught.value.problems[0].nearest


def test_every_name_of_every_gpu_finds_that_gpu(knowledge: Knowledge) -> None:
    for gpu in knowledge.gpus.values():
        for name in gpu_names(gpu):
            assert knowledge.find_gpu(name).id == gpu.id, name


MODELS = {
    "meta-llama/Llama-3.3-70B-Instruct": ("llama-3.3-70b", None),
    "llama 3.3 70b": ("llama-3.3-70b", None),
    "Llama-3.3-70B-Instruct-FP8": ("llama-3.3-70b", "fp8"),
    "someone/Llama-3.3-70B-Instruct-NVFP4": ("llama-3.3-70b", "nvfp4"),
    "Llama-3.3-70B-Instruct-bnb-4bit": ("llama-3.3-70b", "nf4"),
    "Llama-3.3-70B-Instruct-Q4_K_M-GGUF": ("llama-3.3-70b", "gguf_q4"),
    "Llama-3.3-70B-Instruct.w4a16": ("llama-3.3-70b", "int4"),
    "Qwen3-8B-AWQ": ("qwen3-8b", "awq_int4"),
    "Qwen2.5-72B-Instruct-GPTQ-Int4": ("qwen2.5-72b", "gptq_int4"),
    "openai/gpt-oss-120b": ("gpt-oss-120b", None),
    "Kimi-K3 (MXFP4)": ("kimi-k3", "mxfp4"),
    "Qwen3-8B [AWQ]": ("qwen3-8b", "awq_int4"),
    "Qwen/Qwen3-235B-A22B-Instruct-2507 ( FP8 )": ("qwen3-235b-a22b-2507", "fp8"),
    "Llama 3.1 8B Instruct (Q4_K_M)": ("llama-3.1-8b", "gguf_q4"),
    "glm-4.5v (106B-A12B)": ("glm-4.5v", None),
}


@pytest.mark.parametrize(("text", "expected"), MODELS.items())
def test_a_model_name_keeps_its_weight_format_as_a_hint(
    knowledge: Knowledge, text: str, expected: tuple[str, str | None]
) -> None:
    resolved = knowledge.resolve_model(text)
    assert (resolved.record.id, resolved.format_hint) == expected


def test_a_build_with_its_format_in_brackets_is_found_by_its_hub_id(knowledge: Knowledge) -> None:
    resolved = knowledge.resolve_model("nvidia/Qwen3.6-27B-NVFP4 (NVFP4)")
    assert (resolved.record.id, resolved.format_hint) == ("qwen3.6-27b", "nvfp4")


@pytest.mark.parametrize("text", ["Qwen3-8B (the big one)", "(FP8)", "(AWQ) Qwen3-8B"])
def test_other_words_in_brackets_are_not_dropped(knowledge: Knowledge, text: str) -> None:
    with pytest.raises(UnknownNameError):
        knowledge.find_model(text)


def test_a_misspelt_model_is_an_error_with_the_nearest(knowledge: Knowledge) -> None:
    with pytest.raises(UnknownNameError) as caught:
        knowledge.find_model("lama-3.3-70b")
    assert caught.value.problems[0].code == "unknown_model"
    assert "llama-3.3-70b" in caught.value.problems[0].nearest


def test_a_plus_in_a_name_is_not_dropped(knowledge: Knowledge) -> None:
    assert knowledge.find_model("command-r+").id != knowledge.find_model("command-r").id
