"""What a cluster has, as its handbook says it: plain values from lock, checklist, outputs and settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal


HOT: Final = "hot"  # on the nodes' own disks
KEPT_AWAY: Final = "archive"  # takes hours to read from


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonFacts:
    """Somebody with access."""

    name: str
    group: str
    workloads: tuple[str, ...]
    has_key: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TierFacts:
    """A storage tier.

    Args:
        asked_gb: usable size that the checklist asked for.
        is_bucket: whether it is object storage.
        bucket: its name; "" until the stack is up.
    """

    tier: str
    engine: str
    asked_gb: Decimal
    purpose: str
    is_bucket: bool
    bucket: str

    @property
    def is_files(self) -> bool:
        """Whether it is a file system that outlives the nodes."""
        return not self.is_bucket and self.tier != HOT


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFacts:
    """A training runtime of the cluster."""

    name: str
    framework: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElsewhereFacts:
    """A cluster beside home."""

    name: str
    provider: str
    region: str
    namespaces: tuple[str, ...]
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareFacts:
    """Slurm's part of a pool."""

    pool: str
    nodes: int
    standing: int
    per_node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactFacts:
    """Whom to call; the role in words."""

    role: str
    name: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFacts:
    """How soon somebody answers; how bad it is in words."""

    sort: str
    within_minutes: int
    weekends: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAddresses:
    """Pages that people open; "" where the part is not installed."""

    dashboard: str = ""
    grafana: str = ""
    mlflow: str = ""
    airflow: str = ""
    argo_cd: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandbookSettings:
    """Figures of the parts, as the program sets them.

    Args:
        empty_minutes: after which a scaler takes an empty node away; None where that is not the program's to say.
        hold_hours: for which running work goes on after the ceiling has stopped the queues.
    """

    idle_minutes: int
    workspace_gib: int
    turns: int
    start_minutes: int
    recovery_minutes: int
    retries: int
    metrics_days: int
    logs_days: int
    hold_hours: Decimal
    empty_minutes: int | None
    slurm_percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterOutputs:
    """What only a cluster that is up knows; "" and empty until then. No secret is among it."""

    is_known: bool = False
    vpn_address: str = ""
    cluster_name: str = ""
    entrance: str = ""
    buckets: Mapping[str, str] = field(default_factory=dict[str, str])
    roles: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class HandbookFacts:
    """Everything that the pages are made of.

    Args:
        target: what built it: aws, gcp, coreweave, existing.
        homes: in the order of the pools.
        images: of notebooks, by IDE.
        claims: shared volumes of each namespace, by claim, with where notebooks mount them.
        apart: claims on shared files that are no namespace's of a workload, with the namespace that they are in.
        object_store: minio, seaweedfs or provider; "" where there is no store.
        store_gb: disks of a store inside the cluster; 0 where there is none.
    """

    stack: str
    customer: str
    owner: str
    option: str
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
    parts: frozenset[str]
    versions: Mapping[str, str]
    pools: tuple[NodePoolFacts, ...]
    homes: tuple[HomeFacts, ...]
    people: tuple[PersonFacts, ...]
    tiers: tuple[TierFacts, ...]
    files: str
    dataset_gb: Decimal | None
    ides: tuple[str, ...]
    images: Mapping[str, tuple[str, ...]]
    frameworks: tuple[str, ...]
    runtimes: tuple[RuntimeFacts, ...]
    tracker: str
    object_store: str
    s3_address: str
    collector: str
    claims: Mapping[str, str]
    apart: Mapping[str, str]
    store_gb: int
    sharing: str
    scale_to_zero: bool
    checkpoint_minutes: Mapping[str, int]
    elsewhere: tuple[ElsewhereFacts, ...]
    shares: tuple[ShareFacts, ...]
    ceiling_usd_per_month: Decimal | None
    ceiling_binds: str
    expected_usd_per_month: Decimal | None
    contacts: tuple[ContactFacts, ...]
    responses: tuple[ResponseFacts, ...]
    addresses: PageAddresses
    settings: HandbookSettings
    outputs: ClusterOutputs

    def has(self, *parts: str) -> bool:
        """Whether all of these platform parts are installed."""
        return self.parts.issuperset(parts)

    @property
    def has_team_store(self) -> bool:
        """Whether each team has a bucket and its keys in the cluster's own object store."""
        return self.object_store in {"minio", "seaweedfs"} and self.has("object_store", "teams")

    @property
    def training(self) -> HomeFacts:
        jobs = [home for home in self.homes if home.kind in {"training", "fine_tuning", "batch"}]
        return _with_accelerators(jobs) or _with_accelerators(self.homes) or self.homes[0]

    @property
    def writing(self) -> HomeFacts:
        return next((home for home in self.homes if home.kind == "notebooks"), self.training)

    @property
    def serving(self) -> HomeFacts:
        return next((home for home in self.homes if home.kind == "inference"), self.training)

    @property
    def has_spot(self) -> bool:
        """Whether any pool may be taken away."""
        return any(pool.kind == "spot" for pool in self.pools)

    @property
    def unclaimed(self) -> tuple[TierFacts, ...]:
        """Shared files that the quote counts and that no claim here leads to."""
        return () if self.claims or self.apart else tuple(tier for tier in self.tiers if tier.is_files)

    @property
    def store_holds_data(self) -> bool:
        """Whether the data set has room in the bucket that pods are given; so, where nobody said how large it is."""
        return not self.store_gb or self.dataset_gb is None or self.dataset_gb <= self.store_gb

    @property
    def data_tiers(self) -> tuple[TierFacts, ...]:
        """Tiers that outlive the nodes and are large enough for the data set, the fastest first."""
        least = self.dataset_gb or 0
        kept = (tier for tier in self.tiers if tier.tier not in (HOT, KEPT_AWAY))
        return tuple(tier for tier in kept if tier.asked_gb >= least)

    @property
    def hot(self) -> tuple[NodePoolFacts, ...]:
        return tuple(pool for pool in self.pools if pool.nvme_gb and pool.role != "system")


