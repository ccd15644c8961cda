"""The charges of a spec: everything a month of the accepted cluster is paid for, before any price is looked up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import HOME, Support
from planning.costs.bill import BillGroup, Charge
from planning.costs.charges.connectivity import READ_OFF, link, list_declared_connectivity, way_in
from planning.costs.charges.storage import (
    BUCKET,
    OBJECT_ITEMS,
    bucket,
    charge_capacity,
    list_declared_volumes,
    requests,
    volumes,
)
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.spec.cluster import ClusterSpec, Pool

NETWORK: Final = "network"
CLUSTER: Final = "cluster"
SERVICES: Final = "services"
RENTED: Final = "rented"
INCLUDED: Final = "included"
EXISTING: Final = "existing"

KEYS_PER_CLUSTER: Final = 1  # one customer key encrypts secrets, disks, buckets and logs
SUPPORT_ITEMS: Final[Mapping[Support, Item]] = {
    Support.BUSINESS_HOURS: Item.SUPPORT_BUSINESS_HOURS,
    Support.ALWAYS: Item.SUPPORT_24X7,
}


def charges(spec: ClusterSpec) -> tuple[Charge, ...]:
    """Every charge of the cluster, in the order of the bill; keys begin with the placement, but at home."""
    return _prefix_placement(spec, _charges(spec))


def _charges(spec: ClusterSpec) -> tuple[Charge, ...]:
    return (
        _control_plane(),
        *(charge for pool in spec.pools for charge in _pool(pool)),
        *(
            charge
            for tier in spec.storage
            if tier.item != INCLUDED
            for charge in (charge_capacity(tier), *requests(tier))
        ),
        *volumes(spec).values(),
        *bucket(spec),
        *_gateways(spec),
        *_traffic(spec),
        *way_in(spec),
        *link(spec),
        *_zone(spec),
        *_keys(spec),
        *_logs(spec),
        *_services(spec),
    )


def _prefix_placement(spec: ClusterSpec, found: tuple[Charge, ...]) -> tuple[Charge, ...]:
    name = spec.placement.name
    if name == HOME:
        return found
    return tuple(replace(charge, key=f"{name}/{charge.key}", label=f"{name}: {charge.label}") for charge in found)


def list_declared_charges(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    """Charges that no resource's properties can say, by the component that declares them.

    On a cluster that exists nothing of the rent is a resource of ours, so all of it is declared by one component.
    """
    return {owner: _prefix_placement(spec, found) for owner, found in _list_declared(spec).items()}


def _list_declared(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    traits = find_traits(spec.placement.target)
    if not traits.builder:
        return _on_existing(spec)
    if traits.files_billing != "used":
        return _on_cloud(spec)
    # EFS is paid by what lies in it, so that its size is foreseen like a bucket's.
    disks = {f"disk/{tier.tier}": (charge_capacity(tier),) for tier in spec.storage if tier.item == Item.SHARED_DISK}
    return {**_on_cloud(spec), **disks}


def _on_existing(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    others = {SERVICES: _services(spec), **list_declared_connectivity(spec), **list_declared_volumes(spec)}
    elsewhere = {charge.key for found in others.values() for charge in found} | READ_OFF
    return {RENTED: tuple(charge for charge in _charges(spec) if charge.key not in elsewhere), **others}


def _on_cloud(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    buckets = {
        f"bucket/{tier.tier}": (charge_capacity(tier), *requests(tier))
        for tier in spec.storage
        if tier.item in OBJECT_ITEMS
    }
    return {
        NETWORK: _traffic(spec),
        CLUSTER: _logs(spec),
        SERVICES: _services(spec),
        **buckets,
        **list_declared_connectivity(spec),
        **list_declared_volumes(spec),
        BUCKET: bucket(spec),
    }


def _control_plane() -> Charge:
    return Charge(
        key="control_plane",
        label="Kubernetes control plane",
        group=BillGroup.CONTROL_PLANE,
        item=Item.CONTROL_PLANE,
        quantity=Range.exactly(HOURS_PER_MONTH),
    )


def _pool(pool: Pool) -> tuple[Charge, ...]:
    hours = pool.node_hours.as_range()
    machine = Charge(
        key=f"pool/{pool.name}/machine",
        label=f"{pool.name}: {pool.machine}",
        group=BillGroup.COMPUTE,
        item=pool.machine,
        purchase=pool.purchase,
        fallback=pool.fallback,
        quantity=hours,
    )
    if not pool.disk_gb:
        return (machine,)
    disk = Charge(
        key=f"pool/{pool.name}/disk",
        label=f"{pool.name}: {pool.disk_gb} GB disk per node",
        group=BillGroup.STORAGE,
        item=Item.DISK,
        quantity=disk_gb_months(hours=hours, disk_gb=pool.disk_gb),
    )
    return machine, disk


def disk_gb_months(*, hours: Range, disk_gb: int) -> Range:
    """GB-months of the disks of nodes that are up for `hours` node-hours."""
    return Range(*(part * disk_gb / HOURS_PER_MONTH for part in hours.readings))


def _gateways(spec: ClusterSpec) -> tuple[Charge, ...]:
    if not find_traits(spec.placement.provider).nat_billing:
        return ()
    gateways = Range.exactly(HOURS_PER_MONTH * spec.network.nat_gateways)
    per_node = find_traits(spec.placement.provider).nat_billing == "node"
    return (
        Charge(
            key="network/nat_gateway",
            label="NAT gateway" if not per_node else "NAT, per node behind it",
            group=BillGroup.NETWORK,
            item=Item.NAT_GATEWAY,
            quantity=_all_node_hours(spec) if per_node else gateways,
        ),
        Charge(
            key="network/public_ipv4",
            label="public addresses of the NAT gateways",
            group=BillGroup.NETWORK,
            item=Item.PUBLIC_IPV4,
            quantity=gateways,
        ),
    )


def _all_node_hours(spec: ClusterSpec) -> Range:
    hours = Range.exactly(0)
    for pool in spec.pools:
        hours += pool.node_hours.as_range()
    return hours


def _traffic(spec: ClusterSpec) -> tuple[Charge, ...]:
    network = spec.network
    balanced = network.load_balancers.as_range().times(HOURS_PER_MONTH)
    found = [
        _network("load_balancer", "load balancer in front of the services", Item.LOAD_BALANCER, balanced),
        _network("egress", "data to the internet", Item.INTERNET_EGRESS, network.egress_gb.as_range()),
    ]
    traits = find_traits(spec.placement.provider)
    if traits.nat_billing:
        found.append(_network("nat_data", "data through the NAT gateway", Item.NAT_DATA, network.nat_gb.as_range()))
    if network.balanced_gb is not None and traits.balancer_units:
        label = "capacity units of the load balancer, 1 GB each"
        found.append(_network("load_balancer_units", label, Item.LOAD_BALANCER_UNIT, network.balanced_gb.as_range()))
    if network.crossing_gb is not None:
        label = "data between zones"
        found.append(_network("cross_zone", label, Item.CROSS_ZONE_DATA, network.crossing_gb.as_range()))
    if network.peering is not None:
        near = network.peering.region == spec.placement.region
        item = Item.CROSS_ZONE_DATA if near else Item.INTER_REGION_DATA
        found.append(_network("peering", "data over the peering", item, network.peering.gb_per_month.as_range()))
    return tuple(charge for charge in found if charge.quantity.max > ZERO)


def _network(name: str, label: str, item: Item, quantity: Range) -> Charge:
    return Charge(key=f"network/{name}", label=label, group=BillGroup.NETWORK, item=item, quantity=quantity)


def _zone(spec: ClusterSpec) -> tuple[Charge, ...]:
    if not spec.network.domain or not find_traits(spec.placement.target).dns_zone:
        return ()
    return (_network("dns_zone", f"DNS zone {spec.network.domain}", Item.DNS_ZONE, Range.exactly(1)),)


def has_customer_key(target: str) -> bool:
    """Whether data is encrypted with a key made for it; a cluster that exists has its provider's."""
    return target != EXISTING and find_traits(target).encryption_keys != "provider"


