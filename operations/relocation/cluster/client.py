"""The clusters of a relocation, by the API that each side's kubeconfig names, asked by kinds of objects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, final

from operations.clouds.kubernetes import client
from operations.clouds.kubernetes.client import ClusterWords, KubernetesClient
from operations.clouds.kubernetes.objects import KubeconfigSource, ResourceKind, namespace_of
from operations.relocation.runner.step import RunContext, StepError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.relocation.config.endpoints import RelocationSide


@final
class RelocationCluster:
    """One cluster; errors are those of `KubernetesClient`."""

    def __init__(self, cluster: KubernetesClient) -> None:
        self._cluster = cluster

    def list_objects(self, kind: ResourceKind, *, namespace: str = "") -> Sequence[Mapping[str, object]]:
        """Objects of a kind; empty if the kind is not served."""
        # A cluster without the custom resource has none of its objects.
        return self._cluster.list_objects(kind.path(namespace), optional=True)

    def get(self, kind: ResourceKind, *, namespace: str, name: str) -> Mapping[str, object] | None:
        """One object; None if it, or its kind, does not exist."""
        return self._cluster.get(kind.path(namespace, name))

    def change(self, kind: ResourceKind, *, namespace: str, name: str, change: Mapping[str, object]) -> bool:
        """Apply a merge patch; False if the object does not exist."""
        return self._cluster.patch(kind.path(namespace, name), change)

    def create(self, kind: ResourceKind, document: Mapping[str, object]) -> bool:
        """Create an object; False if the name is taken."""
        return self._cluster.create(kind.path(namespace_of(document)), document)

    def delete(self, kind: ResourceKind, *, namespace: str, name: str) -> bool:
        """Delete an object at once; False if it does not exist."""
        return self._cluster.delete(kind.path(namespace, name), gracePeriodSeconds=0)


def open_clusters(move: RunContext) -> tuple[RelocationCluster | None, RelocationCluster | None]:
    source, target = move.places.source, move.places.target
    return (
        open_cluster(source, move.secrets, words="source"),
        open_cluster(target, move.secrets, words="target"),
    )


def open_cluster(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> RelocationCluster | None:
    """The cluster of a side; None without a kubeconfig.

    Raises:
        ClusterError: what it names is no kubeconfig.
    """
    return RelocationCluster(open_client(side, secrets, words=words)) if side.kubeconfig_env else None


def open_client(side: RelocationSide, secrets: Mapping[str, str], *, words: str) -> KubernetesClient:
    """The API of a side's cluster.

    Raises:
        StepError: the side names no kubeconfig.
        ClusterError: what it names is none.
    """
    variable = side.kubeconfig_env
    if variable is None:
        raise StepError(
            f"the {words} names no kubeconfig", hint=f"kubeconfig_env of the {words} names the variable with it"
        )
    spoken = ClusterWords(
        name=f"the cluster of the {words}",
        kubeconfig_hint=f"{variable} names the kubeconfig of the {words}",
        refused_hint="the kubeconfig's user must read, change and make what is moved; then run again",
        silent_hint="look at its address in the kubeconfig, and run again",
    )
    named = secrets.get(variable) or os.environ.get(variable, "")
    return client.open_cluster(KubeconfigSource(variable=variable, context=side.context), spoken, named=named)
