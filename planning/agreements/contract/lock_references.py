"""Clusters, node pools and storage tiers of a lock, each with its path in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.documents.figures import say
from planning.documents.sources import of_lock
from planning.platform.burn_in_eligibility import burned_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.documents.figures import Figure, Sentence
    from planning.spec.cluster import ClusterSpec, Pool, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One cluster of the lock.

    Args:
        at: path of it in the lock, "placements.0".
        told: whether its name has to be said, because there are several.
    """

    spec: ClusterSpec
    at: str
    told: bool

    @property
    def name(self) -> Figure:
        """What the stack calls it."""
        return of_lock(self.spec.placement.name, f"{self.at}.placement.name")

    @property
    def built(self) -> bool:
        """Whether the program builds the cluster."""
        return self.spec.existing is None and self.spec.placement.target != "none"

    def pools(self) -> Iterator[PoolAt]:
        """Its node pools."""
        for number, pool in enumerate(self.spec.pools):
            yield PoolAt(pool=pool, at=f"{self.at}.pools.{number}", place=self)

    def tiers(self) -> Iterator[TierAt]:
        """Its storage."""
        for number, tier in enumerate(self.spec.storage):
            yield TierAt(tier=tier, at=f"{self.at}.storage.{number}", place=self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolAt:
    """A node pool and its path in the lock."""

    pool: Pool
    at: str
    place: Place

    @property
    def name(self) -> Sentence:
        """Its name, with that of its placement where there are several."""
        name = of_lock(self.pool.name, f"{self.at}.name")
        return say(self.place.name, ": ", name) if self.place.told else say(name)

    def count(self, field: str) -> Figure:
        """A whole number of it: "working", "spares", "min_nodes", "max_nodes", "accelerators"."""
        value: int = getattr(self.pool, field)
        return of_lock(value, f"{self.at}.{field}")

    @property
    def accelerated(self) -> bool:
        """Whether its nodes have accelerators."""
        return self.pool.accelerators > 0

    @property
    def burned_in(self) -> bool:
        """Whether its standing nodes are tested before they take work."""
        return self.pool in burned_in(self.place.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierAt:
    """A storage tier and its path in the lock."""

    tier: Tier
    at: str
    place: Place

    @property
    def name(self) -> Sentence:
        """Its name, with that of its placement where there are several."""
        return say(self.place.name, ": ", self.tier.tier) if self.place.told else say(self.tier.tier)
