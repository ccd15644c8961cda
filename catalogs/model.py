"""What a catalog row is. Facts only: no row knows what it will be used for."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - types of fields are read to parse rows, here and below
from dataclasses import dataclass
from datetime import date  # noqa: TC003
from decimal import Decimal  # noqa: TC003
from enum import StrEnum


class CatalogError(Exception):
    """A fact is missing, ambiguous or malformed. The message names the file and line, or the key asked for.

    `faults` holds every (line, fault) of one faulty file, so that all of them can be shown at once.
    """

    def __init__(self, message: str, *, faults: tuple[tuple[int, str], ...] = ()) -> None:
        super().__init__(message)
        self.faults = faults


class UnpricedError(CatalogError):
    """No row matches the key: the thing has no price here, which is not the same as costing nothing."""


class AmbiguousPriceError(CatalogError):
    """More than one row matches one key: a price may not be picked by chance."""


class PurchaseKind(StrEnum):
    """How a machine is paid for, whatever each provider calls it."""

    ON_DEMAND = "on_demand"
    SPOT = "spot"
    RESERVED = "reserved"  # a term of months, paid whether used or not
    CAPACITY_BLOCK = "capacity_block"  # booked for days, paid up front
    FLEX = "flex"  # queued start, bounded run time


class Form(StrEnum):
    """How the accelerator is mounted. A PCIe card is never an SXM module, whatever its name shares."""

    SXM = "SXM"
    PCIE = "PCIe"
    NVL = "NVL"
    OAM = "OAM"
    SUPERCHIP = "superchip"
    CUSTOM = "custom"  # provider-built (Trainium, Inferentia, TPU, Gaudi)


class Fabric(StrEnum):
    """What joins nodes of one machine type to each other."""

    EFA = "efa"
    INFINIBAND = "infiniband"
    ROCE = "roce"
    GPUDIRECT = "gpudirect"
    ETHERNET = "ethernet"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator model. `tflops`, `tflops_sparse`: peak by precision (bf16, fp16, fp8, tf32, int8, fp64)."""

    name: str  # unique: family, form and memory, as in "H100-SXM-80GB"
    family: str  # "H100"
    maker: str
    form: Form
    memory_gb: int
    tflops: Mapping[str, Decimal]
    tflops_sparse: Mapping[str, Decimal]
    hbm_gb_per_s: Decimal | None
    nvlink_gb_per_s: Decimal | None  # per GPU, one direction; None where there is no such link
    source: str
    as_of: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One machine type of one provider: hardware facts, no price."""

    provider: str
    name: str
    accelerator: str | None  # Accelerator.name
    accelerators: int
    vcpus: int | None
    memory_gib: Decimal | None
    local_nvme_gb: int | None  # 0: none. None: not known
    network_gbps: Decimal | None
    fabric: Fabric
    efa_interfaces: int
    cluster: bool  # sold in groups that share a fabric; single pods and shared boxes are not
    placement_group: bool
    architecture: str  # "x86_64" or "arm64"
    source: str
    as_of: date | None
    rack: bool = False  # rented by the rack of many nodes, and never scaled (docs.coreweave.com, Autoscale Node Pools)


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """One price: of a machine (`unit` hour) or of a service item, in one region, for one purchase.

    Args:
        item: machine name, or a word of `Item`.
        region: region name, or "*" where the price is the same in every region of the provider.
        purchase: a word of terms.csv ("on_demand", "spot", "savings_plan_12m_no_upfront"); "list" for services.
        above: quantity from which this tier holds; 0 for a flat price.
        usd: USD per unit, never negative; 0 only where the source says it is free.
        as_of: None where the source did not date it.
        list_usd: of a discounted price, what the list asks; `list_source` where that was read.
        discounts: what the customer's own book takes off it, in order, each with its row: "-12% (book:ours:3)".
        entered: day on which the rows of an undated source entered the catalog; None for the customer's own.
        disagreement: of a service, by how much another source differs: "sources differ by 9%"; "" where none does.
    """

    provider: str
    item: str
    region: str
    purchase: str
    unit: str
    usd: Decimal
    above: Decimal
    source: str
    as_of: date | None
    list_usd: Decimal | None = None
    list_source: str = ""
    discounts: tuple[str, ...] = ()
    entered: date | None = None
    disagreement: str = ""

    @property
    def undated(self) -> bool:
        """Whether nobody wrote down when the list had this price; the customer's own needs no day to be one."""
        own = self.source.startswith(OWN_PREFIX) and self.entered is None
        return self.as_of is None and not own


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """What a purchase word means at a provider ("*" for every provider).

    Args:
        holds: whether its nodes are held for the customer while they do not run: "yes", "no", "unknown".
        holds_source: source of that alone.
        least_nodes: least number of machines that it is sold in (Lambda's 1-Click Clusters start at 16 GPUs).
    """

    purchase: str
    provider: str
    kind: PurchaseKind
    months: int  # 0 where nothing is committed
    upfront: str  # "none", "partial", "all", "unknown"
    note: str
    source: str
    holds: str
    holds_source: str
    least_nodes: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A machine at a place, a purchase and a price: what an option is made of."""

    machine: Machine
    region: str
    price: Price
    term: Term
    flags: tuple[str, ...] = ()  # "undated", "thin spot", "sources differ by 12%", "spot equals on demand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """Where a region lies. `residency` is a group such as EU, US, UK, APAC; "unknown" where the source does not say."""

    provider: str
    name: str
    country: str
    residency: str
    zones: tuple[str, ...]
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What is true of a provider whatever the region."""

    name: str
    title: str
    tier: str  # "big_three" or "micro_cloud"
    kubernetes: str  # the managed Kubernetes it sells, or "" where there is none
    manages: str
    sla: str
    egress: str
    lock_in: str
    source: str


