"""The joint with the customer's own VPC on Google Cloud: two halves, each of which its own side makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import pulumi
import pulumi_gcp as gcp

from components.clouds.gcp.account.names import build_gcp_name
from planning.values.errors import InputError

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from planning.spec.cluster import Peering as PeeringSpec
    from planning.spec.cluster import Placement


@dataclass(frozen=True, kw_only=True)
class VpcPeeringArgs:
    """Both sides.

    Args:
        project: our own.
        cidr: range of the cluster's network.
        network_id: "projects/../global/networks/..".
    """

    placement: Placement
    peering: PeeringSpec
    project: pulumi.Input[str]
    project_said: str
    cidr: IPv4Network
    network_id: pulumi.Input[str]


@final
class VpcPeering(pulumi.ComponentResource):
    """Our half, and the other where it is a network of the same project; else the customer makes it.

    Routes to subnets are exchanged by Google Cloud itself; custom ones pass in both directions, which is how a VPN or
    an interconnect of the customer's network reaches the cluster. A peering is not regional.

    Attributes:
        accepted: whether the other half is made here.
        peer: the customer's network.
    """

    id: pulumi.Output[str]
    accepted: bool
    peer: pulumi.Output[str]

    def __init__(self, name: str, args: VpcPeeringArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {"provider": args.placement.provider, "region": args.placement.region, "peer": args.peering.vpc_id}
        super().__init__("atoll:network:Peering", name, facts, opts)
        _check_ranges(args)
        self.peer = _theirs(args)
        self.accepted = args.peering.account in {None, args.project_said}
        ours = _half("main-cloud", build_gcp_name(args.placement), one=args.network_id, other=self.peer, parent=self)
        if self.accepted:
            # Google Cloud changes one half of a pair at a time.
            _half(
                "main-cloud-back",
                build_gcp_name(args.placement, "back"),
                one=self.peer,
                other=args.network_id,
                parent=self,
                after=ours,
            )
        self.id = ours.id
        self.register_outputs({"id": self.id, "accepted": self.accepted})


def _check_ranges(args: VpcPeeringArgs) -> None:
    theirs = args.peering.vpc_cidr
    if theirs is not None and theirs.overlaps(args.cidr):
        raise InputError(f"{args.cidr} overlaps {theirs} of the peered VPC", hint="choose another where.cidr")


def _theirs(args: VpcPeeringArgs) -> pulumi.Output[str]:
    """The customer's network by its whole name; a short one lies in the account that the lock names, else in ours."""
    if "/" in args.peering.vpc_id:
        return pulumi.Output.from_input(args.peering.vpc_id)
    return pulumi.Output.concat(
        "projects/", args.peering.account or args.project, "/global/networks/", args.peering.vpc_id
    )


def _half(
    name: str,
    said: str,
    *,
    one: pulumi.Input[str],
    other: pulumi.Input[str],
    parent: VpcPeering,
    after: pulumi.Resource | None = None,
) -> gcp.compute.NetworkPeering:
    return gcp.compute.NetworkPeering(
        name,
        name=said,
        network=one,
        peer_network=other,
        export_custom_routes=True,
        import_custom_routes=True,
        opts=pulumi.ResourceOptions(parent=parent, depends_on=[after] if after is not None else []),
    )
