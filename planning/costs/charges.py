"""The charges of a spec: everything a month of the accepted cluster is paid for, before any price is looked up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.checklist.model.vocabulary import HOME, Support
from planning.costs.bill import BillGroup, Charge, gb_months
from planning.platform.backups import MADE_ANEW, PLANS, estimate_backup_gb
from planning.values.money import HOURS_PER_MONTH, NOTHING, ZERO, Range

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from planning.spec.cluster import ClusterSpec, Pool, Tier


NETWORK: Final = "network"
CLUSTER: Final = "cluster"
SERVICES: Final = "services"
RENTED: Final = "rented"
INCLUDED: Final = "included"
EXISTING: Final = "existing"
MONTH: Final = Range.exactly(HOURS_PER_MONTH)

KEYS_PER_CLUSTER: Final = 1  # one customer key encrypts secrets, disks, buckets and logs
SUPPORT_ITEMS: Final[Mapping[Support, Item]] = {
    Support.BUSINESS_HOURS: Item.SUPPORT_BUSINESS_HOURS,
    Support.ALWAYS: Item.SUPPORT_24X7,
}


def charges(spec: ClusterSpec) -> tuple[Charge, ...]:
    """Every charge of the cluster, in the order of the bill; keys begin with the name of an additional placement."""
    return _prefix_placement(spec, _charges(spec))


def _charges(spec: ClusterSpec) -> tuple[Charge, ...]:
    return (
        Charge("control_plane", "Kubernetes control plane", BillGroup.CONTROL_PLANE, Item.CONTROL_PLANE, MONTH),
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
        *_list_flat_charges(spec),
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
    others = {SERVICES: tuple(_services(spec)), **list_declared_connectivity(spec), **list_declared_volumes(spec)}
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
        SERVICES: tuple(_services(spec)),
        **buckets,
        **list_declared_connectivity(spec),
        **list_declared_volumes(spec),
        BUCKET: bucket(spec),
    }


def _pool(pool: Pool) -> Iterator[Charge]:
    hours, key = pool.node_hours.as_range(), f"pool/{pool.name}"
    machine = Charge(f"{key}/machine", f"{pool.name}: {pool.machine}", BillGroup.COMPUTE, pool.machine, hours)
    yield replace(machine, purchase=pool.purchase, fallback=pool.fallback)
    if pool.disk_gb:
        label = f"{pool.name}: {pool.disk_gb} GB disk per node"
        yield Charge(f"{key}/disk", label, BillGroup.STORAGE, Item.DISK, gb_months(hours, pool.disk_gb))


def _gateways(spec: ClusterSpec) -> Iterator[Charge]:
    billing = find_traits(spec.placement.provider).nat_billing
    if not billing:
        return
    gateways = Range.exactly(HOURS_PER_MONTH * spec.network.nat_gateways)
    if billing == "node":
        node_hours = sum((pool.node_hours.as_range() for pool in spec.pools), start=NOTHING)
        yield _network("nat_gateway", "NAT, per node behind it", Item.NAT_GATEWAY, node_hours)
    else:
        yield _network("nat_gateway", "NAT gateway", Item.NAT_GATEWAY, gateways)
    yield _network("public_ipv4", "public addresses of the NAT gateways", Item.PUBLIC_IPV4, gateways)


def _traffic(spec: ClusterSpec) -> tuple[Charge, ...]:
    network = spec.network
    balanced = network.load_balancers.as_range().times(HOURS_PER_MONTH)
    found = [
        _balancer("network/load_balancer", "in front of the services", spec, balanced),
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


def find_balancer_item(provider: str) -> Item:
    """What a service of type LoadBalancer is paid as there."""
    return Item.PUBLIC_IPV4 if find_traits(provider).balancer_billing == "address" else Item.LOAD_BALANCER


def _balancer(key: str, where: str, spec: ClusterSpec, hours: Range) -> Charge:
    item = find_balancer_item(spec.placement.provider)
    thing = "load balancer" if item is Item.LOAD_BALANCER else "public address of the load balancer"
    return Charge(key, f"{thing} {where}", BillGroup.NETWORK, item, hours)


def _network(name: str, label: str, item: Item, quantity: Range) -> Charge:
    return Charge(f"network/{name}", label, BillGroup.NETWORK, item, quantity)


def has_customer_key(target: str) -> bool:
    """Whether data is encrypted with a key made for it; a cluster that exists has its provider's."""
    return target != EXISTING and find_traits(target).encryption_keys != "provider"


