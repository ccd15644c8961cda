"""The checklist, whole: design section 5, every line of it."""

from __future__ import annotations

from decimal import Decimal
from hashlib import sha256
from ipaddress import IPv4Network
from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from planning.checklist.model.agreement import Agreement
from planning.checklist.model.people import Access, Email, Team
from planning.checklist.model.platform import PlatformAsk, Usage
from planning.checklist.model.units import Cidr, Count, Flag, GigabitsPerS, Gigabytes, Number, Whole, refuse_truth
from planning.checklist.model.vocabulary import (
    CloudName,
    FileShape,
    Ide,
    Operation,
    Orchestration,
    Reading,
    Residency,
    Support,
)
from planning.checklist.model.workload import ChecklistModel, Name, Notebooks, Workload

DOMAIN: Final = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$"
_SUGGESTED: Final = tuple(
    IPv4Network(f"{net}.0.0/16") for net in ("10.64", "10.80", "10.96", "10.112", "172.20", "172.24")
)


class Customer(ChecklistModel):
    """Who asks, and who answers for the bill."""

    name: Name
    """Short name; it becomes a tag on every resource, never part of a name in state."""
    owner: Email
    """Who is told when money or machines misbehave."""


class Engineers(ChecklistModel):
    """The people who will work in the cluster."""

    count: Whole = Field(ge=1)
    """How many."""
    ides: tuple[Ide, ...] = ()
    """In-cluster IDEs; empty for none."""


class DataSet(ChecklistModel):
    """What the jobs read."""

    size: Gigabytes
    """Size of the training data."""
    files: FileShape = FileShape.HUGE
    """Few huge files, or millions of tiny ones."""
    file_count: Count | None = None
    """Number of files."""
    passes_per_day: Number = Field(default=Decimal(1), gt=0)
    """How often all of it is read in a day of training."""


class Traffic(ChecklistModel):
    """What crosses the edge of the cluster."""

    direction: Literal["egress", "ingress"] = "ingress"
    """Which way most of it goes."""
    sustained: GigabitsPerS | None = None
    """Rate that holds for hours."""
    burst: GigabitsPerS | None = None
    """Peak rate."""
    egress_per_month: Gigabytes = Field(default=Decimal(500), validate_default=True)
    """Volume to the internet in a month."""
    egress_per_month_max: Gigabytes | None = None
    """The same in a busy month; the bill's max."""
    ingress_per_month: Gigabytes = Field(default=Decimal(1000), validate_default=True)
    """Volume from the internet in a month; it passes the NAT gateway, which charges for it."""
    logs_per_month: Gigabytes = Field(default=Decimal(50), validate_default=True)
    """Volume of logs kept."""


class MainCloud(ChecklistModel):
    """The cloud the customer already lives in."""

    provider: CloudName
    """Which one."""
    region: str
    """Region of the VPC."""
    account: str | None = None
    """Account, project or subscription of the VPC."""
    vpc_id: str | None = None
    """VPC to peer with; none for no peering."""
    vpc_cidr: Cidr | None = None
    """Its address range; may not overlap the cluster's."""
    route_table_ids: tuple[str, ...] = ()
    """Route tables of that VPC that get the route back (same account only)."""
    peering_per_month: Gigabytes | None = None
    """Volume over the peering in a month."""
    logs_and_metrics: Flag = False
    """Whether logs and metrics are visible there too."""


class TierAsk(ChecklistModel):
    """One storage tier."""

    size: Gigabytes
    """Usable size; what must be provisioned for it is derived."""
    purpose: Literal["data", "checkpoints", "code", "models", "archive"] = "data"
    """What it is for."""


class Storage(ChecklistModel):
    """Four tiers, each asked for by its usable size."""

    hot: TierAsk | None = None
    """Local NVMe of the nodes; lost with the node."""
    warm: TierAsk | None = None
    """Shared NVMe: a parallel file system."""
    cold: TierAsk | None = None
    """Shared, large and cheap: object storage."""
    archive: TierAsk | None = None
    """Kept for years, read almost never."""


class Contract(ChecklistModel):
    """How long the customer commits."""

    months: Annotated[Literal[0, 12, 24, 36], BeforeValidator(refuse_truth)] = 0
    """0 for none."""
    incentives: Flag = False
    """Whether contract incentives are wanted."""
    reserve: Literal["always_on", "all", "nothing"] = "always_on"
    """Which machines may be reserved for the term."""
    onboarding_usd: Number = Field(default=Decimal(3500), ge=0, le=5000)
    """Professional services for onboarding, spread over the contract (2 to 5 thousand USD; seed 000)."""


class Existing(ChecklistModel):
    """A cluster that is already there."""

    provider: CloudName
    """Who rents the machines out."""
    region: str = "any"
    """Where they are."""
    kubeconfig_env: str = Field(default="KUBECONFIG", pattern=r"^[A-Z_][A-Z0-9_]*$")
    """Environment variable that names the kubeconfig file; its content never enters the checklist."""
    context: str | None = None
    """Context in that kubeconfig."""


class Elsewhere(ChecklistModel):
    """Workloads that run in a cluster of their own, at another place than the rest."""

    name: Name
    """What this placement is called."""
    workloads: tuple[Name, ...] = Field(min_length=1)
    """Names of the workloads that run there."""
    wanted: tuple[CloudName, ...] = ()
    """Only these providers; empty for all."""
    regions: tuple[str, ...] = ()
    """Only these regions; empty for all."""
    existing: Existing | None = None
    """A cluster that is already there."""
    storage: Storage = Storage()
    """Storage tiers beside it; those of the checklist itself are in the primary placement."""
    traffic: Traffic = Traffic()
    """What crosses the edge of that cluster."""
    cidr: Cidr = IPv4Network("10.80.0.0/16")
    """Address range of that cluster's network."""


