"""Schema of node images: who owns driver, toolkit and device plugin, and how that changes."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from advisor.store.cited import VERSION, Cited

__all__ = ["DriverInstall", "NodeImage", "Owner", "PluginOwner"]

Owner = Literal["image", "operator", "provider", "host", "none"]
"""As the provisioning decision says it: ``none`` means that nothing brings the part."""
PluginOwner = Literal["image", "operator", "provider", "none"]
"""A device plugin runs in the cluster: no host has it as a package."""
DriverInstall = Literal[
    "container_build", "container_precompiled", "host_package", "image", "provider"
]


class NodeImage(Cited):
    """One image that GPU nodes boot. ``None`` means: it depends, see the notes."""

    name: str
    providers: tuple[str, ...]
    """Values of ``platform.provider`` on which it is usual; empty: any."""
    operating_systems: tuple[str, ...] = ()
    """Values of ``platform.operating_system``."""
    os_version: str | None = Field(None, pattern=VERSION)
    driver_in_image: bool | None
    toolkit_in_image: bool | None
    device_plugin_in_image: bool | None
    driver_owner: Owner | None
    """Who should own it here."""
    toolkit_owner: Owner | None
    device_plugin_owner: PluginOwner | None
    """``none``: install the plugin, or the operator without driver and toolkit."""
    driver_install: tuple[DriverInstall, ...]
    """Ways that work here, the recommended one first; empty: GPUs cannot be used."""
    kernel_modules: tuple[Literal["open", "proprietary"], ...]
    """Flavours that can be had; empty: not known."""
    gpu_operator: Literal["full", "no_driver", "no_driver_no_toolkit", "none"] | None
    """The set-up of NVIDIA's GPU Operator that fits."""
    operator_values: dict[str, str] = Field(default_factory=dict)
    """Chart values for it, dotted."""
    operator_support: Literal["validated", "works", "not_supported", "unknown"]
    """``works``: used in practice, and not in NVIDIA's support table."""
    add: str
    """What is left to install."""
    driver_change: str
    """How another driver version gets onto nodes."""
    secure_boot: str | None = None
    architectures: tuple[Literal["x86_64", "arm64"], ...] = ("x86_64",)
    autoscalers: tuple[str, ...] = ()
    """Values of ``platform.node_autoscaler`` that can start it; empty: any that the place has."""
    successor: str | None = None
    """Id of the image to move to, for one that has ended."""
