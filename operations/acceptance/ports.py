"""What an acceptance asks of a cluster, so that it can be tried without one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from planning.values.errors import AtollError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from components.acceptance.model import Manifest, Reference


class AcceptanceClusterError(AtollError):
    """The cluster refused, or does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """Time, as a run needs it."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSnapshot:
    """A node as the cluster tells it.

    Args:
        taints: their keys.
        accelerators: how many pods may have there, by their resource's name.
        uid: another node of the same name has another one.
        holders: pods that hold accelerators there, "namespace/name".
    """

    name: str
    labels: Mapping[str, str]
    ready: bool
    cordoned: bool
    taints: tuple[str, ...]
    accelerators: Mapping[str, int]
    uid: str = ""
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodSnapshot:
    """A pod of a job.

    Args:
        waiting: why it does not run, in the cluster's words; "" where it does.
    """

    namespace: str
    name: str
    phase: str
    node: str
    waiting: str = ""


class AcceptanceCluster(Protocol):
    """The API of one cluster."""

    def nodes(self) -> Sequence[NodeSnapshot]:
        """Every node, and who holds its accelerators."""
        ...

    def apply(self, manifest: Manifest) -> None:
        """Make an object, or bring it to what is given."""
        ...

    def get(self, wanted: Reference) -> Manifest | None:
        """The object as it stands; None where it, or its kind, is not there."""
        ...

    def delete(self, wanted: Reference) -> None:
        """Delete the object and what it owns; nothing where it is not there."""
        ...

    def listed(self, *, api_version: str, kind: str, namespace: str, selector: str) -> Sequence[Reference]:
        """Objects of a kind that bear labels; none where the kind is not served."""
        ...

    def pods(self, *, namespace: str, selector: str) -> Sequence[PodSnapshot]:
        """Pods that bear labels."""
        ...

    def log(self, pod: PodSnapshot, *, container: str) -> str:
        """What a container of a pod has written, cut to a bound; "" where it has not begun."""
        ...
