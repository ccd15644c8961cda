"""Ports by which writers are stopped; tests replace them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from components.agents.mover.store import s3_client
from operations.relocation.cluster import client
from operations.relocation.databases import postgres_read_only
from operations.relocation.writers import bucket_policy, minio_admin
from operations.relocation.writers.suspension import PATIENT, Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from components.agents.mover.scan import Connect
    from operations.relocation.cluster.client import RelocationCluster
    from operations.relocation.config.endpoints import DatabasePlace, RelocationSide
    from operations.relocation.runner.step import Move


Done = dict[str, object]  # JSON: what was done


@dataclass(frozen=True, slots=True, kw_only=True)
class StorePort:
    """Closes and opens one kind of object store; both are idempotent.

    Args:
        close: refuses writes of every user but the copy worker; `open_again` reverts that.
        settle_seconds: how long a change takes until it binds.
    """

    close: Callable[..., Done]
    open_again: Callable[..., Done]
    settle_seconds: float


class DatabasePort(Protocol):
    """Closes and opens a database; both are idempotent."""

    def close(self, place: DatabasePlace, move: Move, *, side: str) -> Done: ...

    def open_again(self, place: DatabasePlace, move: Move, *, side: str) -> Done: ...

    def try_to_write(self, place: DatabasePlace, move: Move) -> str:
        """Write and roll back: "written", "read-only" or "refused"."""
        ...

    def is_closed(self, place: DatabasePlace, move: Move) -> bool:
        """Whether its own setting makes it read-only."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuiescePorts:
    """All ports.

    Args:
        cluster: of a side, called by a word; None where the side names none.
        stores: by kind; a kind that is not there is stopped by hand.
        databases: of PostgreSQL; what writes a MySQL database is stopped in its cluster.
    """

    cluster: Callable[[RelocationSide, Mapping[str, str], str], RelocationCluster | None]
    stores: Mapping[str, StorePort]
    databases: DatabasePort
    connect: Connect
    patience: Patience = field(default=PATIENT)


# Google's XML interface takes no policy, and its JSON interface takes no HMAC keys: by hand, as any other store.
# MinIO's nodes tell each other at once; Amazon says that policies bind within seconds, and promises no time.
STORES: Final[Mapping[str, StorePort]] = {
    "minio": StorePort(close=minio_admin.close, open_again=minio_admin.open_again, settle_seconds=5.0),
    "aws": StorePort(close=bucket_policy.close, open_again=bucket_policy.open_again, settle_seconds=60.0),
}


def _cluster(side: RelocationSide, secrets: Mapping[str, str], words: str) -> RelocationCluster | None:
    return client.open_cluster(side, secrets, words=words)


HANDS: Final = QuiescePorts(cluster=_cluster, stores=STORES, databases=postgres_read_only, connect=s3_client.connect)
