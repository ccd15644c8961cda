"""The DNS zone of a cluster's services on Google Cloud."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class DnsZoneArgs:
    """Which zone."""

    placement: Placement
    domain: str
    labels: Mapping[str, str]


@final
class DnsZone(pulumi.ComponentResource):
    """A signed public zone: certificates are proved by it, while the addresses in it may well be private.

    Attributes:
        zone_id: name of the zone at Google Cloud.
        name_servers: what the parent domain delegates to.
    """

    zone_id: pulumi.Output[str]
    name_servers: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, args: DnsZoneArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "domain": args.domain}
        super().__init__("atoll:network:Domain", name, facts, opts)
        zone = gcp.dns.ManagedZone(
            "zone",
            name=build_gcp_name(args.placement, "zone"),
            dns_name=f"{args.domain}.",
            description="Services of the Atoll cluster",
            visibility="public",
            dnssec_config={"state": "on"},
            force_destroy=False,
            labels=dict(args.labels),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.zone_id = zone.name
        self.name_servers = zone.name_servers
        self.register_outputs({"zoneId": self.zone_id, "nameServers": self.name_servers})