def _list_flat_charges(spec: ClusterSpec) -> Iterator[Charge]:
    """What is paid once for a cluster, or by the volume of its logs."""
    if spec.network.domain and find_traits(spec.placement.target).dns_zone:
        yield _network("dns_zone", f"DNS zone {spec.network.domain}", Item.DNS_ZONE, Range.exactly(1))
    if has_customer_key(spec.placement.target):
        keys = Range.exactly(KEYS_PER_CLUSTER)
        label = "customer-managed encryption key"
        yield Charge("security/keys", label, BillGroup.SECURITY, Item.ENCRYPTION_KEY, keys)
    yield from _logs(spec)


def _logs(spec: ClusterSpec) -> tuple[Charge, ...]:
    """What the cloud's log service takes in; nothing where there is none, or the cluster was there before us."""
    if spec.placement.target == EXISTING or not find_traits(spec.placement.provider).log_service:
        return ()
    volume = spec.logs_gb.as_range()
    return (Charge("logs/ingest", "log ingestion", BillGroup.OBSERVABILITY, Item.LOG_INGEST, volume),)


def _services(spec: ClusterSpec) -> Iterator[Charge]:
    services, once = spec.services, Range.exactly(1)
    usd, months = services.onboarding_usd_per_month, services.contract_months
    if usd != ZERO:
        label = "onboarding services" + (f", spread over {months} months" if months else ", in the first month")
        yield Charge("services/onboarding", label, BillGroup.SERVICES, "onboarding", once, stated_usd=usd)
    item, stated = SUPPORT_ITEMS.get(services.support), services.support_usd_per_month
    if item is not None:
        label = f"platform support, {services.support.replace('_', ' ')}"
        support = Charge("services/support", label, BillGroup.SERVICES, item, once)
        yield replace(support, stated_usd=stated, of_bill=stated is None)


WAY_IN: Final = "vpn"
LINK: Final = "link"
PART: Final = "network/link"  # what lines of the tunnel begin with
LINK_HOURS: Final = f"{PART}/vpn_connection"
LINK_ADDRESS: Final = f"{PART}/address"
READ_OFF: Final = frozenset({LINK_HOURS, LINK_ADDRESS})  # said by resources of the main cloud's end


