"""The network on AWS: one VPC over two or three zones, nodes in private subnets, gateways in public ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_aws as aws

from components.context.naming import build_physical_name
from planning.values.addresses import split
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from planning.spec.cluster import Network as NetworkSpec
    from planning.spec.cluster import Placement
    from planning.values.addresses import ZoneSubnets


ANYWHERE: Final = "0.0.0.0/0"


def egress(
    vpc: aws.ec2.Vpc,
    *,
    public: Sequence[aws.ec2.Subnet],
    private: Sequence[aws.ec2.Subnet],
    gateways: int,
    parent: pulumi.Resource,
) -> list[aws.ec2.RouteTable]:
    """Gateways and routes; the route tables of the private subnets, one for each.

    Zone i leaves through gateway i modulo `gateways`; with none the private subnets have no way out.
    """
    internet = aws.ec2.InternetGateway("internet", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=parent))
    _public_routes(vpc, internet, public, parent=parent)
    nats = [_nat(index, public[index % len(public)], internet, parent=parent) for index in range(gateways)]
    return [
        _private_routes(index, vpc, subnet, nats[index % gateways] if nats else None, parent=parent)
        for index, subnet in enumerate(private)
    ]


def _public_routes(
    vpc: aws.ec2.Vpc,
    internet: aws.ec2.InternetGateway,
    subnets: Sequence[aws.ec2.Subnet],
    *,
    parent: pulumi.Resource,
) -> None:
    table = aws.ec2.RouteTable("public", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=parent))
    inside = pulumi.ResourceOptions(parent=table)
    aws.ec2.Route(
        "public-out",
        route_table_id=table.id,
        destination_cidr_block=ANYWHERE,
        gateway_id=internet.id,
        opts=inside,
    )
    for index, subnet in enumerate(subnets):
        aws.ec2.RouteTableAssociation(f"public-{index}", route_table_id=table.id, subnet_id=subnet.id, opts=inside)


def _nat(
    index: int, subnet: aws.ec2.Subnet, internet: aws.ec2.InternetGateway, *, parent: pulumi.Resource
) -> aws.ec2.NatGateway:
    opts = pulumi.ResourceOptions(parent=parent, depends_on=[internet])
    address = aws.ec2.Eip(f"nat-{index}", domain="vpc", opts=opts)
    return aws.ec2.NatGateway(f"nat-{index}", allocation_id=address.allocation_id, subnet_id=subnet.id, opts=opts)


def _private_routes(
    index: int,
    vpc: aws.ec2.Vpc,
    subnet: aws.ec2.Subnet,
    nat: aws.ec2.NatGateway | None,
    *,
    parent: pulumi.Resource,
) -> aws.ec2.RouteTable:
    table = aws.ec2.RouteTable(f"private-{index}", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=parent))
    inside = pulumi.ResourceOptions(parent=table)
    aws.ec2.RouteTableAssociation(f"private-{index}", route_table_id=table.id, subnet_id=subnet.id, opts=inside)
    if nat is not None:
        aws.ec2.Route(
            f"private-{index}-out",
            route_table_id=table.id,
            destination_cidr_block=ANYWHERE,
            nat_gateway_id=nat.id,
            opts=inside,
        )
    return table


# Zones in which EKS cannot put a control plane (docs.aws.amazon.com/eks/latest/userguide/network-reqs.html).
ZONES_WITHOUT_EKS: Final = ("use1-az3", "usw1-az2", "cac1-az3")
FEWEST_ZONES: Final = 2  # an EKS control plane spans two (same page)


@dataclass(frozen=True, kw_only=True)
class VpcArgs:
    """Where the network is, what it spans, and the declared charges of its traffic."""

    placement: Placement
    network: NetworkSpec
    charges: Sequence[dict[str, object]]


@final
class Vpc(pulumi.ComponentResource):
    """VPC, subnets, gateways, and the endpoint of the object store, through which data sets pass free of NAT charges.

    Attributes:
        private_subnets: one id for each zone, in the order of `zones`.
        private_names: the names of the same, plain.
        public_subnets: the same, for what faces the internet.
        private_tables: route tables of the private subnets.
        zones: zone ids where the lock names them; empty where the account's first ones are taken.
    """

    vpc_id: pulumi.Output[str]
    private_subnets: tuple[pulumi.Output[str], ...]
    private_names: tuple[str, ...]
    public_subnets: tuple[pulumi.Output[str], ...]
    private_tables: tuple[pulumi.Output[str], ...]
    zones: tuple[str, ...]

    def __init__(self, name: str, args: VpcArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:network:Network", name, _facts(args), opts)
        ranges = _ranges(args.network)
        zones = _zone_ids(args, parent=self)
        vpc = _vpc(args, parent=self)
        public: list[aws.ec2.Subnet] = []
        private: list[aws.ec2.Subnet] = []
        for index, zone, each in _each(zones, ranges):
            public.append(_subnet(f"public-{index}", zone, vpc, each.public, args=args, parent=self))
            private.append(_subnet(f"private-{index}", zone, vpc, each.private, args=args, parent=self))
        tables = egress(vpc, public=public, private=private, gateways=args.network.nat_gateways, parent=self)
        _object_store_endpoint(vpc, tables, region=args.placement.region, parent=self)
        self.vpc_id = vpc.id
        self.zones = args.placement.zones[: args.network.zone_count]
        self.private_subnets = tuple(subnet.id for subnet in private)
        self.public_subnets = tuple(subnet.id for subnet in public)
        self.private_names = tuple(
            build_physical_name(args.placement, f"private-{index}") for index in range(len(private))
        )
        self.private_tables = tuple(table.id for table in tables)
        self.register_outputs({"vpcId": self.vpc_id, "privateSubnets": list(self.private_subnets)})


def _facts(args: VpcArgs) -> dict[str, object]:
    return {
        "provider": args.placement.provider,
        "region": args.placement.region,
        "cidr": str(args.network.cidr),
        "charges": list(args.charges),
    }


def _ranges(network: NetworkSpec) -> tuple[ZoneSubnets, ...]:
    if network.zone_count < FEWEST_ZONES:
        raise InputError(f"an EKS cluster spans {FEWEST_ZONES} zones or more, not {network.zone_count}")
    try:
        return split(network.cidr, zones=network.zone_count)
    except ValueError as error:
        raise InputError(str(error), hint="choose another where.cidr in the checklist") from error


def _zone_ids(args: VpcArgs, *, parent: Vpc) -> tuple[pulumi.Input[str], ...]:
    """The lock's zone ids, else the first available ones of the account that can hold a control plane."""
    count = args.network.zone_count
    if args.placement.zones:
        if len(args.placement.zones) < count:
            raise InputError(f"{count} zones are wanted and the lock names {len(args.placement.zones)}")
        return args.placement.zones[:count]
    available = aws.get_availability_zones_output(
        state="available",
        filters=[{"name": "zone-type", "values": ["availability-zone"]}],
        exclude_zone_ids=list(ZONES_WITHOUT_EKS),
        opts=pulumi.InvokeOutputOptions(parent=parent),
    )
    return tuple(available.zone_ids[index] for index in range(count))


