"""The network on AWS: one VPC over two or three zones, nodes in private subnets, gateways in public ones; DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.context.naming import build_physical_name
from planning.values.addresses import split
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.context.placement import PlacementContext
    from planning.spec.cluster import Network as NetworkSpec
    from planning.values.addresses import ZoneSubnets

ANYWHERE: Final = "0.0.0.0/0"
# Zones in which EKS cannot put a control plane (docs.aws.amazon.com/eks/latest/userguide/network-reqs.html).
ZONES_WITHOUT_EKS: Final = ("use1-az3", "usw1-az2", "cac1-az3")
FEWEST_ZONES: Final = 2  # an EKS control plane spans two (same page)
# Tags by which load balancers find their subnets (EKS user guide, network requirements).
BALANCER_ROLES: Final = {"private": "kubernetes.io/role/internal-elb", "public": "kubernetes.io/role/elb"}
TTL_SECONDS: Final = 300


@final
class Vpc(pulumi.ComponentResource):
    """VPC, subnets, gateways, and an S3 endpoint, which keeps data sets free of NAT charges.

    Attributes:
        private_subnets: one id for each zone, in the order of `zones`.
        private_names: their names, as plain values.
        private_tables: their route tables.
        zones: zone ids of the lock; empty where the account's first ones are used.
    """

    vpc_id: pulumi.Output[str]
    private_subnets: tuple[pulumi.Output[str], ...]
    private_names: tuple[str, ...]
    public_subnets: tuple[pulumi.Output[str], ...]
    private_tables: tuple[pulumi.Output[str], ...]
    zones: tuple[str, ...]

    def __init__(self, name: str, site: PlacementContext, *, opts: pulumi.ResourceOptions) -> None:
        network, placement = site.spec.network, site.placement
        facts = site.describe(cidr=str(network.cidr), charges=site.ledger.claim("network"))
        super().__init__("atoll:network:Network", name, facts, opts)
        ranges, zones = _split_by_zone(network), _find_zone_ids(site, parent=self)
        vpc = _create_vpc(site, parent=self)
        public: list[aws.ec2.Subnet] = []
        private: list[aws.ec2.Subnet] = []
        for index, (zone, each) in enumerate(zip(zones, ranges, strict=True)):
            public.append(_create_subnet(f"public-{index}", zone, vpc, str(each.public), site=site, parent=self))
            private.append(_create_subnet(f"private-{index}", zone, vpc, str(each.private), site=site, parent=self))
        tables = _create_egress(vpc, public=public, private=private, gateways=network.nat_gateways, parent=self)
        aws.ec2.VpcEndpoint(
            "object-store",
            vpc_id=vpc.id,
            vpc_endpoint_type="Gateway",
            service_name=f"com.amazonaws.{placement.region}.s3",
            route_table_ids=[table.id for table in tables],
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.vpc_id = vpc.id
        self.zones = placement.zones[: network.zone_count]
        self.private_subnets = tuple(subnet.id for subnet in private)
        self.public_subnets = tuple(subnet.id for subnet in public)
        self.private_names = tuple(build_physical_name(placement, f"private-{index}") for index in range(len(private)))
        self.private_tables = tuple(table.id for table in tables)
        self.register_outputs({"vpcId": self.vpc_id, "privateSubnets": list(self.private_subnets)})


def _split_by_zone(network: NetworkSpec) -> tuple[ZoneSubnets, ...]:
    if network.zone_count < FEWEST_ZONES:
        raise InputError(f"an EKS cluster spans {FEWEST_ZONES} zones or more, not {network.zone_count}")
    try:
        return split(network.cidr, zones=network.zone_count)
    except ValueError as error:
        raise InputError(str(error), hint="choose another where.cidr in the checklist") from error


def _find_zone_ids(site: PlacementContext, *, parent: Vpc) -> tuple[pulumi.Input[str], ...]:
    """Zone ids of the lock, else the account's first available ones that support a control plane."""
    count, zones = site.spec.network.zone_count, site.placement.zones
    if zones:
        if len(zones) < count:
            raise InputError(f"{count} zones are wanted and the lock names {len(zones)}")
        return zones[:count]
    available = aws.get_availability_zones_output(
        state="available",
        filters=[{"name": "zone-type", "values": ["availability-zone"]}],
        # A control plane needs two zones that support one; a few old zones do not.
        exclude_zone_ids=list(ZONES_WITHOUT_EKS),
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    return tuple(available.zone_ids[index] for index in range(count))


def _create_vpc(site: PlacementContext, *, parent: Vpc) -> aws.ec2.Vpc:
    vpc = aws.ec2.Vpc(
        "vpc",
        cidr_block=str(site.spec.network.cidr),
        enable_dns_support=True,
        enable_dns_hostnames=True,
        tags={"Name": build_physical_name(site.placement)},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    # Empties the default group, so that nothing is reachable by accident.
    aws.ec2.DefaultSecurityGroup("default", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=vpc))
    return vpc


def _create_subnet(
    name: str, zone: pulumi.Input[str], vpc: aws.ec2.Vpc, cidr: str, *, site: PlacementContext, parent: Vpc
) -> aws.ec2.Subnet:
    role = BALANCER_ROLES[name.partition("-")[0]]
    return aws.ec2.Subnet(
        name,
        vpc_id=vpc.id,
        cidr_block=cidr,
        availability_zone_id=zone,
        map_public_ip_on_launch=False,
        tags={"Name": build_physical_name(site.placement, name), role: "1"},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _create_egress(
    vpc: aws.ec2.Vpc,
    *,
    public: Sequence[aws.ec2.Subnet],
    private: Sequence[aws.ec2.Subnet],
    gateways: int,
    parent: pulumi.Resource,
) -> list[aws.ec2.RouteTable]:
    """Gateways and routes; returns the route table of each private subnet.

    Zone i uses gateway i modulo `gateways`; without gateways the private subnets have no egress.
    """
    internet = aws.ec2.InternetGateway("internet", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=parent))
    table = _create_routes("public", vpc, {"gateway_id": internet.id}, parent=parent)
    for index, subnet in enumerate(public):
        _associate(f"public-{index}", table, subnet)
    after_internet = pulumi.ResourceOptions(parent=parent, depends_on=[internet])
    nats: list[aws.ec2.NatGateway] = []
    for index in range(gateways):
        address = aws.ec2.Eip(f"nat-{index}", domain="vpc", opts=after_internet)
        subnet_id = public[index % len(public)].id
        nats.append(
            aws.ec2.NatGateway(
                f"nat-{index}", allocation_id=address.allocation_id, subnet_id=subnet_id, opts=after_internet
            )
        )
    tables: list[aws.ec2.RouteTable] = []
    for index, subnet in enumerate(private):
        target = {"nat_gateway_id": nats[index % gateways].id} if nats else None
        tables.append(_create_routes(f"private-{index}", vpc, target, parent=parent))
        _associate(f"private-{index}", tables[-1], subnet)
    return tables


def _create_routes(
    name: str, vpc: aws.ec2.Vpc, target: Mapping[str, pulumi.Output[str]] | None, *, parent: pulumi.Resource
) -> aws.ec2.RouteTable:
    """A route table, with a default route over the gateway that `target` names."""
    table = aws.ec2.RouteTable(name, vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=parent))
    if target is not None:
        aws.ec2.Route(
            f"{name}-out",
            route_table_id=table.id,
            destination_cidr_block=ANYWHERE,
            gateway_id=target.get("gateway_id"),
            nat_gateway_id=target.get("nat_gateway_id"),
            opts=pulumi.ResourceOptions(parent=table),
        )
    return table


