"""What one side can do and the other cannot, or does otherwise: from the two locks and the catalog alone."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from catalogs.profiles import profiles
from catalogs.provider_restrictions import FORBIDDABLE
from planning.clone.comparison.difference import NONE, NOT_KNOWN, Difference, Said, differing, listed, yes
from planning.clone.comparison.pools import pool_differences
from planning.clone.comparison.storage import platform_differences, storage_differences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalogs.catalog import Catalog
    from catalogs.model import Provider
    from planning.spec.cluster import ClusterSpec, Network, Profile
    from planning.spec.lock import Lock

OWNED: Final[Mapping[str, str]] = {
    "gpu_driver": "GPU driver is installed by",
    "device_plugin": "device plugin is installed by",
    "node_feature_discovery": "node feature discovery is run by",
    "dcgm_exporter": "GPU metrics are exported by",
    "network_plugin": "device plugin of the fabric is installed by",
    "node_repair": "broken nodes are replaced by",
    "autoscaler": "nodes are added and removed by",
}


def differences(old: Lock, new: Lock, *, catalog: Catalog) -> tuple[Difference, ...]:
    """Every difference, cluster by cluster; those that only one side has come first."""
    before, after = ({spec.placement.name: spec for spec in each.placements} for each in (old, new))
    alone = differing(
        (
            Said(what=f"cluster {name}", old=_where(before.get(name)), new=_where(after.get(name)))
            for name in dict.fromkeys((*before, *after))
            if name not in before or name not in after
        ),
        placement="",
        topic="cluster",
    )
    pairs = [(before[name], spec) for name, spec in after.items() if name in before]
    return (*alone, *chain.from_iterable(_of_cluster(*pair, catalog=catalog) for pair in pairs))


def _where(spec: ClusterSpec | None) -> str:
    return NONE if spec is None else f"{spec.placement.provider} {spec.placement.region}"


def _of_cluster(old: ClusterSpec, new: ClusterSpec, *, catalog: Catalog) -> Iterator[Difference]:
    place = new.placement.name
    yield from differing(_provider(old, new, catalog), placement=place, topic="provider")
    yield from differing(_cluster(old, new), placement=place, topic="cluster")
    yield from differing(_profile(old.profile, new.profile), placement=place, topic="cluster")
    yield from differing(_network(old.network, new.network), placement=place, topic="network")
    yield from differing(_ways(old, new), placement=place, topic="network")
    yield from pool_differences(old, new, catalog=catalog)
    yield from storage_differences(old, new, catalog=catalog)
    yield from platform_differences(old, new)


def _provider(old: ClusterSpec, new: ClusterSpec, catalog: Catalog) -> Iterator[Said]:
    """What is true of a provider whatever the region."""
    before, after = (catalog.providers.get(spec.placement.provider) for spec in (old, new))
    if before is None or after is None:
        return
    source = f"catalogs/providers.csv ({', '.join(dict.fromkeys((before.source, after.source)))})"
    for what, field in (
        ("provider", "title"),
        ("Kubernetes", "kubernetes"),
        ("what it manages", "manages"),
        ("SLA", "sla"),
        ("egress", "egress"),
        ("lock-in", "lock_in"),
    ):
        yield Said(what=what, old=_stated(before, field), new=_stated(after, field), source=source)


def _stated(provider: Provider, field: str) -> str:
    value: object = getattr(provider, field)
    return str(value) or NONE


def _cluster(old: ClusterSpec, new: ClusterSpec) -> Iterator[Said]:
    yield Said(
        what="Kubernetes version",
        old=old.kubernetes_version or NOT_KNOWN,
        new=new.kubernetes_version or NOT_KNOWN,
        note="objects of removed APIs must be looked for first",
    )
    yield Said(what="built by", old=old.placement.target, new=new.placement.target)
    yield Said(what="zones", old=listed(old.placement.zones), new=listed(new.placement.zones))


def _profile(old: Profile, new: Profile) -> Iterator[Said]:
    """Who owns what on the nodes, and what the provider forbids."""
    known = profiles()
    named = dict.fromkeys(known[each.provider].source for each in (old, new) if each.provider in known)
    source = f"catalogs/profiles.csv ({', '.join(named)})"
    for field, what in OWNED.items():
        before, after = (_owner(each, field) for each in (old, new))
        yield Said(what=what, old=before, new=after, source=source)
    for word, limit in FORBIDDABLE.items():
        before, after = (yes(word in each.forbidden) for each in (old, new))
        yield Said(what=limit, old=before, new=after, source=source)
    yield Said(
        what="resource name of the fabric",
        old=old.rdma_resource or NONE,
        new=new.rdma_resource or NONE,
        source=source,
        note="manifests of jobs that ask for it must change",
    )


def _owner(profile: Profile, field: str) -> str:
    value: object = getattr(profile, field)
    return {"provider": "the provider", "atoll": "Atoll", "none": "nobody"}.get(str(value), str(value))


def _network(old: Network, new: Network) -> Iterator[Said]:
    yield Said(what="addresses", old=str(old.cidr), new=str(new.cidr))
    yield Said(what="zones used", old=str(old.zone_count), new=str(new.zone_count))
    yield Said(what="NAT gateways", old=str(old.nat_gateways), new=str(new.nat_gateways))
    yield Said(what="DNS zone", old=old.domain or NONE, new=new.domain or NONE)
    yield Said(
        what="joint with the main cloud",
        old=_joint(old),
        new=_joint(new),
        note=_joint_note(old, new),
    )


def _joint(network: Network) -> str:
    if network.peering is not None:
        return f"peering with {network.peering.vpc_id} in {network.peering.region}"
    if network.link is not None:
        return f"VPN tunnel to {network.link.vpc_id} in {network.link.provider} {network.link.region}"
    return NONE


def _joint_note(old: Network, new: Network) -> str:
    if old.peering is not None and new.link is not None:
        return "a tunnel has less bandwidth than a peering, and its data is paid as egress: measure it"
    if (old.peering or old.link) and not (new.peering or new.link):
        return "the main cloud is no longer reached by a private way"
    return ""


def _ways(old: ClusterSpec, new: ClusterSpec) -> Iterator[Said]:
    before, after = (each.vpn.kind.replace("_", " ") if each.vpn else NONE for each in (old, new))
    yield Said(what="WireGuard gateway", old=before, new=after, note="users get new profiles")
