"""Sentences as sets of words that tell something: stems, synonyms joined, usual words left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["OF_GPUS", "SHOWS_GPUS", "SUBJECTS", "told_words"]

_WORD = re.compile(r"[a-z][a-z0-9]*|\d{3}(?!\d)")
_STOP_WORDS = """
a about after again all also although an and any are as at be because been before but by can
cannot could did do does done down each error exception fail failed failure failing for from
get gets give given go had has have he her here his how i if in into is it its me message more
my no non not nothing now of off on one only or other our out over says set she so some such
than that the their them then there these they this those through to too two up us use used
uses using very via was warn warning we were what when where which while who why will with
without would you your com http https io local svc org github www
"""
_STOP = frozenset(_STOP_WORDS.split())
_SUBJECT_WORDS = """
gpu cuda nvidia amd rocm nccl mig mps vgpu vllm xid driver nvml kubelet karpenter node pod
scheduler daemonset containerd nvlink infiniband rdma efa engine model weight kv vm
passthrough autoscaler operator plugin claim allocat tensor parallel checkpoint shm memory
device spot
"""
SUBJECTS = frozenset(_SUBJECT_WORDS.split())
"""Stems of which a sentence about our subject holds at least one."""
_GPU_WORDS = "gpu cuda nvidia amd rocm nccl mig mps vgpu vllm xid nvlink"
OF_GPUS = frozenset(_GPU_WORDS.split())
"""Stems of clusters with GPUs only: who says node and pod alone may mean any cluster."""
SHOWS_GPUS = re.compile(
    r"gpu|cuda|nvidia|nvml|nccl|\brocm|\bamd\b|torch|tensorrt|\btrt|vllm|sglang|triton|\btgi\b|ollama"
    r"|\bnim\b|dynamo|kserve|predictor|huggingface|safetensors|deepspeed|megatron|\bzero-?[123]\b"
    r"|offload|llm|\bllama|qwen|mistral|gemma|deepseek|\bmodels?\b|weights|checkpoint|inference"
    r"|train|finetune|fine-tun|\blora|engine.?core|tensor|kv.?cache|dataloader|jupyter|notebook"
    r"|/dev/shm|\branks?\b|worker-\d|\bray\b|jax|transformer|embed",
    re.IGNORECASE,
)
"""What a text holds that is about models or their hardware, case apart."""
_SAME: Mapping[str, str] = {
    "stall": "hang", "stuck": "hang", "freez": "hang", "hung": "hang", "froze": "hang",
    "vanish": "lost", "disappear": "lost", "drop": "lost", "lose": "lost", "gone": "lost",
    "lack": "miss", "crash": "die", "kill": "die", "oom": "memory", "vram": "memory",
    "gibberish": "garbage", "nonsense": "garbage", "corrupt": "garbage", "begin": "start",
    "wait": "pend", "card": "gpu", "slice": "partition", "throttl": "slow", "forbidden": "refus",
    "reject": "refus", "deni": "refus", "allreduce": "reduce", "simultaneou": "concurrent",
    "evict": "evict", "p2p": "peer", "licence": "licens", "unlicens": "licens",
}  # fmt: skip
_ENDINGS = ("ings", "ing", "ies", "ied", "ed", "es", "e", "s")
_LEAST_STEM = 4


def told_words(text: str) -> frozenset[str]:
    """Return the stems of the telling words of ``text``."""
    found = (_stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP)
    return frozenset(word for word in found if word and len(word) > 1)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    word = _SAME.get(word, word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            word = word.removesuffix(ending)
            break
    else:
        if word.endswith("s") and not word.endswith("ss") and len(word) > _LEAST_STEM - 1:
            word = word[:-1]
    return _SAME.get(word, word)
