"""The fact ``measured`` of a link: its rate beside what the links of such machines carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.consult.candidate_facts import known_only
from advisor.consult.situation import Card, Situation
from advisor.rules.facts import Fact, Scalar

if TYPE_CHECKING:
    from advisor.store.loader import Knowledge

__all__ = ["link_fact"]

_BITS = 8
_ONE_DOMAIN = "nvlink_rack"


def link_fact(situation: Situation, card: Card | None, knowledge: Knowledge) -> Fact | None:
    """Return the measured rate beside the rated ones, Gbit/s in one direction.

    Which link was measured is not said: it may be that between the GPUs of a machine, or that
    between machines where there are several. The slower and the faster of both are the ends.

    Args:
        situation: Names the network and the number of machines.
        card: The GPU that is named.
        knowledge: Knows what a slot carries.
    """
    value = situation.answers.get("observed.link_gbps")
    if not isinstance(value, int | float):
        return None
    rates = sorted(_rates(situation, card, knowledge))
    fields: dict[str, Scalar | None] = {
        "what": "link", "of": "over the link", "as_gbs": value * _BITS,
    }  # fmt: skip
    if not rates:
        fields["value"] = float(value)
        fields["not_compared"] = "neither the GPU nor the rate of the network is named"
        fields["give"] = "hardware.gpu or hardware.fabric_gbps"
        return Fact("measured", "measured:link", known_only(**fields))
    (low, slow), (high, fast) = rates[0], rates[-1]
    fields |= {
        "link_gbps": float(value),
        "low": low,
        "high": high,
        "percent_of_low": 100 * value / low,
        "times_high": value / high,
        "links": " and ".join(f"{name} carries {rate:,.0f} Gbit/s" for rate, name in rates),
        "slow_link": slow,
        "fast_link": fast,
    }
    return Fact("measured", "measured:link", known_only(**fields))


def _rates(
    situation: Situation, card: Card | None, knowledge: Knowledge
) -> list[tuple[float, str]]:
    """Return the links that can be meant: Gbit/s in one direction, and a name."""
    answers, found = situation.answers, []
    fabric, gbps = answers.get("hardware.fabric"), answers.get("hardware.fabric_gbps")
    if (
        fabric != _ONE_DOMAIN
        and isinstance(gbps, int | float)
        and answers.get("hardware.nodes") != 1
    ):
        found.append((float(gbps), "the stated network of a machine"))
    if card is not None and answers.get("hardware.gpus_per_node") != 1:
        between = _between_gpus(card, knowledge)
        if between is not None:
            found.append(between)
    return found


def _between_gpus(card: Card, knowledge: Knowledge) -> tuple[float, str] | None:
    both_ways = _linked(card)
    if both_ways is not None:
        name = "NVLink" if card.gpu.interconnect.nvlink_bidirectional_gbs else "the board's fabric"
        return both_ways / 2 * _BITS, f"{name} of {card.label}"
    generation = card.gpu.interconnect.pcie_generation
    slot = knowledge.interconnects.get(f"pcie{generation}")
    if slot is None:
        return None
    return slot.gbs_per_direction * _BITS, f"PCIe {generation} x16 of {card.label}"


def _linked(card: Card) -> float | None:
    """Return the GB/s of the fast link, both directions; ``None`` where peers talk over PCIe."""
    links = card.gpu.interconnect
    return links.nvlink_bidirectional_gbs or links.fabric_bidirectional_gbs