def _associate(name: str, table: aws.ec2.RouteTable, subnet: aws.ec2.Subnet) -> None:
    opts = pulumi.ResourceOptions(parent=table)
    aws.ec2.RouteTableAssociation(name, route_table_id=table.id, subnet_id=subnet.id, opts=opts)


@final
class DnsZone(pulumi.ComponentResource):
    """A public zone, and a wildcard certificate that Amazon renews while its record is in the zone.

    The certificate is issued once the parent zone delegates to `name_servers`; nothing here waits for that.
    """

    zone_id: pulumi.Output[str]
    name_servers: pulumi.Output[Sequence[str]]
    certificate: pulumi.Output[str]

    def __init__(self, name: str, site: PlacementContext, *, opts: pulumi.ResourceOptions) -> None:
        domain = site.spec.network.domain
        super().__init__("atoll:network:Domain", name, site.describe(domain=domain), opts)
        inside = pulumi.ResourceOptions(parent=self)
        zone = aws.route53.Zone(
            "zone", name=domain, comment="Atoll: services of one cluster", force_destroy=False, opts=inside
        )
        certificate = aws.acm.Certificate(
            "services",
            domain_name=domain,
            subject_alternative_names=[f"*.{domain}"],
            validation_method="DNS",
            opts=inside,
        )
        # The validation record of Amazon: one, since a domain and its wildcard share it.
        proof = certificate.domain_validation_options[0]
        aws.route53.Record(
            "proof",
            zone_id=zone.zone_id,
            name=proof.resource_record_name.apply(lambda name: name or ""),
            type=proof.resource_record_type.apply(lambda kind: kind or ""),
            records=[proof.resource_record_value.apply(lambda value: value or "")],
            ttl=TTL_SECONDS,
            allow_overwrite=True,
            opts=inside,
        )
        self.zone_id = zone.zone_id
        self.name_servers = zone.name_servers
        self.certificate = certificate.arn
        self.register_outputs({"zoneId": self.zone_id, "nameServers": self.name_servers})
