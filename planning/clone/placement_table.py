"""What of a lock is bound to its place, before and after; and what the program makes anew for every stack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.clone.field_policy import Care
from planning.clone.field_table import ABSENT, Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from planning.spec.cluster import ClusterSpec, Pool
    from planning.spec.lock import Lock

# Every field of a cluster's spec: why it follows from the place, or "" where it is the checklist's own.
SPEC: Final[dict[str, str]] = {
    "customer": "",
    "placement": "asked for; its zones are those that offer the machines",
    "network": "peering, tunnel and gateways follow from both places",
    "pools": "machines are chosen anew among those on sale there",
    "storage": "what each tier is called and sold as there",
    "logs_gb": "",
    "services": "",
    "access": "",
    "ides": "",
    "engineers": "",
    "tracker": "",
    "schedulers": "",
    "orchestration": "",
    "kubernetes_version": "the version that is built today",
    "existing": "how the cluster is reached",
    "profile": "what that provider's Kubernetes brings and forbids",
    "vpn": "the smallest machine that holds the VPN there, and a range that no network has",
    "platform": "parts follow from the provider's profile",
}
# What no lock says because the program makes it for each stack: its state, names and keys are never the source's.
MADE: Final = (
    ("state", "empty", "no state is read, exported or imported: two stacks would own the same resources"),
    ("images", "looked up there", "machine images have another id in each region"),
    ("certificates", "made there", "of the clone's own names and by its own authority"),
    ("encryption keys", "made there", "a key of the cloud is bound to its region; the clone has its own"),
    ("WireGuard keys", "made there", "profiles of the source do not open the clone"),
    ("generated passwords", "made there", "nothing secret is copied"),
    ("bucket names", "made there", "they are unique in the whole world: each ends in letters that the engine draws"),
    ("quotas", "asked by `atoll preflight`", "limits of an account hold for one region"),
)


def placed_rows(old: Lock, new: Lock) -> tuple[Row, ...]:
    """Rows of every placement, of what is made for each stack, and of the prices."""
    before = {each.placement.name: each for each in old.placements}
    rows = [row for each in new.placements for row in _cluster(before.get(each.placement.name), each)]
    rows += [Row(field=name, care=Care.DERIVED, old=f"of {old.stack}", new=made, why=why) for name, made, why in MADE]
    rows += [
        Row(field=name, care=Care.DERIVED, old=was, new=now, why=why)
        for name, was, now, why in (
            ("names", f"atoll-{old.stack}", f"atoll-{new.stack}", "every name has the stack's in it"),
            ("prices", _book(old), _book(new), "counted at the new place, at the prices of the day"),
        )
    ]
    return tuple(rows)


def _book(lock: Lock) -> str:
    return f"{lock.prices}, newest {lock.prices_as_of}" if lock.prices_as_of else lock.prices


def _cluster(old: ClusterSpec | None, new: ClusterSpec) -> Iterator[Row]:
    at = new.placement.name
    for (name, was), (_, now) in zip(_facts(old), _facts(new), strict=True):
        yield _derived(f"{at}: {name}", was, now, SPEC[_SECTION[name]])
    pools = {each.name: each for each in old.pools} if old is not None else {}
    for pool in new.pools:
        yield _derived(f"{at}: pool {pool.name}", _pool(pools.pop(pool.name, None)), _pool(pool), SPEC["pools"])
    for gone in pools.values():
        yield _derived(f"{at}: pool {gone.name}", _pool(gone), ABSENT, SPEC["pools"])
    tiers = {each.tier: each for each in old.storage} if old is not None else {}
    for tier in new.storage:
        was = tiers.get(tier.tier)
        said = ABSENT if was is None else f"{was.engine}, {was.provisioned_gb} GB"
        yield _derived(f"{at}: storage {tier.tier}", said, f"{tier.engine}, {tier.provisioned_gb} GB", SPEC["storage"])


_SECTION: Final = {
    "place": "placement",
    "zones": "placement",
    "addresses": "network",
    "way to the main VPC": "network",
    "NAT gateways": "network",
    "Kubernetes": "profile",
    "Kubernetes version": "kubernetes_version",
    "VPN gateway": "vpn",
    "reached by": "existing",
}


def _facts(spec: ClusterSpec | None) -> tuple[tuple[str, str], ...]:
    if spec is None:
        return tuple((name, ABSENT) for name in _SECTION)
    place, net = spec.placement, spec.network
    vpn = ABSENT if spec.vpn is None else f"{spec.vpn.machine or 'in the cluster'}, {spec.vpn.cidr}"
    return (
        ("place", f"{place.provider} {place.region}"),
        ("zones", ", ".join(place.zones) or "the first available"),
        ("addresses", str(net.cidr)),
        ("way to the main VPC", _way(spec)),
        ("NAT gateways", str(net.nat_gateways)),
        ("Kubernetes", spec.profile.title),
        ("Kubernetes version", spec.kubernetes_version),
        ("VPN gateway", vpn),
        ("reached by", spec.existing.kubeconfig_env if spec.existing is not None else "its own kubeconfig"),
    )


def _way(spec: ClusterSpec) -> str:
    peering, link = spec.network.peering, spec.network.link
    if peering is not None:
        within = peering.region == spec.placement.region
        return "peering within the region" if within else f"peering with {peering.region}, paid by the GB"
    return f"tunnel to {link.provider} {link.region}" if link is not None else ABSENT


def _pool(pool: Pool | None) -> str:
    if pool is None:
        return ABSENT
    zones = f" in {', '.join(pool.zones)}" if pool.zones else ""
    return f"{pool.working} x {pool.machine}, {pool.kind.replace('_', ' ')}{zones}"


def _derived(field: str, old: str, new: str, why: str) -> Row:
    care = Care.KEPT if old == new else Care.DERIVED
    return Row(field=field, care=care, old=old, new=new, why=why if old != new else "the same there")
