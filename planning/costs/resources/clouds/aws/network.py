"""What AWS rents by the hour around the machines: control planes, gateways, addresses, balancers, tunnels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources.findings import VOLUME_UNKNOWN, Free, resource_gap
from planning.costs.resources.resource import UnreadableError
from planning.values.money import Range

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.costs.resources.findings import CostingContext, Counter, Finding


EXTENDED_CONTROL_PLANE: Final = "control_plane_extended"  # no word of the catalog yet, hence unpriced
_EXTENDED_LATER: Final = (
    "more expensive once the Kubernetes version leaves standard support, unless supportType is STANDARD"
)
_TRAFFIC_EXTRA: Final = "the data through it is extra"
_BALANCERS: Final = ("application", "network")  # one price; a gateway load balancer has another


def control_plane(case: CostingContext) -> Iterator[Finding]:
    """An EKS cluster; where Auto Mode is on, the nodes that it starts are a gap."""
    support = case.inputs.at("upgradePolicy").at("supportType").text("")
    item = EXTENDED_CONTROL_PLANE if support == "EXTENDED" else Item.CONTROL_PLANE
    note = "" if support else _EXTENDED_LATER
    yield case.hourly(item, group=BillGroup.CONTROL_PLANE, own="control_plane", note=note)
    if case.inputs.at("computeConfig").at("enabled").flag(default=False):
        yield resource_gap(
            case, "auto_mode", "nodes that EKS Auto Mode starts are not registered", group=BillGroup.COMPUTE
        )
    tier = case.inputs.at("controlPlaneScalingConfig").at("tier").text("standard")
    if tier != "standard":
        yield resource_gap(
            case, "control_plane_tier", f"control plane tier {tier!r} has no price here", group=BillGroup.NETWORK
        )


def nat_gateway(case: CostingContext) -> Iterator[Finding]:
    if case.inputs.at("availabilityMode").text("zonal") != "zonal":
        raise UnreadableError("availabilityMode is regional: paid for each zone it serves, which is not known here")
    note = "" if case.declares_any((Item.NAT_DATA,)) else _TRAFFIC_EXTRA
    yield case.hourly(Item.NAT_GATEWAY, group=BillGroup.NETWORK, own="network/nat_gateway", note=note)


def address(case: CostingContext) -> Iterator[Finding]:
    """A public IPv4 address."""
    if case.inputs.at("publicIpv4Pool").text("amazon") != "amazon":
        yield Free("addresses of your own pool are not charged")
        return
    yield case.public_address()


def load_balancer(case: CostingContext) -> Iterator[Finding]:
    kind = case.inputs.at("loadBalancerType").text("application")
    if kind not in _BALANCERS:
        raise UnreadableError(f"loadBalancerType {kind!r} has no price here")
    if case.inputs.at("minimumLoadBalancerCapacity").said:
        yield resource_gap(
            case,
            Item.LOAD_BALANCER_UNIT,
            "minimumLoadBalancerCapacity is reserved and has no rule",
            group=BillGroup.NETWORK,
        )
    note = "capacity units are extra"
    yield case.hourly(Item.LOAD_BALANCER, group=BillGroup.NETWORK, own="network/load_balancer", note=note)


def endpoint(case: CostingContext) -> Iterator[Finding]:
    """A VPC endpoint: gateways are free, an interface is paid for in each subnet."""
    kind = case.inputs.at("vpcEndpointType").text("Gateway")
    if kind == "Gateway":
        yield Free("gateway endpoints are not charged")
        return
    if kind != "Interface":
        raise UnreadableError(f"vpcEndpointType {kind!r} has no price here")
    subnets = case.inputs.at("subnetIds").each() or case.inputs.at("subnetConfigurations").each()
    if not subnets:
        raise UnreadableError("subnetIds is not said: an interface is paid for in each subnet")
    own = "network/interface_endpoint"
    yield case.hourly(
        Item.INTERFACE_ENDPOINT, group=BillGroup.NETWORK, count=len(subnets), own=own, note=_TRAFFIC_EXTRA
    )


def vpn_connection(case: CostingContext) -> Iterator[Finding]:
    """A site-to-site VPN connection, with its attachment where it ends at a transit gateway."""
    yield case.hourly(Item.VPN_CONNECTION, group=BillGroup.NETWORK, own="network/link/vpn_connection")
    if case.inputs.at("transitGatewayId").said:
        yield from transit_attachment(case)


def transit_attachment(case: CostingContext) -> Iterator[Finding]:
    own = "network/transit_attachment"
    yield case.hourly(Item.TRANSIT_ATTACHMENT, group=BillGroup.NETWORK, own=own, note=_TRAFFIC_EXTRA)


QUEUE: Final = "one reader that waits 20 seconds a request stays below the first million requests of a month"
TRAIL: Final = "the first copy of management events is not charged; an account with a trail leaves this one out"
ACTION: Final = "the first two budgets with actions of an account are not charged, each later one is 0.10 USD a day"
STANDARD_TIER: Final = "Standard"


def ours(case: CostingContext, *, rule: str) -> Iterator[Finding]:
    """Free by a rule that holds for what our components make of it."""
    if case.owner is None:
        raise UnreadableError(VOLUME_UNKNOWN)
    yield Free(rule)


def trail(case: CostingContext) -> Iterator[Finding]:
    """A trail of management events; data events and insights are paid for."""
    for name in ("eventSelectors", "advancedEventSelectors", "insightSelectors"):
        if case.inputs.at(name).said:
            raise UnreadableError(f"{name} is paid for by use and has no price here")
    yield from ours(case, rule=TRAIL)


def zone(case: CostingContext) -> Iterator[Finding]:
    """A hosted zone of Route 53."""
    yield case.charge(Item.DNS_ZONE, Range.exactly(1), group=BillGroup.NETWORK, own="network/dns_zone")


def certificate(case: CostingContext) -> Iterator[Finding]:
    """A certificate: public ones are not charged."""
    if case.inputs.at("certificateAuthorityArn").said:
        raise UnreadableError("certificateAuthorityArn: certificates of a private authority have no price here")
    yield Free("public certificates are not charged")


def parameter(case: CostingContext) -> Iterator[Finding]:
    tier = case.inputs.at("tier").text(STANDARD_TIER)
    if tier != STANDARD_TIER:
        raise UnreadableError(f"tier {tier!r} has no price here")
    yield Free("standard parameters are not charged")


COUNTERS: Final[dict[str, Counter]] = {
    "aws:eks/cluster:Cluster": control_plane,
    "aws:ec2/natGateway:NatGateway": nat_gateway,
    "aws:ec2/eip:Eip": address,
    "aws:lb/loadBalancer:LoadBalancer": load_balancer,
    "aws:alb/loadBalancer:LoadBalancer": load_balancer,
    "aws:ec2/vpcEndpoint:VpcEndpoint": endpoint,
    "aws:ec2/vpnConnection:VpnConnection": vpn_connection,
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": transit_attachment,
    "aws:ec2transitgateway/peeringAttachment:PeeringAttachment": transit_attachment,
    "aws:sqs/queue:Queue": partial(ours, rule=QUEUE),
    "aws:cloudtrail/trail:Trail": trail,
    "aws:budgets/budgetAction:BudgetAction": partial(ours, rule=ACTION),
    "aws:route53/zone:Zone": zone,
    "aws:acm/certificate:Certificate": certificate,
    "aws:ssm/parameter:Parameter": parameter,
}