def _keys(spec: ClusterSpec) -> tuple[Charge, ...]:
    if not has_customer_key(spec.placement.target):
        return ()
    return (
        Charge(
            key="security/keys",
            label="customer-managed encryption key",
            group=BillGroup.SECURITY,
            item=Item.ENCRYPTION_KEY,
            quantity=Range.exactly(KEYS_PER_CLUSTER),
        ),
    )


def _logs(spec: ClusterSpec) -> tuple[Charge, ...]:
    if spec.placement.target == "existing":
        return ()
    return (
        Charge(
            key="logs/ingest",
            label="log ingestion",
            group=BillGroup.OBSERVABILITY,
            item=Item.LOG_INGEST,
            quantity=spec.logs_gb.as_range(),
        ),
    )


def _services(spec: ClusterSpec) -> tuple[Charge, ...]:
    return tuple(charge for charge in (_onboarding(spec), _support(spec)) if charge is not None)


def _onboarding(spec: ClusterSpec) -> Charge | None:
    usd = spec.services.onboarding_usd_per_month
    if usd == ZERO:
        return None
    months = spec.services.contract_months
    return Charge(
        key="services/onboarding",
        label="onboarding services" + (f", spread over {months} months" if months else ", in the first month"),
        group=BillGroup.SERVICES,
        item="onboarding",
        quantity=Range.exactly(1),
        stated_usd=usd,
    )


def _support(spec: ClusterSpec) -> Charge | None:
    item = SUPPORT_ITEMS.get(spec.services.support)
    if item is None:
        return None
    stated = spec.services.support_usd_per_month
    return Charge(
        key="services/support",
        label=f"platform support, {spec.services.support.replace('_', ' ')}",
        group=BillGroup.SERVICES,
        item=item,
        quantity=Range.exactly(1),
        stated_usd=stated,
        of_bill=stated is None,
    )
