"""What can move a thing, for each kind in the order in which it is tried, and where each applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from planning.relocation.inventory.assets import AssetKind

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Mover:
    """One way to move things.

    Args:
        kinds: what it moves.
        runs: "atoll" where `atoll relocate run` runs it, "provider" where the cloud does, "you" where people do.
        between: pairs of stores or providers that it goes between; none for all.
        needs: what must be there first.
        limits: what stops it, beside what it loses.
    """

    name: str
    title: str
    kinds: frozenset[AssetKind]
    runs: Literal["atoll", "provider", "you"]
    between: frozenset[tuple[str, str]] | None = None
    needs: str = ""
    limits: str = ""


_FILES: Final = frozenset({AssetKind.VOLUME, AssetKind.FILE_SYSTEM})
# In the order of preference. Facts of limits: research/policy_migration.md section 3.2 and the pages in
# planning/relocation/methods/data_loss.py.
MOVERS: Final = (
    Mover(
        name="atoll",
        title="Atoll's own copier",
        kinds=frozenset({AssetKind.BUCKET}),
        runs="atoll",
        needs="S3 on both sides, and keys for each",
    ),
    Mover(
        name="s3_replication",
        title="Amazon S3 replication with Batch Replication",
        kinds=frozenset({AssetKind.BUCKET}),
        runs="provider",
        between=frozenset({("aws", "aws")}),
        needs="versions on both buckets, a role, and Batch Replication for what is there already",
        limits="objects in archive classes are not replicated",
    ),
    Mover(
        name="datasync",
        title="AWS DataSync",
        kinds=frozenset({AssetKind.BUCKET}),
        runs="provider",
        between=frozenset({("aws", "aws"), ("aws", "gcs"), ("gcs", "aws"), ("minio", "aws"), ("aws", "minio")}),
        needs="a location and a role on each side; an agent beside a store that is not in AWS",
        limits="charged by the GB beside egress and requests",
    ),
    Mover(
        name="storage_transfer",
        title="Storage Transfer Service of Google Cloud",
        kinds=frozenset({AssetKind.BUCKET}),
        runs="provider",
        between=frozenset({("aws", "gcs"), ("gcs", "gcs"), ("minio", "gcs")}),
        needs="keys or a federated role at the source, rights of its service agent at the target",
    ),
    Mover(
        name="pg_dump",
        title="pg_dump and pg_restore",
        kinds=frozenset({AssetKind.POSTGRESQL}),
        runs="atoll",
        needs="a user that reads everything at the source, an empty database at the target",
        limits="slow from about a TB on (CloudNativePG#3664)",
    ),
    Mover(
        name="cnpg_replica",
        title="CloudNativePG replica cluster, promoted",
        kinds=frozenset({AssetKind.POSTGRESQL}),
        runs="you",
        needs="the same major version, and a way from one cluster to the other or a bucket with its WAL",
    ),
    Mover(
        name="mysqldump",
        title="mysqldump and mysql",
        kinds=frozenset({AssetKind.MYSQL}),
        runs="atoll",
        needs="the same major version on both sides",
    ),
    Mover(
        name="rsync",
        title="rsync -aHAX",
        kinds=_FILES,
        runs="you",
        needs="a pod on each side that may read as root, and a way between them",
        limits="without root, folders of other owners come over empty (migtools/crane#213)",
    ),
    Mover(
        name="datasync_files",
        title="AWS DataSync between file systems",
        kinds=frozenset({AssetKind.FILE_SYSTEM}),
        runs="provider",
        between=frozenset({("aws", "aws")}),
        needs="a location and a role on each side",
        limits="charged by the GB beside egress",
    ),
    Mover(
        name="volsync",
        title="VolSync, rsync over TLS",
        kinds=frozenset({AssetKind.VOLUME}),
        runs="you",
        needs="VolSync on both clusters, a load balancer at the target",
        limits="57 to 61 MiB/s of one volume (backube/volsync#1166); a damaged source damages the copy (#265)",
    ),
    Mover(
        name="exported",
        title="exported and applied; the step rewrite makes recurring runs and KServe's services again, standing still",
        kinds=frozenset({AssetKind.OBJECTS}),
        runs="you",
        needs="the same definitions on both clusters; for what Atoll makes again, kubeconfig_env of both sides",
        limits="Notebooks, Experiments of Katib and everything else are exported by you",
    ),
    Mover(
        name="velero",
        title="Velero with Kopia",
        kinds=frozenset({AssetKind.VOLUME, AssetKind.OBJECTS}),
        runs="you",
        needs="the source's bucket of backups as a read-only location at the target",
        limits="no snapshot crosses regions (velero#103), so files are read; it overwrites nothing that is there",
    ),
    Mover(
        name="names",
        title="switched by the step dns",
        kinds=frozenset({AssetKind.NAMES}),
        runs="atoll",
        needs="a time to live that was lowered before",
    ),
    Mover(
        name="by_owner",
        title="entered again by whoever made them",
        kinds=frozenset({AssetKind.SECRETS}),
        runs="you",
        needs="the list of their names, which the plan has where the cluster was asked",
    ),
)
BY_NAME: Final[Mapping[str, Mover]] = {each.name: each for each in MOVERS}


def applicable(kind: AssetKind, *, source: str, target: str) -> tuple[Mover, ...]:
    """Movers for a kind of thing, between two stores or providers, in the order of preference."""
    return tuple(
        each for each in MOVERS if kind in each.kinds and (each.between is None or (source, target) in each.between)
    )
