"""The nodes of a handbook, and the namespaces that people work in."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, TypedDict

from catalogs.providers import find_traits
from components.clouds.aws.storage import classes as aws_classes
from components.clouds.coreweave.storage import file_systems
from components.clouds.gcp.storage import classes as gcp_classes
from components.context.names import namespace, workloads
from components.platform.teams.pod_defaults import SHARED
from operations.handbook.facts import (
    HOT,
    ContactFacts,
    HomeFacts,
    NodePoolFacts,
    PersonFacts,
    QueueFacts,
    ResponseFacts,
    TierFacts,
)
from operations.handbook.user_kubeconfig import list_user_workloads
from planning.costs.charges.storage import OBJECT_ITEMS
from planning.costs.node_prices import node_prices
from planning.platform.queues import OPEN, flavor, lines, namespace_quotas
from planning.platform.slurm import without_slurm_nodes
from planning.values.hostnames import PRIVATE_DOMAIN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from catalogs.catalog import Catalog
    from operations.handbook.facts import ClusterOutputs
    from planning.checklist.model.agreement import Agreement, Role, Sort
    from planning.platform.queues import WorkloadQueues
    from planning.spec.cluster import ClusterSpec, Pool, Tier
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


def pools(lock: Lock, catalog: Catalog) -> tuple[NodePoolFacts, ...]:
    """Every pool at home."""
    spec = lock.spec
    beside = [each.placement.name for each in lock.placements[1:]]
    prices = node_prices(lock.bill, beside=beside, binds=lock.ceiling.binds).usd_per_hour
    return tuple(
        NodePoolFacts(
            name=pool.name,
            role=pool.role,
            workload=pool.workload or "",
            machine=pool.machine,
            accelerator=pool.accelerator or "",
            accelerator_gb=_memory(pool, catalog),
            per_node=pool.accelerators,
            resource=_flavor(pool, spec)[0],
            parts=_flavor(pool, spec)[1],
            nodes=pool.working,
            spares=pool.spares,
            least=pool.min_nodes,
            most=pool.max_nodes,
            kind=pool.kind,
            vcpus=pool.vcpus,
            memory_gib=pool.memory_gib,
            nvme_gb=pool.local_nvme_gb or None,
            fabric=pool.fabric,
            usd_per_hour=prices.get(pool.name),
            chosen=spec.existing is None,
        )
        for pool in spec.pools
    )


def homes(lock: Lock, listed: Sequence[NodePoolFacts]) -> tuple[HomeFacts, ...]:
    spec = lock.spec
    platform = spec.platform
    if platform is None:
        return ()
    queued = without_slurm_nodes(
        spec.pools, kinds={work.name: work.kind for work in platform.works}, orchestration=spec.orchestration
    )
    found = {line.workload: line for line in lines(platform, queued)}
    quotas = namespace_quotas(spec.pools, platform)
    return tuple(
        _home(
            workload,
            platform=platform,
            line=found.get(workload),
            mine=tuple(pool for pool in listed if pool.workload == workload),
            quota=quotas.get(workload, {}),
        )
        for workload in workloads(spec)
    )


def _home(
    workload: str,
    *,
    platform: Platform,
    line: WorkloadQueues | None,
    mine: tuple[NodePoolFacts, ...],
    quota: dict[str, int],
) -> HomeFacts:
    work = next((each for each in platform.works if each.name == workload), None)
    return HomeFacts(
        workload=workload,
        namespace=namespace(workload),
        kind="" if work is None else work.kind,
        frameworks=() if work is None else work.frameworks,
        spot=work is not None and work.spot,
        pools=mine,
        teams=tuple(team.name for team in platform.teams if workload in team.workloads),
        queues=() if line is None else _queues(line, platform),
        default=OPEN if line is None else line.default.team,
        quota=quota,
    )


def _queues(line: WorkloadQueues, platform: Platform) -> tuple[QueueFacts, ...]:
    """Those of the teams, without the one that nobody is guaranteed anything in."""
    money = {team.name: team.usd_per_month for team in platform.teams}
    return tuple(
        QueueFacts(team=queue.team, guaranteed=queue.nominal, usd_per_month=money.get(queue.team))
        for queue in line.queues
        if queue.team in money
    )


def _memory(pool: Pool, catalog: Catalog) -> int | None:
    found = catalog.accelerators.get(pool.accelerator or "")
    return None if found is None else found.memory_gb


def _flavor(pool: Pool, spec: ClusterSpec) -> tuple[str, int]:
    """How pods ask for the pool's accelerators: the resource, and how many of it one accelerator is."""
    if spec.platform is None or not pool.accelerators:
        return "", 1
    found = flavor(pool, spec.platform)
    return found.resource, found.parts


