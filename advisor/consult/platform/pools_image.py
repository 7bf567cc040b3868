"""Which image the nodes of a pool boot: the one that is said, or the first that suits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.platform.cluster_place import Place
from advisor.consult.situation import Card
from advisor.store.node_image import NodeImage

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Images", "PoolImage", "starts"]

_CONTAINERS = frozenset({"container_build", "container_precompiled"})
_ARM = {"aarch64": "arm64", "x86_64": "x86_64"}
_STARTED_BY = {
    "static_pool": {"none"},
    "karpenter": {"karpenter"},
    "cluster_autoscaler": {"cluster_autoscaler"},
    "managed_pool": {"none", "cluster_autoscaler", "node_auto_provisioning"},
    "auto_mode": {"auto_mode"},
}
"""Option to the values of ``platform.node_autoscaler`` under which it starts nodes."""


@dataclass(frozen=True, slots=True)
class PoolImage:
    """An image with the reason why it is taken."""

    image: NodeImage
    given: bool
    """Whether it is the one that was said."""
    replaces: NodeImage | None = None
    """The image that was said and cannot stay."""
    fits: bool = True
    """Whether it is known to boot the GPU's hosts, with a driver of the GPU's maker."""


def starts(option: str, image: NodeImage, place: Place) -> bool:
    """Tell whether nodes with ``image`` can come and go that way."""
    if not image.autoscalers:
        return True
    ways = set(_STARTED_BY.get(option, ()))
    if option == "karpenter" and "azure" in place.platform.clouds:
        ways.add("node_auto_provisioning")  # it is Karpenter, run by the cloud
    return bool(ways & set(image.autoscalers))


class Images:
    """Finds images for one consultation."""

    def __init__(
        self, answers: Answers, place: Place, cards: tuple[Card, ...], knowledge: Knowledge
    ) -> None:
        self.place, self.knowledge = place, knowledge
        given = knowledge.node_images.get(str(answers.get("platform.node_image")))
        self.given = None if given is None or self._is_foreign(given) else given
        self.cards = cards
        vendors = answers.get("hardware.vendors")
        self.foreign = isinstance(vendors, tuple) and bool(vendors) and "nvidia" not in vendors
        """Makers are said, and NVIDIA is none of them; asked where no GPU is named."""
        self.system = answers.get("platform.operating_system")
        self.release = answers.get("platform.os_version")
        self.wants_operator = (
            answers.get("platform.driver_owner_now") == "operator"
            or answers.get("platform.driver_install") in _CONTAINERS
        )

    def of(self, option: str, *, keep_given: bool = True) -> PoolImage | None:
        """Return the image for one way to have nodes.

        Args:
            option: A value of the decision.
            keep_given: Whether the image that was said counts.
        """
        given = self.given
        if given is not None and keep_given and starts(option, given, self.place):
            after = self.knowledge.node_images.get(given.successor or "")
            if not self._holds(given) and after is not None and self._suits_gpus(after):
                return PoolImage(after, given=False, replaces=given)
            if self._holds(given) and self._suits_gpus(given):
                return PoolImage(given, given=True)
        found = next(self._suiting(option), None)
        if found is not None:
            return PoolImage(found, given=False, replaces=given)
        return self._of_any_gpu(option, given if keep_given else None)

    def _of_any_gpu(self, option: str, given: NodeImage | None) -> PoolImage | None:
        """Return an image where none is known to suit the GPU: the one that was said, or usual."""
        if given is not None and self._holds(given) and starts(option, given, self.place):
            return PoolImage(given, given=True, fits=False)
        usual = next(self._suiting(option, any_gpu=True), None)
        return None if usual is None else PoolImage(usual, given=False, fits=False)

    def _suiting(self, option: str, *, any_gpu: bool = False) -> Iterator[NodeImage]:
        """Yield images that suit, the recommended one first."""
        places = [place for place in self.place.family if option in place.provisioners]
        names = dict.fromkeys(name for place in places for name in place.node_images)
        images = [self.knowledge.node_images[name] for name in names]
        fitting = [i for i in images if self._holds(i) and starts(option, i, self.place)]
        fitting = [image for image in fitting if any_gpu or self._suits_gpus(image)]
        named = [image for image in fitting if self._is_system(image)]
        if not named and isinstance(self.system, str):
            named = [image for image in fitting if not image.operating_systems]

        def rank(image: NodeImage) -> tuple[bool, bool]:
            return (self.wants_operator and not _by_operator(image), not image.autoscalers)

        # the sort is stable: what is recommended stays before what is not
        yield from sorted(named or fitting, key=rank)

    def _is_foreign(self, image: NodeImage) -> bool:
        """Tell whether an image is of another provider; the place says so."""
        if self.place.conflict is None or not image.providers:
            return False
        return set(image.providers).isdisjoint(self.place.platform.providers)

    def _holds(self, image: NodeImage) -> bool:
        """Tell whether an image is still published and can have a driver at all."""
        ended = image.until is not None and not image.holds_on(self.knowledge.as_of)
        return not ended and image.driver_owner != "none"

    def _suits_gpus(self, image: NodeImage) -> bool:
        if not self.cards and self.foreign:
            return _without_driver(image)
        return all(suits(image, card) for card in self.cards)

    def _is_system(self, image: NodeImage) -> bool:
        if not isinstance(self.system, str):
            return True
        if self.system not in image.operating_systems:
            return False
        if not isinstance(self.release, str) or image.os_version is None:
            return True
        return self.release.split(".")[0] == image.os_version.split(".")[0]


def suits(image: NodeImage, card: Card) -> bool:
    """Tell whether the hosts of a GPU boot ``image`` and its driver, if any, is the GPU's."""
    host = _ARM[card.gpu.host_architecture or "x86_64"]
    if host not in image.architectures:
        return False
    return card.gpu.vendor == "nvidia" or _without_driver(image)


def _without_driver(image: NodeImage) -> bool:
    """Tell whether an image takes a driver of any maker; those inside are NVIDIA's."""
    return image.driver_owner in {"operator", "host", None}


def _by_operator(image: NodeImage) -> bool:
    return bool(_CONTAINERS & set(image.driver_install))
