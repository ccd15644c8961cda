"""Charges of the ways in and out: the VPN's gateway, and the tunnel to the main cloud."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from catalogs.model import Item
from catalogs.providers import find_traits
from planning.costs.bill import BillGroup, Charge
from planning.values.money import HOURS_PER_MONTH, ZERO, Range

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec

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
        return (_vpn("load_balancer", "load balancer of the VPN gateway", Item.LOAD_BALANCER, month),)
    machine = _vpn("machine", f"VPN gateway: {vpn.machine}", vpn.machine, month)
    return (
        replace(machine, group=BillGroup.COMPUTE, purchase="on_demand"),
        replace(
            _vpn("disk", "disk of the VPN gateway", Item.DISK, Range.exactly(vpn.disk_gb)), group=BillGroup.STORAGE
        ),
        _vpn("address", "public address of the VPN gateway", Item.PUBLIC_IPV4, month),
    )


def _vpn(name: str, label: str, item: str, quantity: Range) -> Charge:
    return Charge(key=f"access/vpn/{name}", label=label, group=BillGroup.NETWORK, item=item, quantity=quantity)


def link(spec: ClusterSpec) -> tuple[Charge, ...]:
    """The tunnel to the main cloud, paid there: its hours and address, and its data as if all of it left that cloud."""
    joined = spec.network.link
    if joined is None:
        return ()
    at = f"{joined.provider}/{joined.region}"
    month = Range.exactly(HOURS_PER_MONTH)
    hours = Charge(
        key=LINK_HOURS, label="VPN to the main cloud", group=BillGroup.NETWORK, item=Item.VPN_CONNECTION, quantity=month
    )
    address = Charge(
        key=LINK_ADDRESS,
        label="public address of the VPN to the main cloud",
        group=BillGroup.NETWORK,
        item=Item.PUBLIC_IPV4,
        quantity=month if find_traits(joined.provider).site_vpn in {"tunnel", "gateway"} else Range.exactly(ZERO),
    )
    data = Charge(
        key=f"{PART}/data",
        label="data to the main cloud",
        group=BillGroup.NETWORK,
        item=Item.INTERNET_EGRESS,
        quantity=joined.gb_per_month.as_range(),
    )
    noted = replace(data, note="counted as leaving the main cloud, the dearer way")
    return tuple(replace(charge, at=at) for charge in (hours, address, noted) if charge.quantity.max > ZERO)
