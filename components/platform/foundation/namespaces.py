"""The platform's own namespaces: shut by network policies, at the strictest pod security that their pods pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

import pulumi

from components.platform.building_blocks import names
from components.platform.building_blocks.context import RegisteredComponent
from components.platform.building_blocks.network_policies import api_servers, isolate_namespace
from components.tenancy.cluster import NamespaceMetadata, shut_namespace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from components.platform.building_blocks.context import Charges, PlatformContext

RESTRICTED: Final = "restricted"
# Agents on nodes read the host's files and devices, which no lower level admits.
LEVELS: Final[Mapping[str, str]] = {
    "observability": "baseline",
    "node-agents": "privileged",
    "gpu-operator": "privileged",
    "gpu-metrics": "privileged",
    "network-operator": "privileged",
    "velero": "privileged",
    "slurm": "privileged",
}
# Namespaces that parts use beside their own.
BESIDE: Final[Mapping[str, str]] = {"prometheus": names.NODE_AGENTS, "collector": names.NODE_AGENTS}
# Volumes in them hold what nobody can make again: a namespace that goes takes its volumes with it.
KEPT: Final = frozenset({"object-store", "mlflow", "airflow"})
THEIRS: Final = frozenset({"", "kube-system"})  # made by the part itself, or by the cluster


@dataclass(frozen=True, kw_only=True)
class NamespacesArgs:
    """Names of the namespaces.

    Args:
        servers: ranges in which the Kubernetes API answers.
    """

    names: Sequence[str]
    servers: Sequence[str]


@final
class Namespaces(pulumi.ComponentResource):
    """One namespace for each group of parts that lives together."""

    def __init__(self, name: str, args: NamespacesArgs, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("atoll:platform:Namespaces", name, {"names": list(args.names)}, opts)
        for each in args.names:
            kept = NamespaceMetadata(kept=each in KEPT)
            home = shut_namespace(each, level=LEVELS.get(each, RESTRICTED), parent=self, marks=kept)
            isolate_namespace(each, servers=args.servers, parent=home)
        self.register_outputs({})


def build(ground: PlatformContext, charges: Charges, options: pulumi.ResourceOptions) -> RegisteredComponent:
    """The namespaces of every chart that is installed."""
    del charges
    parts = ground.platform.parts
    own = [part.namespace for part in parts if part.namespace not in THEIRS]
    beside = [BESIDE[part.name] for part in parts if part.name in BESIDE]
    args = NamespacesArgs(names=tuple(dict.fromkeys([*own, *beside])), servers=api_servers(ground.spec))
    return RegisteredComponent(resource=Namespaces("namespaces", args, opts=options))
