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
from planning.costs.resources.clouds.gcp.compute import DISKS, NODE_POOL, hours_of, most_hours
from planning.costs.resources.findings import LOGS, OBJECTS, Free, by_use, resource_gap, tier_key
from planning.costs.resources.resource import UnreadableError
from planning.values.money import NOTHING, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from planning.costs.resources.findings import CostingContext, Counter, Finding
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
        yield resource_gap(
            case, "autopilot", "pods of an Autopilot cluster are paid for and have no rule", group=BillGroup.COMPUTE
        )
    elif inputs.at("clusterAutoscaling").at("enabled").flag(default=False):
        yield resource_gap(
            case, "auto_provisioning", "nodes that GKE provisions itself are not registered", group=BillGroup.COMPUTE
        )
    elif not inputs.at("removeDefaultNodePool").flag(default=False):
        yield resource_gap(
            case,
            "default_pool",
            "removeDefaultNodePool is not set: the nodes of the default pool have no rule",
            group=BillGroup.COMPUTE,
        )


def nat(case: CostingContext) -> Iterator[Finding]:
    """Cloud NAT, paid for each hour of each node behind it: every node of the same cluster."""
    if case.inputs.at("type").text("PUBLIC") != "PUBLIC":
        raise UnreadableError("type is not PUBLIC, whose price alone is known here")
    note = "" if case.declares_any((Item.NAT_DATA,)) else _TRAFFIC_EXTRA
    counted = partial(case.charge, Item.NAT_GATEWAY, group=BillGroup.NETWORK, own=_NAT, note=note)
    try:
        yield counted(_hours_behind(case, partial(hours_of, registered=case.registered)))
    except UnreadableError as error:
        most = findings.find_bound(lambda: [counted(_hours_behind(case, most_hours))])
        gap = resource_gap(case, Item.NAT_GATEWAY, str(error), group=BillGroup.NETWORK)
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
    yield case.public_address()


def zone(case: CostingContext) -> Iterator[Finding]:
    """A DNS zone; the questions it answers are extra."""
    note = "its queries are extra"
    yield case.charge(Item.DNS_ZONE, Range.exactly(1), group=BillGroup.NETWORK, own="network/dns_zone", note=note)


def tunnel(case: CostingContext) -> Iterator[Finding]:
    yield case.hourly(
        Item.VPN_CONNECTION, group=BillGroup.NETWORK, own="network/link/vpn_connection", note=_TRAFFIC_EXTRA
    )


def forwarding_rule(case: CostingContext) -> Iterator[Finding]:
    """A forwarding rule: to a VPN gateway it is part of the tunnel, to any other target part of a balancer."""
    case.registered.find_linked(case.resource, "target", _VPN_GATEWAY)
    yield Free("what leads into a VPN gateway is paid for with its tunnels")


_LUSTRE_MBPS: Final = 1000  # MB/s per TiB; slower tiers have prices of their own, which nobody read yet
_FILESTORE: Final = "BASIC_HDD"
_NEW_VERSIONS: Final = "each rotation adds as much until the old version is destroyed"


def disk(case: CostingContext) -> Iterator[Finding]:
    kind = case.inputs.at("type").text("pd-standard")
    if kind not in DISKS:
        raise UnreadableError(f"type {kind!r} has no price here")
    size = Range.exactly(case.inputs.at("size").number())
    yield case.charge(Item.DISK, size, group=BillGroup.STORAGE, note=DISKS[kind])


def lustre(case: CostingContext) -> Iterator[Finding]:
    """A Managed Lustre instance. Its GB-month is sold as GiB, so capacity is taken as it stands."""
    throughput = int(case.inputs.at("perUnitStorageThroughput").number(0))
    if throughput != _LUSTRE_MBPS:
        raise UnreadableError(f"Managed Lustre with {throughput} MB/s per TiB has no price here")
    capacity = Range.exactly(case.inputs.at("capacityGib").number())
    yield case.charge(Item.SHARED_SSD, capacity, group=BillGroup.STORAGE, own=tier_key(case))


def filestore(case: CostingContext) -> Iterator[Finding]:
    """A Filestore instance of the tier that the catalog prices."""
    tier = case.inputs.at("tier").text()
    if tier != _FILESTORE:
        raise UnreadableError(f"tier {tier!r} has no price here")
    capacity = Range.exactly(case.inputs.at("fileShares").at("capacityGb").number())
    yield case.charge(Item.SHARED_DISK, capacity, group=BillGroup.STORAGE, own=tier_key(case))


def key(case: CostingContext) -> Iterator[Finding]:
    note = _NEW_VERSIONS if case.inputs.at("rotationPeriod").said else ""
    yield case.charge(Item.ENCRYPTION_KEY, Range.exactly(1), group=BillGroup.SECURITY, own="security/keys", note=note)


COUNTERS: Final[dict[str, Counter]] = {
    "gcp:container/cluster:Cluster": control_plane,
    "gcp:compute/routerNat:RouterNat": nat,
    "gcp:compute/address:Address": address,
    "gcp:compute/forwardingRule:ForwardingRule": forwarding_rule,
    "gcp:compute/globalAddress:GlobalAddress": address,
    "gcp:compute/vPNTunnel:VPNTunnel": tunnel,
    "gcp:dns/managedZone:ManagedZone": zone,
    "gcp:compute/disk:Disk": disk,
    "gcp:lustre/instance:Instance": lustre,
    "gcp:filestore/instance:Instance": filestore,
    "gcp:kms/cryptoKey:CryptoKey": key,
    "gcp:storage/bucket:Bucket": partial(by_use, items=OBJECTS),
    "gcp:logging/projectBucketConfig:ProjectBucketConfig": partial(by_use, items=LOGS),
}
