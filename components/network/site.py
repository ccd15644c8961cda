"""The tunnel to the main cloud, which no VPC peering reaches: gateways on the main side, strongSwan in the cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi

from components.naming import tags
from planning.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from ipaddress import IPv4Network

    from components.site import Site
    from planning.spec import Link, Placement

OFFLINE_ADDRESS: Final = "192.0.2.1"  # of the range for documentation (RFC 5737), where nothing is asked for


@dataclass(frozen=True, kw_only=True)
class MainSideArgs:
    """What the main cloud's end is built from.

    Args:
        network: range of the cluster's network.
        address: public address that the cluster's traffic leaves from, its NAT's where there is one.
        gateway: id of a VPN gateway that the VPC has already; "" where one is to be made.
        tags: tags of everything in the stack.
    """

    placement: Placement
    link: Link
    network: IPv4Network
    address: str
    gateway: str
    tags: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Tunnel:
    """One tunnel as its main side wants it: where it answers, and the key that both sides share."""

    address: pulumi.Output[str]
    key: pulumi.Output[str]


def _aws(args: MainSideArgs, opts: pulumi.ResourceOptions) -> Sequence[Tunnel]:
    from components.network.aws_site import MainSide  # noqa: PLC0415 - only the main cloud's SDK is imported

    return MainSide("main-cloud", args, opts=opts).tunnels


MAIN_SIDES: Final[Mapping[str, Callable[[MainSideArgs, pulumi.ResourceOptions], Sequence[Tunnel]]]] = {"aws": _aws}


def linked(site: Site, *, options: pulumi.ResourceOptions) -> dict[str, pulumi.Input[object]]:
    """Registers both ends; what the stack says of them. `options` are those of what goes into the cluster.

    Raises:
        InputError: nobody said from which address the cluster's traffic leaves.
    """
    from components.network.site_pod import SitePod, SitePodArgs  # noqa: PLC0415 - knows this module's types

    link = site.spec.network.link
    if link is None:
        return {}
    charges = site.ledger.claim("link")
    args = MainSideArgs(
        placement=site.placement,
        link=link,
        network=site.spec.network.cidr,
        address=_address(site),
        gateway=site.settings.link_gateway,
        tags=tags(site.spec),
    )
    build = MAIN_SIDES.get(link.provider)
    tunnels = _by_hand(site) if build is None else build(args, site.options())
    pod = SitePodArgs(main=args, tunnels=tunnels, charges=charges)
    SitePod("site", pod, opts=options)
    return {"link": _wanted(args)} if build is None else {}


def _address(site: Site) -> str:
    if site.settings.link_address or site.settings.offline:
        return site.settings.link_address or OFFLINE_ADDRESS
    raise InputError(
        "the tunnel to the main cloud needs the public address that the cluster's traffic leaves from",
        hint="pulumi config set atoll:linkAddress <address>: what a pod sees at https://checkip.amazonaws.com",
    )


def _by_hand(site: Site) -> Sequence[Tunnel]:
    """The end that the customer makes, once it is made: its address and key are settings of the stack."""
    settings = site.settings
    if not settings.link_peer:
        return ()
    return (Tunnel(address=pulumi.Output.from_input(settings.link_peer), key=pulumi.Output.secret(settings.link_key)),)


def _wanted(args: MainSideArgs) -> dict[str, pulumi.Input[object]]:
    """What the customer's own gateway is to be made with, on a main cloud that is not built here."""
    return {
        "vpc": args.link.vpc_id,
        "peerAddress": args.address,
        "peerNetwork": str(args.network),
        "network": str(args.link.vpc_cidr),
        "ike": "IKEv2, AES256-GCM-16, SHA2-384, group 20",
        "esp": "AES256-GCM-16, group 20, tunnel mode",
        "then": "pulumi config set atoll:linkPeer <address>; pulumi config set --secret atoll:linkKey <pre-shared key>",
    }
