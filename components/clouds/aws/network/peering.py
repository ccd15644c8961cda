"""The joint with the customer's own VPC on AWS, with routes both ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_aws as aws

from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ipaddress import IPv4Network

    from planning.spec.cluster import Peering as PeeringSpec
    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class VpcPeeringArgs:
    """Both sides.

    Args:
        cidr: range of the cluster's network.
        tables: the cluster's private route tables, which get the route out.
    """

    placement: Placement
    peering: PeeringSpec
    cidr: IPv4Network
    vpc_id: pulumi.Input[str]
    tables: Sequence[pulumi.Input[str]]


@final
class VpcPeering(pulumi.ComponentResource):
    """A peering connection; inside one account it is accepted here, else the customer accepts it.

    A lock without an account, or with route tables, means this account: only there can they be reached.

    Attributes:
        id: what the customer accepts, where that is needed.
        accepted: whether it was accepted here.
    """

    id: pulumi.Output[str]
    accepted: bool

    def __init__(self, name: str, args: VpcPeeringArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "peer": args.peering.vpc_id}
        super().__init__("atoll:network:Peering", name, facts, opts)
        _check_ranges(args)
        self.accepted = args.peering.account is None or bool(args.peering.route_table_ids)
        connection = _connection(args, ours=self.accepted, parent=self)
        ready = _accept(connection, args, parent=self) if self.accepted else None
        _routes_out(connection, args, parent=self)
        if ready is not None:
            _routes_back(ready, args, parent=self)
        self.id = connection.id
        self.register_outputs({"id": self.id, "accepted": self.accepted})


def _check_ranges(args: VpcPeeringArgs) -> None:
    theirs = args.peering.vpc_cidr
    if theirs is None:
        raise InputError(
            "the range of the peered VPC is not known, so nothing can be routed to it",
            hint="say main_cloud.vpc_cidr in the checklist",
        )
    if theirs.overlaps(args.cidr):
        raise InputError(f"{args.cidr} overlaps {theirs} of the peered VPC", hint="choose another where.cidr")


def _connection(args: VpcPeeringArgs, *, ours: bool, parent: VpcPeering) -> aws.ec2.VpcPeeringConnection:
    near = args.peering.region == args.placement.region
    return aws.ec2.VpcPeeringConnection(
        "main-cloud",
        vpc_id=args.vpc_id,
        peer_vpc_id=args.peering.vpc_id,
        peer_owner_id=None if ours else args.peering.account,
        peer_region=None if near else args.peering.region,
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _accept(
    connection: aws.ec2.VpcPeeringConnection, args: VpcPeeringArgs, *, parent: VpcPeering
) -> aws.ec2.VpcPeeringConnectionAccepter:
    """The other side says yes, in its own region; then each side resolves the other's private names."""
    accepted = aws.ec2.VpcPeeringConnectionAccepter(
        "main-cloud",
        vpc_peering_connection_id=connection.id,
        auto_accept=True,
        region=args.peering.region,
        opts=pulumi.ResourceOptions(parent=parent),
    )
    aws.ec2.PeeringConnectionOptions(
        "main-cloud-requester",
        vpc_peering_connection_id=connection.id,
        requester={"allow_remote_vpc_dns_resolution": True},
        opts=pulumi.ResourceOptions(parent=accepted, depends_on=[accepted]),
    )
    aws.ec2.PeeringConnectionOptions(
        "main-cloud-accepter",
        vpc_peering_connection_id=connection.id,
        accepter={"allow_remote_vpc_dns_resolution": True},
        region=args.peering.region,
        opts=pulumi.ResourceOptions(parent=accepted, depends_on=[accepted]),
    )
    return accepted


def _routes_out(connection: aws.ec2.VpcPeeringConnection, args: VpcPeeringArgs, *, parent: VpcPeering) -> None:
    for index, table in enumerate(args.tables):
        aws.ec2.Route(
            f"main-cloud-out-{index}",
            route_table_id=table,
            destination_cidr_block=str(args.peering.vpc_cidr),
            vpc_peering_connection_id=connection.id,
            opts=pulumi.ResourceOptions(parent=parent),
        )


def _routes_back(accepted: aws.ec2.VpcPeeringConnectionAccepter, args: VpcPeeringArgs, *, parent: VpcPeering) -> None:
    for index, table in enumerate(args.peering.route_table_ids):
        aws.ec2.Route(
            f"main-cloud-back-{index}",
            route_table_id=table,
            destination_cidr_block=str(args.cidr),
            vpc_peering_connection_id=accepted.vpc_peering_connection_id,
            region=args.peering.region,
            opts=pulumi.ResourceOptions(parent=parent),
        )
