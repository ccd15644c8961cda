"""What every platform part is built on: the cluster, the decided parts, secrets, addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planning.values.errors import AtollError
from planning.values.hostnames import PRIVATE_DOMAIN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from components.context.placement import ClusterHandle
    from components.context.settings import Settings
    from components.platform.building_blocks.keyring import Keyring
    from planning.costs.node_prices import NodePrices
    from planning.spec.cluster import ClusterSpec
    from planning.spec.platform import Installed, Platform


Charges = list[dict[str, object]]


@dataclass(frozen=True, kw_only=True)
class Ground:
    """One cluster and what was decided about its platform.

    Args:
        keyring: generated secrets, shared by the parts that both need one.
        ceiling_usd_per_month: of the whole stack; None for none.
        prices: what nodes cost by the accepted bill; None where it is not known.
    """

    spec: ClusterSpec
    platform: Platform
    handle: ClusterHandle
    settings: Settings
    keyring: Keyring
    ceiling_usd_per_month: Decimal | None = None
    prices: NodePrices | None = None

    def part(self, name: str) -> Installed:
        """The decided part of that name.

        Raises:
            AtollError: it is not installed, so nothing may ask for it.
        """
        found = self.platform.part(name)
        if found is None:
            raise AtollError(f"the platform part {name} is not in the lock")
        return found

    def has(self, name: str) -> bool:
        """Whether a part is installed."""
        return self.platform.part(name) is not None

    def facts(self, name: str, charges: Charges) -> dict[str, object]:
        """Plain inputs of a part's component: where it is priced, what its volumes cost, which software it is."""
        part, placement = self.part(name), self.spec.placement
        return {
            "provider": placement.provider,
            "region": placement.region,
            "version": part.version,
            "source": part.repository,
            "charges": list(charges),
        }

    def host(self, name: str) -> str:
        """Name below the cluster's domain, as in "grafana.ml.example.com"."""
        return f"{name}.{self.handle.names.domain or PRIVATE_DOMAIN}"

    @property
    def on_system(self) -> Mapping[str, str]:
        """Node selector of the platform's own pods; empty where nodes do not carry our labels."""
        return {} if self.spec.existing is not None else {"atoll/role": "system"}

    @property
    def volume_class(self) -> str:
        """Storage class of the platform's own volumes; "" for the cluster's default."""
        return self.handle.classes.disk or self.handle.classes.shared

    @property
    def labelled(self) -> bool:
        """Whether nodes carry the label of their pool, `atoll/pool`."""
        return self.spec.existing is None
