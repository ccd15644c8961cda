"""The accepted cluster: everything the Pulumi program needs, decided, in plain values.

This is the body of quote.lock.json. It holds no price: a price refresh can never move a running cluster.
"""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Network
from typing import Literal

from pydantic import BaseModel, ConfigDict

from planning.checklist.model import Access, Customer
from planning.checklist.words import Ide, Operation, Orchestration, Support
from planning.money import Range


class Decided(BaseModel):
    """A frozen part of a spec."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Amounts(Decided):
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
        """Amounts of a Range."""
        return cls(min=quantity.min, expected=quantity.expected, max=quantity.max)


class Placement(Decided):
    """Where the cluster is."""

    provider: str
    region: str
    zones: tuple[str, ...]
    """Zone ids where the provider's catalog knows them; empty: the program picks the first three available."""
    target: Literal["aws", "existing", "none"]
    """What builds it: a cloud of ours, a cluster that exists, or nothing yet."""


class Pool(Decided):
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
    kind: Literal["on_demand", "spot", "reserved", "capacity_block", "flex"]
    working: int
    """Nodes at the peak, without spares."""
    spares: int
    min_nodes: int
    """0 where the pool scales to zero."""
    max_nodes: int
    """working + spares."""
    node_hours: Amounts
    """A month: min = min_nodes x 730 h, max = max_nodes x 730 h."""
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


class Tier(Decided):
    """One storage tier."""

    tier: Literal["hot", "warm", "cold", "archive"]
    engine: str
    item: str
    """Item that prices it, or "included" for the nodes' own NVMe."""
    asked_gb: Decimal
    provisioned_gb: int
    purpose: str


class Peering(Decided):
    """The joint with the customer's main VPC."""

    vpc_id: str
    vpc_cidr: IPv4Network | None
    region: str
    account: str | None
    route_table_ids: tuple[str, ...]
    gb_per_month: Amounts


class Network(Decided):
    """The cluster's network."""

    cidr: IPv4Network
    zone_count: int
    nat_gateways: int
    api_cidrs: tuple[IPv4Network, ...]
    egress_gb: Amounts
    nat_gb: Amounts
    load_balancers: Amounts
    peering: Peering | None


class Services(Decided):
    """What people do."""

    support: Support
    support_usd_per_month: Decimal | None
    """Stated in the checklist; None leaves the support line unpriced."""
    operation: Operation
    onboarding_usd_per_month: Decimal
    contract_months: int


class ExistingCluster(Decided):
    """How to reach a cluster that is there."""

    kubeconfig_env: str
    context: str | None


class ClusterSpec(Decided):
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
