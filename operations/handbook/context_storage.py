"""The storage of a handbook: tiers, and the shared volumes of every namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

from components.clouds.aws.storage import classes as aws_classes
from components.clouds.coreweave.storage import file_systems
from components.clouds.gcp.storage import classes as gcp_classes
from components.platform.teams.pod_defaults import SHARED
from operations.handbook.facts import HOT, TierFacts
from planning.costs.charges.storage_tiers import OBJECT_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operations.handbook.facts import Outputs
    from planning.spec.cluster import ClusterSpec, Tier

COLD: Final = "cold"
# Target to the claims that each namespace has for a shared file system, and for a bucket that is mounted.
FILES: Final[Mapping[str, str]] = {"aws": aws_classes.CLAIM, "gcp": gcp_classes.SHARED_CLAIM}
BUCKETS: Final[Mapping[str, str]] = {"gcp": gcp_classes.BUCKET_CLAIM}
SHARED_SSD: Final = "shared_ssd"  # on AWS the plain file system has a storage class and no claim of ours


class Files(TypedDict):
    """Fields of `Facts`."""

    claims: Mapping[str, str]
    apart: Mapping[str, str]
    store_gb: int


def tiers(spec: ClusterSpec, outputs: Outputs) -> tuple[TierFacts, ...]:
    """As the lock has them, the fastest first."""
    return tuple(
        TierFacts(
            tier=tier.tier,
            engine=tier.engine,
            asked_gb=tier.asked_gb,
            purpose=tier.purpose,
            is_bucket=tier.item in OBJECT_ITEMS,
            bucket=outputs.buckets.get(tier.purpose, "") if tier.item in OBJECT_ITEMS else "",
        )
        for tier in spec.storage
    )


def files(spec: ClusterSpec) -> Files:
    """Where files can lie that outlive a node."""
    return Files(claims=claims(spec), apart=apart(spec), store_gb=store_gb(spec))


def claims(spec: ClusterSpec) -> dict[str, str]:
    """Claims of every namespace to where a notebook that ticks them finds them."""
    target = spec.placement.target
    found = [FILES[target] for tier in spec.storage if target in FILES and _is_files(tier, target)]
    found += [BUCKETS[target] for tier in spec.storage if target in BUCKETS and tier.tier == COLD and _is_object(tier)]
    return {claim: f"{SHARED}/{claim}" for claim in dict.fromkeys(found)}


def apart(spec: ClusterSpec) -> dict[str, str]:
    """Claims that are in a namespace of their own, with that namespace."""
    if spec.placement.target != "coreweave":
        return {}
    return {tier.tier: f"{file_systems.NAMESPACE}-{tier.tier}" for tier in spec.storage if tier.item == SHARED_SSD}


def store_gb(spec: ClusterSpec) -> int:
    """Disks of the object store inside the cluster; 0 where there is none."""
    platform = spec.platform
    part = None if platform is None else platform.part(platform.object_store)
    return 0 if part is None else part.disk_gb


def _is_object(tier: Tier) -> bool:
    return tier.item in OBJECT_ITEMS


def _is_files(tier: Tier, target: str) -> bool:
    if target == "aws":
        return tier.item == SHARED_SSD
    return tier.tier != HOT and not _is_object(tier)