class Where(ChecklistModel):
    """Where the cluster may be."""

    wanted: tuple[CloudName, ...] = ()
    """Only these providers; empty for all."""
    excluded: tuple[CloudName, ...] = ()
    """Never these."""
    regions: tuple[str, ...] = ()
    """Only these regions; empty for all."""
    residency: Residency = Residency.ANY
    """Where data may lie."""
    no_lock_in: Flag = False
    """Refuse what only one provider sells."""
    existing: Existing | None = None
    """Build on a cluster that is already there."""
    elsewhere: tuple[Elsewhere, ...] = ()
    """Workloads that run in a cluster of their own at another place; all others run in the primary placement."""
    joined: Flag = True
    """Whether jobs queued in the primary placement are sent on to additional ones."""
    cidr: Cidr = IPv4Network("10.64.0.0/16")
    """Address range of the cluster's network."""
    domain: str | None = Field(default=None, pattern=DOMAIN)
    """DNS zone for the cluster's services, as in ml.example.com; none for no names of its own."""
    api_cidrs: tuple[Cidr, ...] = ()
    """Who may reach the Kubernetes API from the internet; empty keeps it private."""


class Ceiling(ChecklistModel):
    """The most it may cost: a hard limit, judged in every preview."""

    usd_per_month: Number | None = Field(default=None, gt=0)
    """A month of everything."""
    usd_per_contract: Number | None = Field(default=None, gt=0)
    """All months of the contract."""
    usd_per_gpu_hour: Number | None = Field(default=None, gt=0)
    """One accelerator for an hour."""
    binds: Reading = Reading.EXPECTED
    """Which reading of the bill it limits; max is always shown."""


class Checklist(ChecklistModel):
    """Everything a quote starts from."""

    customer: Customer
    """Who asks."""
    workloads: tuple[Workload, ...] = Field(min_length=1)
    """What the cluster is for."""
    engineers: Engineers | None = None
    """Who works in it."""
    teams: tuple[Team, ...] = ()
    """Who shares what; empty for one team of everybody."""
    dataset: DataSet | None = None
    """What the jobs read."""
    traffic: Traffic = Traffic()
    """What crosses the edge."""
    main_cloud: MainCloud | None = None
    """The cloud the customer lives in."""
    tracker: Literal["mlflow", "wandb", "comet"] = "mlflow"
    """Experiment tracker."""
    schedulers: tuple[Literal["airflow"], ...] = ()
    """Scheduler extras."""
    storage: Storage = Storage()
    """Storage tiers."""
    usage: Usage = Usage()
    """What is paid by use, as ranges."""
    orchestration: Orchestration = Orchestration.KUBERNETES
    """What schedules jobs."""
    platform: PlatformAsk = PlatformAsk()
    """What is installed on the cluster."""
    operation: Operation = Operation.OURSELVES
    """Who runs the cluster."""
    contract: Contract = Contract()
    """How long the customer commits."""
    support: Support = Support.AS_NEEDED
    """Who answers when something breaks."""
    support_usd_per_month: Number | None = Field(default=None, ge=0)
    """What that support costs, where a partner has named a price; without it the support line stays unpriced."""
    slo_percent: Number | None = Field(default=None, gt=0, lt=100)
    """Share of the month a service must be up."""
    where: Where = Where()
    """Where the cluster may be."""
    access: Access = Access()
    """How people get in."""
    spare_share: Number = Field(default=Decimal("0.1"), ge=0, le=Decimal("0.5"))
    """Spare nodes on the same fabric, for jobs over several nodes (about 10%; seed 001)."""
    burn_in: Flag = True
    """Test each GPU node before work may land on it (3-10% of new ones fail early; seed 001)."""
    ceiling: Ceiling = Ceiling()
    """The most it may cost."""
    agreement: Agreement = Agreement()
    """Terms settled beyond the option; they may change after it was accepted."""


def networks(checklist: Checklist) -> tuple[IPv4Network, ...]:
    """Every range of addresses that the checklist names."""
    where, main = checklist.where, checklist.main_cloud
    theirs = (main.vpc_cidr,) if main is not None and main.vpc_cidr is not None else ()
    return (where.cidr, *(each.cidr for each in where.elsewhere), *theirs)


def suggest_range(checklist: Checklist, *, at: int = 0) -> IPv4Network:
    """A /16 that no network of the checklist touches; another for each `at`."""
    taken = networks(checklist)
    free = [each for each in _SUGGESTED if not any(each.overlaps(other) for other in taken)]
    return free[at] if at < len(free) else _SUGGESTED[at]


def checklist_digest(checklist: Checklist) -> str:
    """Digest of what a checklist asks: the same while comments, layout or the agreement change, which price nothing."""
    asked = checklist.model_dump_json(exclude_defaults=True, exclude={"agreement"})
    return "sha256:" + sha256(asked.encode()).hexdigest()


SMALL: Final = "small"
STANDARD: Final = "standard"


def size_of(checklist: Checklist) -> str:
    """The size asked for; small where there are only notebooks, else standard."""
    if checklist.platform.size is not None:
        return checklist.platform.size
    only_notebooks = all(isinstance(work, Notebooks) for work in checklist.workloads)
    return SMALL if only_notebooks else STANDARD
