"""The hands that really stop writers: the cluster's API, MinIO's client, bucket policies, PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

from components.agents.mover.store import s3_client
from operations.relocation.cluster import client
from operations.relocation.databases import postgres_read_only
from operations.relocation.writers import bucket_policy, minio_admin
from operations.relocation.writers.ports import QuiescePorts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from operations.clouds.kubernetes.objects import KubernetesApi
    from operations.relocation.config.endpoints import DatabasePlace, RelocationSide, StorePlace
    from operations.relocation.runner.step import Move
    from operations.relocation.writers.ports import Done, StorePort


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


def _cluster(side: RelocationSide, secrets: Mapping[str, str], words: str) -> KubernetesApi | None:
    return client.open_cluster(side, secrets, words=words)


HANDS: Final = QuiescePorts(cluster=_cluster, stores=STORES, databases=PostgresAdapter(), connect=s3_client.connect)
