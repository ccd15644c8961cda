"""Ways out of the VPC: an internet gateway for the public subnets, NAT gateways for the private ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

if TYPE_CHECKING:
    from collections.abc import Sequence

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