def _each(
    zones: Sequence[pulumi.Input[str]], ranges: Sequence[ZoneSubnets]
) -> list[tuple[int, pulumi.Input[str], ZoneSubnets]]:
    return [(index, zone, each) for index, (zone, each) in enumerate(zip(zones, ranges, strict=True))]


def _vpc(args: VpcArgs, *, parent: Vpc) -> aws.ec2.Vpc:
    """The VPC; its default security group is emptied, so that nothing works by accident."""
    vpc = aws.ec2.Vpc(
        "vpc",
        cidr_block=str(args.network.cidr),
        enable_dns_support=True,
        enable_dns_hostnames=True,
        tags={"Name": build_physical_name(args.placement)},
        opts=pulumi.ResourceOptions(parent=parent),
    )
    aws.ec2.DefaultSecurityGroup("default", vpc_id=vpc.id, opts=pulumi.ResourceOptions(parent=vpc))
    return vpc


def _subnet(
    name: str, zone: pulumi.Input[str], vpc: aws.ec2.Vpc, cidr: object, *, args: VpcArgs, parent: Vpc
) -> aws.ec2.Subnet:
    """One subnet, tagged so that load balancers find it (EKS user guide, network requirements)."""
    kind = name.partition("-")[0]
    role = {"private": "kubernetes.io/role/internal-elb", "public": "kubernetes.io/role/elb"}[kind]
    return aws.ec2.Subnet(
        name,
        vpc_id=vpc.id,
        cidr_block=str(cidr),
        availability_zone_id=zone,
        map_public_ip_on_launch=False,
        tags={"Name": build_physical_name(args.placement, name), role: "1"},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _object_store_endpoint(vpc: aws.ec2.Vpc, tables: Sequence[aws.ec2.RouteTable], *, region: str, parent: Vpc) -> None:
    aws.ec2.VpcEndpoint(
        "object-store",
        vpc_id=vpc.id,
        vpc_endpoint_type="Gateway",
        service_name=f"com.amazonaws.{region}.s3",
        route_table_ids=[table.id for table in tables],
        opts=pulumi.ResourceOptions(parent=parent),
    )
