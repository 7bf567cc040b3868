"""What joins the GPUs of a machine: the catalogue's links, narrowed to what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from advisor.answers.model import Answers
from advisor.store.gpu import Gpu

__all__ = ["LINK_NAMES", "as_linked", "joined_by_board", "stated_links"]

LINK_NAMES = ("nvlink", "nvlink_domain_gpus", "island_gpus", "island_link")
"""Names of an inventory record, and of ``hardware``, that say what joins the GPUs."""
_PCIE = frozenset({"pix", "pxb", "phb", "node", "sys"})
"""Words of ``nvidia-smi topo -m`` for a way over PCIe."""
_PAIR = 2
"""What a bridge joins where its size is not said."""


def stated_links(answers: Answers, entry: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what is said about the links: by an inventory record, else for all machines."""
    found = {} if entry is None else entry
    return {
        name: found[name] if found.get(name) is not None else answers.get(f"hardware.{name}")
        for name in LINK_NAMES
    }


def joined_by_board(gpu: Gpu) -> bool:
    """Tell whether a card of the catalogue cannot be had without NVLink, as SXM modules cannot.

    Where a bridge is put on, it is there or not; a board's links are taken away only by a
    hypervisor that hands its GPUs out singly. Machines of one or two superchips come either way.
    """
    links = gpu.interconnect
    always = gpu.vendor == "nvidia" and links.nvlink_bidirectional_gbs is not None
    either_way = links.nvlink_bridge_only or "pcie" in gpu.form_factor.casefold()
    return always and not either_way and max(gpu.gpus_per_node, default=1) > _PAIR


def as_linked(gpu: Gpu, stated: Mapping[str, Any]) -> Gpu:
    """Return the GPU with the links that its machine has: never more than it is sold with.

    Args:
        gpu: As the catalogue or the user describes it.
        stated: Values of :data:`LINK_NAMES`; ``None`` where nothing is said.
    """
    widest = gpu.scale_up_gpus
    links = gpu.interconnect
    if gpu.vendor == "nvidia" and links.nvlink_bidirectional_gbs:
        nvlink, best = stated.get("nvlink"), stated.get("island_link")
        if nvlink == "no" or (best in _PCIE and nvlink is None):
            changes = {"nvlink_generation": None, "nvlink_bidirectional_gbs": None}
            bare = links.model_copy(update={**changes, "nvlink_bridge_only": False})
            return gpu.model_copy(update={"interconnect": bare, "scale_up_gpus": 1})
        if nvlink == "bridge" and not links.nvlink_bridge_only:
            links = links.model_copy(update={"nvlink_bridge_only": True})
            sized = stated.get("island_gpus") or stated.get("nvlink_domain_gpus")
            widest = min(widest, int(sized or _PAIR))
    for name in ("nvlink_domain_gpus", "island_gpus"):
        if isinstance(stated.get(name), int):
            widest = min(widest, max(1, int(stated[name])))
    if widest == gpu.scale_up_gpus and links is gpu.interconnect:
        return gpu
    return gpu.model_copy(update={"interconnect": links, "scale_up_gpus": widest})