class Item(StrEnum):
    """Everything but machines that a cluster pays for. The words are ours, the same for every provider."""

    CONTROL_PLANE = "control_plane"  # cluster-hour
    NAT_GATEWAY = "nat_gateway"  # hour
    NAT_DATA = "nat_data"  # GB
    LOAD_BALANCER = "load_balancer"  # hour
    LOAD_BALANCER_UNIT = "load_balancer_unit"  # hour of one unit of capacity
    PUBLIC_IPV4 = "public_ipv4"  # hour
    INTERFACE_ENDPOINT = "interface_endpoint"  # hour
    VPN_CONNECTION = "vpn_connection"  # hour
    TRANSIT_ATTACHMENT = "transit_attachment"  # hour
    TRANSIT_DATA = "transit_data"  # GB
    CROSS_ZONE_DATA = "cross_zone_data"  # GB, each direction
    INTER_REGION_DATA = "inter_region_data"  # GB
    INTERNET_EGRESS = "internet_egress"  # GB, in tiers
    DISK = "disk"  # GB-month, the network disk a node boots from
    DISK_IOPS = "disk_iops"  # IOPS-month above what is included
    DISK_THROUGHPUT = "disk_throughput"  # MBps-month above what is included
    DISK_FAST = "disk_fast"  # GB-month, provisioned IOPS
    DISK_FAST_IOPS = "disk_fast_iops"  # IOPS-month
    SHARED_SSD = "shared_ssd"  # GB-month, the warm tier: parallel file system on NVMe or SSD
    SHARED_SCRATCH = "shared_scratch"  # GB-month, the same without replication
    SHARED_DISK = "shared_disk"  # GB-month, plain shared file system
    OBJECT = "object"  # GB-month
    OBJECT_INFREQUENT = "object_infrequent"  # GB-month
    OBJECT_ARCHIVE = "object_archive"  # GB-month
    OBJECT_PUT = "object_put"  # 1k requests
    OBJECT_GET = "object_get"  # 1k requests
    ENCRYPTION_KEY = "encryption_key"  # key-month
    DNS_ZONE = "dns_zone"  # zone-month
    LOG_INGEST = "log_ingest"  # GB
    LOG_STORAGE = "log_storage"  # GB-month
    SUPPORT_BUSINESS_HOURS = "support_business_hours"  # month
    SUPPORT_24X7 = "support_24x7"  # month


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageTier:
    """What a storage tier is made of at a provider, and in which steps it is sold."""

    provider: str
    tier: str  # hot, warm, cold, archive
    item: str  # Item, or "included" for local NVMe
    engine: str  # "FSx for Lustre", "S3 Standard", "local NVMe"
    usable_share: Decimal  # of what is provisioned: 0.8 for Lustre and other shared file systems
    minimum_gb: int
    step_gb: int
    note: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubernetesProfile:
    """What a provider's Kubernetes brings along. Each part has one owner: "provider", "atoll" or "none"."""

    provider: str  # a provider, or "on_premises" for a cluster that nobody manages
    title: str
    gpu_driver: str
    device_plugin: str
    node_feature_discovery: str
    dcgm_exporter: str
    network_plugin: str  # device plugin of the fabric
    node_repair: str
    autoscaler: str
    forbidden: tuple[str, ...]  # what must not be installed or asked for there
    disk_class: str  # storage classes of the provider; "" where it has none, or no source names it
    shared_class: str
    rdma_resource: str
    oldest_kubernetes: str  # minor version, "1.33"
    notes: str
    source: str
    as_of: date | None


OWN_PREFIX = "book:"  # of a source of the customer's own price book; its name and line follow: "book:ours:7"
UNNAMED_MACHINE = "cpu-node"  # nodes at a provider whose CPU machines no catalog has: only an own price book prices it


class Method(StrEnum):
    """How a source came by its price. Some ways make a price weaker than a list price, and an offer says so."""

    LIST = "list"  # the vendor's published price
    MEAN_OF_ZONES = "mean_of_zones"
    MEDIAN_OF_ZONES = "median_of_zones"
    MINIMUM_ZONE = "minimum_zone"  # the cheapest zone of a region
    PER_GPU_RATE = "per_gpu_rate"  # a rate per GPU times the GPUs of the machine
    WITHOUT_LOCAL_SSD = "without_local_ssd"  # host and GPUs added up, the bundled SSD forgotten
    FLOOR = "floor"  # "from": moves above it
    BEFORE_RISE = "before_rise"  # an older date than a known rise of the same price list
    COMMUNITY = "community"  # hosts of third parties, resold
    FIGURE = "figure"  # converted from a published figure of another unit
    OWN = "own"  # the customer's own price book


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where facts were read. Rows name it by `id`; `as_of` holds for each row that has no date of its own.

    Args:
        entered: of a source without a date, the day on which its rows entered the catalog, as git tells it.
    """

    id: str
    text: str
    url: str
    as_of: date | None
    method: Method
    entered: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominal:
    """A peak that a dated text used for a whole machine, kept apart from the datasheet peak of its accelerators."""

    family: str  # Accelerator.family
    accelerators: int
    precision: str
    tflops: Decimal
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What a provider can be held to: one figure, or several that belong together, of promises.csv."""

    name: str
    values: tuple[Decimal, ...]
    unit: str
    text: str
    source: str
    as_of: date | None

    @property
    def value(self) -> Decimal:
        """The first, where there is but one."""
        return self.values[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoverStep:
    """One step from the accepted quote to the first job.

    Args:
        owner: role of whoever answers for it, as in the checklist's agreement.contacts.
        after: step that must be done before; "" for the first.
        working_days: None where it follows from something else.
    """

    step: str
    title: str
    owner: str
    after: str
    working_days: int | None
    source: str
