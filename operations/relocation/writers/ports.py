"""By what hands writers are stopped: the live ones, or those of a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from components.agents.mover.store.model import BucketClient
from operations.relocation.writers.suspension import PATIENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from components.agents.mover.store.model import BucketEndpoint
    from operations.clouds.kubernetes.objects import KubernetesApi
    from operations.relocation.config.endpoints import DatabasePlace, RelocationSide, StorePlace
    from operations.relocation.runner.step import Move
    from operations.relocation.writers.suspension import Patience

Done = dict[str, object]  # JSON: what was done


class StorePort(Protocol):
    """Stops the writers of one kind of object store, and lets them write again. Both may run twice."""

    settle_seconds: float
    """How long a change takes until it binds."""

    def close(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """Refuse writes of everybody but the mover."""
        ...

    def open_again(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """Take that back."""
        ...


class DatabasePort(Protocol):
    """Makes a database read-only, and writable again. Both may run twice."""

    def close(self, place: DatabasePlace, move: Move, *, side: str) -> Done:
        """Make it read-only."""
        ...

    def open_again(self, place: DatabasePlace, move: Move, *, side: str) -> Done:
        """Make it what it was."""
        ...

    def try_to_write(self, place: DatabasePlace, move: Move) -> str:
        """Write and take it back: "written", "read-only" or "refused"."""
        ...

    def is_closed(self, place: DatabasePlace, move: Move) -> bool:
        """Whether it is read-only by its own setting."""
        ...


class ClosableStore(BucketClient, Protocol):
    """A bucket with a connection."""

    def close(self) -> None:
        """Close the connection."""
        ...


class OpenStore(Protocol):
    """Opens one bucket."""

    def __call__(self, place: BucketEndpoint) -> ClosableStore:
        """A store for one thread."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuiescePorts:
    """All of them.

    Args:
        cluster: of a side, called by a word; None where the side names none.
        stores: by kind; a kind that is not there is stopped by hand.
        databases: of PostgreSQL; what writes a MySQL database is stopped in its cluster.
    """

    cluster: Callable[[RelocationSide, Mapping[str, str], str], KubernetesApi | None]
    stores: Mapping[str, StorePort]
    databases: DatabasePort
    connect: OpenStore
    patience: Patience = field(default=PATIENT)
