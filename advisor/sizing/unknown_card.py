"""A card outside the catalogue, as far as its owner described it."""

from __future__ import annotations

from advisor.sizing.request import SizeRequest
from advisor.store.gpu import (
    Architecture,
    ConfidentialComputing,
    Gpu,
    Interconnect,
    Mig,
    Precisions,
    Tflops,
    Vgpu,
)

__all__ = ["architecture_of", "unknown_card"]

_ARCHITECTURES: dict[str, Architecture] = {
    "7.0": "volta",
    "7.5": "turing",
    "8": "ampere",
    "8.9": "ada",
    "9": "hopper",
}


def architecture_of(capability: str | None) -> Architecture:
    """Return the NVIDIA generation of a CUDA compute capability, ``unknown`` if not listed."""
    if capability is None:
        return "unknown"
    major = capability.split(".")[0]
    if major in {"10", "11", "12"}:
        return "blackwell"
    return _ARCHITECTURES.get(capability, _ARCHITECTURES.get(major, "unknown"))


def unknown_card(request: SizeRequest) -> Gpu:
    """Return a record that says only what the request says.

    Without a compute capability nothing is claimed about formats; without a bandwidth there
    is no speed.
    """
    capability = request.gpu_compute_capability
    memory_gib = request.gpu_memory_gib or 0.0
    architecture = architecture_of(capability)
    recent = architecture in {"ada", "hopper", "blackwell"}
    return Gpu.model_construct(
        id="unknown",
        name=f"unknown card of {memory_gib:g} GiB",
        vendor="nvidia",
        architecture=architecture,
        status="shipping",
        aliases=(),
        form_factor="unknown",
        memory_gb=memory_gib,
        engine_memory_gib=memory_gib,
        engine_memory_basis="measured",
        memory_type="unknown",
        memory_bandwidth_gbs=request.gpu_memory_bandwidth_gbs or 0.0,
        unified_memory=False,
        tflops=Tflops(bf16=None),
        precisions=Precisions(
            bf16=architecture not in {"volta", "turing", "unknown"},
            fp8=recent,
            int8=architecture not in {"volta", "unknown"},
            fp4_formats=("nvfp4", "mxfp4") if architecture == "blackwell" else (),
        ),
        interconnect=Interconnect(pcie_generation=None),
        scale_up_gpus=1,
        gpus_per_node=(1, 2, 4, 8),
        tdp_w=None,
        cooling="unknown",
        cooling_kinds=(),
        mig=Mig(supported=False),
        vgpu=Vgpu(supported=None),
        confidential_computing=ConfidentialComputing(supported=None),
        compute_capability=capability,
        gfx_target=None,
        cloud={},
        sources=("stated",),
        as_of="0000",
        unverified=(),
        notes=(),
    )
