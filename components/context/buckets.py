"""Shared by the buckets of every cloud: buckets of a tier, inputs of their components, retention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from planning.costs.charges import BUCKET
from planning.platform.backups import VERSION_DAYS

if TYPE_CHECKING:
    from components.context.placement import PlacementContext
    from planning.spec.cluster import ClusterSpec, Tier

# Items of catalogs/tiers.csv that become buckets.
OBJECT_ITEMS: Final = frozenset({"object", "object_infrequent", "object_archive"})
INCOMPLETE_UPLOAD_DAYS: Final = 7
OLD_VERSION_DAYS: Final = 30
ARTIFACTS: Final = "artifacts"  # of the experiment tracker, in the cold tier and part of its size
NAME: Final = "platform"  # of the platform's own bucket
PLATFORM_VERSION_DAYS: Final = VERSION_DAYS


def purposes(tier: Tier) -> tuple[str, ...]:
    """Purposes of the tier's buckets, which share its volume."""
    return (tier.purpose, ARTIFACTS) if tier.tier == "cold" else (tier.purpose,)


def list_object_tiers(spec: ClusterSpec) -> list[Tier]:
    return [tier for tier in spec.storage if tier.item in OBJECT_ITEMS]


def describe_tier(site: PlacementContext, tier: Tier) -> dict[str, object]:
    """Inputs of an object tier's component; the declared charges are of its volume."""
    # Declared here: no bucket states its volume.
    return site.describe(tier=tier.tier, charges=site.ledger.claim(f"bucket/{tier.tier}"))


def describe_platform_bucket(site: PlacementContext) -> dict[str, object]:
    """Inputs of the component of the platform's bucket, with the declared charge of its volume."""
    return site.describe(charges=site.ledger.claim(BUCKET))
