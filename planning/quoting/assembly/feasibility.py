"""What cannot be built at a place whatever is bought there: a quote offers only what a plan takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from catalogs.model import Item
from catalogs.object_stores import WITH_BUCKET
from catalogs.profiles import profile
from planning.quoting.assembly.cluster import target
from planning.quoting.assembly.device_components import explain_missing_plugin
from planning.values.gke_ranges import count_room
from planning.values.subnets import NARROWEST_RANGES

if TYPE_CHECKING:
    from catalogs.catalog import Catalog
    from planning.checklist.model.checklist import Checklist

CUT_FOR_NODES: Final = frozenset({"gcp"})  # targets where each node takes a block of the cluster's own range


@final
class Buildable:
    """What each provider's target can carry of one checklist.

    Args:
        home: whether it is the placement with the platform.
        accelerated: whether any of its pools has accelerators.
    """

    def __init__(self, checklist: Checklist, catalog: Catalog, *, home: bool, accelerated: bool) -> None:
        self._checklist = checklist
        self._accelerated = accelerated
        self._catalog = catalog
        self._home = home
        self._rooms: dict[str, int | None] = {}
        self.crowded: dict[str, str] = {}  # why a cluster was too large for the range, by provider

    def refusal(self, provider: str) -> str:
        """Why no cluster of the checklist can be there; "" where one can."""
        store = self._checklist.platform.object_store
        if self._home and store == "provider" and target(provider, self._checklist) not in WITH_BUCKET:
            return "the object store is to be the provider's, and no bucket is made there"
        if self._accelerated and self._lacks_device_plugin(provider):
            return "platform.without leaves the NVIDIA device plugin out, and nothing else brings it there"
        cidr = self._checklist.where.cidr
        narrowest = NARROWEST_RANGES.get(target(provider, self._checklist), cidr.max_prefixlen)
        fits = cidr.prefixlen <= narrowest and self._room(provider) != 0
        return "" if fits else f"{cidr} is too narrow for a cluster there"

    def _lacks_device_plugin(self, provider: str) -> bool:
        """Whether it is ours to install and left out."""
        if "device_plugin" not in self._checklist.platform.without or target(provider, self._checklist) == "existing":
            return False
        return not explain_missing_plugin(profile(provider))

    def bounds(self, provider: str) -> bool:
        """Whether the range bounds the number of nodes there."""
        return self._room(provider) is not None

    def has_room(self, provider: str, *, nodes: int) -> bool:
        """Whether so many nodes find addresses in the cluster's range; one for none is a refusal, and none of ours."""
        room = self._room(provider)
        if not room or nodes <= room:
            return True
        self.crowded[provider] = f"{self._checklist.where.cidr} has room for {room:,} nodes at {provider}"
        return False

    def _room(self, provider: str) -> int | None:
        """Nodes for which the range has addresses; None where nothing there bounds them."""
        if provider not in self._rooms:
            built_by, wanted = target(provider, self._checklist), self._checklist.storage.warm
            shared = self._catalog.tiers.get((provider, "warm")) if wanted is not None else None
            lustre = shared is not None and shared.item == Item.SHARED_SSD
            cidr = self._checklist.where.cidr
            self._rooms[provider] = count_room(cidr, lustre=lustre) if built_by in CUT_FOR_NODES else None
        return self._rooms[provider]
