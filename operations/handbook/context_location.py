"""Where a cluster is, how people get in, and what it may cost."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, TypedDict

from planning.values.hostnames import PRIVATE_DOMAIN

if TYPE_CHECKING:
    from planning.spec.cluster import ClusterSpec
    from planning.spec.lock import Lock


class Place(TypedDict):
    """Fields of `Facts`."""

    provider: str
    region: str
    target: str
    operation: str
    support: str
    cidr: str
    domain: str
    is_private_domain: bool
    sso: str
    has_vpn: bool
    has_ssh: bool
    is_api_open: bool


class Money(TypedDict):
    """Fields of `Facts`."""

    ceiling_usd_per_month: Decimal | None
    ceiling_binds: str
    expected_usd_per_month: Decimal | None


def place(spec: ClusterSpec, *, title: str) -> Place:
    """Where it is and how people get in.

    Args:
        title: of the provider.
    """
    sso = None if spec.platform is None else spec.platform.sso
    return Place(
        provider=title,
        region=spec.placement.region,
        target=spec.placement.target,
        operation=spec.services.operation,
        support=spec.services.support,
        cidr=str(spec.network.cidr),
        domain=domain_of(spec),
        is_private_domain=not spec.network.domain,
        sso="" if sso is None else sso.provider,
        has_vpn=spec.vpn is not None,
        has_ssh=_has_ssh(spec),
        is_api_open=bool(spec.network.api_cidrs),
    )


def domain_of(spec: ClusterSpec) -> str:
    """The domain below which every page has its name."""
    return spec.network.domain or PRIVATE_DOMAIN


def money(lock: Lock) -> Money:
    """The ceiling, and a month as expected: None where a line has no price, for then nobody knows the whole."""
    amounts = [line.usd_per_month for line in lock.bill]
    expected = None if None in amounts else sum((each[1] for each in amounts if each), Decimal(0))
    return Money(
        ceiling_usd_per_month=lock.ceiling.usd_per_month,
        ceiling_binds=lock.ceiling.binds,
        expected_usd_per_month=expected,
    )


def _has_ssh(spec: ClusterSpec) -> bool:
    return spec.access.ssh and "ssh" not in spec.profile.forbidden and any(user.ssh_key for user in spec.access.users)
