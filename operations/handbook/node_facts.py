"""The nodes of a cluster and the namespaces that people work in, as its handbook says them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
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
    pools: tuple[PoolFacts, ...]
    teams: tuple[str, ...]
    queues: tuple[QueueFacts, ...]
    default: str
    quota: Mapping[str, int]

    @property
    def pool(self) -> PoolFacts | None:
        """The pool that jobs are shown with: the first with accelerators, else the first."""
        return next((each for each in self.pools if each.resource), self.pools[0] if self.pools else None)

    @property
    def queue(self) -> str:
        """The queue that examples name."""
        return self.queues[0].team if self.queues else self.default
