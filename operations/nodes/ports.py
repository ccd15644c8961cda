"""What is needed of a cluster to mend its nodes; the live one is in `operations.nodes.kubernetes_cluster`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from planning.values.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from planning.incidents.node import Node
    from planning.incidents.pods import Pod, PodDisruptionBudget


class NodeApiError(InputError):
    """The cluster does not answer, or refuses."""


class SilentError(NodeApiError):
    """The cluster does not answer: it may in a moment."""


class ChangedError(Exception):
    """The node was changed between the look and the change: look again."""


class NodeApi(Protocol):
    """A cluster; every call raises ClusterError where it refuses or does not answer."""

    def nodes(self) -> Sequence[Node]:
        """Every node, whoever's."""
        ...

    def pods_on(self, node: str) -> Sequence[Pod]:
        """Pods on a node, whatever their phase."""
        ...

    def budgets(self) -> Sequence[PodDisruptionBudget]:
        """Every disruption budget."""
        ...

    def change(self, node: Node, change: Mapping[str, object]) -> None:
        """Apply a merge patch to a node, as it was looked at.

        Raises:
            ChangedError: it has changed since.
        """
        ...

    def evict(self, pod: Pod, *, grace_seconds: int) -> str:
        """Ask a pod to end; "" where it will, or is gone, else why not yet."""
        ...

    def delete(self, node: Node) -> None:
        """Delete a node's object, if it is still this one."""
        ...

    def xids(self) -> Mapping[str, tuple[int, ...]] | str:
        """Last Xids of the GPUs by node, from Prometheus; why nobody knows them else."""
        ...
