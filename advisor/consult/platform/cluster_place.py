"""Where the GPUs run: the record of the place that orchestrator, cloud and provider mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from advisor.answers.model import Answers
from advisor.consult.consultation import Assumption
from advisor.store.platform_facts import Platform

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["Place", "find_place"]

_OPEN = frozenset({"other", "vanilla"})
"""Providers that leave the cloud to say what the place is like."""
_SECTION = "8.4"


@dataclass(frozen=True, slots=True)
class Place:
    """One place of the catalogue, and how it was found."""

    platform: Platform
    family: tuple[Platform, ...]
    """The place, then the other ways to run nodes in the same clusters."""
    orchestrator: str
    cloud: str | None = None
    provider: str | None = None
    """As said, or as another answer shows."""
    assumptions: tuple[Assumption, ...] = ()
    conflict: str | None = None
    """What of the answers cannot be true together."""

    @property
    def provisioners(self) -> tuple[str, ...]:
        """Ways to have nodes here, the usual one for bursts first."""
        return tuple(dict.fromkeys(p for place in self.family for p in place.provisioners))

    @property
    def managed(self) -> bool:
        """Whether a cloud runs the control plane and sells the nodes with it."""
        return self.orchestrator == "kubernetes" and bool(self.platform.clouds)


def find_place(answers: Answers, knowledge: Knowledge) -> Place:
    """Return where the GPUs run; plain Kubernetes, visibly, where nothing tells."""
    finder = _Finder(answers, knowledge)
    orchestrator = str(finder.orchestrator)
    if orchestrator != "kubernetes":
        return finder.without_kubernetes(orchestrator)
    return finder.kubernetes()


class _Finder:
    def __init__(self, answers: Answers, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.cloud = _text(answers.get("platform.cloud"))
        self.stated = _text(answers.get("platform.provider"))
        self.image = _text(answers.get("platform.node_image"))
        self.autoscaler = _text(answers.get("platform.node_autoscaler"))
        system = _text(answers.get("platform.operating_system"))
        self.orchestrator = _text(answers.get("platform.orchestrator")) or "kubernetes"
        self.provider = self.stated or self._possible(self._sign(system))

    def without_kubernetes(self, orchestrator: str) -> Place:
        places = [p for p in self.knowledge.platforms.values() if p.orchestrator == orchestrator]
        conflict = None
        if self.stated is not None:
            conflict = (
                f"{places[0].name} starts the workloads, and {self.stated} is named as the "
                "Kubernetes distribution; the answer is for the former."
            )
        return Place(places[0], (places[0],), orchestrator, self.cloud, None, (), conflict)

    def kubernetes(self) -> Place:
        special = self._special()
        found = [special] if special else list(self._named())
        conflict = None
        if special and special.clouds and self.cloud not in {None, *special.clouds}:
            conflict = f"{special.name} does not run on {self.cloud}; the answer is for it."
        if not found and self.provider is not None:
            found = [p for p in self._all() if self.provider in p.providers]
            conflict = (
                f"{found[0].name} does not run on {self.cloud}; the answer is for {found[0].name}."
            )
        place = found[0]
        return Place(
            place,
            self._family(place),
            "kubernetes",
            self.cloud,
            self.provider or (None if len(place.providers) > 1 else place.providers[0]),
            tuple(self._assumptions(place)),
            conflict or self._foreign_image(place),
        )

    def _all(self) -> Iterator[Platform]:
        yield from (p for p in self.knowledge.platforms.values() if p.orchestrator == "kubernetes")

    def _possible(self, sign: str | None) -> str | None:
        """Return a provider that another answer gives away, unless the stated cloud has none."""
        homes = [place.clouds for place in self._all() if sign in place.providers]
        there = any(not clouds or self.cloud in clouds for clouds in homes)
        return sign if self.cloud is None or there else None

    def _sign(self, system: str | None) -> str | None:
        """Return the provider that an image, an autoscaler or a system gives away."""
        images = self.knowledge.node_images
        said = images.get(self.image or "")
        if said is not None and len(said.providers) == 1:
            return said.providers[0]
        if self.autoscaler == "auto_mode":
            return next(p.providers[0] for p in self._all() if p.provisioners == ("auto_mode",))
        having = [image for image in images.values() if system in image.operating_systems]
        homes = {provider for image in having for provider in image.providers}
        return homes.pop() if system and len(homes) == 1 else None

    def _special(self) -> Platform | None:
        """Return the place that has an image, or an autoscaler, of its own."""
        said = self.knowledge.node_images.get(self.image or "")
        for place in self._all():
            own = place.node_images == (self.image,) and said is not None and said.providers
            auto = self.autoscaler == "auto_mode" and place.provisioners == ("auto_mode",)
            if (own or auto) and self.provider in place.providers:
                return place
        return None

    def _named(self) -> Iterator[Platform]:
        """Yield the places that fit provider and cloud, the closest first."""
        places = list(self._all())
        if self.provider is not None:
            places = [place for place in places if self.provider in place.providers]
        here = [p for p in places if self.cloud in p.clouds]
        anywhere = [p for p in places if not p.clouds]
        if (self.provider is None and self.cloud is None) or self.cloud == "on_prem":
            yield from (p for p in anywhere if self.provider or "vanilla" in p.providers)
            return
        if self.cloud is None:
            yield from (*anywhere, *places)
            return
        if self.provider is None or self.provider in _OPEN:
            yield from (*here, *anywhere)
            return
        own = [p for p in (*anywhere, *here) if p.providers[0] == self.provider]
        yield from (*own, *here, *anywhere)

    def _family(self, place: Platform) -> tuple[Platform, ...]:
        same = [
            other
            for other in self._all()
            if other.clouds and other.clouds == place.clouds and other.providers == place.providers
        ]
        return tuple({p.id: p for p in (place, *same)}.values())

    def _assumptions(self, place: Platform) -> Iterator[Assumption]:
        if self.provider is not None:
            return
        if self.cloud in place.clouds:
            why = f"It is the Kubernetes that {self.cloud} runs for you; none was named."
        elif self.cloud == "on_prem":
            why = "No distribution was named for your own rooms."
        else:
            why = "Neither a cloud nor a distribution was named: the plain case is answered."
        yield Assumption(
            key="platform.provider", value=place.providers[0], why=why, section=_SECTION
        )

    def _foreign_image(self, place: Platform) -> str | None:
        image = self.knowledge.node_images.get(self.image or "")
        if image is None or not image.providers:
            return None
        if self.provider in image.providers or set(place.providers) & set(image.providers):
            return None
        return f"The image {image.name} is none of {place.name}."


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
