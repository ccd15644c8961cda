"""The accepted cluster: everything the Pulumi program needs, decided, in plain values.

This is the body of quote.lock.json. It holds no price: a price refresh can never move a running cluster.
"""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Network
from typing import Literal

from planning.checklist.model.checklist import Customer
from planning.checklist.model.people import Access
from planning.checklist.model.vocabulary import HOME, Ide, Operation, Orchestration, Support
from planning.spec.model import SpecModel
from planning.spec.platform import Platform
from planning.values.money import Range


class Amounts(SpecModel):
    """A range in a lock: `min <= expected <= max`, checked when it becomes a `Range`."""

    min: Decimal
    expected: Decimal
    max: Decimal

    def as_range(self) -> Range:
        """The same as a Range.

        Raises:
            ValueError: out of order.
        """
        return Range(self.min, self.expected, self.max)

    @classmethod
    def of(cls, quantity: Range) -> Amounts:
        return cls(min=quantity.min, expected=quantity.expected, max=quantity.max)


class Placement(SpecModel):
    """Where one cluster of the stack is."""

    name: str = HOME
    """What this stack calls it; the first placement is home."""
    provider: str
    region: str
    zones: tuple[str, ...]
    """Zone ids where the provider's catalog knows them; empty: the program picks the first three available."""
    target: Literal["aws", "gcp", "coreweave", "existing", "none"]
    """What builds it: a cloud of ours, a cluster that exists, or nothing yet."""


Owner = Literal["provider", "atoll", "none"]


class Profile(SpecModel):
    """What a provider's Kubernetes brings along, what it forbids, and what is therefore ours to add."""

    provider: str
    title: str
    """What the provider calls it: "EKS", "1-Click Clusters"."""
    gpu_driver: Owner
    device_plugin: Owner
    node_feature_discovery: Owner
    dcgm_exporter: Owner
    network_plugin: Owner
    """Device plugin of the fabric (EFA, RDMA)."""
    node_repair: Owner
    autoscaler: Owner
    """Who adds and removes nodes: "none" where the machines are fixed."""
    forbidden: tuple[str, ...] = ()
    """Words of `catalogs.providers.FORBIDDABLE` that must not be installed or asked for here."""
    disk_class: str = ""
    """Storage class of the provider for network disks; "" where ours is made."""
    shared_class: str = ""
    """Storage class of the provider for the shared file system; "" where none is known."""
    rdma_resource: str = ""
    """Extended resource by which a pod asks for the fabric; "" where there is none."""
    oldest_kubernetes: str = ""
    """Oldest minor version we build on, "1.33"; "" where any will do."""
    notes: tuple[str, ...] = ()


class Gateway(SpecModel):
    """The WireGuard gateway."""

    kind: Literal["machine", "in_cluster"]
    machine: str
    """Machine type; "" in the cluster."""
    disk_gb: int
    port: int
    cidr: IPv4Network
    """Addresses of the users' devices inside the tunnel; outside the cluster's and the peered network's."""


class Link(SpecModel):
    """A site-to-site VPN between a cluster and the main cloud, where no VPC peering exists."""

    provider: str
    """The main cloud, at whose prices its gateway is paid."""
    region: str
    vpc_id: str
    vpc_cidr: IPv4Network
    account: str | None
    route_table_ids: tuple[str, ...]
    gb_per_month: Amounts


class Pool(SpecModel):
    """Equal nodes of one offer."""

    name: str
    role: Literal["system", "cpu", "gpu"]
    workload: str | None
    machine: str
    accelerator: str | None
    accelerators: int
    """Per node."""
    vcpus: int | None
    memory_gib: Decimal | None
    architecture: str
    purchase: str
    """Word of terms.csv."""
    fallback: str = ""
    """Purchase that replaces nodes of this one when it has none to give, at most; "" for none."""
    kind: Literal["on_demand", "spot", "reserved", "capacity_block", "flex"]
    working: int
    """Nodes at the peak, without spares."""
    spares: int
    min_nodes: int
    """0 where the pool scales to zero."""
    max_nodes: int
    """working + spares."""
    node_hours: Amounts
    """A month: a quiet one, the checklist's, and the most that its work can use, never above max_nodes x 730 h."""
    disk_gb: int
    """Network disk of each node."""
    local_nvme_gb: int | None
    fabric: str
    efa_interfaces: int
    placement_group: bool
    """Wanted only where nodes of one job talk to each other and nothing is reserved."""
    zones: tuple[str, ...]
    """Zones the pool may use; one for a fabric; empty: any of the cluster's."""
    burn_in: bool


class Tier(SpecModel):
    """One storage tier."""

    tier: Literal["hot", "warm", "cold", "archive"]
    engine: str
    item: str
    """Item that prices it, or "included" for the nodes' own NVMe."""
    asked_gb: Decimal
    provisioned_gb: int
    purpose: str
    grown_gb: Amounts | None = None
    """GB by which it lies above `provisioned_gb`: in its first month, on average over the contract, in the last."""
    writes_thousands: Amounts | None = None
    """Thousands of requests a month that write or list; none where the checklist does not foresee any."""
    reads_thousands: Amounts | None = None
    """Thousands of requests a month that read."""


class Peering(SpecModel):
    """The joint with the customer's main VPC."""

    vpc_id: str
    vpc_cidr: IPv4Network | None
    region: str
    account: str | None
    route_table_ids: tuple[str, ...]
    gb_per_month: Amounts


class Network(SpecModel):
    """The cluster's network."""

    cidr: IPv4Network
    zone_count: int
    nat_gateways: int
    api_cidrs: tuple[IPv4Network, ...]
    egress_gb: Amounts
    nat_gb: Amounts
    load_balancers: Amounts
    balanced_gb: Amounts | None = None
    """GB through the load balancer; None in a lock of before it was counted."""
    crossing_gb: Amounts | None = None
    """GB that are paid for crossing from one zone to another, as often as they are paid; None where that is free."""
    peering: Peering | None
    link: Link | None = None
    domain: str = ""
    """DNS zone of the services, below which every address of the cluster lies; "" for none."""


class Services(SpecModel):
    """What people do."""

    support: Support
    support_usd_per_month: Decimal | None
    """Stated in the checklist; None leaves the support line unpriced."""
    operation: Operation
    onboarding_usd_per_month: Decimal
    contract_months: int


class ExistingCluster(SpecModel):
    """How to reach a cluster that is there."""

    kubeconfig_env: str
    context: str | None


class ClusterSpec(SpecModel):
    """The whole cluster."""

    customer: Customer
    placement: Placement
    network: Network
    pools: tuple[Pool, ...]
    storage: tuple[Tier, ...]
    logs_gb: Amounts
    services: Services
    access: Access
    ides: tuple[Ide, ...]
    engineers: int
    tracker: str
    schedulers: tuple[str, ...]
    orchestration: Orchestration
    kubernetes_version: str
    existing: ExistingCluster | None
    profile: Profile
    vpn: Gateway | None = None
    platform: Platform | None = None
    """What is installed on it; None on an additional placement, which only takes jobs."""
