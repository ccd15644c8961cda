"""A source and its clone, held side by side: money, capabilities, security, where data lies, how far it is."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from pydantic.dataclasses import dataclass

from catalogs.providers import FORBIDDABLE, find_traits, profiles, unreachable
from planning.clone.comparison.difference import (
    NONE,
    NOT_KNOWN,
    ComparedFact,
    Difference,
    amount,
    compare_by,
    differing,
    format_truth,
    join_values,
    words,
)
from planning.clone.comparison.parity import Parity, parities
from planning.clone.comparison.pools import pool_differences
from planning.clone.comparison.price_lines import PriceLines, price_lines
from planning.clone.comparison.residency import Latency, Residence, latency, residences
from planning.costs.json_shapes import publish_as
from planning.values.json_format import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from catalogs.catalog import Catalog
    from catalogs.model import Provider, StorageTier
    from planning.spec.cluster import ClusterSpec, Network, Profile, Tier
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


STORES: Final = "catalogs/providers.py, docs.cloud.google.com/storage/docs/interoperability"


def storage_differences(old: ClusterSpec, new: ClusterSpec, *, catalog: Catalog) -> Iterator[Difference]:
    """Every tier of either side, and how its objects are reached."""
    place = new.placement.name
    before, after = ({tier.tier: tier for tier in spec.storage} for spec in (old, new))
    for name in dict.fromkeys((*before, *after)):
        rows = (_row(old, name, catalog), _row(new, name, catalog))
        facts = _tier(before.get(name), after.get(name), rows)
        yield from differing(facts, placement=place, topic=f"storage {name}")
    yield from differing(_objects(old, new), placement=place, topic="storage")


def _row(spec: ClusterSpec, tier: str, catalog: Catalog) -> StorageTier | None:
    return catalog.tiers.get((spec.placement.provider, tier))


def _tier(
    old: Tier | None, new: Tier | None, rows: tuple[StorageTier | None, StorageTier | None]
) -> Iterator[ComparedFact]:
    named = dict.fromkeys(each.source for each in rows if each)
    source = f"catalogs/tiers.csv ({', '.join(named)})" if named else "the two locks; no catalog row"
    yield ComparedFact(
        what="engine",
        old=old.engine if old else NONE,
        new=new.engine if new else NONE,
        source=source,
        note="; ".join(each.note for each in rows[1:] if each and each.note),
    )
    yield ComparedFact(
        what="provisioned",
        old=amount(old.provisioned_gb if old else 0, "GB"),
        new=amount(new.provisioned_gb if new else 0, "GB"),
        source=source,
        note=_step(rows[1]),
    )


def _step(row: StorageTier | None) -> str:
    """Why the target has another size of the same demand."""
    if row is None or not row.minimum_gb:
        return ""
    return f"sold from {row.minimum_gb:,} GB in steps of {row.step_gb:,} GB"


def _objects(old: ClusterSpec, new: ClusterSpec) -> Iterator[ComparedFact]:
    yield ComparedFact(
        what="provider's buckets over S3",
        old=_by_identity(old),
        new=_by_identity(new),
        source=STORES,
        note="parts that speak S3 only need keys, or a store in the cluster"
        if _by_identity(new) == "with keys"
        else "",
    )


def _by_identity(spec: ClusterSpec) -> str:
    if spec.placement.target == "existing":
        return "the customer's own"
    return "by the pods' identity" if find_traits(spec.placement.provider).s3_by_identity else "with keys"


def platform_differences(old: ClusterSpec, new: ClusterSpec) -> Iterator[Difference]:
    """Parts that one side has and the other has not, and parts of another version."""
    before, after = old.platform, new.platform
    if before is None or after is None:
        return
    place = new.placement.name
    names = dict.fromkeys(each.name for side in (before, after) for each in (*side.parts, *side.skipped))
    for name in names:
        said = ComparedFact(
            what=_title(name, before, after),
            old=_describe_component(name, before),
            new=_describe_component(name, after),
            note=unreachable(name, store=after.object_store, provider=new.placement.provider),
        )
        yield from differing([said], placement=place, topic="platform")
    yield from differing(compare_by(before, after, _SETTINGS), placement=place, topic="platform")


def _title(name: str, *sides: Platform) -> str:
    every = (each for side in sides for each in (*side.parts, *side.skipped))
    return next((each.title for each in every if each.name == name), name)


def _describe_component(name: str, side: Platform) -> str:
    part = side.part(name)
    if part is not None:
        return part.version or part.ref or "installed"
    reason = next((each.reason for each in side.skipped if each.name == name), "")
    return f"not installed: {reason}" if reason else "not installed"


_SETTINGS: Final[Mapping[str, Callable[[Platform], str]]] = {
    "release": lambda side: side.release,
    "size": lambda side: side.size,
    "object store of the platform": lambda side: words(side.object_store),
    "sharing of accelerators": lambda side: words(side.sharing),
    "logs and metrics go to": lambda side: (
        f"{side.forwarding.provider} {side.forwarding.region}" if side.forwarding else NONE
    ),
}


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
            ComparedFact(what=f"cluster {name}", old=_where(before.get(name)), new=_where(after.get(name)))
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
    network = chain(_compare_networks(old.network, new.network), compare_by(old, new, _ACCESS, notes=NOTES))
    yield from differing(_compare_providers(old, new, catalog), placement=place, topic="provider")
    yield from differing(compare_by(old, new, _CLUSTER, notes=NOTES), placement=place, topic="cluster")
    yield from differing(_compare_profiles(old.profile, new.profile), placement=place, topic="cluster")
    yield from differing(network, placement=place, topic="network")
    yield from pool_differences(old, new, catalog=catalog)
    yield from storage_differences(old, new, catalog=catalog)
    yield from platform_differences(old, new)


def _compare_providers(old: ClusterSpec, new: ClusterSpec, catalog: Catalog) -> Iterator[ComparedFact]:
    """What is true of a provider whatever the region."""
    before, after = (catalog.providers.get(spec.placement.provider) for spec in (old, new))
    if before is not None and after is not None:
        source = f"catalogs/providers.csv ({', '.join(dict.fromkeys((before.source, after.source)))})"
        yield from compare_by(before, after, _PROVIDER, source=source)


_PROVIDER: Final[Mapping[str, Callable[[Provider], str]]] = {
    "provider": lambda row: row.title or NONE,
    "Kubernetes": lambda row: row.kubernetes or NONE,
    "what it manages": lambda row: row.manages or NONE,
    "SLA": lambda row: row.sla or NONE,
    "egress": lambda row: row.egress or NONE,
    "lock-in": lambda row: row.lock_in or NONE,
}
_CLUSTER: Final[Mapping[str, Callable[[ClusterSpec], str]]] = {
    "Kubernetes version": lambda spec: spec.kubernetes_version or NOT_KNOWN,
    "built by": lambda spec: spec.placement.target,
    "zones": lambda spec: join_values(spec.placement.zones),
}
_ACCESS: Final[Mapping[str, Callable[[ClusterSpec], str]]] = {
    "WireGuard gateway": lambda spec: words(spec.vpn.kind) if spec.vpn else NONE,
}
NOTES: Final[Mapping[str, str]] = {
    "Kubernetes version": "objects of removed APIs must be looked for first",
    "WireGuard gateway": "users get new profiles",
}
_OWNERS: Final[Mapping[str, str]] = {"provider": "the provider", "atoll": "Atoll", "none": "nobody"}


def _compare_profiles(old: Profile, new: Profile) -> Iterator[ComparedFact]:
    """Who owns what on the nodes, and what the provider forbids."""
    known = profiles()
    named = dict.fromkeys(known[each.provider].source for each in (old, new) if each.provider in known)
    source = f"catalogs/profiles.csv ({', '.join(named)})"
    for field, what in OWNED.items():
        before, after = (_OWNERS.get(owner := str(getattr(each, field)), owner) for each in (old, new))
        yield ComparedFact(what=what, old=before, new=after, source=source)
    for word, limit in FORBIDDABLE.items():
        before, after = (format_truth(word in each.forbidden) for each in (old, new))
        yield ComparedFact(what=limit, old=before, new=after, source=source)
    yield ComparedFact(
        what="resource name of the fabric",
        old=old.rdma_resource or NONE,
        new=new.rdma_resource or NONE,
        source=source,
        note="manifests of jobs that ask for it must change",
    )


def _compare_networks(old: Network, new: Network) -> Iterator[ComparedFact]:
    note = ""
    if old.peering is not None and new.link is not None:
        note = "a tunnel has less bandwidth than a peering, and its data is paid as egress: measure it"
    elif (old.peering or old.link) and not (new.peering or new.link):
        note = "the main cloud is no longer reached by a private way"
    yield from compare_by(old, new, _NETWORK, notes={"joint with the main cloud": note})


def _describe_joint(network: Network) -> str:
    if network.peering is not None:
        return f"peering with {network.peering.vpc_id} in {network.peering.region}"
    if network.link is not None:
        return f"VPN tunnel to {network.link.vpc_id} in {network.link.provider} {network.link.region}"
    return NONE


_NETWORK: Final[Mapping[str, Callable[[Network], str]]] = {
    "addresses": lambda network: str(network.cidr),
    "zones used": lambda network: str(network.zone_count),
    "NAT gateways": lambda network: str(network.nat_gateways),
    "DNS zone": lambda network: network.domain or NONE,
    "joint with the main cloud": _describe_joint,
}


@dataclass(frozen=True, slots=True, kw_only=True, config=publish_as("ComparisonForm"))
class CloneComparison:
    """A source and its clone."""

    schema_version: int
    old: str
    new: str
    money: PriceLines
    capabilities: tuple[Difference, ...]
    security: tuple[Parity, ...]
    residency: tuple[Residence, ...]
    latency: Latency
    notes: tuple[str, ...]


def compare(old: Lock, new: Lock, *, catalog: Catalog) -> CloneComparison:
    """The clone held against its source."""
    return CloneComparison(
        schema_version=SCHEMA_VERSION,
        old=old.stack,
        new=new.stack,
        money=price_lines(old, new),
        capabilities=differences(old, new, catalog=catalog),
        security=tuple(parities(old, new)),
        residency=residences(old, new, catalog=catalog),
        latency=latency(old, new),
        notes=tuple(_notes(new)),
    )


def _notes(new: Lock) -> Iterator[str]:
    for spec in new.placements:
        if spec.placement.target == "none":
            yield f"Atoll builds nothing at {spec.placement.provider} yet: the clone is a quote, not a cluster"
