"""The order inside a cluster, the same on every provider: namespaces, limits, rights, priorities, storage classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi
import pulumi_kubernetes as kubernetes

from components.access.names import SYSTEM_NAMESPACE, namespace, workloads
from components.access.opening import opening
from components.access.tenant import TenantArgs, tenant
from components.storage.classes import storage_classes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.site import Volume
    from planning.spec import ClusterSpec

# Who yields to whom when there is no room: what serves users first, then people, then jobs that resume, then the rest.
PRIORITIES: Final[Mapping[str, tuple[int, str]]] = {
    "atoll-serving": (100_000, "services that answer users"),
    "atoll-interactive": (50_000, "notebooks and IDEs that somebody waits for"),
    "atoll-training": (10_000, "training jobs, which resume from a checkpoint"),
    "atoll-batch": (1_000, "jobs that may wait and be started again"),
}


@dataclass(frozen=True, kw_only=True)
class TenancyArgs:
    """What the lock says of pools, tiers and people.

    Args:
        identity: how pods get the provider's rights (`Identity.kind`).
        volumes: those that each workload claims.
    """

    spec: ClusterSpec
    identity: str = "none"
    volumes: Sequence[Volume] = ()


@final
class Tenancy(pulumi.ComponentResource):
    """A namespace for each workload, shut and bounded, and one for the system.

    Tenants' namespaces enforce the restricted pod security standard. The system namespace is privileged, because node
    tests reach the accelerators and disks of the host, which no lower level admits; no user has rights in it.
    """

    def __init__(self, name: str, args: TenancyArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:access:Tenancy", name, {"workloads": list(workloads(args.spec))}, opts)
        system = shut_namespace(SYSTEM_NAMESPACE, level="privileged", parent=self)
        for volume in args.volumes:
            if volume.shut:
                opening(volume, home=system)
        for workload in workloads(args.spec):
            home = shut_namespace(namespace(workload), level="restricted", parent=self)
            mine = TenantArgs(workload=workload, pools=args.spec.pools, identity=args.identity, volumes=args.volumes)
            tenant(mine, home=home)
        _priorities(parent=self)
        storage_classes(args.spec.storage, parent=self)
        self.register_outputs({})


def shut_namespace(name: str, *, level: str, parent: pulumi.Resource) -> kubernetes.core.v1.Namespace:
    """A namespace under a pod security standard, whose violations are refused, warned of and logged alike."""
    modes = ("enforce", "warn", "audit")
    labels = {f"pod-security.kubernetes.io/{mode}": level for mode in modes}
    return kubernetes.core.v1.Namespace(
        name,
        metadata={"name": name, "labels": {**labels, "app.kubernetes.io/managed-by": "atoll"}},
        opts=pulumi.ResourceOptions(parent=parent),
    )


def _priorities(*, parent: Tenancy) -> None:
    for name, (value, description) in PRIORITIES.items():
        kubernetes.scheduling.v1.PriorityClass(
            name,
            metadata={"name": name},
            value=value,
            description=description,
            preemption_policy="Never" if name == "atoll-batch" else "PreemptLowerPriority",
            opts=pulumi.ResourceOptions(parent=parent),
        )
