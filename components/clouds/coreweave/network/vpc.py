"""The network on CoreWeave: one VPC of one zone, with ranges for hosts, pods, services and load balancers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_coreweave as coreweave

from catalogs.providers import find_traits
from components.context.naming import build_physical_name
from planning.values.errors import InputError

if TYPE_CHECKING:
    from ipaddress import IPv4Network

    from components.context.placement import PlacementContext
    from planning.spec.cluster import Placement

PODS: Final = "pods"
SERVICES: Final = "services"
BALANCERS: Final = "balancers"
NARROWEST: Final = find_traits("coreweave").narrowest_range
HOST_PREFIX: Final = 18  # the only size that CoreWeave accepts (VPC API, hostPrefix)
SMALL_PREFIX: Final = 22  # of services and of balancers (docs.coreweave.com, VPC CIDR blocks)
LONGEST_NAME: Final = 30  # of a VPC and of a cluster (pulumi-coreweave 1.0.3)


@dataclass(frozen=True, kw_only=True)
class CoreWeaveRanges:
    """Address ranges of one cluster: pods have the first half of its range."""

    pods: IPv4Network
    hosts: IPv4Network
    services: IPv4Network
    balancers: IPv4Network


@final
class Vpc(pulumi.ComponentResource):
    """A VPC whose load balancers are internal unless a service requests a public one."""

    vpc_id: pulumi.Output[str]

    def __init__(self, name: str, site: PlacementContext, *, zone: str, opts: pulumi.ResourceOptions) -> None:
        cidr = site.spec.network.cidr
        facts = site.describe(cidr=str(cidr), charges=site.ledger.claim("network"))
        super().__init__("atoll:network:Network", name, facts, opts)
        ranges = split_range(cidr)
        vpc = coreweave.NetworkingVpc(
            "network",
            name=short_name(site.placement),
            zone=zone,
            host_prefixes=[{"name": "hosts", "type": "PRIMARY", "prefixes": [str(ranges.hosts)]}],
            vpc_prefixes=[
                {"name": PODS, "value": str(ranges.pods)},
                {"name": SERVICES, "value": str(ranges.services)},
                {"name": BALANCERS, "value": str(ranges.balancers)},
            ],
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.vpc_id = vpc.id
        self.register_outputs({"vpcId": self.vpc_id})


def split_range(cidr: IPv4Network) -> CoreWeaveRanges:
    """Raises InputError where `cidr` is too narrow for a /18 of hosts in one half, and pods in the other."""
    if cidr.prefixlen > NARROWEST:
        raise InputError(
            f"where.cidr is {cidr}; a cluster on CoreWeave needs a /{NARROWEST} or wider",
            hint=f"choose a /{NARROWEST} in the checklist, then quote and accept again",
        )
    pods, rest = cidr.subnets(prefixlen_diff=1)
    blocks = rest.subnets(new_prefix=HOST_PREFIX)
    hosts, others = next(blocks), next(blocks)
    small = others.subnets(new_prefix=SMALL_PREFIX)
    return CoreWeaveRanges(pods=pods, hosts=hosts, services=next(small), balancers=next(small))


def short_name(placement: Placement) -> str:
    """Physical name of a VPC or a cluster; raises InputError where it is longer than CoreWeave allows."""
    name = build_physical_name(placement)
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"{name!r} has {len(name)} characters; a cluster's name on CoreWeave has {LONGEST_NAME} at most",
            hint="give the stack a shorter name",
        )
    return name
