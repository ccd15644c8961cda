"""The names of a cluster on AWS: a zone of Route 53 for its services, and a certificate for everything in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Placement

TTL_SECONDS: Final = 300


@dataclass(frozen=True, kw_only=True)
class DnsZoneArgs:
    """Which zone."""

    placement: Placement
    domain: str


@final
class DnsZone(pulumi.ComponentResource):
    """A public zone, and a wildcard certificate that Amazon renews while its record stands in the zone.

    The certificate is issued once the parent zone delegates to ours; nothing here waits for that.

    Attributes:
        name_servers: what the parent zone delegates to.
        certificate: its ARN, for a load balancer's listener.
    """

    zone_id: pulumi.Output[str]
    name_servers: pulumi.Output[Sequence[str]]
    certificate: pulumi.Output[str]

    def __init__(self, name: str, args: DnsZoneArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "domain": args.domain}
        super().__init__("atoll:network:Domain", name, facts, opts)
        inside = pulumi.ResourceOptions(parent=self)
        zone = aws.route53.Zone(
            "zone", name=args.domain, comment="Atoll: services of one cluster", force_destroy=False, opts=inside
        )
        certificate = aws.acm.Certificate(
            "services",
            domain_name=args.domain,
            subject_alternative_names=[f"*.{args.domain}"],
            validation_method="DNS",
            opts=inside,
        )
        _proof(zone, certificate, parent=self)
        self.zone_id = zone.zone_id
        self.name_servers = zone.name_servers
        self.certificate = certificate.arn
        self.register_outputs({"zoneId": self.zone_id, "nameServers": self.name_servers})


def _proof(zone: aws.route53.Zone, certificate: aws.acm.Certificate, *, parent: DnsZone) -> None:
    """The record by which Amazon sees that the zone is ours: one, since a domain and its wildcard share it."""
    proof = certificate.domain_validation_options[0]
    aws.route53.Record(
        "proof",
        zone_id=zone.zone_id,
        name=proof.resource_record_name.apply(lambda name: name or ""),
        type=proof.resource_record_type.apply(lambda kind: kind or ""),
        records=[proof.resource_record_value.apply(lambda value: value or "")],
        ttl=TTL_SECONDS,
        allow_overwrite=True,
        opts=pulumi.ResourceOptions(parent=parent),
    )