def list_declared_connectivity(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    """What a gateway in the cluster and the tunnel declare; machines and gateways of a cloud say it themselves."""
    in_cluster = spec.vpn is not None and spec.vpn.kind == "in_cluster"
    read_off = spec.network.link is not None and find_traits(spec.network.link.provider).site_vpn != ""
    ends = tuple(charge for charge in link(spec) if not (read_off and charge.key in READ_OFF))
    return {WAY_IN: way_in(spec) if in_cluster else (), LINK: ends}


def way_in(spec: ClusterSpec) -> tuple[Charge, ...]:
    """The WireGuard gateway: a machine with its disk and address, or the load balancer in front of a pod."""
    vpn = spec.vpn
    if vpn is None:
        return ()
    month = Range.exactly(HOURS_PER_MONTH)
    if vpn.kind == "in_cluster":
        return (_balancer("access/vpn/load_balancer", "of the VPN gateway", spec, month),)
    machine = _vpn("machine", f"VPN gateway: {vpn.machine}", vpn.machine, month)
    return (
        replace(machine, group=BillGroup.COMPUTE, purchase="on_demand"),
        replace(
            _vpn("disk", "disk of the VPN gateway", Item.DISK, Range.exactly(vpn.disk_gb)), group=BillGroup.STORAGE
        ),
        _vpn("address", "public address of the VPN gateway", Item.PUBLIC_IPV4, month),
    )


def _vpn(name: str, label: str, item: str, quantity: Range) -> Charge:
    return Charge(f"access/vpn/{name}", label, BillGroup.NETWORK, item, quantity)


def link(spec: ClusterSpec) -> tuple[Charge, ...]:
    """The tunnel to the main cloud, paid there: its hours and address, and its data as if all of it left that cloud."""
    joined = spec.network.link
    if joined is None:
        return ()
    at = f"{joined.provider}/{joined.region}"
    month = Range.exactly(HOURS_PER_MONTH)
    hours = Charge(LINK_HOURS, "VPN to the main cloud", BillGroup.NETWORK, Item.VPN_CONNECTION, month)
    paid = month if find_traits(joined.provider).site_vpn in {"tunnel", "gateway"} else Range.exactly(ZERO)
    label = "public address of the VPN to the main cloud"
    address = Charge(LINK_ADDRESS, label, BillGroup.NETWORK, Item.PUBLIC_IPV4, paid)
    volume = joined.gb_per_month.as_range()
    data = Charge(f"{PART}/data", "data to the main cloud", BillGroup.NETWORK, Item.INTERNET_EGRESS, volume)
    # The note is an input of a component: other words would show as a change in every stack that stands.
    noted = replace(data, note="counted as leaving the main cloud, the dearer way")
    return tuple(replace(charge, at=at) for charge in (hours, address, noted) if charge.quantity.max > ZERO)


OBJECT_ITEMS: Final = frozenset({Item.OBJECT, Item.OBJECT_INFREQUENT, Item.OBJECT_ARCHIVE})


def charge_capacity(tier: Tier) -> Charge:
    """What lies in a tier, as it lies there over the contract."""
    held_gb = Range.exactly(tier.provisioned_gb) + (tier.grown_gb.as_range() if tier.grown_gb else NOTHING)
    label = f"{tier.tier} storage: {tier.engine}"
    return Charge(f"storage/{tier.tier}", label, BillGroup.STORAGE, tier.item, held_gb)


def requests(tier: Tier) -> tuple[Charge, ...]:
    """Requests to an object tier, where the checklist foresees them."""
    kinds = (
        ("writes", "that write or list", Item.OBJECT_PUT, tier.writes_thousands),
        ("reads", "that read", Item.OBJECT_GET, tier.reads_thousands),
    )
    return tuple(
        Charge(
            f"storage/{tier.tier}/{name}",
            f"{tier.tier} storage: requests {words}",
            BillGroup.STORAGE,
            item,
            thousands.as_range(),
        )
        for name, words, item, thousands in kinds
        if thousands is not None
    )


OWNER: Final = "platform"  # what the name of a declaring part begins with, before a slash


def volumes(spec: ClusterSpec) -> dict[str, Charge]:
    """Name of a part to the charge of its volumes; parts without any are left out."""
    if spec.platform is None:
        return {}
    item = Item.SHARED_SSD if find_traits(spec.placement.provider).shared_volumes else Item.DISK
    return {
        part.name: Charge(
            f"platform/{part.name}/volumes",
            f"{part.title}: volumes",
            BillGroup.STORAGE,
            item,
            Range.exactly(part.disk_gb),
        )
        for part in spec.platform.parts
        if part.disk_gb
    }


def list_declared_volumes(spec: ClusterSpec) -> dict[str, tuple[Charge, ...]]:
    """The same by the component that declares them."""
    return {f"{OWNER}/{name}": (charge,) for name, charge in volumes(spec).items()}


BUCKET: Final = "platform/bucket"  # key, and the name of what declares it


def bucket(spec: ClusterSpec) -> tuple[Charge, ...]:
    """What the bucket is foreseen to hold; nothing where there is none."""
    if spec.platform is None or not find_traits(spec.placement.target).bucket:
        return ()
    quantity = estimate_backup_gb(
        PLANS[spec.services.support],
        disk_gb=sum(part.disk_gb for part in spec.platform.parts if part.namespace not in MADE_ANEW),
        logs_gb=spec.logs_gb.as_range() if spec.platform.object_store == "provider" else None,
    )
    return (Charge(BUCKET, "the platform: backups", BillGroup.STORAGE, Item.OBJECT, quantity),)
