"""By what hands writers are stopped: the live ones, or those of a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol, final

from components.agents.mover.store import s3_client
from operations.relocation.cluster import client
from operations.relocation.databases import postgres_read_only
from operations.relocation.writers import bucket_policy, minio_admin
from operations.relocation.writers.suspension import PATIENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from components.agents.mover.scan import Connect
    from operations.relocation.cluster.client import RelocationCluster
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuiescePorts:
    """All of them.

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


@final
class MinioAdapter:
    """Policies of MinIO's users; its nodes tell each other at once."""

    settle_seconds = 5.0

    def close(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """See `minio_admin`."""
        return minio_admin.close(place, buckets, move, side=side)

    def open_again(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """See `minio_admin`."""
        del buckets
        return minio_admin.open_again(place, move, side=side)


@final
class BucketPolicyAdapter:
    """Policies of buckets; Amazon says that they bind within seconds, and promises no time."""

    settle_seconds = 60.0

    def close(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """See `bucket_policy`."""
        return bucket_policy.close(place, buckets, move, side=side)

    def open_again(self, place: StorePlace, buckets: Sequence[str], move: Move, *, side: str) -> Done:
        """See `bucket_policy`."""
        return bucket_policy.open_again(place, buckets, move, side=side)


@final
class PostgresAdapter:
    """Settings of databases."""

    def close(self, place: DatabasePlace, move: Move, *, side: str) -> Done:
        """See `postgres_read_only`."""
        return postgres_read_only.close(place, move, side=side)

    def open_again(self, place: DatabasePlace, move: Move, *, side: str) -> Done:
        """See `postgres_read_only`."""
        return postgres_read_only.open_again(place, move, side=side)

    def try_to_write(self, place: DatabasePlace, move: Move) -> str:
        """See `postgres_read_only`."""
        return postgres_read_only.try_to_write(place, move)

    def is_closed(self, place: DatabasePlace, move: Move) -> bool:
        """See `postgres_read_only`."""
        return postgres_read_only.is_closed(place, move)


# Google's XML interface takes no policy, and its JSON interface takes no HMAC keys: by hand, as any other store.
STORES: Final[Mapping[str, StorePort]] = {"minio": MinioAdapter(), "aws": BucketPolicyAdapter()}


def _cluster(side: RelocationSide, secrets: Mapping[str, str], words: str) -> RelocationCluster | None:
    return client.open_cluster(side, secrets, words=words)


HANDS: Final = QuiescePorts(cluster=_cluster, stores=STORES, databases=PostgresAdapter(), connect=s3_client.connect)
