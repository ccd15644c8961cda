"""What Google Cloud rents by the hour around the machines: control planes, NAT, addresses.

Sources: cloud.google.com/vpc/network-pricing, /iam, /kms/pricing, /billing/docs, from memory.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from planning.costs.bill import BillGroup
from planning.costs.resources import findings
from planning.costs.resources.clouds.gcp.compute import NODE_POOL, hours_of, most_hours
from planning.costs.resources.findings import Free, Gap
from planning.costs.resources.resource import UnreadableError
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.costs.resources.context import CostingContext
    from planning.costs.resources.findings import Counter, Finding
    from planning.costs.resources.resource import Resource


_EXTENDED: Final = "control_plane_extended"  # no word of the catalog yet, hence unpriced
_VPN_GATEWAY: Final = "gcp:compute/vPNGateway:VPNGateway"
_NAT: Final = "network/nat_gateway"
_TRAFFIC_EXTRA: Final = "the data through it is extra"


def control_plane(case: CostingContext) -> Iterator[Finding]:
    """A GKE cluster; nodes that no pool among the resources stands for are a gap."""
    inputs = case.inputs
    channel = inputs.at("releaseChannel").at("channel").text("REGULAR")
    item = _EXTENDED if channel == "EXTENDED" else Item.CONTROL_PLANE
    yield case.hourly(item, group=BillGroup.CONTROL_PLANE, own="control_plane")
    if inputs.at("enableAutopilot").flag(default=False):
        yield _gap(case, "autopilot", "pods of an Autopilot cluster are paid for and have no rule")
    elif inputs.at("clusterAutoscaling").at("enabled").flag(default=False):
        yield _gap(case, "auto_provisioning", "nodes that GKE provisions itself are not registered")
    elif not inputs.at("removeDefaultNodePool").flag(default=False):
        yield _gap(case, "default_pool", "removeDefaultNodePool is not set: the nodes of the default pool have no rule")


def nat(case: CostingContext) -> Iterator[Finding]:
    """Cloud NAT, paid for each hour of each node behind it: every node of the same cluster."""
    if case.inputs.at("type").text("PUBLIC") != "PUBLIC":
        raise UnreadableError("type is not PUBLIC, whose price alone is known here")
    note = "" if case.declared((Item.NAT_DATA,)) else _TRAFFIC_EXTRA
    counted = partial(case.charge, Item.NAT_GATEWAY, group=BillGroup.NETWORK, own=_NAT, note=note)
    try:
        yield counted(_hours_behind(case, partial(hours_of, registered=case.registered)))
    except UnreadableError as error:
        most = findings.find_bound(lambda: [counted(_hours_behind(case, most_hours))])
        gap = _gap(case, Item.NAT_GATEWAY, str(error), group=BillGroup.NETWORK)
        yield replace(gap, key=case.key(Item.NAT_GATEWAY, own=_NAT), at_most=most)


def _hours_behind(case: CostingContext, hours_of_pool: Callable[[Resource], Range]) -> Range:
    """Hours of the nodes of the same cluster."""
    here = case.registered.prefix(case.resource)
    pools = case.registered.by_type.get(NODE_POOL, ())
    found = (hours_of_pool(pool) for pool in pools if case.registered.prefix(pool) == here)
    return sum(found, start=NOTHING)


def address(case: CostingContext) -> Iterator[Finding]:
    """A regional address: public ones are paid for."""
    if case.inputs.at("addressType").text("EXTERNAL") == "INTERNAL":
        yield Free("addresses inside a network are not charged")
        return
    charge = case.hourly(Item.PUBLIC_IPV4, group=BillGroup.NETWORK, own="network/public_ipv4")
    key = case.part_key("address", own="network/public_ipv4")
    yield replace(charge, key=key) if case.owner is not None else charge


def zone(case: CostingContext) -> Iterator[Finding]:
    """A DNS zone; the questions it answers are extra."""
    note = "its queries are extra"
    yield case.charge(Item.DNS_ZONE, Range.exactly(1), group=BillGroup.NETWORK, own="network/dns_zone", note=note)


def tunnel(case: CostingContext) -> Iterator[Finding]:
    yield case.hourly(
        Item.VPN_CONNECTION, group=BillGroup.NETWORK, own="network/link/vpn_connection", note=_TRAFFIC_EXTRA
    )


def forwarding_rule(case: CostingContext) -> Iterator[Finding]:
    """A way in from an address: into a VPN gateway it is part of the tunnel, elsewhere part of a balancer."""
    case.registered.linked(case.resource, "target", _VPN_GATEWAY)
    yield Free("what leads into a VPN gateway is paid for with its tunnels")


def _gap(case: CostingContext, what: str, reason: str, *, group: BillGroup = BillGroup.COMPUTE) -> Gap:
    label = f"{case.resource.name}: {what.replace('_', ' ')}"
    return Gap(key=case.key(what), label=label, group=group, item=str(what), reason=reason)


COUNTERS: Final[dict[str, Counter]] = {
    "gcp:container/cluster:Cluster": control_plane,
    "gcp:compute/routerNat:RouterNat": nat,
    "gcp:compute/address:Address": address,
    "gcp:compute/forwardingRule:ForwardingRule": forwarding_rule,
    "gcp:compute/globalAddress:GlobalAddress": address,
    "gcp:compute/vPNTunnel:VPNTunnel": tunnel,
    "gcp:dns/managedZone:ManagedZone": zone,
}


MODULES: Final[dict[str, tuple[str, str]]] = {  # module: (rule, resources in it)
    "gcp:compute": (
        "parts of a VPC are not charged, the traffic through them is",
        (
            "Network Subnetwork Router RouterInterface RouterPeer Route Firewall FirewallPolicy FirewallPolicyRule "
            "NetworkPeering NetworkPeeringRoutesConfig NetworkFirewallPolicy NetworkFirewallPolicyAssociation "
            "ExternalVpnGateway"
        ),
    ),
    "gcp:servicenetworking": ("joining Google's services to a network is not charged, they are", "Connection"),
    "gcp:serviceaccount": ("identities are not charged", "Account IAMMember IAMBinding IAMPolicy"),
    "gcp:projects": (
        "settings and rights of a project are not charged",
        "IAMMember IAMBinding IAMCustomRole Service ServiceIdentity IAMAuditConfig",
    ),
    "gcp:kms": (
        "rings and rights of keys are not charged, keys are",
        "KeyRing CryptoKeyIAMMember CryptoKeyIAMBinding KeyRingIAMMember",
    ),
    "gcp:storage": ("settings of a bucket are not charged", "BucketIAMMember BucketIAMBinding BucketIAMPolicy"),
    "gcp:billing": ("budgets are not charged", "Budget"),
    "gcp:logging": ("ways to a log bucket are not charged", "ProjectSink ProjectExclusion"),
}

SINGLE: Final = {
    "gcp:compute/vPNGateway:VPNGateway": "a VPN gateway is paid for by its tunnels",
    "gcp:compute/resourcePolicy:ResourcePolicy": "placement policies are not charged",
    "gcp:pubsub/topic:Topic": "the first 10 GiB a month are not charged, and a budget sends kilobytes",
    "gcp:secretmanager/secret:Secret": "a secret is paid for by its versions",
    "gcp:secretmanager/secretIamMember:SecretIamMember": "rights of a secret are not charged",
    "gcp:secretmanager/secretVersion:SecretVersion": "the first six versions of an account are not charged",
}
