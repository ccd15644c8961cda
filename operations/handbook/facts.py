"""Facts that the handbook's templates show and that lock and checklist do not hold as such."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

from catalogs.catalog import load
from catalogs.providers import find_traits
from components.clouds.aws.nodepools import karpenter
from components.clouds.aws.storage import classes as aws_classes
from components.clouds.coreweave.storage import file_systems
from components.clouds.gcp.storage import classes as gcp_classes
from components.context.names import namespace, workloads
from components.platform.building_blocks import names
from components.platform.building_blocks.artifact_mirror import read_artifact_mirror
from components.platform.building_blocks.images import resolve_image_reference
from components.platform.kubeflow import notebooks
from components.platform.kubeflow.training import runtimes_of
from components.platform.observability import log_and_trace_stores, prometheus
from components.platform.scheduling import kueue, slurm
from components.platform.scheduling.multikueue import QUEUE
from components.platform.teams.pod_defaults import SHARED
from operations.handbook.namespaces import homes, pools
from operations.handbook.stack_outputs import ClusterOutputs, read_outputs
from operations.handbook.user_kubeconfig import list_user_workloads
from operations.project.accepted_lock import read_accepted_lock
from planning.agents.spend_guard import HOLD_HOURS
from planning.checklist.model.vocabulary import Ide
from planning.checklist.reading.checklist_file import read_file
from planning.costs.charges import OBJECT_ITEMS
from planning.platform.accelerators import TURNS
from planning.platform.queues import shares
from planning.spec.lock_content import State
from planning.values.addresses import PRIVATE_DOMAIN
from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from catalogs.catalog import Catalog
    from components.platform.building_blocks.artifact_mirror import ArtifactMirror
    from operations.handbook.namespaces import HomeFacts, NodePoolFacts
    from operations.project.workspace import Project
    from planning.checklist.model.checklist import Checklist
    from planning.checklist.model.people import User
    from planning.platform.queues import SlurmShare
    from planning.spec.cluster import ClusterSpec, Tier
    from planning.spec.lock import Lock
    from planning.spec.platform import Platform


HOT: Final = "hot"  # on the nodes' own disks
COLD: Final = "cold"
KEPT_AWAY: Final = "archive"  # takes hours to read from
STORE: Final = "object_store"
SHARED_SSD: Final = "shared_ssd"  # on AWS the plain file system has a storage class and no claim of ours
HOURS_PER_DAY: Final = 24
EMPTY_MINUTES: Final = int(karpenter.EMPTY_FOR.removesuffix("m"))
# Pages that people open: by the platform component that serves each, and the first label of its address.
PAGES: Final[Mapping[str, tuple[str, str]]] = {
    "dashboard": ("dashboard", names.DASHBOARD_HOST),
    "grafana": ("prometheus", names.GRAFANA_HOST),
    "mlflow": ("mlflow", names.MLFLOW_HOST),
    "airflow": ("airflow", names.AIRFLOW_HOST),
    "argo_cd": ("argo_cd", names.ARGO_CD_HOST),
}
# By where claims stand: those that each namespace has for a shared file system, and for a bucket that is mounted.
FILES: Final[Mapping[str, str]] = {"system": aws_classes.CLAIM, "workload": gcp_classes.SHARED_CLAIM}
BUCKETS: Final[Mapping[str, str]] = {"workload": gcp_classes.BUCKET_CLAIM}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFacts:
    """A training runtime of the cluster."""

    name: str
    framework: str
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ElsewhereFacts:
    """The cluster of an additional placement."""

    name: str
    provider: str
    region: str
    namespaces: tuple[str, ...]
    queue: str


def is_bucket(tier: Tier) -> bool:
    return tier.item in OBJECT_ITEMS


@dataclass(frozen=True, kw_only=True)
class HandbookFacts:
    """The cluster of the primary placement, as accepted, with the outputs of the running stack where they are given.

    Args:
        shelf: the software lock and the mirror, which say how images are named here.

    Raises:
        InputError: the lock installs nothing that people could work with.
    """

    lock: Lock
    checklist: Checklist
    catalog: Catalog
    shelf: ArtifactMirror
    outputs: ClusterOutputs = field(default_factory=ClusterOutputs)

    s3_address: ClassVar[str] = names.S3_ADDRESS
    collector: ClassVar[str] = names.COLLECTOR

    def __post_init__(self) -> None:
        if self.spec.platform is None or not workloads(self.spec):
            raise InputError(
                f"{self.lock.stack} has no platform to work with, so there is nothing to write a handbook about",
                hint="accept an option with workloads that have nodes",
            )

    @property
    def spec(self) -> ClusterSpec:
        return self.lock.spec

    @cached_property
    def platform(self) -> Platform:
        if self.spec.platform is None:  # refused above
            raise AssertionError
        return self.spec.platform

    @property
    def target(self) -> str:
        return self.spec.placement.target

    @property
    def provider(self) -> str:
        """Its title."""
        return self._title(self.spec)

    def _title(self, spec: ClusterSpec) -> str:
        known = self.catalog.providers.get(spec.placement.provider)
        return spec.placement.provider if known is None else known.title

    @property
    def domain(self) -> str:
        """The domain below which every page has its name."""
        return self.spec.network.domain or PRIVATE_DOMAIN

    @property
    def sso(self) -> str:
        return "" if self.platform.sso is None else self.platform.sso.provider

    @property
    def has_vpn(self) -> bool:
        return self.spec.vpn is not None

    @property
    def has_ssh(self) -> bool:
        access = self.spec.access
        return access.ssh and "ssh" not in self.spec.profile.forbidden and any(user.ssh_key for user in access.users)

    def workloads_of(self, user: User) -> tuple[str, ...]:
        return list_user_workloads(user, self.spec)

    @cached_property
    def parts(self) -> frozenset[str]:
        """Names of the platform components that are installed."""
        return frozenset(part.name for part in self.platform.parts)

    @cached_property
    def pools(self) -> tuple[NodePoolFacts, ...]:
        return pools(self.lock, self.catalog)

    @cached_property
    def homes(self) -> tuple[HomeFacts, ...]:
        """In the order of the pools."""
        return homes(self.lock, self.pools)

    @cached_property
    def tiers(self) -> tuple[Tier, ...]:
        """As the lock has them, the fastest first."""
        return tuple(self.spec.storage)

    @property
    def bucket_tiers(self) -> tuple[Tier, ...]:
        return tuple(tier for tier in self.tiers if is_bucket(tier))

    @cached_property
    def dataset_gb(self) -> Decimal | None:
        return None if self.checklist.dataset is None else self.checklist.dataset.size

    @property
    def ides(self) -> tuple[str, ...]:
        return tuple(self.spec.ides or Ide)

    @property
    def frameworks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for work in self.platform.works for each in work.frameworks))

    @property
    def images(self) -> Mapping[str, tuple[str, ...]]:
        """Of notebooks, by IDE."""
        devices = {notebooks.device(pool.accelerator) for pool in self.spec.pools if pool.accelerator}
        offered = {
            Ide.JUPYTERLAB: notebooks.jupyter_images(self.frameworks, devices),
            Ide.VSCODE: (notebooks.CODE,),
        }
        return {
            str(ide): tuple(resolve_image_reference(image, self.shelf) for image in images)
            for ide, images in offered.items()
            if ide in self.ides
        }

    @property
    def runtimes(self) -> tuple[RuntimeFacts, ...]:
        return tuple(
            RuntimeFacts(
                name=each.name, framework=each.framework, image=resolve_image_reference(each.image, self.shelf)
            )
            for each in runtimes_of(self.frameworks)
        )

    @property
    def tracker(self) -> str:
        """The tracker that people use; "" where MLflow is asked for and not installed."""
        return "" if self.spec.tracker == "mlflow" and self.platform.part("mlflow") is None else self.spec.tracker

    @property
    def object_store(self) -> str:
        """minio, seaweedfs or provider; "" where there is no store."""
        engine = self.platform.object_store
        return engine if self.platform.part(STORE) or engine == "provider" else ""

    @property
    def store_gb(self) -> int:
        """Disks of the object store inside the cluster; 0 where there is none."""
        part = self.platform.part(self.platform.object_store)
        return 0 if part is None else part.disk_gb

    @cached_property
    def claims(self) -> Mapping[str, str]:
        """Shared volumes of each namespace, by claim, with where notebooks mount them."""
        where = find_traits(self.target).shared_claims
        found = [FILES[where] for tier in self.spec.storage if where in FILES and _is_files(tier, where)]
        if where in BUCKETS:
            found += [BUCKETS[where] for tier in self.spec.storage if tier.tier == COLD and is_bucket(tier)]
        return {claim: f"{SHARED}/{claim}" for claim in dict.fromkeys(found)}

    @property
    def apart(self) -> Mapping[str, str]:
        """Claims on shared files that are no namespace's of a workload, with the namespace that they are in."""
        if find_traits(self.target).shared_claims != "tier":
            return {}
        tiers = [tier.tier for tier in self.spec.storage if tier.item == SHARED_SSD]
        return {tier: f"{file_systems.NAMESPACE}-{tier}" for tier in tiers}

    @property
    def checkpoint_minutes(self) -> Mapping[str, int]:
        """Minutes between checkpoints that the quote assumes, by workload."""
        asked = {work.name: getattr(work, "checkpointing", None) for work in self.checklist.workloads}
        return {name: each.every_minutes for name, each in asked.items() if each is not None and each.enabled}

    @property
    def elsewhere(self) -> tuple[ElsewhereFacts, ...]:
        return tuple(
            ElsewhereFacts(
                name=spec.placement.name,
                provider=self._title(spec),
                region=spec.placement.region,
                namespaces=tuple(namespace(each) for each in workloads(spec)),
                queue=QUEUE if self.lock.joined else "",
            )
            for spec in self.lock.placements[1:]
        )

    @property
    def shares(self) -> tuple[SlurmShare, ...]:
        """Slurm's part of each pool."""
        return shares(self.spec) if self.platform.part("slurm") else ()

    @property
    def expected_usd_per_month(self) -> Decimal | None:
        """Expected cost of a month; None where a line has no price, or one that is to be confirmed."""
        bill = self.lock.bill
        if any(line.usd_per_month is None or line.state == State.ESTIMATED for line in bill):
            return None
        return sum((line.usd_per_month[1] for line in bill if line.usd_per_month), Decimal(0))

    @cached_property
    def addresses(self) -> Mapping[str, str]:
        """Pages that people open; "" where the part is not installed."""
        there = {page: host for page, (part, host) in PAGES.items() if self.platform.part(part) is not None}
        return {page: f"https://{there[page]}.{self.domain}" if page in there else "" for page in PAGES}

    @cached_property
    def settings(self) -> Mapping[str, int | Decimal | None]:
        """Figures of the components, as the program sets them."""
        scales_down = find_traits(self.target).spot_fallback  # elsewhere it is not the program's to say after how long
        return {
            "idle_minutes": self.platform.idle_minutes,
            "workspace_gib": notebooks.WORKSPACE_GIB,
            "turns": TURNS,
            "start_minutes": kueue.START_MINUTES,
            "recovery_minutes": kueue.RECOVERY_MINUTES,
            "retries": kueue.RETRIES,
            "metrics_days": int(prometheus.KEPT.removesuffix("d")),
            "logs_days": int(log_and_trace_stores.LOGS_KEPT_FOR.removesuffix("h")) // HOURS_PER_DAY,
            "hold_hours": HOLD_HOURS,
            "empty_minutes": EMPTY_MINUTES if scales_down else None,
            "slurm_percent": slurm.WORKER_PERCENT,
        }

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
        """Whether any pool has spot machines."""
        return any(pool.kind == "spot" for pool in self.pools)

    @property
    def unclaimed(self) -> tuple[Tier, ...]:
        """Shared file systems of the quote for which the program makes no claim."""
        files = tuple(tier for tier in self.tiers if tier.tier != HOT and not is_bucket(tier))
        return () if self.claims or self.apart else files

    @property
    def store_holds_data(self) -> bool:
        """Whether the data set fits into the bucket of the team; True where its size is not known."""
        return not self.store_gb or self.dataset_gb is None or self.dataset_gb <= self.store_gb

    @property
    def data_tiers(self) -> tuple[Tier, ...]:
        """Durable tiers that are large enough for the data set, the fastest first."""
        least = self.dataset_gb or 0
        kept = (tier for tier in self.tiers if tier.tier not in (HOT, KEPT_AWAY))
        return tuple(tier for tier in kept if tier.asked_gb >= least)

    @property
    def hot(self) -> tuple[NodePoolFacts, ...]:
        return tuple(pool for pool in self.pools if pool.nvme_gb and pool.role != "system")


def _with_accelerators(homes: list[HomeFacts] | tuple[HomeFacts, ...]) -> HomeFacts | None:
    return next((home for home in homes if home.pool and home.pool.resource), None)


def _is_files(tier: Tier, where: str) -> bool:
    if where == "system":
        return tier.item == SHARED_SSD
    return tier.tier != HOT and not is_bucket(tier)


def facts_of(project: Project, stack: str, *, outputs: Path | None = None) -> HandbookFacts:
    """The facts of a stack.

    Raises:
        InputError: no lock, a checklist that does not read, or outputs that are not this stack's.
    """
    lock = read_accepted_lock(project, stack)
    mirror = lock.spec.platform.mirror if lock.spec.platform is not None else ""
    return HandbookFacts(
        lock=lock,
        checklist=read_file(project.checklist(stack)),
        catalog=load(),
        shelf=read_artifact_mirror(mirror, project=project.root),
        outputs=ClusterOutputs() if outputs is None else read_outputs(outputs, lock=lock),
    )