def _with_accelerators(homes: list[HomeFacts] | tuple[HomeFacts, ...]) -> HomeFacts | None:
    return next((home for home in homes if home.pool and home.pool.resource), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePoolFacts:
    """Equal nodes.

    Args:
        accelerator: name in the catalog; "" for none.
        accelerator_gb: memory of one; None where the catalog does not know it.
        per_node: accelerators of a node.
        resource: what pods ask for; "" for none.
        parts: how many of that resource one accelerator is.
        nodes: working ones at the peak.
        least: nodes that always stand.
        most: with spares.
        kind: word of the lock for how it is bought.
        nvme_gb: local disks of a node; None for none.
        usd_per_hour: of a node by the accepted bill; None where nobody knows.
        chosen: whether pods can name the pool by the label of its nodes.
    """

    name: str
    role: str
    workload: str
    machine: str
    accelerator: str
    accelerator_gb: int | None
    per_node: int
    resource: str
    parts: int
    nodes: int
    spares: int
    least: int
    most: int
    kind: str
    vcpus: int | None
    memory_gib: Decimal | None
    nvme_gb: int | None
    fabric: str
    usd_per_hour: Decimal | None
    chosen: bool

    @property
    def asks(self) -> int:
        """What a pod asks for to have a whole node's accelerators."""
        return self.per_node * self.parts


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueFacts:
    """A queue as a job names it.

    Args:
        guaranteed: of each pool's resource, by pool.
        usd_per_month: the team's part of the money; None where the checklist names none.
    """

    team: str
    guaranteed: Mapping[str, int]
    usd_per_month: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFacts:
    """A workload and the namespace that people work in for it.

    Args:
        quota: of the namespace, by resource.
        default: team whose queue takes jobs that name none; "default" for the one without a guarantee.
    """

    workload: str
    namespace: str
    kind: str
    frameworks: tuple[str, ...]
    spot: bool
    pools: tuple[NodePoolFacts, ...]
    teams: tuple[str, ...]
    queues: tuple[QueueFacts, ...]
    default: str
    quota: Mapping[str, int]

    @property
    def pool(self) -> NodePoolFacts | None:
        """The pool that jobs are shown with: the first with accelerators, else the first."""
        return next((each for each in self.pools if each.resource), self.pools[0] if self.pools else None)

    @property
    def queue(self) -> str:
        return self.queues[0].team if self.queues else self.default