ROLES: Final[Mapping[Role, str]] = {
    "customer_lead": "Decides on your side",
    "customer_engineer": "Answers technical questions on your side",
    "account": "Contract, capacity and money",
    "engineer_on_call": "Something is broken now",
    "support": "Questions and tickets",
    "security": "Keys, access, something suspicious",
}
SORTS: Final[Mapping[Sort, str]] = {
    "urgent": "nobody can work",
    "high": "some cannot work",
    "normal": "a question",
}


def people(spec: ClusterSpec) -> tuple[PersonFacts, ...]:
    """Everybody with access."""
    return tuple(
        PersonFacts(
            name=user.name, group=user.group, workloads=list_user_workloads(user, spec), has_key=bool(user.ssh_key)
        )
        for user in spec.access.users
    )


def contacts(agreement: Agreement) -> tuple[ContactFacts, ...]:
    return tuple(
        ContactFacts(role=ROLES[each.role], name=each.name, email=each.email, phone=each.phone or "")
        for each in agreement.contacts
    )


def responses(agreement: Agreement) -> tuple[ResponseFacts, ...]:
    return tuple(
        ResponseFacts(sort=SORTS[each.sort], within_minutes=each.within_minutes, weekends=each.weekends)
        for each in agreement.responses
    )


class LocationFields(TypedDict):
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


def place(spec: ClusterSpec, *, title: str) -> LocationFields:
    """Where it is and how people get in.

    Args:
        title: of the provider.
    """
    sso = None if spec.platform is None else spec.platform.sso
    return LocationFields(
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


COLD: Final = "cold"
# By where claims stand: those that each namespace has for a shared file system, and for a bucket that is mounted.
FILES: Final[Mapping[str, str]] = {"system": aws_classes.CLAIM, "workload": gcp_classes.SHARED_CLAIM}
BUCKETS: Final[Mapping[str, str]] = {"workload": gcp_classes.BUCKET_CLAIM}
SHARED_SSD: Final = "shared_ssd"  # on AWS the plain file system has a storage class and no claim of ours


class Files(TypedDict):
    """Fields of `Facts`."""

    claims: Mapping[str, str]
    apart: Mapping[str, str]
    store_gb: int


def tiers(spec: ClusterSpec, outputs: ClusterOutputs) -> tuple[TierFacts, ...]:
    """As the lock has them, the fastest first."""
    return tuple(
        TierFacts(
            tier=tier.tier,
            engine=tier.engine,
            asked_gb=tier.asked_gb,
            purpose=tier.purpose,
            is_bucket=tier.item in OBJECT_ITEMS,
            bucket=outputs.buckets.get(tier.purpose, "") if tier.item in OBJECT_ITEMS else "",
        )
        for tier in spec.storage
    )


def files(spec: ClusterSpec) -> Files:
    """Where files can lie that outlive a node."""
    return Files(claims=claims(spec), apart=list_separate_claims(spec), store_gb=store_gb(spec))


def claims(spec: ClusterSpec) -> dict[str, str]:
    """Claims of every namespace to where a notebook that ticks them finds them."""
    where = find_traits(spec.placement.target).shared_claims
    found = [FILES[where] for tier in spec.storage if where in FILES and _is_files(tier, where)]
    found += [BUCKETS[where] for tier in spec.storage if where in BUCKETS and tier.tier == COLD and _is_object(tier)]
    return {claim: f"{SHARED}/{claim}" for claim in dict.fromkeys(found)}


def list_separate_claims(spec: ClusterSpec) -> dict[str, str]:
    """Claims that are in a namespace of their own, with that namespace."""
    if find_traits(spec.placement.target).shared_claims != "tier":
        return {}
    return {tier.tier: f"{file_systems.NAMESPACE}-{tier.tier}" for tier in spec.storage if tier.item == SHARED_SSD}


def store_gb(spec: ClusterSpec) -> int:
    """Disks of the object store inside the cluster; 0 where there is none."""
    platform = spec.platform
    part = None if platform is None else platform.part(platform.object_store)
    return 0 if part is None else part.disk_gb


def _is_object(tier: Tier) -> bool:
    return tier.item in OBJECT_ITEMS


def _is_files(tier: Tier, where: str) -> bool:
    if where == "system":
        return tier.item == SHARED_SSD
    return tier.tier != HOT and not _is_object(tier)
