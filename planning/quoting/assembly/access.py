"""Ways into a cluster and out to the main cloud, decided when an option is made: the VPN gateway and the tunnel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.checklist.model.checklist import networks
from planning.quoting.assembly import usage
from planning.spec.cluster import Amounts, Gateway, Link
from planning.values.addresses import free_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from planning.checklist.model.checklist import Checklist
    from planning.quoting.candidates.market import Place
    from planning.spec.cluster import Profile

# The smallest machines that hold a WireGuard server and its updates: 1 GiB (EC2 and Compute Engine machine tables).
MACHINES: Final[Mapping[str, str]] = {"aws": "t4g.micro", "gcp": "e2-micro"}
DISK_GB: Final = 10  # Amazon Linux 2023 asks for 8, Debian for 10
PORT: Final = 51820  # the one in WireGuard's own examples (wireguard.com/quickstart)


def gateway(checklist: Checklist, *, provider: str, target: str, profile: Profile) -> Gateway | None:
    """The WireGuard gateway; None where no VPN is wanted, or where the provider's cluster cannot hold one.

    On a cloud whose network is ours it is a machine of its own: it is there before the private API that it leads to.
    """
    del provider
    cidr = free_range(networks(checklist))
    if not checklist.access.vpn or cidr is None or "vpn" in profile.forbidden:
        return None
    machine = MACHINES.get(target, "")
    if not machine and "load_balancer" in profile.forbidden:
        return None
    return Gateway(
        kind="machine" if machine else "in_cluster",
        machine=machine,
        disk_gb=DISK_GB if machine else 0,
        port=PORT,
        cidr=cidr,
    )


def link(checklist: Checklist, *, place: Place) -> Link | None:
    """The tunnel to the main cloud from a cluster whose network is not ours, so that no VPC peering reaches it.

    Clouds whose network is ours peer with their own kind; between two of them nothing is built, and the option says so.
    """
    main, ours = checklist.main_cloud, place[0] in MACHINES and checklist.where.existing is None
    if main is None or main.vpc_id is None or main.vpc_cidr is None or ours:
        return None
    return Link(
        provider=main.provider,
        region=main.region,
        vpc_id=main.vpc_id,
        vpc_cidr=main.vpc_cidr,
        account=main.account,
        route_table_ids=main.route_table_ids,
        gb_per_month=Amounts.of(usage.peering(checklist)),
    )
