"""The platform's own namespaces: isolated, at the strictest pod security level that their pods pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from components.platform.building_blocks import names
from components.platform.building_blocks.context import component
from components.platform.building_blocks.network_policies import api_servers, isolate_namespace
from components.tenancy.cluster import NamespaceMetadata, shut_namespace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from components.platform.building_blocks.context import PlatformContext, PlatformResource


RESTRICTED: Final = "restricted"
# Node agents read files and devices of the host, which only "privileged" admits.
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
# Kept, with their volumes: data in them cannot be recreated.
KEPT: Final = frozenset({"object-store", "mlflow", "airflow"})
THEIRS: Final = frozenset({"", "kube-system"})  # made by the part itself, or by the cluster


def list_namespaces(context: PlatformContext) -> list[str]:
    """Namespaces of every installed component."""
    parts = context.platform.parts
    own = [part.namespace for part in parts if part.namespace not in THEIRS]
    return list(dict.fromkeys([*own, *(BESIDE[part.name] for part in parts if part.name in BESIDE)]))


@component("namespaces", "atoll:platform:Namespaces", inputs=lambda context, _: {"names": list_namespaces(context)})
def build(own: PlatformResource) -> None:
    """Namespaces of the components."""
    for name in list_namespaces(own.context):
        kept = NamespaceMetadata(kept=name in KEPT)
        home = shut_namespace(name, level=LEVELS.get(name, RESTRICTED), parent=own, marks=kept)
        isolate_namespace(name, servers=api_servers(own.context.spec), parent=home)
